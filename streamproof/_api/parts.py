"""Collects the parts that the code under test emits, and the exception with which it ended."""

import json
from base64 import b64encode
from collections.abc import AsyncIterable, Awaitable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from streamproof._api.faults import Fault, Problem, UserError


class Collected(NamedTuple):
    """The parts in order, and what the code raised while it made them."""

    parts: list[Any]
    raised: Exception | None = None


Parts = str | Iterable[Any]
"""Parts in order, or what makes them. A text is a part of its own, alone or among the others."""

AsyncParts = Parts | AsyncIterable[Any] | Awaitable[Parts | AsyncIterable[Any]]
"""In asyncio parts may also come later."""

_BYTES = (bytes, bytearray, memoryview)

# Raised by the test itself, not by the code under test.
_OF_THE_TEST = (AssertionError, Fault)


def collect(parts: Parts) -> Collected:
    """Collect parts that may be made by the code under test while they are read.

    Raises UserError if these are no parts, and AssertionError and Fault as they are.
    """
    __tracebackhide__ = True
    if isinstance(parts, Collected):
        return parts
    found: list[Any] = []
    try:
        for part in _check(parts):
            found.append(_no_bytes(part))
    except _OF_THE_TEST:
        raise
    except Exception as error:  # whatever the code under test raises
        return Collected(found, error)
    return Collected(found)


async def collect_async(parts: AsyncParts) -> Collected:
    """Collect parts as ``collect`` does, also of an async iterable or an awaitable."""
    __tracebackhide__ = True
    found: list[Any] = []
    raised: Exception | None = None
    try:
        given = await parts if isinstance(parts, Awaitable) else parts
        if not isinstance(given, AsyncIterable):
            return collect(given)
        async for part in given:
            found.append(part)
    except Exception as error:  # whatever the code under test raises
        raised = error
    return collect(_make_again(found, raised))


def _make_again(parts: list[Any], raised: Exception | None) -> Iterator[Any]:
    __tracebackhide__ = True
    yield from parts
    if raised:
        raise raised


def _check(parts: Any) -> Iterable[Any]:
    __tracebackhide__ = True
    if isinstance(parts, str):
        return [parts]
    if isinstance(parts, Iterable) and not isinstance(parts, bytes | Mapping):
        return parts
    hint = 'such as ["Hello"] or [{"type": "text", "value": "Hello"}]'
    if isinstance(parts, AsyncIterable | Awaitable):
        hint = "what comes later is for 'await run.check(parts)' of streamproof_async"
    raise UserError(
        Problem(f"the parts are to be a list or another iterable, not {parts!r:.80}", hint=hint)
    )


def _no_bytes(part: Any) -> Any:
    """The part. Raises UserError if it is bytes, which would be taken for a text in base64."""
    __tracebackhide__ = True
    if not isinstance(part, _BYTES):
        return part
    hint = "decode a text; the bytes of a file are the 'data' of a part"
    raise UserError(
        Problem(f"a part is a text or an object, not bytes: {bytes(part)!r:.80}", hint=hint)
    )


def as_json(parts: list[Any]) -> Any:
    """The parts as JSON data. Raises UserError if one is none."""
    return json.loads(json.dumps(parts, default=as_plain))


def as_plain(value: Any) -> Any:
    """What json writes for a value that it does not know; raises UserError if there is nothing.

    Bytes become base64; errors have a name and a message; objects of libraries, and dataclasses,
    have their fields.
    """
    if isinstance(value, _BYTES):
        return b64encode(value).decode()
    if isinstance(value, BaseException):
        return {"name": type(value).__name__, "message": str(value)}
    for method in ("model_dump", "to_dict", "_asdict"):
        if callable(as_data := getattr(value, method, None)):
            return as_data()
    __tracebackhide__ = True
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise UserError(f"a part is to be JSON data, and {type(value).__name__} is none")
