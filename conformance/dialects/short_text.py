"""Shortens values of events and parts to one readable line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockserver.foundation.json_fields import text
from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 160
_MOST_LISTED = 3
_TWO = 2


def quoted(said: str, most: int = MOST) -> str:
    """The text as a Python string literal, with unprintable characters escaped, then cut."""
    return repr(said) if len(said) <= most else repr(said[:most]) + "…"


def compact(value: Any) -> str:
    """The value as JSON on one line without spaces, cut to ``MOST`` characters."""
    return clip(as_json(value))


def as_json(value: Any) -> str:
    """The value as JSON on one line without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def clip(said: str, most: int = MOST) -> str:
    """The text, cut to ``most`` characters."""
    return said if len(said) <= most else said[: most - 1] + "…"


def clip_middle(said: str, most: int) -> str:
    """The text, cut to ``most`` characters: two thirds are its beginning, the rest its end."""
    tail = (most - 1) // 3
    return said if len(said) <= most else f"{said[: most - 1 - tail]}…{said[-tail:]}"


def counted(number: int, what: str) -> str:
    """How many of something: ``no call``, ``1 call``, ``2 calls``."""
    return f"{number or 'no'} {what}{'' if number < _TWO else 's'}"


def events_in_words(numbers: Sequence[int]) -> str:
    """The events with these numbers, in order: ``events 8, 12 and 13``, or ``events 2 to 9``."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return f"event {first}"
    if len(numbers) > _MOST_LISTED and last - first == len(numbers) - 1:
        return f"events {first} to {last}"
    if len(numbers) > _MOST_LISTED:
        return f"{len(numbers)} events from {first} to {last}"
    return f"events {', '.join(map(str, numbers[:-1]))} and {last}"


def failure(error: Any) -> str:
    """The code and message of an error object, or the error itself if it is a string."""
    if not isinstance(error, dict):
        return clip(text(error))
    words = (error.get("code"), error.get("message"))
    return clip(" ".join(str(word) for word in words if word))


def first_line(said: str, most: int = MOST) -> str:
    """The first line of a text that is not blank, cut, with unprintable characters escaped."""
    return visible(clip(said.strip().partition("\n")[0].rstrip(" :"), most))
