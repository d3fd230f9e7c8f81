"""Values of events and parts in a few words, each on one line that can be read."""

from __future__ import annotations

import json
from typing import Any

from mockserver.dialects.json_fields import text

MOST = 160


def quoted(said: str, most: int = MOST) -> str:
    """A text in quotes, as Python writes it: what cannot be seen is escaped, the rest is kept."""
    return repr(said) if len(said) <= most else repr(said[:most]) + "…"


def compact(value: Any) -> str:
    """JSON without spaces, on one line."""
    return clip(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def clip(said: str, most: int = MOST) -> str:
    """A text cut to a length that can be read."""
    return said if len(said) <= most else said[: most - 1] + "…"


def failure(error: Any) -> str:
    """An error's code and message, where it has any; a text stands for itself."""
    if not isinstance(error, dict):
        return clip(text(error))
    words = (error.get("code"), error.get("message"))
    return clip(" ".join(str(word) for word in words if word))
