"""Checks and shortens the arguments of a call, which are JSON text."""

from __future__ import annotations

import json

_SHOWN = 40


def is_json(arguments: str) -> bool:
    """Whether the text parses as JSON."""
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True


def shortened(arguments: str) -> str:
    """The text, cut to the 40 characters that a finding shows."""
    return arguments if len(arguments) <= _SHOWN else arguments[:_SHOWN] + "…"
