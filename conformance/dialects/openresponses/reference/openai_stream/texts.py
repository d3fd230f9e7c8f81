"""The texts of messages: deltas and refusals, with the annotations that were made in them.

The annotations are kept for each message, and none of them is in the end of the next one. Each
becomes a source at once, where it stands; version 4 of the AI SDK's provider holds those of pages
and searched files back until the end of the stream.
"""

from __future__ import annotations

from conformance.dialects.client.fields import Event, Part, string
from conformance.dialects.openresponses.reference.openai_stream.block import (
    ADDED,
    DONE,
    ENDED,
    OPEN,
    UNSEEN,
    Block,
    Step,
    Table,
    metadata,
)
from conformance.dialects.openresponses.reference.openai_stream.sources import source

TEXT_DELTA = "response.output_text.delta"
REFUSAL_DELTA = "response.refusal.delta"
ANNOTATION = "response.output_text.annotation.added"


def _start(block: Block, _data: Event) -> list[Part]:
    about = metadata(itemId=block.item_id, phase=block.item.get("phase"))
    return [{"type": "text-start", "id": block.id, **about}]


def _delta(block: Block, data: Event) -> list[Part]:
    return [{"type": "text-delta", "id": block.id, "delta": data["delta"]}]


def _refuse(block: Block, _data: Event) -> list[Part]:
    block.response.refused = True
    return []


def _cite(block: Block, data: Event) -> list[Part]:
    annotation = data["annotation"]
    assert isinstance(annotation, dict)
    block.annotations.append(annotation)
    return source(annotation)


def _end(block: Block, _data: Event) -> list[Part]:
    about = metadata(
        itemId=block.item_id,
        phase=string(block.item, "phase") or None,
        annotations=list(block.annotations) or None,
    )
    return [{"type": "text-end", "id": block.id, **about}]


MESSAGE: Table = {
    (UNSEEN, ADDED): Step(OPEN, (_start,)),
    (OPEN, TEXT_DELTA): Step(OPEN, (_delta,)),
    (OPEN, REFUSAL_DELTA): Step(OPEN, (_refuse, _delta)),
    (OPEN, ANNOTATION): Step(OPEN, (_cite,)),
    (OPEN, DONE): Step(ENDED, (_end,)),
    # A finished item may lack what the final response has.
    (ENDED, TEXT_DELTA): Step(OPEN, (_start, _delta)),
    (ENDED, REFUSAL_DELTA): Step(OPEN, (_start, _refuse, _delta)),
    (ENDED, ANNOTATION): Step(ENDED, (_cite,)),
}
