"""Rules on the response objects in lifecycle events."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.dialects.openresponses.stream import Event, Stream
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import ItemValue
from mockserver.dialects.openresponses.events import TERMINAL

_STATUS = {
    "response.created": ("in_progress", "queued"),
    "response.queued": ("queued",),
    "response.in_progress": ("in_progress",),
    "response.completed": ("completed",),
    "response.failed": ("failed",),
    "response.incomplete": ("incomplete",),
}

# Fields that must be set at an end (True), and fields that must be null (False)
_FIELDS_AT_END = {
    "response.completed": {
        "error": False,
        "incomplete_details": False,
        "completed_at": True,
        "usage": True,
    },
    "response.failed": {"error": True},
    "response.incomplete": {"incomplete_details": True},
}


class WrongStatus(Kind):
    """The status of the response is not that of the event."""

    type: str
    status: str
    expected: tuple[str, ...]

    message = "{type} carries a response whose status is {status!r}"
    right = "the status {expected:either}"
    same_by = ("type", "status")


class OutputBeforeEnd(Kind):
    """The response has output or usage before its end."""

    type: str
    fields: tuple[str, ...]

    message = "{type} carries a response that already has {fields:and}"
    right = "an empty output and no usage before the end"
    same_by = ("type", "fields")


class WrongOutcome(Kind):
    """Fields of the response are null or set, and should not be by the way in which it ended."""

    type: str
    fields: Mapping[str, bool]
    expected: Mapping[str, bool]

    message = "{type} carries a response whose {fields:set}"
    right = "{expected:set}"
    same_by = ("type", "fields")


@rule(
    holds="the status is that of the event; a failure tells its error, a cut its reason, an end "
    "its time and usage",
    source="OpenResponses § streaming diagram; OpenResponses § schema; observed",
    kinds=(WrongStatus, OutputBeforeEnd, WrongOutcome),
)
def status_honest(stream: Stream) -> Iterator[Defect]:
    for event in stream.events:
        if event.type in _STATUS and event.response:
            yield from _status(event)
            yield from _begun(event)
            yield from _outcome_fields(event)


def _status(event: Event) -> Iterator[Defect]:
    status, right = event.response.get("status"), _STATUS[event.type]
    if isinstance(status, str) and status not in right:
        yield Defect(WrongStatus(event.type, status, right), topics(f"status:{event.n}"), event.n)


def _begun(event: Event) -> Iterator[Defect]:
    """A response object that has output or usage before the end."""
    early = tuple(name for name in ("output", "usage") if event.response.get(name))
    if event.type not in TERMINAL and early:
        kind = OutputBeforeEnd(event.type, early)
        yield Defect(kind, topics(f"status:{event.n}"), event.n, level="should")


def _outcome_fields(event: Event) -> Iterator[Defect]:
    fields = _FIELDS_AT_END.get(event.type, {})
    # A field that is missing breaks stream-types.
    wrong = {
        name: not wanted
        for name, wanted in fields.items()
        if name in event.response and (event.response[name] is not None) != wanted
    }
    if wrong:
        kind, needs = WrongOutcome(event.type, wrong, fields), topics(f"status:{event.n}")
        yield Defect(kind, topics(f"told:{event.n}"), event.n, level="should", needs=needs)


class IdChanged(Kind):
    """The response has another id than at first."""

    type: str
    id: Any
    first_id: Any

    message = "{type} calls the response {id!r}; it was {first_id!r}"
    right = "the id that the first event gave"


@rule(
    holds="the id of the response stays the same",
    source="openai; observed",
    level="should",
    kinds=(IdChanged,),
)
def response_stable(stream: Stream) -> Iterator[Defect]:
    ids = [
        (event, event.response["id"])
        for event in stream.events
        if event.category == "lifecycle" and "id" in event.response
    ]
    for event, id_ in ids:
        if id_ != ids[0][1]:
            kind = IdChanged(event.type, id_, ids[0][1])
            yield Defect(kind, about=topics("response-id"), event=event.n)


class ItemChanged(Kind):
    """An item in the final response is not as it was when it was done."""

    type: str
    item: ItemValue
    fields: tuple[str, ...]

    message = "{type} has {item:item} with another {fields:list}"
    right = "the item as response.output_item.done had it"
    same_by = ("item.type", "fields")


@rule(
    holds="the items of the final response equal those that were done",
    source="observed",
    level="should",
    kinds=(ItemChanged,),
)
def output_final(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        held = stream.final(item)
        if held is None or item.done is None or not item.done.item or stream.terminal is None:
            continue
        done = item.done.item
        changed = sorted(k for k in done.keys() | held.keys() if done.get(k) != held.get(k))
        if changed:
            kind = ItemChanged(stream.terminal.type, item.value, tuple(changed))
            # The item itself, its ids and its texts must be right.
            needs = " ".join(["item: id: call: lost", *(item.part_topic(*at) for at in item.parts)])
            yield item.defect(kind, stream.terminal.n, "output:", needs)
