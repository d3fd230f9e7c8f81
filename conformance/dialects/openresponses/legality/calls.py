"""Rules on function calls: their lifecycle, their ids and their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.arguments import shortened
from conformance.dialects.openresponses.lifecycles import CALL, ROLES
from conformance.dialects.state_machine import walk
from conformance.dialects.text_versions import TextVersion, first_difference, joined
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from mockserver.dialects.openresponses.events import ITEM_TYPES
from mockserver.foundation.call_arguments import read_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream


_CALL = "function_call"
_ARGUMENTS_DONE = "response.function_call_arguments.done"


def _call_lifecycle(stream: Stream) -> Iterator[Defect]:
    """Arguments grow by deltas and are completed once before the item; a call has no parts."""
    for item in stream.items.values():
        arguments = [event for event in item.events if event.category == "arguments"]
        if item.type == _CALL:
            yield from _parts(item)
            yield from _arguments(item, arguments)
        elif item.type in ITEM_TYPES and arguments:
            yield prose_defect(
                f"{arguments[0].type} is about {item}, which is no call",
                right=f"the index of a {_CALL}",
                about=topics(f"call:{item.index}"),
                event=arguments[0].n,
                needs=topics(f"item:{item.index}"),
            )


def _parts(item: Item) -> Iterator[Defect]:
    part = next((event for event in item.events if event.type in ROLES), None)
    if part:
        yield prose_defect(
            f"{part.type} is about {item}, which has no parts",
            right="only events of its arguments between a call's beginning and its end",
            about=topics(f"parts:{item.index}", *_all_parts(item)),
            event=part.n,
            needs=topics(f"item:{item.index}"),
        )


def _all_parts(item: Item) -> list[str]:
    return [f"part:{item.index}:{where}:{place}" for where, place in item.parts]


def _arguments(item: Item, arguments: list[Event]) -> Iterator[Defect]:
    needs = topics(f"item:{item.index}", "lost")
    steps = [
        ("complete" if event.type == _ARGUMENTS_DONE else "delta", event) for event in arguments
    ]
    walked = walk(CALL, steps)
    if walked.breach:
        yield prose_defect(
            f"{walked.breach.event.type} of {item} comes after the arguments were done",
            right=f"{_ARGUMENTS_DONE} once, behind the last delta",
            about=topics(f"call:{item.index}"),
            event=walked.breach.event.n,
            needs=needs,
        )
    elif walked.state != "complete" and item.done and not item.cut_short:
        yield prose_defect(
            f"{item.done.type} comes when the arguments of {item} were never said to be done",
            right=f"{_ARGUMENTS_DONE} before the item is done",
            about=topics(f"call:{item.index}"),
            event=item.done.n,
            needs=needs,
        )


CALL_LIFECYCLE = Rule(
    id="call-lifecycle",
    holds="function_call_arguments.delta any number of times, .done once, then the item is done; a "
    "call has no parts",
    source="OpenResponses § schema (function_call_arguments); observed",
    check=_call_lifecycle,
)


_DELTA = "response.function_call_arguments.delta"


def _arguments_sum(stream: Stream) -> Iterator[Defect]:
    """All events with the arguments of a call have the same text, equal to the deltas joined."""
    for item in stream.items.values():
        if item.type != "function_call":
            continue
        wrong = first_difference(list(_text_versions(stream, item)))
        if wrong:
            version, how = wrong
            yield prose_defect(
                f"the arguments of {item}: {how}",
                right="the same arguments everywhere: the deltas joined",
                about=topics(f"call:{item.index}"),
                event=version.event,
                needs=topics(f"item:{item.index}", "lost"),
            )


def _text_versions(stream: Stream, item: Item) -> Iterator[TextVersion]:
    yield from _deltas(item)
    for event in item.events:
        if event.type == _ARGUMENTS_DONE:
            yield from _version(event, event.data.get("arguments"))
    if item.done:
        yield from _version(item.done, item.done.item.get("arguments"))
    held = stream.final(item)
    if held and stream.terminal:
        yield from _version(stream.terminal, held.get("arguments"))


def _deltas(item: Item) -> Iterator[TextVersion]:
    """The deltas joined to one version; none without deltas, which are optional."""
    grown = [event for event in item.events if event.type == _DELTA]
    if grown:
        begun = item.added.item.get("arguments") if item.added else ""
        texts = [begun if isinstance(begun, str) else "", *(e.text("delta") or "" for e in grown)]
        yield TextVersion(grown[-1].n, "the sum of the deltas", joined(texts))


def _version(event: Event, arguments: Any) -> Iterator[TextVersion]:
    if isinstance(arguments, str):
        yield TextVersion(event.n, event.type, arguments)


ARGUMENTS_SUM = Rule(
    id="arguments-sum",
    holds="deltas joined, the arguments' own end, the finished item and the final response say the "
    "same",
    source="OpenResponses § schema (delta, arguments); observed",
    check=_arguments_sum,
)


def _call_ids(stream: Stream) -> Iterator[Defect]:
    """Each call has a call_id of its own, which is not the id of its item."""
    owners: dict[str, int] = {}
    for item in stream.items.values():
        for event in (item.added, item.done):
            call_id = event.item.get("call_id") if event else None
            if event is None or item.type != "function_call" or not isinstance(call_id, str):
                continue
            owner = owners.setdefault(call_id, item.index)
            if wrong := _wrong_id(call_id, event, None if owner == item.index else owner):
                yield prose_defect(
                    f"{item} {wrong}",
                    right="a call_id that no other call has, and that is not the item's id",
                    about=topics(f"call-id:{item.index}"),
                    event=event.n,
                    needs=topics(f"item:{item.index}", f"identity:{item.index}"),
                )


def _wrong_id(call_id: str, event: Event, owner: int | None) -> str:
    if not call_id:
        return "has an empty call_id"
    if call_id == event.item.get("id"):
        return f"has the call_id {call_id!r}, which is its own id"
    if owner is not None:
        return f"has the call_id {call_id!r}, which is that of item {owner}"
    return ""


CALL_IDS = Rule(
    id="call-ids",
    holds="call_id is not empty, unique in the response, and different from the item's id",
    source="streamproof; observed",
    check=_call_ids,
    level="should",
)


# In an item that is done, arguments without a value are not JSON either.
_NOT_JSON = ("blank", "not JSON")


def _arguments_parse(stream: Stream) -> Iterator[Defect]:
    """The arguments of a finished call are JSON."""
    for item in stream.items.values():
        if item.type != "function_call" or item.done is None or item.cut_short:
            continue
        arguments = item.done.item.get("arguments")
        if isinstance(arguments, str) and read_arguments(arguments).kind in _NOT_JSON:
            yield prose_defect(
                f"the arguments of {item} are not JSON: {shortened(arguments)!r}",
                right="arguments that parse as JSON",
                about=topics(f"call:{item.index}"),
                event=item.done.n,
                needs=topics(f"item:{item.index}"),
            )


ARGUMENTS_PARSE = Rule(
    id="arguments-parse",
    holds="the arguments of a finished call parse as JSON",
    source="streamproof",
    check=_arguments_parse,
    level="should",
)
