"""Fills in what the protocol derives: sequence numbers, indexes, ids, sums and snapshots.

A scenario says what matters and nothing more. For each event a default is built from what the
stream has said so far; the scenario's own fields are then laid over it as a JSON merge patch
(RFC 7396): given fields win to the letter, at any depth, and ``null`` removes one. What results is
remembered, so that a later ``done`` event sums up what was really sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.dialect import Event
from mockserver.dialects.openresponses.events import ITEM_TYPES, LANES, is_extension
from mockserver.dialects.openresponses.response import snapshot
from mockserver.scenario.model import Send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockserver.dialects.dialect import Step
    from mockserver.scenario.model import SendStep

_ID_PREFIX = {"message": "msg", "function_call": "fc", "reasoning": "rs", "compaction": "cmp"}
_EMPTY_PART: dict[str, dict[str, Any]] = {
    "output_text": {"type": "output_text", "text": "", "annotations": [], "logprobs": []},
    "refusal": {"type": "refusal", "refusal": ""},
    "reasoning_text": {"type": "reasoning_text", "text": ""},
    "summary_text": {"type": "summary_text", "text": ""},
}
_EMPTY_ITEM: dict[str, dict[str, Any]] = {
    "message": {"status": "in_progress", "role": "assistant", "content": []},
    "function_call": {"status": "in_progress", "call_id": "", "name": "", "arguments": ""},
    "reasoning": {"summary": []},
    "compaction": {"encrypted_content": ""},
}


def merged(default: Any, given: Any) -> Any:
    """``given`` laid over ``default`` as a JSON merge patch (RFC 7396)."""
    if not isinstance(given, dict):
        return given
    result = dict(default) if isinstance(default, dict) else {}
    for key, value in given.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def complete(sends: Sequence[SendStep], turn: int) -> Iterator[Step]:
    """The events of one turn (counted from 0), whole; steps of other kinds pass through."""
    stream = _Stream(turn)
    for step in sends:
        yield stream.event(step) if isinstance(step, Send) else step


@dataclass
class _Item:
    """An output item as the stream has told it so far."""

    index: int
    value: dict[str, Any]
    # Streamed texts by their list in the item (content or summary) and place in that list.
    parts: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    done: bool = False

    def newest(self, where: str) -> int:
        return max((n for key, n in self.parts if key == where), default=0)

    def whole(self) -> dict[str, Any]:
        """The item as it stands at its end, summed up from what was streamed."""
        lists: dict[str, list[Any]] = {}
        for (where, _), part in sorted(self.parts.items()):
            lists.setdefault(where, []).append(part)
        status = {"status": "completed"} if self.value.get("type") != "reasoning" else {}
        return {**self.value, **lists, **status}


@dataclass
class _Stream:
    turn: int
    sequence: int = 0
    items: dict[int, _Item] = field(default_factory=dict)

    def event(self, send: Send) -> Event:
        known = send.known and not is_extension(send.type)
        default = _DEFAULTS[send.type](self, send.fields) if known else {}
        data = merged(
            {"type": send.type, "sequence_number": self.sequence, **default}, dict(send.fields)
        )
        self.sequence += 1
        if known and (remember := _REMEMBER.get(send.type)):
            remember(self, data)
        return Event(send.type, data, ignorable=not known or self._of_unknown_item(data))

    def _of_unknown_item(self, data: dict[str, Any]) -> bool:
        item = self.items.get(data.get("output_index", -1))
        return item is not None and item.value.get("type", "message") not in ITEM_TYPES

    # What an event says by default

    def lifecycle(self, type_: str) -> dict[str, Any]:
        output = [item.value for _, item in sorted(self.items.items()) if item.done]
        return {"response": snapshot(type_, output)}

    def error(self, _given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "error": {
                "type": "server_error",
                "code": None,
                "message": "The model failed to answer.",
                "param": None,
            }
        }

    def added(self, given: Mapping[str, Any]) -> dict[str, Any]:
        index = given.get("output_index", max(self.items, default=-1) + 1)
        return {"output_index": index, "item": self._fresh(index, given)}

    def _fresh(self, index: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        type_ = (given.get("item") or {}).get("type", "message")
        prefix = _ID_PREFIX.get(type_, "item")
        base = _EMPTY_ITEM.get(type_, {"status": "in_progress"})
        return {"type": type_, "id": f"{prefix}_{self.turn}{index}", **base}

    def item_done(self, given: Mapping[str, Any]) -> dict[str, Any]:
        item = self._item(given, "")
        if item is None:
            default = self.added(given)
            status = {"status": "completed"} if "status" in default["item"] else {}
            return {**default, "item": {**default["item"], **status}}
        return {"output_index": item.index, "item": item.whole()}

    def child(self, given: Mapping[str, Any], type_: str) -> tuple[dict[str, Any], _Item | None]:
        """The fields that point from a child event to its item."""
        item = self._item(given, type_)
        if item is None:
            return {"item_id": f"{_ID_PREFIX[type_]}_{self.turn}0", "output_index": 0}, None
        return {"item_id": item.value.get("id", ""), "output_index": item.index}, item

    def _item(self, given: Mapping[str, Any], type_: str) -> _Item | None:
        """The item that an event is about: by index, by id, or the newest open one of its type."""
        if "output_index" in given:
            return self.items.get(given["output_index"])
        item_id = given.get("item_id") or (given.get("item") or {}).get("id")
        candidates = [
            item
            for item in self.items.values()
            if (item.value.get("id") == item_id if item_id else not item.done)
            and (not type_ or item_id or item.value.get("type") == type_)
        ]
        return candidates[-1] if candidates else None

    # What later events sum up

    def keep_item(self, data: dict[str, Any]) -> None:
        index, item = data.get("output_index"), data.get("item")
        if not isinstance(index, int) or not isinstance(item, dict):
            return
        done = data["type"] == "response.output_item.done"
        if done and index in self.items:
            self.items[index].value, self.items[index].done = item, True
        else:
            self.items[index] = _Item(index, item, done=done)

    def keep_arguments(self, data: dict[str, Any]) -> None:
        if item := self.items.get(data.get("output_index", -1)):
            so_far = item.value.get("arguments", "") + data.get("delta", "")
            item.value = {**item.value, "arguments": data.get("arguments", so_far)}


@dataclass(frozen=True, slots=True)
class _PartKind:
    """A kind of streamed text: its item, its list there, its index field and its part."""

    item: str
    where: str
    index: str
    part: str
    text: str = "text"

    def part_event(self, stream: _Stream, given: Mapping[str, Any]) -> dict[str, Any]:
        ids, item = stream.child(given, self.item)
        n = self._position(item, given, fresh=False)
        held = item.parts.get((self.where, n)) if item else None
        return {**ids, self.index: n, "part": held or _EMPTY_PART[self.part]}

    def part_added(self, stream: _Stream, given: Mapping[str, Any]) -> dict[str, Any]:
        ids, item = stream.child(given, self.item)
        return {
            **ids,
            self.index: self._position(item, given, fresh=True),
            "part": _EMPTY_PART[self.part],
        }

    def delta(self, stream: _Stream, given: Mapping[str, Any]) -> dict[str, Any]:
        ids, item = stream.child(given, self.item)
        fields = {**ids, self.index: self._position(item, given, fresh=False), "delta": ""}
        return fields | self._logprobs()

    def text_done(self, stream: _Stream, given: Mapping[str, Any]) -> dict[str, Any]:
        ids, item = stream.child(given, self.item)
        n = self._position(item, given, fresh=False)
        held = item.parts.get((self.where, n), {}) if item else {}
        return {**ids, self.index: n, self.text: held.get(self.text, "")} | self._logprobs()

    def _logprobs(self) -> dict[str, Any]:
        # OpenAI's own types require the list; OpenResponses allows it.
        return {"logprobs": []} if self.part == "output_text" else {}

    def _position(self, item: _Item | None, given: Mapping[str, Any], *, fresh: bool) -> int:
        if self.index in given:
            position: int = given[self.index]
            return position
        if item is None:
            return 0
        count = sum(where == self.where for where, _ in item.parts)
        return count if fresh else item.newest(self.where)

    def keep(self, stream: _Stream, data: dict[str, Any]) -> None:
        """Remember a part, or the text that was added to it."""
        item = stream.items.get(data.get("output_index", -1))
        if item is None or not isinstance(n := data.get(self.index), int):
            return
        held = item.parts.get((self.where, n), _EMPTY_PART[self.part])
        if isinstance(part := data.get("part"), dict):
            held = part
        elif "delta" in data:
            held = {**held, self.text: held.get(self.text, "") + data["delta"]}
        elif self.text in data:
            held = {**held, self.text: data[self.text]}
        item.parts[self.where, n] = held


_TEXT = _PartKind("message", "content", "content_index", "output_text")
_REFUSAL = _PartKind("message", "content", "content_index", "refusal", "refusal")
_THOUGHT = _PartKind("reasoning", "content", "content_index", "reasoning_text")
_SUMMARY = _PartKind("reasoning", "summary", "summary_index", "summary_text")

_BY_PART = {kind.part: kind for kind in (_TEXT, _REFUSAL, _THOUGHT, _SUMMARY)}


def _content_kind(stream: _Stream, given: Mapping[str, Any]) -> _PartKind:
    """Content parts of three kinds share their two events; the part, or its item, says which."""
    if named := (given.get("part") or {}).get("type"):
        return _BY_PART.get(named, _TEXT)
    item = stream._item(given, "")
    if item is None:
        return _TEXT
    if "content_index" in given or item.parts:
        n = given.get("content_index", item.newest("content"))
        held = item.parts.get(("content", n), {})
        if held.get("type") in _BY_PART:
            return _BY_PART[held["type"]]
    return _THOUGHT if item.value.get("type") == "reasoning" else _TEXT


def _content_added(stream: _Stream, given: Mapping[str, Any]) -> dict[str, Any]:
    return _content_kind(stream, given).part_added(stream, given)


def _content_done(stream: _Stream, given: Mapping[str, Any]) -> dict[str, Any]:
    return _content_kind(stream, given).part_event(stream, given)


def _arguments(stream: _Stream, given: Mapping[str, Any], *, done: bool) -> dict[str, Any]:
    ids, item = stream.child(given, "function_call")
    if done:
        return {**ids, "arguments": item.value.get("arguments", "") if item else ""}
    return {**ids, "delta": ""}


def _citation(stream: _Stream, given: Mapping[str, Any]) -> dict[str, Any]:
    ids, item = stream.child(given, "message")
    n = given.get("content_index", item.newest("content") if item else 0)
    held = item.parts.get(("content", n), {}) if item else {}
    return {**ids, "content_index": n, "annotation_index": len(held.get("annotations", []))}


def _keep_citation(stream: _Stream, data: dict[str, Any]) -> None:
    item = stream.items.get(data.get("output_index", -1))
    key = ("content", data.get("content_index", 0))
    if item and key in item.parts and isinstance(data.get("annotation"), dict):
        part = item.parts[key]
        item.parts[key] = {
            **part,
            "annotations": [*part.get("annotations", []), data["annotation"]],
        }


def _lifecycle(type_: str) -> Callable[[_Stream, Mapping[str, Any]], dict[str, Any]]:
    return lambda stream, _given: stream.lifecycle(type_)


_DELTAS = {
    "response.output_text": _TEXT,
    "response.refusal": _REFUSAL,
    "response.reasoning": _THOUGHT,
    "response.reasoning_text": _THOUGHT,
    "response.reasoning_summary_text": _SUMMARY,
    "response.reasoning_summary": _SUMMARY,
}

_DEFAULTS: dict[str, Callable[[_Stream, Mapping[str, Any]], dict[str, Any]]] = {
    **{type_: _lifecycle(type_) for type_, lane in LANES.items() if lane == "lifecycle"},
    **{f"{name}.delta": kind.delta for name, kind in _DELTAS.items()},
    **{f"{name}.done": kind.text_done for name, kind in _DELTAS.items()},
    "response.output_item.added": _Stream.added,
    "response.output_item.done": _Stream.item_done,
    "response.content_part.added": _content_added,
    "response.content_part.done": _content_done,
    "response.reasoning_summary_part.added": _SUMMARY.part_added,
    "response.reasoning_summary_part.done": _SUMMARY.part_event,
    "response.function_call_arguments.delta": lambda s, given: _arguments(s, given, done=False),
    "response.function_call_arguments.done": lambda s, given: _arguments(s, given, done=True),
    "response.output_text.annotation.added": _citation,
    "error": _Stream.error,
}

_REMEMBER: dict[str, Callable[[_Stream, dict[str, Any]], None]] = {
    **{f"{name}.delta": kind.keep for name, kind in _DELTAS.items()},
    **{f"{name}.done": kind.keep for name, kind in _DELTAS.items()},
    "response.output_item.added": _Stream.keep_item,
    "response.output_item.done": _Stream.keep_item,
    "response.content_part.added": lambda s, data: _content_kind(s, data).keep(s, data),
    "response.content_part.done": lambda s, data: _content_kind(s, data).keep(s, data),
    "response.reasoning_summary_part.added": _SUMMARY.keep,
    "response.reasoning_summary_part.done": _SUMMARY.keep,
    "response.function_call_arguments.delta": _Stream.keep_arguments,
    "response.function_call_arguments.done": _Stream.keep_arguments,
    "response.output_text.annotation.added": _keep_citation,
}
