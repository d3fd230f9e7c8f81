"""The arguments of a call, as text."""

from __future__ import annotations

import json

_SHOWN = 40


def parses(arguments: str) -> bool:
    """Are they JSON?"""
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True


def shown(arguments: str) -> str:
    """As much of them as a finding shows."""
    return arguments if len(arguments) <= _SHOWN else arguments[:_SHOWN] + "…"
