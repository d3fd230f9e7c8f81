"""A call is said in up to four places, and servers leave out all but one (rfc-00022).

What is left must still say all of the call, or the variation makes no sense. Deltas that go prove
nothing, but where a call is completed later than its scenario has it, a correct adapter emits it
later: checkpoints go, and what is expected counts from the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.openresponses.events import TERMINAL
from mockserver.dialects.openresponses.variations.steps import (
    SPOKEN,
    index_of,
    item_of,
    output_of,
    without,
)
from mockserver.wire.event import Event, Step
from mockserver.wire.steps import Data, events_in, without_checkpoints
from mockserver.wire.variation import Variation

_DELTA = "response.function_call_arguments.delta"
_DONE = "response.function_call_arguments.done"
_ADDED = "response.output_item.added"
_ITEM_DONE = "response.output_item.done"


@dataclass
class _Told:
    """What the wire says of one call's arguments, place by place; None where it says nothing."""

    call_id: str = ""
    deltas: str | None = None
    done: str | None = None
    item: str | None = None

    @property
    def whole(self) -> str | None:
        """The arguments, by the last place that completes the call; None where none does."""
        return self.done if self.item is None else self.item


def _told(steps: Sequence[Step]) -> Iterator[_Told]:
    """Every call of a turn, by its place in the output or by its item's id."""
    calls: dict[Any, _Told] = {}
    for event in events_in(steps):
        data, item = event.data, item_of(event.data)
        at = index_of(data) if index_of(data) is not None else _id(data)
        if event.type in (_DELTA, _DONE) or item.get("type") == "function_call":
            _note(calls.setdefault(at, _Told()), event.type, data, item)
    yield from calls.values()


def _id(data: Data) -> str:
    return text(data.get("item_id")) or text(item_of(data).get("id"))


def _note(call: _Told, type_: str, data: Data, item: Data) -> None:
    call.call_id = call.call_id or text(item.get("call_id"))
    if type_ == _DELTA:
        call.deltas = (call.deltas or "") + text(data.get("delta"))
    elif type_ == _DONE:
        call.done = text(data.get("arguments"))
    elif type_ == _ITEM_DONE and item.get("status") != "incomplete":
        call.item = text(item.get("arguments"))


def _unless(problem: Callable[[_Told], str]) -> Callable[[Sequence[Step]], str]:
    """The first problem that a call of the turn has."""
    return lambda steps: next(filter(None, map(problem, _told(steps))), "")


def _not_in_done(call: _Told) -> str:
    if call.deltas is None or call.whole is None or call.deltas == call.done:
        return ""
    return f"the arguments of {call.call_id!r} do not stand whole in {_DONE}"


def _not_in_item(call: _Told) -> str:
    elsewhere = {told for told in (call.deltas, call.done) if told is not None}
    if call.whole is None or elsewhere <= {call.item}:
        return ""
    return f"the arguments of {call.call_id!r} do not stand whole in {_ITEM_DONE}"


def _not_in_completed(steps: Sequence[Step]) -> str:
    last = next((event for event in events_in(steps) if event.type in TERMINAL), None)
    if last is None or last.type != "response.completed":
        return "the response is never completed"
    final = [mapping(item) for item in output_of(last.data)]
    whole = {item.get("call_id"): item.get("arguments") for item in final}
    for call in _told(steps):
        said = {told for told in (call.deltas, call.done, call.item) if told is not None}
        if call.call_id not in whole or not said <= {whole[call.call_id]}:
            return f"the call {call.call_id!r} does not stand whole in the final response"
    return ""


def _about_a_call(event: Event) -> bool:
    announces = event.type in (_ADDED, _ITEM_DONE)
    is_call = item_of(event.data).get("type") == "function_call"
    return event.type in (_DELTA, _DONE) or (announces and is_call)


CALLS = (
    Variation(
        "arguments-only-in-done",
        "a call's arguments come whole, without deltas, as LM Studio sends them",
        change_steps=without(lambda event: event.type == _DELTA),
        dialects=SPOKEN,
        misfit=_unless(_not_in_done),
    ),
    Variation(
        "arguments-only-in-item",
        "a call's arguments come with its finished item, without events of their own",
        change_steps=lambda steps: without_checkpoints(
            without(lambda event: event.type in (_DELTA, _DONE))(steps)
        ),
        dialects=SPOKEN,
        misfit=_unless(_not_in_item),
    ),
    Variation(
        "calls-only-in-completed",
        "calls come with the completed response, without items of their own (rfc-00022 § Gap 1)",
        change_steps=lambda steps: without_checkpoints(without(_about_a_call)(steps)),
        dialects=SPOKEN,
        misfit=_not_in_completed,
        calls_at_end=True,
    ),
)
