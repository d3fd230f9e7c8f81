"""Builds minimal full streams, and converts them with the reference machine."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from conformance.dialects.vercel.reference.fields import FULL_STREAM, Layer
from conformance.dialects.vercel.reference.machine import FullStream
from mockserver.foundation.shipped import schema

Json = dict[str, Any]

_PARTS = Draft202012Validator(schema("parts/vscode"))
_DRIVER = Draft202012Validator(schema("driver"))

START, STEP, STEP_4 = {"type": "start"}, {"type": "start-step"}, {"type": "step-start"}


def part(type_: str, **fields: Any) -> Json:
    return {"type": type_, **fields}


def text(value: str, id_: str = "t1") -> Json:
    return part("text-delta", id=id_, text=value)


def finish(reason: str = "stop", **fields: Any) -> Json:
    return part("finish", finishReason=reason, **fields)


def step_over(reason: str = "stop", **fields: Any) -> Json:
    return part("finish-step", finishReason=reason, **fields)


def call(id_: str = "call_1", name: str = "read_file", **fields: Any) -> Json:
    return part("tool-call", toolCallId=id_, toolName=name, **fields)


def streamed(*pieces: str, id_: str = "call_1", name: str = "read_file") -> list[Json]:
    """A call with a streamed input, as in ai 5 and later."""
    deltas = [part("tool-input-delta", id=id_, delta=piece) for piece in pieces]
    return [part("tool-input-start", id=id_, toolName=name), *deltas]


def ended(*pieces: str, **fields: str) -> list[Json]:
    return [*streamed(*pieces, **fields), part("tool-input-end", id=fields.get("id_", "call_1"))]


def streamed_4(*pieces: str, id_: str = "call_1", name: str = "read_file") -> list[Json]:
    """A call with a streamed input, as in ai 4 with ``toolCallStreaming``."""
    known = {"toolCallId": id_, "toolName": name}
    deltas = [part("tool-call-delta", **known, argsTextDelta=piece) for piece in pieces]
    return [part("tool-call-streaming-start", **known), *deltas]


def played(
    events: list[Json], layer: Layer = FULL_STREAM, **traits: Any
) -> tuple[list[Json], Json]:
    """Convert a stream with the reference machine; returns the validated parts and the ending."""
    machine = FullStream(traits, layer)
    parts = [each for event in events for each in machine.event(event)] + machine.close()
    for each in parts:
        _PARTS.validate(each)
    ending = machine.end()
    _DRIVER.validate({**ending, "id": "r-1"})
    return parts, ending


def text_of(parts: list[Json]) -> str:
    return "".join(each["value"] for each in parts if each["type"] == "text")


def calls_of(parts: list[Json]) -> list[tuple[str, str, Any]]:
    calls = [each for each in parts if each["type"] == "toolCall"]
    return [(each["callId"], each["name"], each["input"]) for each in calls]


def thoughts_of(parts: list[Json]) -> list[Json]:
    return [each for each in parts if each["type"] == "thinking"]
