"""Builds minimal chat completions streams, and converts them with the reference machine."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.to_copilot import CopilotEmitter
from conformance.dialects.chat.reference.to_vscode import VscodeEmitter
from mockserver.foundation.shipped import schema

Json = dict[str, Any]

_EMITTERS: dict[str, Any] = {"vscode": VscodeEmitter, "copilot": CopilotEmitter}
_PARTS = {name: Draft202012Validator(schema(f"parts/{name}")) for name in _EMITTERS}


def chunk(*choices: Json, **fields: Any) -> Json:
    return {"type": "message", "id": "chatcmpl-1", "choices": list(choices), **fields}


def choice(index: int | None = 0, reason: str | None = None, **fields: Any) -> Json:
    place = {} if index is None else {"index": index}
    return {**place, "delta": fields, "finish_reason": reason}


def delta(**fields: Any) -> Json:
    return chunk(choice(**fields))


def finish(reason: str | None = "stop", index: int = 0) -> Json:
    return chunk(choice(index, reason))


def call(arguments: Any = "", *, index: int | None = 0, **fields: Any) -> Json:
    """A chunk with one fragment of a call; `id` and `name` are in `fields`."""
    function = {"arguments": arguments} | ({"name": fields.pop("name")} if "name" in fields else {})
    place = {} if index is None else {"index": index}
    return delta(tool_calls=[{**place, "function": function, **fields}])


READ = call('{"path":"a.py"}', id="call_1", name="read_file")


def read_events(events: list[Json], vocabulary: str = "vscode", **traits: Any) -> tuple[Any, Any]:
    """Convert a stream with the reference machine; returns the validated parts and the ending."""
    machine = Chat(_EMITTERS[vocabulary], traits)
    parts = [part for event in events for part in machine.event(event)] + machine.close()
    for part in parts:
        _PARTS[vocabulary].validate(part)
    return parts, machine.end()


def text_of(parts: list[Json]) -> str:
    return "".join(part["value"] for part in parts if part["type"] == "text")


def calls_of(parts: list[Json]) -> list[tuple[str, str, Any]]:
    calls = [part for part in parts if part["type"] == "toolCall"]
    return [(part["callId"], part["name"], part["input"]) for part in calls]
