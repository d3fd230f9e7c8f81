"""Rules on the framing of a stream, and on the fields and types of single events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.dialects import wire
from conformance.dialects.departures import Departure, defects, departure
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from mockserver.dialects.openresponses.events import ITEM_TYPES, is_extension
from mockserver.foundation.schemas import errors_of, validator
from mockserver.foundation.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.framing import Framing
    from conformance.dialects.openresponses.stream import Event, Item, Stream


def _framing(stream: Stream) -> Iterator[Defect]:
    """The stream is server-sent events that hold JSON, named by type, and ends with ``[DONE]``."""
    yield from wire.defects(stream)
    if stream.framing:
        yield from _names(stream, stream.framing)
        yield from _done(stream)


def _names(stream: Stream, framing: Framing) -> Iterator[Defect]:
    typed = [event for event in stream.all if isinstance(event.data.get("type"), str)]
    unnamed = [event for event in typed if event.n not in framing.names]
    wrong = [e for e in typed if e.n in framing.names and framing.names[e.n] != e.type]
    if wrong:
        first = wrong[0]
        yield prose_defect(
            f"the event line says {framing.names[first.n]!r}, the data {first.type!r}"
            + wire.more(wrong),
            right="an event: line that is the type in the data",
            about=topics("names"),
            event=first.n,
        )
    if unnamed:
        # The field "MUST match the type" where it is; no clause says that it must be there.
        yield prose_defect(
            f"no event: line stands before the data of {unnamed[0].type}" + wire.more(unnamed),
            right="an event: line that is the type in the data",
            about=topics("names"),
            event=unnamed[0].n,
            level="should",
        )


def _done(stream: Stream) -> Iterator[Defect]:
    if stream.terminal and not wire.is_done(stream.sent):
        yield prose_defect(
            "the stream ends without [DONE]",
            right="data: [DONE] behind the terminal event",
            about=topics("done"),
        )


FRAMING = Rule(
    id="framing",
    holds="text/event-stream; one JSON object as data; [DONE] at the end; event: equals type, and "
    "is there (should); no id: (should)",
    source="OpenResponses § Streaming HTTP Responses; WHATWG HTML § 9.2.6; observed",
    check=_framing,
)


_CONTRACT = "events/openresponses"
_AS_ITS_SCHEMA = "the event as the schema of its type has it"


def _stream_types(stream: Stream) -> Iterator[Defect]:
    """Every event has the fields that its type requires."""
    yield from defects(stream.sent, stream.lost, _problem, _AS_ITS_SCHEMA)


def _problem(data: Any) -> Departure | None:
    type_ = data.get("type") if isinstance(data, dict) else None
    errors = list(errors_of(_validator(type_ if isinstance(type_, str) else ""), data))
    if not errors and type_ == "error" and "error" not in data:
        flat = "'error' is a required property (only OpenAI's own types are flat)"
        return Departure(frozenset({("$", flat)}), flat)
    return departure(errors)


def _validator(type_: str) -> Draft202012Validator:
    """The schema of one event type; validating against it is ten times faster than against all."""
    name = f"event:{type_}"
    return validator(_CONTRACT, definition=name if name in schema(_CONTRACT)["$defs"] else "")


STREAM_TYPES = Rule(
    id="stream-types",
    holds="every event has what the schema of its type requires, a sequence number always",
    source="OpenResponses § schema",
    check=_stream_types,
)


# Events of OpenAI and rfc-00022 that OpenResponses has under another name
_SPELLINGS = {
    "response.reasoning_text.delta": "response.reasoning.delta",
    "response.reasoning_text.done": "response.reasoning.done",
    "response.reasoning_summary.delta": "response.reasoning_summary_text.delta",
    "response.reasoning_summary.done": "response.reasoning_summary_text.done",
}


def _extensions(stream: Stream) -> Iterator[Defect]:
    """Types that OpenResponses does not have carry a vendor's prefix.

    There is one defect for each foreign type; the events of an item go with the item.
    """
    foreign = [item for item in stream.items.values() if _is_foreign(item)]
    types: dict[str, list[Event]] = {}
    for item in foreign:
        types.setdefault(item.type, []).append(item.events[0])
    for type_, firsts in types.items():
        yield _foreign(f"the item type {type_!r}", firsts, _prefixed(type_))
    explained = {item.index for item in foreign}
    events: dict[str, list[Event]] = {}
    for event in stream.all:
        known = event.category and event.type not in _SPELLINGS
        if not known and not event.is_extension and event.index("output_index") not in explained:
            events.setdefault(event.type, []).append(event)
    for type_, found in events.items():
        right = _SPELLINGS.get(type_) or _prefixed(type_.removeprefix("response."))
        yield _foreign(f"the event type {type_!r}", found, right)


def _is_foreign(item: Item) -> bool:
    return bool(item.type) and item.type not in ITEM_TYPES and not is_extension(item.type)


def _prefixed(type_: str) -> str:
    return f"a type of the specification, or one with a vendor's prefix, like acme:{type_}"


def _foreign(what: str, events: list[Event], right: str) -> Defect:
    more = f" ({len(events)} times)" if len(events) > 1 else ""
    return prose_defect(
        f"{what} is not one of OpenResponses and carries no vendor's prefix{more}",
        right=right,
        about=topics(f"foreign:{what}"),
        event=events[0].n,
    )


EXTENSIONS = Rule(
    id="extensions",
    holds="events and items that the specification does not have carry a vendor's prefix",
    source="OpenResponses § Extending Streaming Events; OpenResponses § Items",
    check=_extensions,
)
