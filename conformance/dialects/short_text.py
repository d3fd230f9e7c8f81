"""Shortens values of events and parts to one readable line."""

import json
from typing import Any

from mockserver.foundation.json_fields import text
from mockserver.foundation.visible import visible

MOST = 160


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


def failure(error: Any) -> str:
    """The code and message of an error object, or the error itself if it is a string."""
    if not isinstance(error, dict):
        return clip(text(error))
    words = (error.get("code"), error.get("message"))
    return clip(" ".join(str(word) for word in words if word))


def first_line(said: str, most: int = MOST) -> str:
    """The first line of a text that is not blank, cut, with unprintable characters escaped."""
    return visible(clip(said.strip().partition("\n")[0].rstrip(" :"), most))
