"""Failures in a full stream: they are parts, and whatever was thrown is in them.

That may be a word, an error of the SDK, which wraps the provider's, or the provider's own body. So
message and code are looked for from the outside in, and either counts where it is found first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.dialects.chat.reference.errors import NO_REASON
from conformance.dialects.client.fields import Event, object_, string
from conformance.dialects.vercel.reference.fields import Layer, told

OF_A_CALL = frozenset(
    {"AI_InvalidToolArgumentsError", "AI_InvalidToolInputError", "AI_NoSuchToolError"}
)
"""Errors that in generation v4 stand in the place of an invalid call; the answer goes on."""

OF_A_TOOL = "AI_ToolExecutionError"
"""That in generation v4 stands in the place of a `tool-error`; the call was made."""

INSIDE = ("error", "data", "cause", "lastError")
DEEP = 4

Failure = dict[str, object]


def failure_of(data: Event, layer: Layer) -> Failure:
    """What an `error` says of itself."""
    return _failure(told(data, layer.error))


def _failure(error: object) -> Failure:
    levels = list(_levels(error))
    messages = (each for level in levels for each in _messages(level))
    codes = (code for level in levels if (code := _code(level)))
    message = next(messages, "") or next((string(level, "name") for level in levels), "")
    code = next(codes, "")
    return _upstream(message or _plain(error)) | ({"code": code} if code else {})


def name_of(data: Event) -> str:
    """The name of what was thrown, where it is an Error."""
    return string(object_(data, "error"), "name")


def aborted(data: Event) -> Failure:
    """Nobody here cancelled the run, so for its host an `abort` is a failure."""
    reason = data.get("reason")
    why = _failure(reason)["message"] if reason else ""
    return _upstream(f"the upstream aborted the response{f': {why}' if why else ''}")


def _upstream(message: str) -> Failure:
    return {"kind": "upstream", "message": message or NO_REASON}


def _levels(error: object, deep: int = DEEP) -> Iterator[Event]:
    """An error and what it wraps."""
    if isinstance(error, dict) and deep:
        yield error
        for name in INSIDE:
            yield from _levels(error.get(name), deep - 1)


def _messages(level: Event) -> Iterator[str]:
    for name in ("message", "detail", *INSIDE):
        if value := string(level, name):
            yield value


def _code(level: Event) -> str:
    code = level.get("code")
    return str(code) if isinstance(code, str | int) and not isinstance(code, bool) else ""


def _plain(error: object) -> str:
    """Anything that is no object, as `String(error)` would tell it, or better."""
    if isinstance(error, dict) or not error:
        return ""
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
