"""The kit's part of ``plain``: what its events add to an answer, and the rules for its streams."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.dialects import KitDialect, wire
from conformance.dialects.dialect import Documents, Ending, Endings, Legality, Recognition, Usages
from conformance.dialects.entry import Entry, OnTheWire, Piece
from conformance.dialects.event_schemas import Invalid, invalid_events
from conformance.dialects.json_search import usage_by_side
from conformance.dialects.wire import Streamed
from conformance.findings.finding import Defect, Kind, Rule, rule
from mockserver.foundation.json_fields import mapping, text
from mockserver.foundation.schemas import validator
from tests.dialects.made_up.mock import LAST, SCHEMAS, TERMINAL

_TYPES = ("say", "call", "usage", *TERMINAL, LAST)


def _kind(data: Any) -> str:
    names = tuple(mapping(data))
    return names[0] if len(names) == 1 and names[0] in _TYPES else ""


class _Reader:
    _ended = False

    def entry(self, event: OnTheWire) -> Entry:
        if event.ignorable or self._ended:
            return Entry(event.n, silent="unknown, to be ignored or after the end")
        self._ended = event.type == LAST
        if said := text(mapping(event.data).get("say")):
            return Entry(event.n, (Piece("text", said),))
        if id_ := text(mapping(mapping(event.data).get("call")).get("id")):
            return Entry(event.n, (Piece("call", id_),), announces=(id_,))
        return Entry(event.n, silent=event.type)

    def block(self, _data: Mapping[str, Any]) -> str:
        return ""


class InvalidEvent(Invalid):
    """An event does not have the fields of its type."""

    right = "an event of plain"


@rule(holds="every event has the fields of its type", source="plain § 2", kinds=(InvalidEvent,))
def event_types(stream: Streamed) -> Iterator[Defect]:
    schema = validator("events/plain", SCHEMAS)
    return invalid_events(stream.sent, set(), lambda _: schema, InvalidEvent)


class AfterEnd(Kind):
    """Events follow the end."""

    more: int

    message = "an event follows the end[[ (and {more} more)]]"
    right = "nothing"


@rule(holds="nothing follows the end", source="plain § 3", kinds=(AfterEnd,))
def end_last(stream: Streamed) -> Iterator[Defect]:
    events = [one for one in stream.sent if one.kind == "event"]
    ended = next((n for n, one in enumerate(events) if one.type == LAST), len(events))
    after = events[ended + 1 :]
    return wire.late(after, AfterEnd(len(after) - 1))


def _ending(type_: str, data: Mapping[str, Any]) -> Ending:
    if type_ == "end":
        return "incomplete" if data["end"] in ("length", "content-filter") else "completed"
    return "failed" if type_ == "fail" else ""


PLAIN = KitDialect(
    name="plain",
    documents=Documents(__package__, "plain § 4"),
    reader=_Reader,
    recognition=Recognition(lambda data: bool(_kind(data)), _kind),
    legality=Legality(
        (
            Rule(
                "framing",
                "text/event-stream with JSON as data",
                "plain § 1",
                wire.defects,
                kinds=wire.FRAMING,
            ),
            event_types,
            end_last,
        )
    ),
    usages=Usages(
        lambda data: usage_by_side(
            [data.get("usage")], {"input": ("input",), "output": ("output",)}
        )
    ),
    endings=Endings(_ending, "an end"),
)
