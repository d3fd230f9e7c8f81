"""The few values of a rendered turn that differ from request to request.

A turn is rendered once. Where a value is known only when a request arrives (the response's id, its
time, the model, fields that echo the request) the rendering holds a mark; bytes are cut at the
marks once, and each request only joins the pieces.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Unguessable, so that no text of a scenario can pass for a mark.
_MARK = f"slot.{secrets.token_hex(8)}."
_MARKED = re.compile(rf'"{re.escape(_MARK)}([a-z_]+)"')

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class Slot:
    """A gap between two pieces of bytes, filled by the value of this name."""

    name: str


Piece = bytes | Slot
Values = dict[str, bytes]


def mark(name: str) -> str:
    """A stand-in, inside JSON, for the value of this name."""
    return f"{_MARK}{name}"


def dump(value: Any) -> str:
    """Compact JSON, marks included, text unescaped as real upstreams send it."""
    return _ENCODER.encode(value)


def encoded(text: str) -> bytes:
    """UTF-8; a lone surrogate, which has none, stays the JSON escape that it came from."""
    return text.encode("utf-8", "backslashreplace")


def has_marks(text: str) -> bool:
    """Whether rendered JSON has a value that is known only when a request arrives."""
    return _MARK in text


def pieces(text: str) -> tuple[Piece, ...]:
    """Text cut at its marks, as bytes and slots in turn."""
    cut = _MARKED.split(text)
    return tuple(
        Slot(part) if n % 2 else encoded(part) for n, part in enumerate(cut) if n % 2 or part
    )


def fill(parts: tuple[Piece, ...], values: Mapping[str, bytes]) -> bytes:
    """The bytes for one request."""
    return b"".join([part if isinstance(part, bytes) else values[part.name] for part in parts])


def values(**named: Any) -> Values:
    """Slot values as the JSON that stands in the gaps."""
    return {name: encoded(dump(value)) for name, value in named.items()}


def unfilled(value: Any, filled_in: Any) -> Iterator[tuple[str, Any]]:
    """What stands where a JSON value has its marks, as far as the two are alike: name and value."""
    if isinstance(value, str) and value.startswith(_MARK):
        yield value[len(_MARK) :], filled_in
    elif isinstance(value, dict) and isinstance(filled_in, dict):
        for key, inner in value.items():
            yield from unfilled(inner, filled_in.get(key)) if key in filled_in else ()
    elif isinstance(value, list) and isinstance(filled_in, list):
        for inner, other in zip(value, filled_in, strict=False):
            yield from unfilled(inner, other)


def filled(value: Any, slot_values: Mapping[str, bytes]) -> Any:
    """A JSON value with its marks replaced, as it went over the wire."""
    return filled_with(value, decoded(slot_values))


def decoded(slot_values: Mapping[str, bytes]) -> dict[str, Any]:
    """The values that stand in the gaps."""
    return {name: json.loads(data) for name, data in slot_values.items()}


def filled_with(value: Any, named: Mapping[str, Any]) -> Any:
    """As ``filled``, for many values that share what is put in."""
    if isinstance(value, str):
        return named[value[len(_MARK) :]] if value.startswith(_MARK) else value
    if isinstance(value, dict):
        return {key: filled_with(inner, named) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled_with(inner, named) for inner in value]
    return value
