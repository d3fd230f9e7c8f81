"""Encodes and decodes lines of drive/1, and checks them against ``schemas/driver.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance.drivers.lines import Overlong
from conformance.drivers.recorder import describe
from mockserver.contract import errors_of, validator
from mockserver.faults import KitError
from mockserver.json_text import is_deeper

MAX_LINE = 1 << 20
"""The most bytes of a line that are accepted."""

MAX_DEPTH = 512
"""The most lists and objects inside one another in a line."""

_TOO_LONG = f"it wrote a line of more than {MAX_LINE >> 20} MiB"
_TOO_DEEP = f"it wrote a line that is nested deeper than {MAX_DEPTH} levels"
_NOT_JSON = "it wrote to stdout what is no JSON: {!r}; logs go to stderr"

_REFUSALS = ("unsupported", "error")
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "run": ("done", *_REFUSALS),
    "count": ("counted", *_REFUSALS),
}
"""The messages that end a run or a count, by the type of the kit's message."""

# The kit's hello and the adapter's hello have definitions of their own.
_HELLO = {"hello": "adapter-hello"}


def why_invalid(message: Any, *types: str) -> str:
    """Why an adapter's message is not a valid message of one of these types; empty if it is."""
    if not isinstance(message, dict) or message.get("type") not in types:
        return f"{describe(message)}, which is no {' or '.join(types)} message"
    type_ = message["type"]
    # By one definition: validating against all of them takes longer than the rest of a run.
    definition = validator("driver", definition=_HELLO.get(type_, type_))
    error = next(errors_of(definition, message), None)
    return f"an invalid message: {error.message[:200]}" if error else ""


def why_no_answer(asked: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    """Why a valid message is no answer to the kit's ``run`` or ``count``; empty if it is."""
    type_, wanted = message["type"], asked["type"]
    # A run may be answered by more than its ending.
    if type_ not in ENDINGS[wanted] and (wanted == "count" or type_ == "counted"):
        return f"a {wanted} was answered with {type_}, not with {' or '.join(ENDINGS[wanted])}"
    if "counts" in message and len(message["counts"]) != (messages := len(asked["messages"])):
        return f"it gave {len(message['counts'])} count(s) for {messages} message(s)"
    return ""


def encode_line(message: Mapping[str, Any]) -> bytes:
    """A message of the kit as a line. Raises KitError if drive/1 does not allow it."""
    definition = {"hello": "kit-hello"}.get(message["type"], message["type"])
    error = next(errors_of(validator("driver", definition=definition), message), None)
    if error:
        raise KitError(f"the kit made an invalid {message['type']} message: {error.message[:200]}")
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode_line(line: bytes) -> tuple[Any, str]:
    """A line of an adapter as JSON, and why it is invalid (empty if it is JSON)."""
    if isinstance(line, Overlong):
        return None, _TOO_LONG
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None, _NOT_JSON.format(line[:200])
    return (None, _TOO_DEEP) if is_deeper(message, MAX_DEPTH) else (message, "")
