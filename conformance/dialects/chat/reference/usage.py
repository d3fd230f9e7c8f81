"""What a response cost, wherever an upstream puts that."""

from __future__ import annotations

from conformance.dialects.client.fields import Event, integer, object_, objects

SIDES = {"prompt_tokens": "input", "completion_tokens": "output"}


def usage_of(chunk: Event) -> Event:
    """The usage that a chunk tells, as it told it; nothing where all of it is zero.

    It stands in the chunk; some gateways have it in a choice, or in an object of their own.
    """
    places = [chunk, *objects(chunk, "choices"), object_(chunk, "x_groq")]
    told = (object_(place, "usage") for place in places)
    return next((each for each in told if any(map(each.get, SIDES))), {})


def counted(usage: Event) -> dict[str, int]:
    """The tokens of either side, as far as they are told."""
    sides = ((side, integer(usage, name)) for name, side in SIDES.items())
    return {side: tokens for side, tokens in sides if tokens is not None}
