"""JSON text from strangers: RFC 8259, with finite numbers and a bounded depth."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


class TooDeep(ValueError):
    """The value is nested deeper than allowed."""


def parsed(text: str, most_depth: int) -> Any:
    """The value of a JSON text.

    Raises TooDeep, JSONDecodeError with the place where the text is no JSON, or ValueError for a
    number that no JSON has, or none can hold.
    """
    try:
        value = json.loads(text, parse_constant=no_number, parse_float=_finite_float)
    except RecursionError:
        raise TooDeep(_told(most_depth)) from None
    if deeper(value, most_depth):
        raise TooDeep(_told(most_depth))
    return value


def _told(most: int) -> str:
    return f"nested deeper than {most} levels"


def no_number(word: str) -> NoReturn:
    """Refuse what Python reads and JSON has not: NaN and Infinity (RFC 8259 § 6)."""
    raise ValueError(f"{word} is not a JSON number")


def _finite_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} does not fit a number")
    return number


def deeper(value: Any, most: int) -> bool:
    """Do lists and objects stand inside one another on more levels than this?"""
    level = [value]
    for _ in range(most + 1):
        level = [outer for outer in level if isinstance(outer, dict | list)]
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return True
