"""Fills in what the protocol derives: sequence numbers, indexes, ids, sums and snapshots.

A scenario says what matters and nothing more. For each event a default is built from what the
stream has said so far; the scenario's own fields are then laid over it, and its ``absent`` fields
are taken away. What results is remembered, so that a later ``done`` event sums up what was really
sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import merged, with_nulls, without
from mockserver.dialects.openresponses.events import LANES, is_extension
from mockserver.dialects.openresponses.items import Items
from mockserver.dialects.openresponses.parts import (
    REFUSAL,
    SUMMARY,
    TEXT,
    THOUGHT,
    citation,
    content_kind,
    keep_citation,
)
from mockserver.dialects.openresponses.response import snapshot
from mockserver.scenario.model import Send
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockserver.scenario.model import SendStep
    from mockserver.wire.event import Step

_Default = Callable[[Items, Mapping[str, Any]], dict[str, Any]]
_Keep = Callable[[Items, Mapping[str, Any]], None]


def complete(sends: Sequence[SendStep], turn: int) -> Iterator[Step]:
    """The events of one turn (counted from 0), whole; steps of other kinds pass through."""
    items = Items(turn)
    sequence = 0
    for step in sends:
        if isinstance(step, Send):
            yield _event(step, items, sequence)
            sequence += 1
        else:
            yield step


def _event(send: Send, items: Items, sequence: int) -> Event:
    known = send.known and not is_extension(send.type)
    default = {"type": send.type, "sequence_number": sequence}
    if known:
        default |= _DEFAULTS[send.type](items, with_nulls(send.fields, send.absent))
    data = without(merged(default, dict(send.fields)), send.absent)
    if known and (keep := _KEEP.get(send.type)):
        keep(items, data)
    return Event(send.type, data, ignorable=not known or items.of_unknown_type(data))


def _lifecycle(type_: str) -> _Default:
    return lambda items, _given: {"response": snapshot(type_, items.done())}


def _error(_items: Items, _given: Mapping[str, Any]) -> dict[str, Any]:
    message = "The model failed to answer."
    return {"error": {"type": "server_error", "code": None, "message": message, "param": None}}


_TEXTS = {
    "response.output_text": TEXT,
    "response.refusal": REFUSAL,
    "response.reasoning": THOUGHT,
    "response.reasoning_text": THOUGHT,
    "response.reasoning_summary_text": SUMMARY,
    "response.reasoning_summary": SUMMARY,
}

_DEFAULTS: dict[str, _Default] = {
    **{type_: _lifecycle(type_) for type_, lane in LANES.items() if lane == "lifecycle"},
    **{f"{name}.delta": kind.delta for name, kind in _TEXTS.items()},
    **{f"{name}.done": kind.done for name, kind in _TEXTS.items()},
    "response.output_item.added": Items.added,
    "response.output_item.done": Items.ended,
    "response.content_part.added": lambda items, given: content_kind(items, given).added(
        items, given
    ),
    "response.content_part.done": lambda items, given: content_kind(items, given).ended(
        items, given
    ),
    "response.reasoning_summary_part.added": SUMMARY.added,
    "response.reasoning_summary_part.done": SUMMARY.ended,
    "response.function_call_arguments.delta": Items.arguments_delta,
    "response.function_call_arguments.done": Items.arguments_done,
    "response.output_text.annotation.added": citation,
    "error": _error,
}

_KEEP: dict[str, _Keep] = {
    **{f"{name}.delta": kind.keep for name, kind in _TEXTS.items()},
    **{f"{name}.done": kind.keep for name, kind in _TEXTS.items()},
    "response.output_item.added": Items.keep_added,
    "response.output_item.done": Items.keep_ended,
    "response.content_part.added": lambda items, data: content_kind(items, data).keep(items, data),
    "response.content_part.done": lambda items, data: content_kind(items, data).keep(items, data),
    "response.reasoning_summary_part.added": SUMMARY.keep,
    "response.reasoning_summary_part.done": SUMMARY.keep,
    "response.function_call_arguments.delta": Items.keep_arguments,
    "response.function_call_arguments.done": Items.keep_arguments,
    "response.output_text.annotation.added": keep_citation,
}
