"""What a stream says, put together once for all rules: its items, their parts, its ending.

The reading is lenient, since a rule can only say of an event what is wrong with it once the event
has found its place. An item is known by its ``output_index``, because that is what holds in the
field; an event whose index was never announced goes where its item id was. What finds no place, or
has no content to be read, is ``lost``: no sum can be held against a stream that it is missing from.

Only what comes up to the first terminal event counts; the rest is ``late``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.dialects.openresponses.lifecycles import ROLES
from mockserver.dialects.openresponses.events import GROUPS, TERMINAL, is_extension

if TYPE_CHECKING:
    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent

Json = Mapping[str, Any]

ADDED = "response.output_item.added"
DONE = "response.output_item.done"

_CHILDREN = frozenset({"part", "text", "arguments", "reasoning", "refusal", "citation"})


@dataclass(frozen=True, slots=True)
class Event:
    """One event that is an object and has a type."""

    n: int
    type: str
    data: Json

    @property
    def lane(self) -> str:
        """The lane of a known event; empty for one that the dialect does not have."""
        return GROUPS.get(self.type, "")

    @property
    def is_child(self) -> bool:
        """Does it belong to an item without opening or closing it?"""
        return self.lane in _CHILDREN

    @property
    def is_extension(self) -> bool:
        return is_extension(self.type)

    @property
    def item(self) -> Json:
        """The item that it carries; empty where it carries none."""
        return _object(self.data.get("item"))

    @property
    def response(self) -> Json:
        """The response that it carries; empty where it carries none."""
        return _object(self.data.get("response"))

    def text(self, name: str) -> str | None:
        """A field that is a string."""
        value = self.data.get(name)
        return value if isinstance(value, str) else None

    def index(self, name: str) -> int | None:
        """A field that is a place in a list."""
        value = _whole(self.data.get(name))
        return value if value is not None and value >= 0 else None

    @property
    def number(self) -> int | None:
        """Its place in the stream, as it says itself."""
        return _whole(self.data.get("sequence_number"))


@dataclass(slots=True)
class Item:
    """An output item: every event that belongs to it, in order."""

    index: int
    events: list[Event] = field(default_factory=list)
    parts: dict[tuple[str, int], list[Event]] = field(default_factory=dict)

    @property
    def added(self) -> Event | None:
        """The event that announced it."""
        return next((event for event in self.events if event.type == ADDED), None)

    @property
    def done(self) -> Event | None:
        """The event that finished it."""
        return next((event for event in self.events if event.type == DONE), None)

    @property
    def type(self) -> str:
        return str(self.told.get("type", ""))

    @property
    def told(self) -> Json:
        """The item as it was first told."""
        return next((told for told in self.tellings if told), {})

    @property
    def tellings(self) -> list[Json]:
        """The item as it was announced and as it was finished."""
        return [event.item for event in (self.added, self.done) if event]

    @property
    def cut_short(self) -> bool:
        """Was it finished as incomplete?"""
        return self.done is not None and self.done.item.get("status") == "incomplete"

    def __str__(self) -> str:
        named = self.told.get("id")
        what = self.type or "item"
        return f"the {what} {named!r} (index {self.index})" if named else f"item {self.index}"


class Stream:
    """One response as it was streamed; ``sent`` are all things in the order in which to judge them.

    ``resorted`` says that this is not the order of the wire but that of the sequence numbers.
    """

    def __init__(
        self, sent: Sequence[SentEvent], framing: Framing | None, *, resorted: bool = False
    ) -> None:
        self.sent = tuple(sent)
        self.framing = framing
        self.resorted = resorted
        self.all = [_event(one) for one in self.sent if _is_typed(one)]
        last = next((k for k, e in enumerate(self.all) if e.type in TERMINAL), len(self.all))
        self.events, self.late = self.all[: last + 1], self.all[last + 1 :]
        self.items: dict[int, Item] = {}
        # The index at which each item id was announced
        self.ids: dict[str, int] = {}
        # Events that went where their item id says, since their own index leads nowhere
        self.strays: list[tuple[Event, Item]] = []
        self.lost = {one.n for one in self.sent if one.kind == "event" and not _is_typed(one)}
        for event in self.events:
            self._place(event)

    @property
    def terminal(self) -> Event | None:
        """The event that ended the response."""
        last = self.events[-1] if self.events else None
        return last if last and last.type in TERMINAL else None

    @property
    def output(self) -> list[Json]:
        """The items of the final response."""
        output = self.terminal.response.get("output") if self.terminal else None
        return [_object(item) for item in output] if isinstance(output, list) else []

    def final(self, item: Item) -> Json | None:
        """An item as the final response has it at its index; None where another stands there."""
        if item.index >= len(self.output):
            return None
        held = self.output[item.index]
        return held if self._is_same(held, item) else None

    def _is_same(self, held: Json, item: Item) -> bool:
        # An id that nobody announced may be this item's: some servers make new ones every time.
        id_ = held.get("id")
        known = any(id_ == one.get("id") for one in item.tellings)
        known = known or self.ids.get(str(id_), item.index) == item.index
        told = [(one.get("type"), one.get("call_id")) for one in item.tellings if one]
        return known and (not told or (held.get("type"), held.get("call_id")) in told)

    def _place(self, event: Event) -> None:
        if event.lane != "item" and not event.is_child:
            return
        item = self._item(event)
        if item is None:
            self.lost.add(event.n)
            return
        item.events.append(event)
        role = ROLES.get(event.type)
        if role and (place := event.index(role.index)) is not None:
            item.parts.setdefault((role.where, place), []).append(event)
        elif role:
            self.lost.add(event.n)
        if not _is_readable(event):
            self.lost.add(event.n)

    def _item(self, event: Event) -> Item | None:
        index = event.index("output_index")
        id_ = event.text("item_id") or event.item.get("id")
        if event.type != ADDED and index not in self.items and id_ in self.ids:
            item = self.items[self.ids[str(id_)]]
            self.strays.append((event, item))
            return item
        if index is None:
            return None
        if event.type == ADDED and isinstance(id_, str):
            self.ids.setdefault(id_, index)
        return self.items.setdefault(index, Item(index))


def _event(one: SentEvent) -> Event:
    return Event(one.n, one.type, one.data)


def _is_typed(one: SentEvent) -> bool:
    return one.kind == "event" and isinstance(one.data, dict) and bool(one.type)


def _is_readable(event: Event) -> bool:
    """Is the content there that an event of its type carries?"""
    role = ROLES.get(event.type)
    if event.type.endswith("arguments.delta") or (role and role.step == "delta"):
        return event.text("delta") is not None
    return True


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def in_order(stream: Stream) -> Stream | None:
    """The stream in the order of its sequence numbers; None where they give no other order."""
    numbers = {event.n: event.number for event in stream.all if event.number is not None}
    numbered = [one for one in stream.sent if one.n in numbers]
    ordered = sorted(numbered, key=lambda one: numbers[one.n])
    if len(set(numbers.values())) < len(numbers) or ordered == numbered:
        return None
    turn = iter(ordered)
    events = [next(turn) if one.n in numbers else one for one in stream.sent]
    return Stream(events, stream.framing, resorted=True)
