"""Reads the token usage of a response, from wherever an upstream puts it."""

from __future__ import annotations

from conformance.dialects.client.fields import Event, integer, object_, objects

SIDES = {"prompt_tokens": "input", "completion_tokens": "output"}


def usage_of(chunk: Event) -> Event:
    """The usage object of a chunk; empty if there is none, or all its counts are zero.

    Some gateways put it in a choice, or in an object of their own (`x_groq`).
    """
    places = [chunk, *objects(chunk, "choices"), object_(chunk, "x_groq")]
    usages = (object_(place, "usage") for place in places)
    return next((usage for usage in usages if any(map(usage.get, SIDES))), {})


def counted(usage: Event) -> dict[str, int]:
    """The counts of a usage object as `input` and `output`; a missing count is left out."""
    sides = ((side, integer(usage, name)) for name, side in SIDES.items())
    return {side: tokens for side, tokens in sides if tokens is not None}
