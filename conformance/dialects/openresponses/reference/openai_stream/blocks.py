"""Items as they stream: the state of a block, the tables of its events, and those of its contents.

Each kind of item has a table: state × event → the next state and the parts to emit. The names of
events are those on the wire. An event that a state does not list emits nothing, so a kind without a
table is silent. The tables of messages and of reasoning are here; `calls` and `hosted` have those
of tools.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.dialects.client.content import EmittedText
from conformance.dialects.client.fields import Event, Part, string

ADDED = "response.output_item.added"
DONE = "response.output_item.done"

UNSEEN = ""
OPEN, ENDED, OVER = "open", "ended", "over"
"""The states that most kinds have: not begun, begun, its input or text is complete, nothing more
comes."""


@dataclass(slots=True)
class Response:
    """What the blocks of one response share.

    - `store` is the option of the request; unset counts as false (see below).
    - `call_of_approval` has the call id of each approval request, of this response and of the
      prompt; `asked` are those of this response.
    - `searches` are the ids of the searches for tools that have no result yet.
    """

    store: bool = False
    call_of_approval: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    searches: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Block:
    """One item as it streams. `id` is the id of its parts: a call id, or the id of the item.

    - `item` has the fields of the item with which it began.
    - `text` is the text or input that was emitted, so that complete texts add only their rest.
    - `sections` are the states of the parts of a reasoning summary, by index.
    """

    kind: str
    id: str
    item: Event
    response: Response
    state: str = UNSEEN
    text: EmittedText = field(default_factory=EmittedText)
    annotations: list[Event] = field(default_factory=list)
    sections: dict[int, str] = field(default_factory=dict)

    @property
    def item_id(self) -> str:
        return string(self.item, "id")


Maker = Callable[[Block, Event], list[Part]]
"""Creates parts from a block and the event; that is the item itself where it begins or ends."""


class Step(NamedTuple):
    """The state after an event, and what creates the parts to emit."""

    state: str
    parts: tuple[Maker, ...] = ()


Table = Mapping[tuple[str, str], Step]
Tables = Mapping[str, Table]


def advance(table: Table, block: Block, event: str, data: Event) -> list[Part]:
    """The parts of an event of a block, which is then in its next state."""
    step = table.get((block.state, event))
    if step is None:
        return []
    parts = [part for make in step.parts for part in make(block, data)]
    block.state = step.state
    return parts


def once(*parts: Maker) -> Table:
    """The table of an item whose parts all come when it is finished."""
    return {(UNSEEN, DONE): Step(OVER, parts)}


def begun_and_done(begun: tuple[Maker, ...], *done: Maker) -> Table:
    """The table of an item that has parts when it begins and when it is finished only."""
    return {(UNSEEN, ADDED): Step(OPEN, begun), (OPEN, DONE): Step(OVER, done)}


def metadata(**fields: object) -> dict[str, object]:
    """The field `providerMetadata` of a part."""
    return {"providerMetadata": {"openai": fields}}


# Messages. The annotations are kept for each message, and none of them is in the end of the next
# one. Each becomes a source at once, where it stands; version 4 of the AI SDK's provider holds
# those of pages and searched files back until the end of the stream.

TEXT_DELTA = "response.output_text.delta"
ANNOTATION = "response.output_text.annotation.added"


def _text_start(block: Block, _data: Event) -> list[Part]:
    about = metadata(phase=block.item.get("phase"))
    return [{"type": "text-start", "id": block.id, **about}]


def _text_delta(block: Block, data: Event) -> list[Part]:
    return [{"type": "text-delta", "id": block.id, "delta": data["delta"]}]


def _cite(block: Block, annotation: Event) -> list[Part]:
    """The source of an annotation, whose type is known."""
    block.annotations.append(annotation)
    return [_SOURCES[string(annotation, "type")](annotation)]


def _text_end(block: Block, _data: Event) -> list[Part]:
    about = metadata(annotations=[*block.annotations])
    return [{"type": "text-end", "id": block.id, **about}]


MESSAGE: Table = {
    (UNSEEN, ADDED): Step(OPEN, (_text_start,)),
    (OPEN, TEXT_DELTA): Step(OPEN, (_text_delta,)),
    (OPEN, ANNOTATION): Step(OPEN, (_cite,)),
    (OPEN, DONE): Step(ENDED, (_text_end,)),
    # A finished item may lack what the final response has.
    (ENDED, ANNOTATION): Step(ENDED, (_cite,)),
}


def _page(annotation: Event) -> Part:
    url = string(annotation, "url")
    title = string(annotation, "title") or url
    return {"type": "source", "sourceType": "url", "id": url, "url": url, "title": title}


def _document(annotation: Event) -> Part:
    """A file, which must have a title: its name, or else its id. Nobody says its media type."""
    id_ = string(annotation, "file_id")
    name = string(annotation, "filename") or id_
    about = metadata(fileId=id_, containerId=annotation.get("container_id"))
    part = {"type": "source", "sourceType": "document", "mediaType": "application/octet-stream"}
    return {**part, "id": id_, "title": name, "filename": name, **about}


_SOURCES: Mapping[str, Callable[[Event], Part]] = {
    "url_citation": _page,
    "file_citation": _document,
    "container_file_citation": _document,
    "file_path": _document,
}


# Reasoning. Each part of a summary is a block of its own.
#
# The encrypted reasoning of an item comes with the finished item. A host that sends it back needs
# it with a block that has not ended, so with the option `store` unset or false a part only *can*
# conclude when its own end comes: it ends with the next part, or with the item and its encrypted
# content. With `store` the upstream has the reasoning itself, and a part ends at its own end.
#
# `store` counts as unset if it is not in the request, although the upstream then stores the
# response: ending a block later loses nothing.

PART_ADDED = "response.reasoning_summary_part.added"
PART_DONE = "response.reasoning_summary_part.done"
SECTION_DELTA = "response.reasoning_summary_text.delta"

STORED_PART_DONE = f"{PART_DONE}, stored"
NEXT_PART_ADDED = f"{PART_ADDED}, of a later part"

ACTIVE, CAN_CONCLUDE, CONCLUDED = "active", "can-conclude", "concluded"


def _section_start(block: Block, data: Event) -> list[Part]:
    about = metadata(itemId=block.item_id, reasoningEncryptedContent=None)
    return [{"type": "reasoning-start", "id": _section_id(block, data), **about}]


def _section_delta(block: Block, data: Event) -> list[Part]:
    about = metadata(itemId=block.item_id)
    return [
        {"type": "reasoning-delta", "id": _section_id(block, data), "delta": data["delta"], **about}
    ]


def _section_end(block: Block, data: Event) -> list[Part]:
    return [{"type": "reasoning-end", "id": _section_id(block, data)}]


def _section_end_of_item(block: Block, data: Event) -> list[Part]:
    encrypted = data.get("encrypted_content")
    about = metadata(itemId=block.item_id, reasoningEncryptedContent=encrypted)
    return [{"type": "reasoning-end", "id": _section_id(block, data), **about}]


def _section_id(block: Block, data: Event) -> str:
    return f"{block.id}:{data.get('summary_index', 0)}"


SECTION: Table = {
    (UNSEEN, ADDED): Step(ACTIVE, (_section_start,)),
    (UNSEEN, PART_ADDED): Step(ACTIVE, (_section_start,)),
    (ACTIVE, SECTION_DELTA): Step(ACTIVE, (_section_delta,)),
    (ACTIVE, PART_DONE): Step(CAN_CONCLUDE),
    (ACTIVE, STORED_PART_DONE): Step(CONCLUDED, (_section_end,)),
    (CAN_CONCLUDE, NEXT_PART_ADDED): Step(CONCLUDED, (_section_end,)),
    (ACTIVE, DONE): Step(CONCLUDED, (_section_end_of_item,)),
    (CAN_CONCLUDE, DONE): Step(CONCLUDED, (_section_end_of_item,)),
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
