"""Rules on the framing of a stream, and on the fields and types of single events."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from conformance.contract.framing import Framing
from conformance.dialects import wire
from conformance.dialects.event_schemas import Invalid, invalid_events, schema_errors
from conformance.dialects.openresponses.stream import Event, Item, Stream
from conformance.findings.finding import Defect, Kind, rule, topics
from mockserver.dialects.openresponses.events import ITEM_TYPES, is_extension
from mockserver.foundation.schemas import validator
from mockserver.foundation.shipped import schema


class WrongName(Kind):
    """The name of an event is not the type in its data."""

    event_name: str
    type: str
    more: int

    message = "the event line says {event_name!r}, the data {type!r}[[ (and in {more} more)]]"
    right = "an event: line that is the type in the data"
    same_by = ("type",)


class Unnamed(Kind):
    """Events have no names."""

    type: str
    more: int

    message = "no event: line stands before the data of {type}[[ (and in {more} more)]]"
    right = "an event: line that is the type in the data"


@rule(
    holds="text/event-stream; one JSON object as data; [DONE] at the end; event: equals type, and "
    "is there (should); no id: (should)",
    source="OpenResponses § Streaming HTTP Responses; WHATWG HTML § 9.2.6; observed",
    kinds=(*wire.FRAMING, WrongName, Unnamed, wire.NoDone),
)
def framing(stream: Stream) -> Iterator[Defect]:
    yield from wire.defects(stream)
    if stream.framing:
        yield from _names(stream, stream.framing)
        if stream.terminal:
            yield from wire.without_done(stream.sent)


def _names(stream: Stream, framing: Framing) -> Iterator[Defect]:
    typed = [event for event in stream.all if isinstance(event.data.get("type"), str)]
    unnamed = [event for event in typed if event.n not in framing.names]
    wrong = [e for e in typed if e.n in framing.names and framing.names[e.n] != e.type]
    if wrong:
        first = wrong[0]
        kind = WrongName(framing.names[first.n], first.type, len(wrong) - 1)
        yield Defect(kind, topics("names"), first.n)
    if unnamed:
        # The field "MUST match the type" where it is; no clause says that it must be there.
        missing = Unnamed(unnamed[0].type, len(unnamed) - 1)
        yield Defect(missing, topics("names"), unnamed[0].n, level="should")


_CONTRACT = "events/openresponses"


class InvalidEvent(Invalid):
    """An event does not have what the schema of its type requires."""

    right = "the event as the schema of its type has it"


class FlatError(Kind):
    """An error has its fields in the event, as only OpenAI's own types have it."""

    more: int

    message = (
        "error: 'error' is a required property (only OpenAI's own types are flat)"
        "[[ (and in {more} more)]]"
    )
    right = InvalidEvent.right


@rule(
    holds="every event has what the schema of its type requires, a sequence number always",
    source="OpenResponses § schema",
    kinds=(InvalidEvent, FlatError),
)
def stream_types(stream: Stream) -> Iterator[Defect]:
    yield from invalid_events(stream.sent, stream.lost, _validator, InvalidEvent)
    errors = [event for event in stream.all if event.type == "error" and "error" not in event.data]
    flat = [event.n for event in errors if not schema_errors(_validator(event.data), event.data)]
    if flat:
        about = topics(*(f"event:{n}" for n in flat))
        yield Defect(FlatError(len(flat) - 1), about, event=flat[0])


def _validator(data: Any) -> Draft202012Validator:
    """The schema of one event type; validating against it is ten times faster than against all."""
    type_ = data.get("type") if isinstance(data, dict) else None
    name = f"event:{type_}"
    return validator(_CONTRACT, definition=name if name in schema(_CONTRACT)["$defs"] else "")


# Events of OpenAI and rfc-00022 that OpenResponses has under another name
_SPELLINGS = {
    "response.reasoning_text.delta": "response.reasoning.delta",
    "response.reasoning_text.done": "response.reasoning.done",
    "response.reasoning_summary.delta": "response.reasoning_summary_text.delta",
    "response.reasoning_summary.done": "response.reasoning_summary_text.done",
}


class _Foreign(Kind):
    type: str
    right_type: str
    times: int
    more: int

    same_by = ("type",)


_OF_VENDOR = "a type of the specification, or one with a vendor's prefix, like {right_type}"


class ForeignItem(_Foreign):
    """The type of an item is not one of OpenResponses and has no vendor's prefix."""

    message = (
        "the item type {type!r} is not one of OpenResponses and carries no vendor's prefix"
        "[[{more:if} ({times} times)]]"
    )
    right = _OF_VENDOR


class ForeignEvent(_Foreign):
    """The type of an event is not one of OpenResponses and has no vendor's prefix."""

    message = ForeignItem.message.replace("item", "event")
    right = _OF_VENDOR


class OtherSpelling(_Foreign):
    """The type of an event is not spelled as OpenResponses has it."""

    message = ForeignEvent.message
    right = "{right_type}"


@rule(
    holds="events and items that the specification does not have carry a vendor's prefix",
    source="OpenResponses § Extending Streaming Events; OpenResponses § Items",
    kinds=(ForeignItem, ForeignEvent, OtherSpelling),
)
def extensions(stream: Stream) -> Iterator[Defect]:
    """Types that OpenResponses does not have carry a vendor's prefix.

    There is one defect for each foreign type; the events of an item go with the item.
    """
    foreign = [item for item in stream.items.values() if _is_foreign(item)]
    types: dict[str, list[Event]] = {}
    for item in foreign:
        types.setdefault(item.type, []).append(item.events[0])
    for type_, firsts in types.items():
        yield _foreign(ForeignItem, type_, f"acme:{type_}", firsts)
    explained = {item.index for item in foreign}
    events: dict[str, list[Event]] = {}
    for event in stream.all:
        known = event.category and event.type not in _SPELLINGS
        if not known and not event.is_extension and event.index("output_index") not in explained:
            events.setdefault(event.type, []).append(event)
    for type_, found in events.items():
        if type_ in _SPELLINGS:
            yield _foreign(OtherSpelling, type_, _SPELLINGS[type_], found)
        else:
            right = f"acme:{type_.removeprefix('response.')}"
            yield _foreign(ForeignEvent, type_, right, found)


def _is_foreign(item: Item) -> bool:
    return bool(item.type) and item.type not in ITEM_TYPES and not is_extension(item.type)


def _foreign(kind: type[_Foreign], type_: str, right: str, events: list[Event]) -> Defect:
    what = "item" if kind is ForeignItem else "event"
    values = kind(type_, right, len(events), len(events) - 1)
    return Defect(values, topics(f"foreign:{what}:{type_}"), events[0].n)
