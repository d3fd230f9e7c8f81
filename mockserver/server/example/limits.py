"""The bounds of what is made for one schema, which comes from an untrusted client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_TEXT = 1000
MAX_ITEMS = 100
MAX_VALUES = 5000
"""The most JSON values that a schema may consist of."""

_STEPS = 30_000


class NoExample(Exception):
    """No value was found, or the schema cannot be used; the message says why."""


class Budget:
    """Counts the values made, keywords checked and characters matched for one schema."""

    def __init__(self) -> None:
        self._left = _STEPS

    def spend(self) -> None:
        """Take one step. Raises NoExample after the last one, and from then on."""
        self._left -= 1
        if self._left < 0:
            raise NoExample(f"the search was given up after {_STEPS:,} steps")


def check_size(schema: Any) -> None:
    """Raise NoExample if a schema has more than ``MAX_VALUES`` values."""
    waiting, seen = [schema], 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        if seen + len(waiting) > MAX_VALUES:
            raise NoExample(f"it has more than {MAX_VALUES:,} values")
