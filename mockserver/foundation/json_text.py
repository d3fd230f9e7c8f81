"""JSON text: strict parsing (RFC 8259, finite numbers, bounded depth), and compact writing."""

import json
import math
from typing import Any, NoReturn

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class TooDeep(ValueError):
    """The value is nested deeper than allowed."""


def parse(text: str, max_depth: int, *, finite: bool = True) -> Any:
    """The value of a JSON text.

    Raises TooDeep, JSONDecodeError with the position of a syntax error, or ValueError for NaN,
    Infinity and, if ``finite``, numbers that are too large for a float.
    """
    number = _finite_float if finite else None
    try:
        value = json.loads(text, parse_constant=reject_constant, parse_float=number)
    except RecursionError:
        raise TooDeep(_message(max_depth)) from None
    if may_be_deeper(text, max_depth) and is_deeper(value, max_depth):
        raise TooDeep(_message(max_depth))
    return value


def _message(most: int) -> str:
    return f"nested deeper than {most} levels"


def reject_constant(word: str) -> NoReturn:
    """Raise ValueError for NaN and Infinity, which are not JSON (RFC 8259 § 6)."""
    raise ValueError(f"{word} is not a JSON number")


def _finite_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} does not fit a number")
    return number


def may_be_deeper(text: str, most: int) -> bool:
    """Whether a JSON text opens more arrays and objects than this; cheaper than ``is_deeper``."""
    return text.count("[") + text.count("{") > most


def is_deeper(value: Any, most: int) -> bool:
    """Whether arrays and objects are nested in more than this number of levels."""
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


def dump(value: Any) -> str:
    """Compact JSON; non-ASCII text is not escaped, as real upstreams send it."""
    return _ENCODER.encode(value)


def encode(text: str) -> bytes:
    """JSON text as UTF-8; a lone surrogate, which UTF-8 cannot encode, becomes ``\\uXXXX``."""
    return text.encode("utf-8", "backslashreplace")
