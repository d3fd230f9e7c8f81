"""Formatters for the values of findings: calls, texts, events, requests, errors and endings.

Each takes a value and the most characters that a text in it may have (None for its whole length).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

_MOST_LISTED = 3


def clip(text: str, most: int | None = None) -> str:
    """A text, cut to ``most`` characters."""
    return text if most is None or len(text) <= most else text[: max(most - 1, 0)] + "…"


def clip_middle(text: str, most: int | None = None) -> str:
    """A text, cut to ``most`` characters: two thirds are its beginning, the rest its end."""
    if most is None or len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def quote(text: Any, most: int | None = None) -> str:
    """A value in quotes; a long text is cut before, and the cut stands after the quotes."""
    if isinstance(text, str) and most is not None and len(text) > most:
        return repr(text[:most]) + "…"
    return repr(text)


def write_json(value: Any, most: int | None = None) -> str:
    """A value as JSON on one line without spaces, without its middle if it is long."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return clip_middle(text, most)


def count(number: int, one: str, several: str) -> str:
    """A number with its noun: ``no call``, ``1 call``, ``2 calls``."""
    return f"{number or 'no'} {several if number > 1 else one}"


def list_events(numbers: Sequence[int], _most: int | None = None) -> str:
    """The events with these numbers, in order: ``events 8, 12 and 13``, or ``events 2 to 9``."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return f"event {first}"
    if len(numbers) > _MOST_LISTED and last - first == len(numbers) - 1:
        return f"events {first} to {last}"
    if len(numbers) > _MOST_LISTED:
        return f"{len(numbers)} events from {first} to {last}"
    return f"events {', '.join(map(str, numbers[:-1]))} and {last}"


def join_and(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts as a list that ends with ``and``."""
    return _join([str(each) for each in texts], "and")


def join_or(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts as a list that ends with ``or``."""
    return _join([str(each) for each in texts], "or")


def _join(texts: list[str], word: str) -> str:
    return f" {word} ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


FORMATS: dict[str, Callable[[Any, int | None], str]] = {
    "json": write_json,
    "middle": clip_middle,
    "events": list_events,
    "and": join_and,
    "or": join_or,
}
"""The formatters by the names that templates have for them."""
