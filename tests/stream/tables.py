"""Reads ``streams.yaml`` of the dialects: legal streams, and streams that each break one rule.

A stream is a change to one of the legal streams of ``streams``, the first unless it says ``of``. A
change is a list of steps, of which each names events by their type (``finish``, ``text-delta#2``
for the second one, ``#-1`` for the last, ``#*`` for all) or by their index, or all of them (``*``):

- ``drop`` and ``repeat`` events, ``swap`` one with the next, ``move`` one by some places, ``cut``
  the stream before one
- ``edit`` fields: objects are merged by key, lists by index, other values are replaced, ``absent``
  takes a field away; ``wherever`` edits the events that have all of the fields
- ``before`` and ``after`` an event, or at the ``start`` and the ``end``, add others
- ``only`` keeps some events, ``reverse`` turns round those before one, ``events`` replaces all
- ``fill`` adds fields to the events that lack them, ``number`` counts on from an event

``numbers`` are steps after the events were numbered. ``wire`` says how the events become bytes, and
``bytes`` replaces some. ``exceptions`` has streams for ``tests.profiles``.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from conformance.dialects import KIT
from conformance.dialects.tables import folders, table
from conformance.findings.finding import Level
from mockserver.foundation.json_fields import mapping

Json = dict[str, Any]
Events = list[Json]

ABSENT: Final = "absent"


def merged(value: Any, change: Any) -> Any:
    """``value`` with ``change`` merged in: objects by key, lists by index, others replaced."""
    if not isinstance(change, dict):
        return change
    if isinstance(value, list):
        # The index after the last one adds a value.
        whole = merged(dict(enumerate(value)), change)
        return [whole[n] for n in sorted(whole)]
    if not isinstance(value, dict):
        return change
    kept = {key: one for key, one in value.items() if change.get(key) != ABSENT}
    return {**kept, **{k: merged(kept.get(k), c) for k, c in change.items() if c != ABSENT}}


def places(events: Events, named: int | str) -> list[int]:
    """The indexes of the events that a step names."""
    if isinstance(named, int):
        return [range(len(events))[named]]
    if named == "*":
        return list(range(len(events)))
    type_, _, nth = named.partition("#")
    found = [n for n, event in enumerate(events) if mapping(event).get("type") == type_]
    if nth == "*":
        return found
    at = int(nth or 1)
    return [found[at - 1 if at > 0 else at]]


def place(events: Events, named: int | str) -> int:
    (at,) = places(events, named)
    return at


def _drop(events: Events, named: Any) -> Events:
    names = named if isinstance(named, list) else [named]
    gone = {at for each in names for at in places(events, each)}
    return [event for n, event in enumerate(events) if n not in gone]


def _repeat(events: Events, named: Any) -> Events:
    at = place(events, named)
    return [*events[: at + 1], *events[at:]]


def _move(events: Events, moves: Mapping[Any, int]) -> Events:
    for named, by in moves.items():
        at = place(events, named)
        rest = [*events[:at], *events[at + 1 :]]
        events = [*rest[: at + by], events[at], *rest[at + by :]]
    return events


def _edit(events: Events, edits: Mapping[Any, Json]) -> Events:
    for named, fields in edits.items():
        found = places(events, named)
        events = [merged(e, fields) if n in found else e for n, e in enumerate(events)]
    return events


def _wherever(events: Events, fields: Json) -> Events:
    return [merged(event, fields) if fields.keys() <= event.keys() else event for event in events]


def _only(events: Events, named: Any) -> Events:
    names = named if isinstance(named, list) else [named]
    return [events[at] for each in names for at in places(events, each)]


def _number(events: Events, numbers: Mapping[int, int]) -> Events:
    ((at, first),) = numbers.items()
    return [
        {**event, "sequence_number": first + n - at} if n >= at else event
        for n, event in enumerate(events)
    ]


def _reverse(events: Events, named: Any) -> Events:
    at = place(events, named)
    return [*reversed(events[:at]), *events[at:]]


def _add(events: Events, added: Mapping[Any, Events], behind: int) -> Events:
    for named, more in added.items():
        at = place(events, named) + behind
        events = [*events[:at], *more, *events[at:]]
    return events


STEPS: Mapping[str, Callable[[Events, Any], Events]] = {
    "drop": _drop,
    "repeat": _repeat,
    "swap": lambda events, named: _move(events, {named: 1}),
    "move": _move,
    "cut": lambda events, named: events[: place(events, named)],
    "edit": _edit,
    "wherever": _wherever,
    "fill": lambda events, fields: [{**fields, **event} for event in events],
    "number": _number,
    "only": _only,
    "reverse": _reverse,
    "before": lambda events, added: _add(events, added, 0),
    "after": lambda events, added: _add(events, added, 1),
    "start": lambda events, more: [*more, *events],
    "end": lambda events, more: [*events, *more],
    "events": lambda _, events: events,
}


def changed(events: Events, row: Mapping[str, Any]) -> Events:
    """The events after the steps of a row, whose other keys are ignored."""
    steps = [{name: row[name]} for name in row if name in STEPS]
    for step in (*steps, *row.get("change", ())):
        ((name, what),) = step.items()
        events = STEPS[name](events, what)
    return events


@dataclass(frozen=True, slots=True)
class Wire:
    """How events become bytes: whether with ``event:`` lines, and where ``[DONE]`` is.

    ``before`` comes before them; ``cut`` is how many bytes are missing at the end.
    """

    names: bool = True
    done: bool | int = True
    before: str = ""
    newline: str = "\n"
    cut: int = 0

    def bytes(self, events: Events) -> bytes:
        blocks = [
            f"{self._name(event)}data: {json.dumps(event, ensure_ascii=False)}\n\n"
            for event in events
        ]
        if self.done is not False:
            at = len(blocks) if self.done is True else self.done
            blocks[at:at] = ["data: [DONE]\n\n"]
        text = (self.before + "".join(blocks)).replace("\n", self.newline)
        # A lone surrogate becomes a JSON escape.
        data = text.encode("utf-8", "backslashreplace")
        return data[: len(data) - self.cut]

    def _name(self, event: Any) -> str:
        named = self.names and isinstance(event, dict) and event.get("type")
        return f"event: {event['type']}\n" if named else ""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of a dialect; ``rule`` is what it breaks, empty if it is legal.

    It is a change to the stream ``of``, if that is not the first one, unless it ``is_base``.
    ``times`` counts the findings if one cause breaks several items; ``also`` lists rules of level
    should that are broken too.
    """

    dialect: str
    name: str
    events: Events
    rule: str = ""
    level: Level = "must"
    times: int = 1
    also: tuple[str, ...] = ()
    wire: Wire = field(default_factory=Wire)
    replaced: tuple[tuple[bytes, bytes], ...] = ()
    of: str = ""
    is_base: bool = False

    def __str__(self) -> str:
        words = (self.dialect, self.rule, self.of, self.name)
        return "-".join(filter(None, words)).replace(" ", "_")

    @property
    def data(self) -> bytes:
        data = self.wire.bytes(self.events)
        for old, new in self.replaced:
            assert old in data, (self.name, old)
            data = data.replace(old, new)
        return data

    @property
    def findings(self) -> list[tuple[str, str]]:
        """The rules and levels of its findings, sorted."""
        found = [(self.rule, self.level)] * (self.times if self.rule else 0)
        return sorted([*found, *((rule, "should") for rule in self.also)])


def numbered(events: Events) -> Events:
    """A copy of the events with sequence numbers."""
    return [{**copy.deepcopy(event), "sequence_number": n} for n, event in enumerate(events)]


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a folder; ``bases`` has the dialect and the events of its legal streams."""

    read: Mapping[str, Any]
    bases: Mapping[str, tuple[str, Events]]

    def streams(self) -> Iterator[Stream]:
        for name in self.bases:
            yield replace(self.stream({"name": name, "of": name}), of="", is_base=True)
        yield from map(self.stream, self.read["legal"])
        for rule, rows in self.read["broken"].items():
            yield from (self.stream({"rule": rule, **row}) for row in rows)

    def _base(self, row: Mapping[str, Any]) -> tuple[str, Events]:
        dialect, events = self.bases[row.get("of", next(iter(self.bases)))]
        return dialect, changed(events, row)

    def stream(self, row: Mapping[str, Any], example: Mapping[str, Any] | None = None) -> Stream:
        """The stream of a row, which may be a change to that of an ``example``."""
        of = row.get("of", next(iter(self.bases)))
        dialect, events = self._base(example) if of == "example" and example else self.bases[of]
        events = changed(events, row)
        if self.read.get("numbered"):
            events = changed(numbered(events), row.get("numbers", {}))
        return Stream(
            dialect,
            row["name"],
            events,
            row.get("rule", ""),
            of=row.get("of", ""),
            level=row.get("level", "must"),
            times=row.get("times", 1),
            also=tuple(row.get("also", ())),
            wire=Wire(**{"names": self.read.get("names", False), **row.get("wire", {})}),
            replaced=tuple((_bytes(old), _bytes(new)) for old, new in row.get("bytes", {}).items()),
        )


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode()


@cache
def table_of(folder: str) -> Table:
    read = table(folder, "streams")
    bases: dict[str, tuple[str, Events]] = {}
    for name, row in read["streams"].items():
        dialect, events = bases[row["of"]] if "of" in row else (read.get("dialect"), [])
        bases[name] = row.get("dialect", dialect), changed(events, row)
    return Table(read, bases)


@cache
def _streams_of(folder: str) -> tuple[Stream, ...]:
    return tuple(table_of(folder).streams())


def streams() -> list[Stream]:
    """The streams of all dialects, legal ones and broken ones."""
    return [each for folder in folders() for each in _streams_of(folder)]


def legal_streams() -> Sequence[Stream]:
    return [each for each in streams() if not each.rule]


def base_streams() -> Sequence[Stream]:
    """The legal streams to which others are changes."""
    return [each for each in streams() if each.is_base]


def broken_streams() -> Sequence[Stream]:
    return [each for each in streams() if each.rule]


def events_of(dialect: str, name: str = "") -> Events:
    """The events of a legal stream before they are numbered: the first one, or that of a name."""
    streams = table_of(KIT[dialect].documents.folder).bases
    first = next(known for known, (spoken, _) in streams.items() if spoken == dialect)
    return streams[name or first][1]


def json_lines(events: Events) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in events).encode()
