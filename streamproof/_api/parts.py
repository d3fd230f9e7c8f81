"""Collects the parts that the code under test emits, and the exception with which it ended."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from mockserver.faults import Fault, Problem, UserError


class Collected(NamedTuple):
    """The parts in order, and what the code raised while it made them."""

    parts: list[Any]
    raised: Exception | None = None


# Raised by the test itself, not by the code under test.
_OF_THE_TEST = (AssertionError, Fault)


def collected(parts: Iterable[Any]) -> Collected:
    """Collect parts that may be made by the code under test while they are read.

    Raises UserError if these are no parts, and AssertionError and Fault as they are.
    """
    if isinstance(parts, Collected):
        return parts
    found: list[Any] = []
    try:
        for part in _checked(parts):
            found.append(part)
    except _OF_THE_TEST:
        raise
    except Exception as error:  # whatever the code under test raises
        return Collected(found, error)
    return Collected(found)


async def collected_async(parts: Iterable[Any] | AsyncIterable[Any]) -> Collected:
    """The same of an async iterable, too."""
    if not isinstance(parts, AsyncIterable):
        return collected(parts)
    found: list[Any] = []
    try:
        async for part in parts:
            found.append(part)
    except _OF_THE_TEST:
        raise
    except Exception as error:  # whatever the code under test raises
        return Collected(found, error)
    return Collected(found)


def _checked(parts: Any) -> Iterable[Any]:
    if isinstance(parts, Iterable) and not isinstance(parts, str | bytes | Mapping):
        return parts
    hint = 'as [{"type": "text", "value": "Hello"}]'
    if isinstance(parts, AsyncIterable):
        hint = "an async iterable is for 'await run.check(parts)' of streamproof_async"
    raise UserError(
        Problem(f"the parts are to be a list or another iterable, not {parts!r:.80}", hint=hint)
    )


def as_json(parts: list[Any]) -> Any:
    """The parts as JSON data. Raises UserError if one is none."""
    return json.loads(json.dumps(parts, default=as_plain))


def as_plain(value: Any) -> Any:
    """What json writes for a value that it does not know; raises UserError if there is nothing.

    Bytes become base64; errors have a name and a message; objects of libraries, and dataclasses,
    have their fields.
    """
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode()
    if isinstance(value, BaseException):
        return {"name": type(value).__name__, "message": str(value)}
    for method in ("model_dump", "to_dict", "_asdict"):
        if callable(as_data := getattr(value, method, None)):
            return as_data()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise UserError(f"a part is to be JSON data, and {type(value).__name__} is none")
