"""Lines of drive/1, checked against ``schemas/driver.json`` in both directions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from conformance.drivers.lines import Overlong
from conformance.drivers.recorder import describe
from mockserver.contract import errors_of
from mockserver.faults import KitError
from mockserver.shipped import schema

MAX_LINE = 1 << 20
"""The most bytes of a line."""

_TOO_LONG = f"it wrote a line of more than {MAX_LINE >> 20} MiB"
_NO_JSON = "it wrote to stdout what is no JSON: {!r}; logs go to stderr"

_REFUSALS = ("unsupported", "error")
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "run": ("done", *_REFUSALS),
    "count": ("counted", *_REFUSALS),
}
"""The messages that end what the kit has asked for, by the type of the question."""

# The two messages of this type have definitions of their own.
_HELLO = {"hello": "adapter-hello"}


@cache
def _validator(definition: str) -> Draft202012Validator:
    # By its own definition: to choose among all of them takes longer than the rest of a run.
    whole = schema("driver")
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": whole["$defs"]})


def departure(message: Any, *types: str) -> str:
    """In what an adapter's message departs from drive/1; empty where it does not."""
    if not isinstance(message, dict) or message.get("type") not in types:
        return f"{describe(message)}, which is no {' or '.join(types)} message"
    type_ = message["type"]
    error = next(errors_of(_validator(_HELLO.get(type_, type_)), message), None)
    return f"an invalid message: {error.message[:200]}" if error else ""


def missed(asked: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    """Why a valid message is no answer to what was asked; empty where it is one."""
    type_, wanted = message["type"], asked["type"]
    # Of a run more may be said than its ending.
    if type_ not in ENDINGS[wanted] and (wanted == "count" or type_ == "counted"):
        return f"a {wanted} was answered with {type_}, not with {' or '.join(ENDINGS[wanted])}"
    if "counts" in message and len(message["counts"]) != (messages := len(asked["messages"])):
        return f"it gave {len(message['counts'])} count(s) for {messages} message(s)"
    return ""


def line(message: Mapping[str, Any]) -> bytes:
    """A message of the kit's as a line. Raises KitError where it is none of drive/1."""
    definition = {"hello": "kit-hello"}.get(message["type"], message["type"])
    error = next(errors_of(_validator(definition), message), None)
    if error:
        raise KitError(f"the kit made an invalid {message['type']} message: {error.message[:200]}")
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decoded(line: bytes) -> tuple[Any, str]:
    """A line of an adapter's as JSON, and what is wrong with it."""
    if isinstance(line, Overlong):
        return None, _TOO_LONG
    try:
        return json.loads(line), ""
    except (ValueError, RecursionError):
        return None, _NO_JSON.format(line[:200])
