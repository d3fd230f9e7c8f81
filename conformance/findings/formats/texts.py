"""Formatters for texts, JSON values, numbers and lists of them."""

import json
from collections.abc import Sequence
from typing import Any

from conformance.findings.values import TextPlace
from mockserver.foundation.visible import visible

_MOST_LISTED = 3
_MOST_LISTED_TEXT = 40
_MOST_SAID = 160
_SHOWN = 24
_AROUND = 20


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


def write_first(text: Any, most: int | None = None, *, length: int) -> str:
    """A text, cut to ``length`` characters."""
    return clip(str(text), min(length, most or length))


def quote_first(text: str, most: int | None = None, *, length: int) -> str:
    """The first ``length`` characters of a text, in quotes."""
    return quote(text, min(length, most or length))


def write_json_first(value: Any, most: int | None = None, *, length: int) -> str:
    """A value as JSON, cut to ``length`` characters."""
    return write_first(write_json(value), most, length=length)


def write_line(text: str, most: int | None = None, *, length: int) -> str:
    """The first line of a text that is not blank, cut, with unprintable characters escaped."""
    return visible(write_first(text.strip().partition("\n")[0].rstrip(" :"), most, length=length))


def take_start(text: str, most: int | None = None, *, shown: int = _SHOWN) -> str:
    """The beginning of a text."""
    most = min(shown, most or shown)
    return text if len(text) <= most else text[:most] + "…"


def quote_start(text: str, most: int | None = None, *, shown: int = _SHOWN) -> str:
    """The beginning of a text, in quotes."""
    return repr(take_start(text, most, shown=shown))


def quote_around(place: TextPlace, most: int | None = None) -> str:
    """A text in quotes; only the characters around its place if it is long."""
    text, at = place.text, place.at
    start = max(0, at - _AROUND)
    if len(text) <= _SHOWN or not start:
        return quote_start(text, most)
    more = "…" if at + _AROUND < len(text) else ""
    quoted = repr(f"…{text[start : at + _AROUND]}{more}")
    if at >= len(text):
        return quoted
    return f"{quoted} ({text[at]!r} is character {at} of the whole, counted from 0)"


def write_said(said: str, most: int | None = None) -> str:
    """A message that was reported, in quotes; ``nothing`` if it is blank."""
    return quote(said.strip(), min(_MOST_SAID, most or _MOST_SAID)) if said.strip() else "nothing"


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


def join_list(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts with commas between them."""
    return ", ".join(map(str, texts))


def join_and(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts as a list that ends with ``and``."""
    return _join([str(each) for each in texts], "and")


def join_or(texts: Sequence[Any], _most: int | None = None) -> str:
    """Texts as a list that ends with ``or``."""
    return _join([str(each) for each in texts], "or")


def _join(texts: list[str], word: str) -> str:
    return f" {word} ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def quote_all(values: Sequence[Any], _most: int | None = None) -> str:
    """Values in quotes as a list that ends with ``and``; only the first of many, and their number.

    That is ``'a', 'b' and 'c'``, or ``'a', 'b', 'c' and 61 more``.
    """
    quoted = [repr(each) for each in values]
    if len(quoted) > _MOST_LISTED + 1:
        quoted[_MOST_LISTED:] = [f"{len(quoted) - _MOST_LISTED} more"]
    return _join(quoted, "and")


def quote_either(values: Sequence[Any], _most: int | None = None) -> str:
    """Values in quotes as a list that ends with ``or``."""
    return _join([repr(each) for each in values], "or")


def quote_each(texts: Sequence[str], most: int | None = None) -> str:
    """Texts in quotes, each cut if it is long, with commas between them."""
    return join_list([quote_first(text, most, length=_MOST_LISTED_TEXT) for text in texts])


def write_details(details: Sequence[str], most: int | None = None) -> str:
    """Texts with semicolons between them, unprintable characters escaped."""
    return visible("; ".join(clip(each, most) for each in details))
