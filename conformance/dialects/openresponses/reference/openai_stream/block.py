"""The state of one item while it streams, and the tables that say what becomes of its events.

Each kind of item has a table: state × event → the next state and the parts to emit. The names of
events are those on the wire. An event that a state does not list emits nothing, so a kind without a
table is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.dialects.client.fields import Event, Part, string
from conformance.dialects.openresponses.reference.response_state import EmittedText

ADDED = "response.output_item.added"
DONE = "response.output_item.done"

UNSEEN, OPEN, ENDED, OVER = "", "open", "ended", "over"
"""The states that most kinds have: not begun, begun, its input or text is complete, nothing more
comes."""


@dataclass(slots=True)
class Response:
    """What the blocks of one response share.

    - `store` is the option of the request; unset counts as false (see `reasoning`).
    - `tool_names` are the names of the offered tools by type.
    - `call_of_approval` has the call id of each approval request, of this response and of the
      prompt; `asked` are those of this response.
    - `searches` are the ids of the searches for tools that have no result yet.
    - `refused` says that the model has refused.
    """

    store: bool = False
    tool_names: Mapping[str, str] = field(default_factory=dict)
    call_of_approval: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    searches: list[str] = field(default_factory=list)
    refused: bool = False


@dataclass(slots=True)
class Block:
    """One item as it streams. `id` is the id of its parts: a call id, or the id of the item.

    - `item` has the fields of the item as they were sent last.
    - `text` is the text or input that was emitted, so that complete texts add only their rest.
    - `received` are the types of its events.
    - `sections` are the states of the parts of a reasoning summary, by index.
    """

    kind: str
    id: str
    item: Event
    response: Response
    state: str = UNSEEN
    text: EmittedText = field(default_factory=EmittedText)
    received: set[str] = field(default_factory=set)
    annotations: list[Event] = field(default_factory=list)
    sections: dict[int, str] = field(default_factory=dict)

    @property
    def item_id(self) -> str:
        return string(self.item, "id") or self.id


Maker = Callable[[Block, Event], list[Part]]
"""Creates parts from a block and the event."""


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


def metadata(**fields: object) -> dict[str, object]:
    """The field `providerMetadata` of a part; values that are None are left out."""
    known = {name: value for name, value in fields.items() if value is not None}
    return {"providerMetadata": {"openai": known}}
