"""Candidates for texts, numbers, booleans and null, the most usual first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.server.example.limits import MAX_ITEMS, MAX_TEXT
from mockserver.server.example.pattern import texts

Schema = Mapping[str, Any]

_WORD = "example"
_FORMATS = {
    "date": "2026-01-30",
    "date-time": "2026-01-30T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "someone@example.com",
    "idn-email": "someone@example.com",
    "uri": "https://example.com/",
    "uri-reference": "https://example.com/",
    "iri": "https://example.com/",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
    "idn-hostname": "example.com",
}


def strings(schema: Schema) -> Iterator[str]:
    """A text of the schema's format, a usual word, texts of its pattern, then numbered words."""
    if isinstance(usual := _FORMATS.get(schema.get("format", "")), str):
        yield usual
    least = min(schema.get("minLength", 0), MAX_TEXT)
    yield _WORD.ljust(least, "x")[: schema.get("maxLength", MAX_TEXT)]
    if "pattern" in schema:
        yield from texts(schema["pattern"])
    else:
        yield from (f"{_WORD} {n}".ljust(least, "x") for n in range(2, MAX_ITEMS + 2))


def numbers(schema: Schema) -> Iterator[Any]:
    """1 and 0, numbers next to the bounds and between them, then numbers above the lower one."""
    low, high = _bounds(schema)
    step = schema.get("multipleOf", 1)
    yield from (1, 0)
    if "multipleOf" in schema:
        yield from (step, math.ceil(low / step) * step if low > -math.inf else step)
    yield from (each for each in (low, low + 1, high, high - 1) if math.isfinite(each))
    yield (low + high) / 2 if math.isfinite(low) and math.isfinite(high) else 0.5
    start = math.floor(low / step) * step if math.isfinite(low) else 0
    yield from (start + n * step for n in range(1, MAX_ITEMS + 1))


def integers(schema: Schema) -> Iterator[int]:
    """Whole numbers, chosen likewise."""
    for number in numbers(schema):
        yield from dict.fromkeys((math.ceil(number), math.floor(number)))


def _bounds(schema: Schema) -> tuple[Any, Any]:
    least = [schema[key] for key in ("minimum", "exclusiveMinimum") if key in schema]
    most = [schema[key] for key in ("maximum", "exclusiveMaximum") if key in schema]
    return max(least, default=-math.inf), min(most, default=math.inf)


def booleans() -> Iterator[bool]:
    yield from (True, False)


def nulls() -> Iterator[None]:
    yield None
