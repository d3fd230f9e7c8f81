"""Shortens the arguments of a call for messages."""

from __future__ import annotations

_SHOWN = 40


def shortened(arguments: str) -> str:
    """The text, cut to the 40 characters that a finding shows."""
    return arguments if len(arguments) <= _SHOWN else arguments[:_SHOWN] + "…"
