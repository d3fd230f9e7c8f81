"""The kit's part of ``plain``: what its events add to an answer, and the rules for its streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract.finding import Defect, Rule, topics
from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KitDialect, departures, wire
from conformance.dialects.dialect import Usage
from conformance.dialects.entry import Entry, OnTheWire, Piece
from conformance.dialects.json_search import usage_by_side
from conformance.dialects.short_text import quoted
from mockserver.contract import errors_of
from mockserver.dialects.json_fields import mapping, text
from tests.dialects.made_up.mock import LAST, validator

_TYPES = ("say", "call", "usage", *LAST)


def _kind(data: Any) -> str:
    """The type of an event: the name of its only field."""
    return next((name for name in mapping(data) if name in _TYPES), "")


class _Reader:
    """Reads what each event of one stream adds to the answer."""

    def __init__(self) -> None:
        self._over = False

    def entry(self, event: OnTheWire) -> Entry:
        if event.kind != "event" or event.ignorable or self._over:
            return Entry(event.n, silent="after the end" if self._over else event.kind)
        data, kind = mapping(event.data), _kind(event.data)
        self._over = kind in LAST
        if said := text(data.get("say")):
            return Entry(event.n, (Piece("text", said),))
        if id_ := text(mapping(data.get("call")).get("id")):
            return Entry(event.n, (Piece("call", id_),), announces=(id_,))
        return Entry(event.n, silent=kind or "unknown")


@dataclass(frozen=True, slots=True)
class _Stream:
    """The evidence for the legality rules."""

    sent: Sequence[SentEvent]
    framing: Framing | None


def _framing(stream: _Stream) -> Iterator[Defect]:
    return wire.defects(stream.sent, stream.framing)


def _event_types(stream: _Stream) -> Iterator[Defect]:
    lost = {one.n for one in stream.sent if one.kind == "event" and not _kind(one.data)}
    return departures.defects(
        stream.sent,
        lost,
        lambda data: departures.departure(list(errors_of(validator("events"), data))),
        "an event of plain",
    )


def _end_last(stream: _Stream) -> Iterator[Defect]:
    events = [one for one in stream.sent if one.kind == "event"]
    ended = next((n for n, one in enumerate(events) if _kind(one.data) in LAST), len(events))
    for one in events[ended + 1 :]:
        yield Defect("an event follows the end", "nothing", topics(f"late:{one.n}"), event=one.n)


_RULES: tuple[Rule[_Stream], ...] = (
    Rule("framing", "text/event-stream with JSON as data", "plain § 1", _framing),
    Rule("event-types", "every event has the fields of its type", "plain § 2", _event_types),
    Rule("end-last", "nothing follows the end", "plain § 3", _end_last),
)


def _summary(type_: str, data: Mapping[str, Any]) -> str:
    value = data.get(type_)
    return f"{type_} {quoted(value) if isinstance(value, str) else value}"


def _usages(data: Mapping[str, Any]) -> Iterator[Usage]:
    return usage_by_side([data.get("usage")], {"input": ("input",), "output": ("output",)})


PLAIN = KitDialect(
    name="plain",
    reader=_Reader,
    evidence=_Stream,
    legality=_RULES,
    recognises=lambda data: bool(_kind(data)),
    kind=_kind,
    begins=lambda data: "",
    summary=_summary,
    usages=_usages,
    encrypted=lambda sent: iter(()),
)
