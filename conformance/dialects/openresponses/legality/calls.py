"""Rules on function calls: their lifecycle, their ids and their arguments."""

from collections.abc import Iterator

from conformance.dialects.openresponses.lifecycles import CALL, ROLES
from conformance.dialects.openresponses.stream import Event, Item, Stream, joined_deltas
from conformance.dialects.state_machine import walk
from conformance.dialects.text_versions import TextVersion, first_difference
from conformance.findings.finding import Defect, Kind, rule
from conformance.findings.values import ItemValue, TextDifference
from mockserver.dialects.openresponses.events import ITEM_TYPES
from mockserver.foundation.call_arguments import read_arguments

_CALL = "function_call"
_ARGUMENTS_DONE = "response.function_call_arguments.done"


class ArgumentsOfNoCall(Kind):
    """An event with arguments is about an item that is not a call."""

    type: str
    item: ItemValue

    message = "{type} is about {item:item}, which is no call"
    right = f"the index of a {_CALL}"
    same_by = ("type", "item.type")


class PartOfCall(Kind):
    """An event is about a part of a call, which has no parts."""

    type: str
    item: ItemValue

    message = "{type} is about {item:item}, which has no parts"
    right = "only events of its arguments between a call's beginning and its end"
    same_by = ("type",)


class ArgumentsAfterTheirEnd(Kind):
    """Arguments come after they were done."""

    type: str
    item: ItemValue

    message = "{type} of {item:item} comes after the arguments were done"
    right = f"{_ARGUMENTS_DONE} once, behind the last delta"
    same_by = ("type",)


class ArgumentsNotDone(Kind):
    """A call is done when its arguments are not."""

    item: ItemValue

    message = (
        "response.output_item.done comes when the arguments of {item:item} were never said to be "
        "done"
    )
    right = f"{_ARGUMENTS_DONE} before the item is done"


@rule(
    holds="function_call_arguments.delta any number of times, .done once, then the item is done; a "
    "call has no parts",
    source="OpenResponses § schema (function_call_arguments); observed",
    kinds=(ArgumentsOfNoCall, PartOfCall, ArgumentsAfterTheirEnd, ArgumentsNotDone),
)
def call_lifecycle(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        arguments = [event for event in item.events if event.category == "arguments"]
        if item.type == _CALL:
            if part := next((event for event in item.events if event.type in ROLES), None):
                about = " ".join(["parts:", *(item.part_topic(*at) for at in item.parts)])
                yield item.defect(PartOfCall(part.type, item.value), part.n, about, "item:")
            yield from _arguments(item, arguments)
        elif item.type in ITEM_TYPES and arguments:
            first = arguments[0]
            yield item.defect(ArgumentsOfNoCall(first.type, item.value), first.n, "call:", "item:")


def _arguments(item: Item, arguments: list[Event]) -> Iterator[Defect]:
    names = {_ARGUMENTS_DONE: "complete"}
    walked = walk(CALL, ((names.get(event.type, "delta"), event) for event in arguments))
    if walked.breach:
        event = walked.breach.event
        yield item.defect(ArgumentsAfterTheirEnd(event.type, item.value), event.n, "call:")
    elif walked.state != "complete" and item.done and not item.cut_short:
        yield item.defect(ArgumentsNotDone(item.value), item.done.n, "call:")


_DELTA = "response.function_call_arguments.delta"


class ArgumentsDiffer(Kind):
    """Two events have different arguments of one call."""

    item: ItemValue
    difference: TextDifference

    message = "the arguments of {item:item}: {difference:difference}"
    right = "the same arguments everywhere: the deltas joined"
    same_by = ("difference.source", "difference.other_source")


@rule(
    holds="deltas joined, the arguments' own end, the finished item and the final response say the "
    "same",
    source="OpenResponses § schema (delta, arguments); observed",
    kinds=(ArgumentsDiffer,),
)
def arguments_sum(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if item.type != _CALL:
            continue
        if wrong := first_difference(list(_text_versions(stream, item))):
            event, difference = wrong
            yield item.defect(ArgumentsDiffer(item.value, difference), event, "call:")


def _text_versions(stream: Stream, item: Item) -> Iterator[TextVersion]:
    grown = [event for event in item.events if event.type == _DELTA]
    yield from joined_deltas(grown, item.added and item.added.item.get("arguments"))
    for event in item.events:
        if event.type == _ARGUMENTS_DONE:
            yield from event.versions(event.data.get("arguments"))
    for event, held in stream.finished(item):
        yield from event.versions(held.get("arguments"))


_OWN_CALL_ID = "a call_id that no other call has, and that is not the item's id"


class EmptyCallId(Kind):
    """A call has an empty call_id."""

    item: ItemValue

    message = "{item:item} has an empty call_id"
    right = _OWN_CALL_ID


class CallIdOfItem(Kind):
    """A call has the id of its item as its call_id."""

    item: ItemValue
    call_id: str

    message = "{item:item} has the call_id {call_id!r}, which is its own id"
    right = _OWN_CALL_ID


class CallIdOfOtherCall(Kind):
    """Two calls have the same call_id."""

    item: ItemValue
    call_id: str
    other: int

    message = "{item:item} has the call_id {call_id!r}, which is that of item {other}"
    right = _OWN_CALL_ID


@rule(
    holds="call_id is not empty, unique in the response, and different from the item's id",
    source="streamproof; observed",
    level="should",
    kinds=(EmptyCallId, CallIdOfItem, CallIdOfOtherCall),
)
def call_ids(stream: Stream) -> Iterator[Defect]:
    owners: dict[str, int] = {}
    for item in stream.items.values():
        for event in (item.added, item.done):
            call_id = event.item.get("call_id") if event else None
            if event is None or item.type != _CALL or not isinstance(call_id, str):
                continue
            owner = owners.setdefault(call_id, item.index)
            if wrong := _wrong_id(call_id, event, item, owner):
                yield item.defect(wrong, event.n, "call-id:", "item: identity:")


def _wrong_id(call_id: str, event: Event, item: Item, owner: int) -> Kind | None:
    if not call_id:
        return EmptyCallId(item.value)
    if call_id == event.item.get("id"):
        return CallIdOfItem(item.value, call_id)
    return CallIdOfOtherCall(item.value, call_id, owner) if owner != item.index else None


# In an item that is done, arguments without a value are not JSON either.
_NOT_JSON = ("blank", "not JSON")


class NotJson(Kind):
    """The arguments of a finished call are not JSON."""

    item: ItemValue
    arguments: str

    message = "the arguments of {item:item} are not JSON: {arguments:quoted-arguments}"
    right = "arguments that parse as JSON"


@rule(
    holds="the arguments of a finished call parse as JSON",
    source="streamproof",
    level="should",
    kinds=(NotJson,),
)
def arguments_parse(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if item.type != _CALL or item.done is None or item.cut_short:
            continue
        arguments = item.done.item.get("arguments")
        if isinstance(arguments, str) and read_arguments(arguments).kind in _NOT_JSON:
            yield item.defect(NotJson(item.value, arguments), item.done.n, "call:", "item:")
