"""What a response cost: each step says it of itself, and the finish of all of them together."""

from __future__ import annotations

from conformance.dialects.client.fields import Event, integer, object_
from conformance.dialects.vercel.reference.fields import Layer
from mockserver.dialects.vercel.field_names import names

SIDES = {
    "input": names("input_tokens"),
    "output": names("output_tokens"),
}

Usage = dict[str, int]


def usage_of(data: Event, layer: Layer) -> Usage:
    """The tokens of either side, as far as they are told; where all are zero, none are."""
    counted = (_counted(object_(data, name)) for name in layer.usage)
    return next((each for each in counted if any(each.values())), {})


def together(one: Usage, other: Usage) -> Usage:
    """The cost of two steps."""
    return {side: one.get(side, 0) + other.get(side, 0) for side in {**one, **other}}


def _counted(usage: Event) -> Usage:
    sides = ((side, _tokens(usage, names)) for side, names in SIDES.items())
    return {side: tokens for side, tokens in sides if tokens is not None}


def _tokens(usage: Event, names: tuple[str, ...]) -> int | None:
    """A count, which the provider's own layer has in an object."""
    found = ((integer(usage, name), integer(object_(usage, name), "total")) for name in names)
    return next((tokens for pair in found for tokens in pair if tokens is not None), None)
