"""Reads the fields, usage and errors of parts, under the names of each layer of the AI SDK.

Three layers have the same parts under nearly the same names: what a provider sends to the SDK's
core, the full stream that a program reads, and the messages that a browser reads. The names in full
streams differ between generations, and some streams have a field under two names (stream-mapping §
Stream Chunk Schema Mismatch). So a full stream is read under all names, those of the current
generation first. The other layers have one name for each field; a part without it is broken.

Each step has its own usage, and the finish has that of all steps. An error part contains the value
that was thrown: a string, an error of the SDK that wraps the provider's error, or the provider's
own error body. So the message and the code are searched from the outermost level inwards.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from conformance.dialects.client.fields import Event, integer, object_, string
from conformance.dialects.client.machine import NO_REASON
from mockserver.dialects.vercel.field_names import names
from mockserver.dialects.vercel.parts import GATEWAY
from mockserver.dialects.vercel.parts import UI as BROWSER

Names = tuple[str, ...]

DATA = "data-"
"""The prefix of types of an application's own data; used as the type of all of them."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The names of each field in one layer, in order of precedence.

    - `strict` says that a part without its field is broken.
    - `continues_after_error` says that parts after an error are read.
    """

    text: Names
    arguments: Names
    input: Names
    call_id: Names
    error: Names
    source_id: Names
    media_type: Names
    usage: Names
    strict: bool = False
    continues_after_error: bool = False


def _layer(dialect: str = "") -> Layer:
    """The strict layer of a dialect; without a dialect, a lenient one with the names of all."""
    named = partial(names, of=(dialect,)) if dialect else names
    return Layer(
        text=named("text_delta"),
        arguments=named("input_delta"),
        input=named("input"),
        call_id=named("call_id", "input_id"),
        error=named("error"),
        source_id=named("source_id"),
        media_type=named("media_type"),
        usage=named("usage"),
        strict=bool(dialect),
        continues_after_error=bool(dialect),
    )


FULL_STREAM = _layer()
PROVIDER = _layer(GATEWAY)
UI = _layer(BROWSER)

REASON = ("unified", "raw")


def first(data: Event, names: Names) -> str:
    """The first of these fields that is a string and not empty; else empty."""
    return next(filter(None, (string(data, name) for name in names)), "")


def first_value(data: Event, names: Names) -> object:
    """The first of these fields that is not missing or null; else None."""
    return next((data[name] for name in names if data.get(name) is not None), None)


def reason(data: Event) -> str:
    """The finish reason; providers send it in an object since specification V3."""
    return string(data, "finishReason") or first(object_(data, "finishReason"), REASON)


SIDES = {"input": names("input_tokens"), "output": names("output_tokens")}

Usage = dict[str, int]


def usage_of(data: Event, layer: Layer) -> Usage:
    """The counts of a part as `input` and `output`, as far as given; empty if all are zero."""
    counted = (_counted(object_(data, name)) for name in layer.usage)
    return next((each for each in counted if any(each.values())), {})


def add_usage(one: Usage, other: Usage) -> Usage:
    """The usages of two steps added up."""
    return {side: one.get(side, 0) + other.get(side, 0) for side in {**one, **other}}


def _counted(usage: Event) -> Usage:
    sides = ((side, _tokens(usage, names)) for side, names in SIDES.items())
    return {side: tokens for side, tokens in sides if tokens is not None}


def _tokens(usage: Event, names: tuple[str, ...]) -> int | None:
    """A count, under any of its names; in the gateway's parts, it is the `total` of an object."""
    found = ((integer(usage, name), integer(object_(usage, name), "total")) for name in names)
    return next((tokens for pair in found for tokens in pair if tokens is not None), None)


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
