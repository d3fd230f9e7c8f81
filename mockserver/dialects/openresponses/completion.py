"""Fills in the derived fields of events: sequence numbers, indexes, ids, texts and snapshots.

For each event, a default is derived from the events before it. The fields that the scenario sets
are merged over it, and its ``absent`` fields are removed. The state is updated from the result, so
that later ``done`` events repeat what was actually sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.dialects.openresponses.events import GROUPS, is_extension
from mockserver.dialects.openresponses.items import (
    RAW_REASONING,
    REFUSAL,
    SUMMARY,
    TEXT,
    Item,
    Items,
    PartKind,
    citation,
    content_kind,
    note_citation,
)
from mockserver.dialects.openresponses.openai_types import EVENTS, STREAMED, OwnEvent, StreamedText
from mockserver.dialects.openresponses.response import snapshot
from mockserver.foundation.json_fields import add_nulls, listed, mapping, merge, remove_fields, text
from mockserver.scenario.script import Send
from mockserver.wire.event import Event

_Default = Callable[[Items, Mapping[str, Any]], dict[str, Any]]
_Update = Callable[[Items, Mapping[str, Any]], None]


def _nothing(_items: Items, _data: Mapping[str, Any]) -> None:
    """The update by an event that adds nothing to the items."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """The default fields of an event, and what it adds to the items once it is sent."""

    default: _Default
    update: _Update = _nothing


class ResponseSoFar:
    """The items of a turn (from 0) that were sent so far, and the number of its events."""

    def __init__(self, turn: int) -> None:
        self._items = Items(turn)
        self._sequence = 0

    def preview(self, send: Send) -> Event:
        return self._event(send, self._data(send))

    def event(self, send: Send) -> Event:
        data = self._data(send)
        if _is_known(send):
            _RULES[send.type].update(self._items, data)
        self._sequence += 1
        return self._event(send, data)

    def _event(self, send: Send, data: dict[str, Any]) -> Event:
        foreign = not _is_known(send) or send.type in _OPENAI_RULES
        return Event(send.type, data, ignorable=foreign or self._items.of_unknown_type(data))

    def _data(self, send: Send) -> dict[str, Any]:
        default = {"type": send.type, "sequence_number": self._sequence}
        if _is_known(send):
            fields = add_nulls(send.fields, send.absent)
            default |= _RULES[send.type].default(self._items, fields)
        return remove_fields(merge(default, dict(send.fields)), send.absent)


def _is_known(send: Send) -> bool:
    return send.known and not is_extension(send.type)


def _lifecycle(type_: str) -> _Default:
    return lambda items, _fields: {"response": snapshot(type_, items.done())}


def _error(_items: Items, _fields: Mapping[str, Any]) -> dict[str, Any]:
    message = "The model failed to answer."
    return {"error": {"type": "server_error", "code": None, "message": message, "param": None}}


# The events of OpenAI's own tools, whose types OpenResponses does not have


def _progress(own: OwnEvent) -> _Rule:
    """The rule for an event that only reports the progress of its item."""
    update = _note_failure if own.step == "failed" else _nothing
    return _Rule(lambda items, fields: items.child(fields, own.item)[0], update)


def _note_failure(items: Items, data: Mapping[str, Any]) -> None:
    """Remember that an item with a status has failed."""
    item = items.at(data.get("output_index"))
    if item and "status" in item.value:
        item.value = {**item.value, "status": "failed"}


# Code, diffs, arguments and inputs


@dataclass(frozen=True, slots=True)
class _StreamedText:
    """The events of a text in an item: its deltas, and the event with all of it."""

    of: StreamedText

    def delta(self, items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {**items.child(fields, self.of.item)[0], "delta": ""}

    def done(self, items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
        ids, item = items.child(fields, self.of.item)
        return {**ids, self.of.complete: self._so_far(item)}

    def note(self, items: Items, data: Mapping[str, Any]) -> None:
        if item := items.at(data.get("output_index")):
            so_far = self._so_far(item) + text(data.get("delta"))
            value = data.get(self.of.complete, so_far)
            for name in reversed(self.of.path):
                value = {name: value}
            item.value = merge(item.value, value)

    def _so_far(self, item: Item | None) -> str:
        value: Any = item.value if item else None
        for name in self.of.path:
            value = mapping(value).get(name)
        return text(value)


# Generated images


def _partial_image(items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
    ids, item = items.child(fields, "image_generation_call")
    n = item.previews if item else 0
    return {**ids, "partial_image_index": n, "partial_image_b64": ""}


def _note_partial_image(items: Items, data: Mapping[str, Any]) -> None:
    if item := items.at(data.get("output_index")):
        item.previews += 1


# The commands of a shell, which have an index and no item id


def _commands(item: Item | None) -> list[Any]:
    return listed(mapping(item.value.get("action")).get("commands")) if item else []


def _command(items: Items, fields: Mapping[str, Any], *, new: bool) -> tuple[dict[str, Any], str]:
    """The indexes of a command, which is the newest one unless it is new, and its text so far."""
    ids, item = items.child(fields, "shell_call")
    commands = _commands(item)
    n = fields.get("command_index", len(commands) if new else max(len(commands) - 1, 0))
    known = isinstance(n, int) and not isinstance(n, bool) and 0 <= n < len(commands)
    so_far = text(commands[n]) if known else ""
    return {"output_index": ids["output_index"], "command_index": n}, so_far


def _command_added(items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**_command(items, fields, new=True)[0], "command": ""}


def _command_delta(items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**_command(items, fields, new=False)[0], "delta": ""}


def _command_done(items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
    indexes, so_far = _command(items, fields, new=False)
    return {**indexes, "command": so_far}


def _note_command(items: Items, data: Mapping[str, Any]) -> None:
    item, n = items.at(data.get("output_index")), data.get("command_index")
    if item is None or not isinstance(n, int) or not 0 <= n <= len(_commands(item)):
        return
    commands = [*_commands(item), ""] if n == len(_commands(item)) else list(_commands(item))
    commands[n] = data.get("command", text(commands[n]) + text(data.get("delta")))
    item.value = merge(item.value, {"action": {"commands": commands}})


# The output of a shell: a list in its item, with an entry for each command

_NO_OUTPUT: Mapping[str, Any] = {
    "outcome": {"type": "exit", "exit_code": 0},
    "stderr": "",
    "stdout": "",
}


def _output(items: Items, fields: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The ids of an output, and what was sent of it so far."""
    ids, item = items.child(fields, "shell_call_output")
    n = fields.get("command_index", item.newest("output") if item else 0)
    held = item.part("output", n) if item else {}
    return {**ids, "command_index": n}, held or _NO_OUTPUT


def _output_delta(items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**_output(items, fields)[0], "delta": {}}


def _output_done(items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
    ids, held = _output(items, fields)
    return {**ids, "output": [dict(held)]}


def _note_output(items: Items, data: Mapping[str, Any]) -> None:
    item, n = items.at(data.get("output_index")), data.get("command_index")
    if item is None or not isinstance(n, int):
        return
    held = dict(item.part("output", n) or _NO_OUTPUT)
    for name, piece in mapping(data.get("delta")).items():
        held[name] = text(held.get(name)) + text(piece)
    complete = listed(data.get("output"))
    item.parts["output", n] = mapping(complete[-1]) if complete else held


# The rules of all events


def _streamed(stem: str, text_: PartKind | _StreamedText) -> dict[str, _Rule]:
    """The rules for the deltas of a text, and for the event with all of it."""
    return {
        f"{stem}.delta": _Rule(text_.delta, text_.note),
        f"{stem}.done": _Rule(text_.done, text_.note),
    }


def _content(default: Callable[[PartKind, Items, Mapping[str, Any]], dict[str, Any]]) -> _Rule:
    """The rule for an event about a part of the content, whose kind has the default fields."""
    return _Rule(
        lambda items, fields: default(content_kind(items, fields), items, fields),
        lambda items, data: content_kind(items, data).note(items, data),
    )


_DELTA, _EMPTY = _Rule(lambda _items, _fields: {"delta": ""}), _Rule(lambda _items, _fields: {})
_COMMAND, _OUTPUT = "response.shell_call_command", "response.shell_call_output_content"

_OPENAI_RULES: Mapping[str, _Rule] = {
    **{type_: _progress(own) for type_, own in EVENTS.items()},
    **{
        type_: rule
        for stem, of in STREAMED.items()
        for type_, rule in _streamed(stem, _StreamedText(of)).items()
    },
    "response.image_generation_call.partial_image": _Rule(_partial_image, _note_partial_image),
    f"{_COMMAND}.added": _Rule(_command_added, _note_command),
    f"{_COMMAND}.delta": _Rule(_command_delta, _note_command),
    f"{_COMMAND}.done": _Rule(_command_done, _note_command),
    f"{_OUTPUT}.delta": _Rule(_output_delta, _note_output),
    f"{_OUTPUT}.done": _Rule(_output_done, _note_output),
    "response.audio.delta": _DELTA,
    "response.audio.done": _EMPTY,
    "response.audio.transcript.delta": _DELTA,
    "response.audio.transcript.done": _EMPTY,
}

_ARGUMENTS = StreamedText("function_call", ("arguments",), "arguments")

_RULES: Mapping[str, _Rule] = {
    **{type_: _Rule(_lifecycle(type_)) for type_, group in GROUPS.items() if group == "lifecycle"},
    **_streamed("response.output_text", TEXT),
    **_streamed("response.refusal", REFUSAL),
    **_streamed("response.reasoning", RAW_REASONING),
    **_streamed("response.reasoning_text", RAW_REASONING),
    **_streamed("response.reasoning_summary_text", SUMMARY),
    **_streamed("response.reasoning_summary", SUMMARY),
    **_streamed("response.function_call_arguments", _StreamedText(_ARGUMENTS)),
    "response.output_item.added": _Rule(Items.added, Items.note_added),
    "response.output_item.done": _Rule(Items.ended, Items.note_ended),
    "response.content_part.added": _content(PartKind.added),
    "response.content_part.done": _content(PartKind.ended),
    "response.reasoning_summary_part.added": _Rule(SUMMARY.added, SUMMARY.note),
    "response.reasoning_summary_part.done": _Rule(SUMMARY.ended, SUMMARY.note),
    "response.output_text.annotation.added": _Rule(citation, note_citation),
    "error": _Rule(_error),
    **_OPENAI_RULES,
}
