"""call-lifecycle: a call's arguments grow, are said in whole, and then its item is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.lifecycles import CALL, ROLES, walk
from mockserver.dialects.openresponses.events import ITEM_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream

_CALL = "function_call"
_SAID = "response.function_call_arguments.done"


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        arguments = [event for event in item.events if event.lane == "arguments"]
        if item.type == _CALL:
            yield from _parts(item)
            yield from _arguments(item, arguments)
        elif item.type in ITEM_TYPES and arguments:
            yield Defect(
                f"{arguments[0].type} is about {item}, which is no call",
                right=f"the index of a {_CALL}",
                about=topics(f"call:{item.index}"),
                event=arguments[0].n,
                needs=topics(f"item:{item.index}"),
            )


def _parts(item: Item) -> Iterator[Defect]:
    part = next((event for event in item.events if event.type in ROLES), None)
    if part:
        yield Defect(
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
    steps = [("said" if event.type == _SAID else "delta", event) for event in arguments]
    walked = walk(CALL, steps)
    if walked.breach:
        yield Defect(
            f"{walked.breach.event.type} of {item} comes after the arguments were done",
            right=f"{_SAID} once, behind the last delta",
            about=topics(f"call:{item.index}"),
            event=walked.breach.event.n,
            needs=needs,
        )
    elif walked.state != "said" and item.done and not item.cut_short:
        yield Defect(
            f"{item.done.type} comes when the arguments of {item} were never said to be done",
            right=f"{_SAID} before the item is done",
            about=topics(f"call:{item.index}"),
            event=item.done.n,
            needs=needs,
        )


RULE = Rule(
    id="call-lifecycle",
    holds="function_call_arguments.delta any number of times, .done once, then the item is done; a "
    "call has no parts",
    source="OpenResponses § schema (function_call_arguments); observed",
    check=_check,
)
