"""Groups the events of a stream into items and parts, as the input of all legality rules.

Grouping is lenient, so that a rule can say what is wrong with an event of an item. Events belong to
the item at their ``output_index``, because real servers keep that stable; an event whose index was
never announced goes to the item with its ``item_id``. Events that belong to no item, or whose
content cannot be read, are ``lost``: rules that compare deltas with full texts do not apply then.

Events after the first terminal event are ``late``, and not grouped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects.openresponses.lifecycles import ROLES
from conformance.dialects.text_versions import TextVersion, joined
from conformance.findings.finding import Defect, Kind, Level, topics
from conformance.findings.values import ItemValue
from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import GROUPS, TERMINAL, is_extension
from mockserver.dialects.openresponses.openai_types import OwnEvent
from mockserver.foundation.json_fields import listed, mapping

Json = Mapping[str, Any]

ADDED = "response.output_item.added"
DONE = "response.output_item.done"

_CHILDREN = frozenset({"part", "text", "arguments", "reasoning", "refusal", "citation"})


@dataclass(frozen=True, slots=True)
class Event:
    """One event whose data is a JSON object with a type."""

    n: int
    type: str
    data: Json

    @property
    def category(self) -> str:
        """What the event is about, such as "item" or "text"; empty for an unknown event type."""
        return GROUPS.get(self.type, "")

    @property
    def is_child(self) -> bool:
        """Whether it belongs to an item without adding or finishing it."""
        return self.category in _CHILDREN

    @property
    def own(self) -> OwnEvent | None:
        """What the event is in OpenAI's own vocabulary; None if it is not of that."""
        return openai_types.own_event(self.type)

    @property
    def is_extension(self) -> bool:
        return is_extension(self.type)

    @property
    def item(self) -> Json:
        """The item in the event; empty if there is none."""
        return mapping(self.data.get("item"))

    @property
    def response(self) -> Json:
        """The response object in the event; empty if there is none."""
        return mapping(self.data.get("response"))

    def text(self, name: str) -> str | None:
        """The string in a field; None if there is none."""
        value = self.data.get(name)
        return value if isinstance(value, str) else None

    def index(self, name: str) -> int | None:
        """The index in a field, an integer from 0; None if there is none."""
        value = _whole(self.data.get(name))
        return value if value is not None and value >= 0 else None

    def versions(self, text: object) -> list[TextVersion]:
        """A text of the event as a version to compare; none unless it is a string."""
        return [TextVersion(self.n, self.type, text)] if isinstance(text, str) else []

    @property
    def number(self) -> int | None:
        """The sequence number; None if there is none."""
        return _whole(self.data.get("sequence_number"))


@dataclass(slots=True)
class Item:
    """An output item: its events in order, and those of each part by list and index."""

    index: int
    events: list[Event] = field(default_factory=list)
    parts: dict[tuple[str, int], list[Event]] = field(default_factory=dict)

    @property
    def added(self) -> Event | None:
        """The first event that added the item."""
        return next((event for event in self.events if event.type == ADDED), None)

    @property
    def done(self) -> Event | None:
        """The first event that finished the item."""
        return next((event for event in self.events if event.type == DONE), None)

    @property
    def type(self) -> str:
        return str(self.first_snapshot.get("type", ""))

    @property
    def first_snapshot(self) -> Json:
        """The first item object that is not empty: as added, or as done."""
        return next(filter(None, self.snapshots), {})

    @property
    def snapshots(self) -> list[Json]:
        """The item objects of its ``added`` and ``done`` events."""
        return [event.item for event in (self.added, self.done) if event]

    @property
    def cut_short(self) -> bool:
        """Whether it was finished with the status "incomplete"."""
        return self.done is not None and self.done.item.get("status") == "incomplete"

    @property
    def value(self) -> ItemValue:
        """The item in findings."""
        return ItemValue(self.index, self.type, self.first_snapshot.get("id"))

    def defect(
        self,
        kind: Kind,
        event: int,
        about: str,
        needs: str = "item: lost",
        level: Level | None = None,
    ) -> Defect:
        """A defect of the item, with its topics as words; one that ends in ``:`` gets its index."""
        return Defect(kind, self._topics(about), event, level=level, needs=self._topics(needs))

    def part_topic(self, where: str, place: int) -> str:
        """The topic under which defects of one part are reported."""
        return f"part:{self.index}:{where}:{place}"

    def _topics(self, words: str) -> frozenset[str]:
        named = (f"{word}{self.index}" if word.endswith(":") else word for word in words.split())
        return topics(*named)


class Stream:
    """One streamed response; ``sent`` is everything that was sent, in the order to judge.

    ``resorted`` says that this is the order of the sequence numbers instead of that on the wire.
    """

    def __init__(
        self, sent: Sequence[SentEvent], framing: Framing | None, *, resorted: bool = False
    ) -> None:
        self.sent = tuple(sent)
        self.framing = framing
        self.resorted = resorted
        self.all = [Event(one.n, one.type, one.data) for one in self.sent if _is_typed(one)]
        last = next((k for k, e in enumerate(self.all) if e.type in TERMINAL), len(self.all))
        self.events, self.late = self.all[: last + 1], self.all[last + 1 :]
        self.items: dict[int, Item] = {}
        # The index at which each item id was announced
        self.ids: dict[str, int] = {}
        # Events with an unknown index, with the item that their item id names
        self.misindexed: list[tuple[Event, Item]] = []
        # Events of OpenAI's items at an index at which no item was added
        self.unplaced: list[Event] = []
        self.lost = {one.n for one in self.sent if one.kind == "event" and not _is_typed(one)}
        for event in self.events:
            self._place(event)

    @property
    def terminal(self) -> Event | None:
        """The event that ended the response."""
        last = self.events[-1] if self.events else None
        return last if last and last.type in TERMINAL else None

    @cached_property
    def output(self) -> list[Json]:
        """The items of the final response."""
        response = self.terminal.response if self.terminal else {}
        return [mapping(item) for item in listed(response.get("output"))]

    def final(self, item: Item) -> Json | None:
        """An item in the final response; None if another item is at its index."""
        if item.index >= len(self.output):
            return None
        held = self.output[item.index]
        return held if self._is_same(held, item) else None

    def finished(self, item: Item) -> Iterator[tuple[Event, Json]]:
        """The finished item and its copy in the final response, each with the event that has it."""
        if item.done:
            yield item.done, item.done.item
        if (held := self.final(item)) and self.terminal:
            yield self.terminal, held

    def _is_same(self, held: Json, item: Item) -> bool:
        # An unknown id may be this item's: some servers generate a new id in every event.
        id_ = held.get("id")
        known = any(id_ == one.get("id") for one in item.snapshots)
        known = known or self.ids.get(str(id_), item.index) == item.index
        seen = [(one.get("type"), one.get("call_id")) for one in item.snapshots if one]
        return known and (not seen or (held.get("type"), held.get("call_id")) in seen)

    def _place(self, event: Event) -> None:
        if event.own and event.own.item:
            self._place_own(event)
            return
        if event.category != "item" and not event.is_child:
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

    def _place_own(self, event: Event) -> None:
        """Add an event of OpenAI's to its item; a client may ignore it, so it announces none."""
        item = self.items.get(index) if (index := event.index("output_index")) is not None else None
        if item is None and (id_ := event.text("item_id")) in self.ids:
            item = self.items[self.ids[id_ or ""]]
            self.misindexed.append((event, item))
        if item:
            item.events.append(event)
        else:
            self.unplaced.append(event)

    def _item(self, event: Event) -> Item | None:
        index = event.index("output_index")
        own_id = event.item.get("id")
        id_ = event.text("item_id") or (own_id if isinstance(own_id, str) else "")
        if event.type != ADDED and index not in self.items and id_ in self.ids:
            item = self.items[self.ids[id_]]
            self.misindexed.append((event, item))
            return item
        if index is None:
            return None
        if event.type == ADDED and id_:
            self.ids.setdefault(id_, index)
        return self.items.setdefault(index, Item(index))


def _is_typed(one: SentEvent) -> bool:
    return one.kind == "event" and isinstance(one.data, dict) and bool(one.type)


def _is_readable(event: Event) -> bool:
    """Whether a delta event has its ``delta`` string; True for events of other types."""
    role = ROLES.get(event.type)
    if event.type.endswith("arguments.delta") or (role and role.step == "delta"):
        return event.text("delta") is not None
    return True


def joined_deltas(deltas: Sequence[Event], *begun: object) -> list[TextVersion]:
    """The text with which an item or a part began, and its deltas, as one version.

    None without deltas, which are optional.
    """
    heads = [text for text in begun if isinstance(text, str)]
    texts = [event.text("delta") or "" for event in deltas]
    return [TextVersion(deltas[-1].n, "", joined([*heads, *texts]))] if deltas else []


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def in_order(stream: Stream) -> Stream | None:
    """The stream sorted by sequence numbers; None if they repeat or are in order already."""
    numbers = {event.n: event.number for event in stream.all if event.number is not None}
    numbered = [one for one in stream.sent if one.n in numbers]
    ordered = sorted(numbered, key=lambda one: numbers[one.n])
    if len(set(numbers.values())) < len(numbers) or ordered == numbered:
        return None
    turn = iter(ordered)
    events = [next(turn) if one.n in numbers else one for one in stream.sent]
    return Stream(events, stream.framing, resorted=True)
