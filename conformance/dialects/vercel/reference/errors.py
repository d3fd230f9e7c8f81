"""Reads the failures in a full stream: error parts, which contain the value that was thrown.

That may be a string, an error of the SDK that wraps the provider's error, or the provider's own
error body. So the message and the code are searched from the outermost level inwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.dialects.chat.reference.errors import NO_REASON
from conformance.dialects.client.fields import Event, object_, string
from conformance.dialects.vercel.reference.fields import Layer, first_value

INVALID_CALL_ERRORS = frozenset(
    {"AI_InvalidToolArgumentsError", "AI_InvalidToolInputError", "AI_NoSuchToolError"}
)
"""Errors that ai 4 sends instead of an invalid call; the answer continues."""

TOOL_ERROR = "AI_ToolExecutionError"
"""The error that ai 4 sends instead of a `tool-error`; the call was emitted before."""

NESTED = ("error", "data", "cause", "lastError")
MAX_DEPTH = 4

Failure = dict[str, object]


def failure_of(data: Event, layer: Layer) -> Failure:
    """The kind, message and code (if any) of an error part."""
    return _failure(first_value(data, layer.error))


def _failure(error: object) -> Failure:
    levels = list(_levels(error))
    messages = (each for level in levels for each in _messages(level))
    codes = (code for level in levels if (code := _code(level)))
    message = next(messages, "") or next((string(level, "name") for level in levels), "")
    code = next(codes, "")
    return _upstream(message or _as_text(error)) | ({"code": code} if code else {})


def error_name(data: Event) -> str:
    """The name of the error that was thrown; empty if it has none."""
    return string(object_(data, "error"), "name")


def aborted(data: Event) -> Failure:
    """The failure that an `abort` part is, since this adapter did not cancel the run."""
    reason = data.get("reason")
    why = _failure(reason)["message"] if reason else ""
    return _upstream(f"the upstream aborted the response{f': {why}' if why else ''}")


def _upstream(message: str) -> Failure:
    return {"kind": "upstream", "message": message or NO_REASON}


def _levels(error: object, depth: int = MAX_DEPTH) -> Iterator[Event]:
    """An error and the errors that it wraps, outermost first."""
    if isinstance(error, dict) and depth:
        yield error
        for name in NESTED:
            yield from _levels(error.get(name), depth - 1)


def _messages(level: Event) -> Iterator[str]:
    for name in ("message", "detail", *NESTED):
        if value := string(level, name):
            yield value


def _code(level: Event) -> str:
    code = level.get("code")
    return str(code) if isinstance(code, str | int) and not isinstance(code, bool) else ""


def _as_text(error: object) -> str:
    """A thrown value that is not an object, as text."""
    if isinstance(error, dict) or not error:
        return ""
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
