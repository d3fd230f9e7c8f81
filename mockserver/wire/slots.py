"""Placeholders for the values of a rendered turn that differ from request to request.

A turn is rendered once. Values that are known only when a request arrives (the id and time of the
response, the model, fields that echo the request) are marks in the rendering. The text is split at
its marks once, and each request joins the pieces with its own values. A mark is a whole string, or
the first segment of a URL.
"""

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.foundation.json_text import dump, encode

# Random, so that no text of a scenario can be mistaken for a mark.
_MARK = f"slot.{secrets.token_hex(8)}."
_MARKED = re.compile(rf'"{re.escape(_MARK)}([a-z_]+(?:"|(?=/)))')


@dataclass(frozen=True, slots=True)
class Slot:
    """A gap between two pieces of bytes, to be filled with the value of this name.

    If ``begins_text``, the value is the beginning of a string that the next piece continues.
    """

    name: str
    begins_text: bool = False


Piece = bytes | Slot
Values = dict[str, bytes]


def mark(name: str) -> str:
    """The placeholder, inside JSON data, for the value of this name."""
    return f"{_MARK}{name}"


def slot_of(value: Any) -> str:
    """The name of the slot that fills a whole JSON value; empty if it is no mark."""
    is_mark = isinstance(value, str) and value.startswith(_MARK) and "/" not in value
    return value[len(_MARK) :] if is_mark else ""


def has_marks(text: str) -> bool:
    """Whether rendered JSON has a value that is known only when a request arrives."""
    return _MARK in text


def pieces(text: str) -> tuple[Piece, ...]:
    """Encoded JSON split at its marks into bytes and slots."""
    cut = _MARKED.split(text)
    return tuple(
        Slot(part.rstrip('"'), not part.endswith('"')) if n % 2 else encode(part)
        for n, part in enumerate(cut)
        if n % 2 or part
    )


def fill(parts: tuple[Piece, ...], values: Mapping[str, bytes]) -> bytes:
    """The pieces joined for one request, with its values in the slots."""
    # One expression: a stream of many slots is filled for every request.
    return b"".join(
        [
            part
            if isinstance(part, bytes)
            else values[part.name][:-1]
            if part.begins_text
            else values[part.name]
            for part in parts
        ]
    )


def fill_some(parts: tuple[Piece, ...], values: Mapping[str, bytes]) -> tuple[Piece, ...]:
    """The pieces with those slots filled for which there is a value."""
    found: list[Piece] = []
    for part in parts:
        known = isinstance(part, bytes) or part.name in values
        data = fill((part,), values) if known else part
        if isinstance(data, bytes) and found and isinstance(found[-1], bytes):
            found[-1] += data
        else:
            found.append(data)
    return tuple(found)


def encode_values(**named: Any) -> Values:
    """Values by slot name, each encoded as JSON."""
    return {name: encode(dump(value)) for name, value in named.items()}


def slot_values(value: Any, filled_in: Any) -> Iterator[tuple[str, Any]]:
    """Compare a JSON value that has marks with its filled form: each slot's name and its value.

    Parts in which the two differ in structure are skipped.
    """
    if isinstance(value, str) and value.startswith(_MARK):
        name, slash, rest = value[len(_MARK) :].partition("/")
        yield name, str(filled_in).removesuffix(slash + rest) if slash else filled_in
    elif isinstance(value, dict) and isinstance(filled_in, dict):
        for key, inner in value.items():
            yield from slot_values(inner, filled_in.get(key)) if key in filled_in else ()
    elif isinstance(value, list) and isinstance(filled_in, list):
        for inner, other in zip(value, filled_in, strict=False):
            yield from slot_values(inner, other)


def fill_json(value: Any, encoded_values: Mapping[str, bytes]) -> Any:
    """A JSON value with its marks replaced, as it is sent."""
    return fill_json_with(value, decode_values(encoded_values))


def decode_values(encoded_values: Mapping[str, bytes]) -> dict[str, Any]:
    """Values by slot name, decoded from JSON."""
    return {name: json.loads(data) for name, data in encoded_values.items()}


def fill_json_with(value: Any, named: Mapping[str, Any]) -> Any:
    """As ``fill_json``, but with values that are decoded already; faster for many JSON values."""
    if isinstance(value, str) and value.startswith(_MARK):
        name, slash, rest = value[len(_MARK) :].partition("/")
        return f"{named[name]}{slash}{rest}" if slash else named[name]
    if isinstance(value, dict):
        return {key: fill_json_with(inner, named) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill_json_with(inner, named) for inner in value]
    return value
