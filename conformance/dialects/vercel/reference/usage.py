"""Reads token usage: each step has its own, and the finish has that of all steps."""

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
    """The counts of a part as `input` and `output`, as far as given; empty if all are zero."""
    counted = (_counted(object_(data, name)) for name in layer.usage)
    return next((each for each in counted if any(each.values())), {})


def add_usage(one: Usage, other: Usage) -> Usage:
    """The usages of two steps added up."""
    return {side: one.get(side, 0) + other.get(side, 0) for side in {**one, **other}}


def _counted(usage: Event) -> Usage:
    sides = ((side, _tokens(usage, names)) for side, names in SIDES.items())
    return {side: tokens for side, tokens in sides if tokens is not None}


def _tokens(usage: Event, names: tuple[str, ...]) -> int | None:
    """A count, under any of its names; in the gateway's parts, it is the `total` of an object."""
    found = ((integer(usage, name), integer(object_(usage, name), "total")) for name in names)
    return next((tokens for pair in found for tokens in pair if tokens is not None), None)
