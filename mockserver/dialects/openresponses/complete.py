"""Fills in the derived fields of events: sequence numbers, indexes, ids, texts and snapshots.

For each event, a default is derived from the events before it. The fields that the scenario sets
are merged over it, and its ``absent`` fields are removed. The state is updated from the result, so
that later ``done`` events repeat what was actually sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mockserver.dialects.openresponses import openai_complete
from mockserver.dialects.openresponses.events import GROUPS, is_extension
from mockserver.dialects.openresponses.items import Items
from mockserver.dialects.openresponses.parts import (
    RAW_REASONING,
    REFUSAL,
    SUMMARY,
    TEXT,
    citation,
    content_kind,
    note_citation,
)
from mockserver.dialects.openresponses.response import snapshot
from mockserver.dialects.writing import complete_sends
from mockserver.foundation.json_fields import merged, with_nulls, without
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockserver.scenario.script import Send, SendStep
    from mockserver.wire.event import Step

_Default = Callable[[Items, Mapping[str, Any]], dict[str, Any]]
_Update = Callable[[Items, Mapping[str, Any]], None]


def complete(sends: Sequence[SendStep], turn: int) -> Iterator[Step]:
    """Turn the sends of a turn (from 0) into complete events; other steps are passed through."""
    return complete_sends(ResponseSoFar(turn), sends)


class ResponseSoFar:
    """The items of a turn (from 0) that were sent so far, and the number of its events."""

    def __init__(self, turn: int) -> None:
        self._items = Items(turn)
        self._sequence = 0

    def preview(self, send: Send) -> Event:
        return self._event(send, self._data(send))

    def event(self, send: Send) -> Event:
        data = self._data(send)
        if _is_known(send) and (update := _UPDATES.get(send.type)):
            update(self._items, data)
        self._sequence += 1
        return self._event(send, data)

    def _event(self, send: Send, data: dict[str, Any]) -> Event:
        foreign = not _is_known(send) or send.type in openai_complete.DEFAULTS
        return Event(send.type, data, ignorable=foreign or self._items.of_unknown_type(data))

    def _data(self, send: Send) -> dict[str, Any]:
        default = {"type": send.type, "sequence_number": self._sequence}
        if _is_known(send):
            fields = with_nulls(send.fields, send.absent)
            default |= _DEFAULTS[send.type](self._items, fields)
        return without(merged(default, dict(send.fields)), send.absent)


def _is_known(send: Send) -> bool:
    return send.known and not is_extension(send.type)


def _lifecycle(type_: str) -> _Default:
    return lambda items, _fields: {"response": snapshot(type_, items.done())}


def _error(_items: Items, _fields: Mapping[str, Any]) -> dict[str, Any]:
    message = "The model failed to answer."
    return {"error": {"type": "server_error", "code": None, "message": message, "param": None}}


_TEXTS = {
    "response.output_text": TEXT,
    "response.refusal": REFUSAL,
    "response.reasoning": RAW_REASONING,
    "response.reasoning_text": RAW_REASONING,
    "response.reasoning_summary_text": SUMMARY,
    "response.reasoning_summary": SUMMARY,
}

_DEFAULTS: dict[str, _Default] = {
    **{type_: _lifecycle(type_) for type_, group in GROUPS.items() if group == "lifecycle"},
    **{f"{name}.delta": kind.delta for name, kind in _TEXTS.items()},
    **{f"{name}.done": kind.done for name, kind in _TEXTS.items()},
    "response.output_item.added": Items.added,
    "response.output_item.done": Items.ended,
    "response.content_part.added": lambda items, fields: content_kind(items, fields).added(
        items, fields
    ),
    "response.content_part.done": lambda items, fields: content_kind(items, fields).ended(
        items, fields
    ),
    "response.reasoning_summary_part.added": SUMMARY.added,
    "response.reasoning_summary_part.done": SUMMARY.ended,
    "response.function_call_arguments.delta": Items.arguments_delta,
    "response.function_call_arguments.done": Items.arguments_done,
    "response.output_text.annotation.added": citation,
    "error": _error,
    **openai_complete.DEFAULTS,
}

_UPDATES: dict[str, _Update] = {
    **{f"{name}.delta": kind.note for name, kind in _TEXTS.items()},
    **{f"{name}.done": kind.note for name, kind in _TEXTS.items()},
    "response.output_item.added": Items.note_added,
    "response.output_item.done": Items.note_ended,
    "response.content_part.added": lambda items, data: content_kind(items, data).note(items, data),
    "response.content_part.done": lambda items, data: content_kind(items, data).note(items, data),
    "response.reasoning_summary_part.added": SUMMARY.note,
    "response.reasoning_summary_part.done": SUMMARY.note,
    "response.function_call_arguments.delta": Items.note_arguments,
    "response.function_call_arguments.done": Items.note_arguments,
    "response.output_text.annotation.added": note_citation,
    **openai_complete.UPDATES,
}
