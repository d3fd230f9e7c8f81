"""Variations that leave out some of the four places where a call's arguments appear (rfc-00022).

The remaining places must have the complete call, or the variation does not fit. If a call becomes
complete later than in the scenario, a correct adapter emits it later too, so checkpoints are
removed and calls are expected at the end of the response.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mockserver.dialects.openresponses.events import TERMINAL
from mockserver.dialects.openresponses.variations.steps import (
    index_of,
    item_of,
    output_of,
    remove_events,
)
from mockserver.foundation.json_fields import mapping, text
from mockserver.wire.event import Data, Event, Step, drop_checkpoints, events_in
from mockserver.wire.variation import EVERYWHERE, Variation

_DELTA = "response.function_call_arguments.delta"
_DONE = "response.function_call_arguments.done"
_ADDED = "response.output_item.added"
_ITEM_DONE = "response.output_item.done"


@dataclass
class _CallPlaces:
    """The arguments of a call in each place of the stream; None if they are not there."""

    call_id: str = ""
    deltas: str | None = None
    done: str | None = None
    item: str | None = None

    @property
    def complete(self) -> str | None:
        """The complete arguments; None if the call is never completed."""
        return self.done if self.item is None else self.item


def _calls(steps: Sequence[Step]) -> Iterator[_CallPlaces]:
    """Every call of a turn; its events are matched by output index, or else by item id."""
    calls: dict[Any, _CallPlaces] = {}
    for event in events_in(steps):
        data, item = event.data, item_of(event.data)
        at = index_of(data) if index_of(data) is not None else _id(data)
        if event.type in (_DELTA, _DONE) or item.get("type") == "function_call":
            _note(calls.setdefault(at, _CallPlaces()), event.type, data, item)
    yield from calls.values()


def _id(data: Data) -> str:
    return text(data.get("item_id")) or text(item_of(data).get("id"))


def _note(call: _CallPlaces, type_: str, data: Data, item: Data) -> None:
    call.call_id = call.call_id or text(item.get("call_id"))
    if type_ == _DELTA:
        call.deltas = (call.deltas or "") + text(data.get("delta"))
    elif type_ == _DONE:
        call.done = text(data.get("arguments"))
    elif type_ == _ITEM_DONE and item.get("status") != "incomplete":
        call.item = text(item.get("arguments"))


def _check_calls(problem: Callable[[_CallPlaces], str]) -> Callable[[Sequence[Step]], str]:
    """A misfit check that returns the first problem of a call in the turn."""
    return lambda steps: next(filter(None, map(problem, _calls(steps))), "")


def _check_in_done(call: _CallPlaces) -> str:
    if call.deltas is None or call.complete is None or call.deltas == call.done:
        return ""
    return f"{_DONE} does not have all arguments of {call.call_id!r}"


def _check_in_item(call: _CallPlaces) -> str:
    elsewhere = {found for found in (call.deltas, call.done) if found is not None}
    if call.complete is None or elsewhere <= {call.item}:
        return ""
    return f"{_ITEM_DONE} does not have all arguments of {call.call_id!r}"


def _check_in_completed(steps: Sequence[Step]) -> str:
    last = next((event for event in events_in(steps) if event.type in TERMINAL), None)
    if last is None or last.type != "response.completed":
        return "the response is never completed"
    final = [mapping(item) for item in output_of(last.data)]
    arguments = {item.get("call_id"): item.get("arguments") for item in final}
    for call in _calls(steps):
        before = {found for found in (call.deltas, call.done, call.item) if found is not None}
        if call.call_id not in arguments or not before <= {arguments[call.call_id]}:
            return f"the final response does not have all of the call {call.call_id!r}"
    return ""


def _is_about_a_call(event: Event) -> bool:
    announces = event.type in (_ADDED, _ITEM_DONE)
    is_call = item_of(event.data).get("type") == "function_call"
    return event.type in (_DELTA, _DONE) or (announces and is_call)


CALLS = (
    Variation(
        "arguments-only-in-done",
        "a call's arguments are sent complete, without deltas, as by LM Studio",
        change_steps=remove_events(lambda event: event.type == _DELTA),
        misfit=_check_calls(_check_in_done),
    ),
    Variation(
        "arguments-only-in-item",
        "a call's arguments are only in its finished item, without events of their own",
        change_steps=lambda steps: drop_checkpoints(
            remove_events(lambda event: event.type in (_DELTA, _DONE))(steps)
        ),
        departs_in=EVERYWHERE,
        misfit=_check_calls(_check_in_item),
    ),
    Variation(
        "calls-only-in-completed",
        "calls are only in the completed response, without items of their own (rfc-00022 § Gap 1)",
        change_steps=lambda steps: drop_checkpoints(remove_events(_is_about_a_call)(steps)),
        departs_in=EVERYWHERE,
        misfit=_check_in_completed,
        calls_at_end=True,
    ),
)
