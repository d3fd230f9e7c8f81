"""The parts of a reasoning summary, each of which is a block of reasoning of its own.

The encrypted reasoning of an item comes with the finished item. A host that sends it back needs it
with a block that has not ended, so with the option `store` unset or false a part only *can*
conclude when its own end comes: it ends with the next part, or with the item and its encrypted
content. With `store` the upstream has the reasoning itself, and a part ends at its own end.

`store` counts as unset if it is not in the request, although the upstream then stores the response:
ending a block later loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.dialects.client.fields import Event, Part, object_
from conformance.dialects.openresponses.reference.openai_stream.block import (
    ADDED,
    DONE,
    Block,
    Step,
    Table,
    metadata,
)

PART_ADDED = "response.reasoning_summary_part.added"
PART_DONE = "response.reasoning_summary_part.done"
DELTA = "response.reasoning_summary_text.delta"

STORED_PART_DONE = f"{PART_DONE}, stored"
NEXT_PART_ADDED = f"{PART_ADDED}, of a later part"
ENCRYPTED_LATER = "encrypted content after the end"

UNSEEN, ACTIVE, CAN_CONCLUDE, CONCLUDED = "", "active", "can-conclude", "concluded"


def _start(block: Block, data: Event) -> list[Part]:
    about = _encrypted(block, block.item.get("encrypted_content"))
    return [{"type": "reasoning-start", "id": _id(block, data), **about}]


def _delta(block: Block, data: Event) -> list[Part]:
    about = metadata(itemId=block.item_id)
    return [{"type": "reasoning-delta", "id": _id(block, data), "delta": data["delta"], **about}]


def _end(block: Block, data: Event) -> list[Part]:
    about = metadata(itemId=block.item_id)
    return [{"type": "reasoning-end", "id": _id(block, data), **about}]


def _end_of_item(block: Block, data: Event) -> list[Part]:
    about = _encrypted(block, object_(data, "item").get("encrypted_content"))
    return [{"type": "reasoning-end", "id": _id(block, data), **about}]


def _encrypted(block: Block, content: object) -> dict[str, object]:
    """The metadata with the encrypted content, which is null if there is none."""
    about = {"itemId": block.item_id, "reasoningEncryptedContent": content}
    return {"providerMetadata": {"openai": about}}


def _id(block: Block, data: Event) -> str:
    return f"{block.id}:{data.get('summary_index', 0)}"


SECTION: Table = {
    (UNSEEN, ADDED): Step(ACTIVE, (_start,)),
    (UNSEEN, PART_ADDED): Step(ACTIVE, (_start,)),
    (ACTIVE, DELTA): Step(ACTIVE, (_delta,)),
    (ACTIVE, PART_DONE): Step(CAN_CONCLUDE),
    (ACTIVE, STORED_PART_DONE): Step(CONCLUDED, (_end,)),
    (CAN_CONCLUDE, DELTA): Step(CAN_CONCLUDE, (_delta,)),
    (CAN_CONCLUDE, NEXT_PART_ADDED): Step(CONCLUDED, (_end,)),
    (ACTIVE, DONE): Step(CONCLUDED, (_end_of_item,)),
    (CAN_CONCLUDE, DONE): Step(CONCLUDED, (_end_of_item,)),
    # A finished item may lack what the final response has.
    (CONCLUDED, DELTA): Step(ACTIVE, (_start, _delta)),
    (CONCLUDED, ENCRYPTED_LATER): Step(CONCLUDED, (_start, _end_of_item)),
}
"""The states of one part of a summary. The item adds part 0, and its end is the end of all."""


def section_events(block: Block, event: str, data: Event) -> Iterator[tuple[int, str]]:
    """The events of sections that an event of the item is, in order, each with its section."""
    index = data.get("summary_index", 0)
    assert isinstance(index, int)
    if event == PART_ADDED:
        if index not in block.sections:
            yield from ((other, NEXT_PART_ADDED) for other in block.sections)
        yield index, event
    elif event == DONE:
        yield from ((section, event) for section in sorted(block.sections))
    elif event == PART_DONE and block.response.store:
        yield index, STORED_PART_DONE
    else:
        yield index, event
