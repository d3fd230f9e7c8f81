"""Reads the fields, usage and errors of parts, under all their names in the AI SDK.

Three layers have the same parts under nearly the same names: what a provider sends to the SDK's
core, the full stream that a program reads, and the messages that a browser reads. The names in full
streams differ between generations, and some streams have a field under two names (stream-mapping §
Stream Chunk Schema Mismatch). So each field is read under all names, those of the current
generation of full streams first.

Each step has its own usage, and the finish has that of all steps. An error part contains the value
that was thrown: a string, an error of the SDK, or the provider's own error body, in which the error
may be nested. So the message and the code are searched from the outermost level inwards.
"""

from conformance.dialects.client.fields import Event, integer, object_, reason_of, string
from mockserver.dialects.vercel.field_names import names

DATA = "data-"
"""The prefix of types of an application's own data; used as the type of all of them."""

TEXT = names("text_delta")
ARGUMENTS = names("input_delta")
INPUT = names("input")
CALL_ID = names("call_id", "input_id")
ERROR = names("error")
MEDIA_TYPE = names("media_type")
USAGE = names("usage")


def first(data: Event, names: tuple[str, ...]) -> str:
    """The first of these fields that is a string and not empty; else empty."""
    return next(filter(None, (string(data, name) for name in names)), "")


def first_value(data: Event, names: tuple[str, ...]) -> object:
    """The first of these fields that is not missing or null; else None."""
    return next((data[name] for name in names if data.get(name) is not None), None)


def reason(data: Event) -> str:
    """The finish reason; providers send it in an object since specification V3."""
    return string(data, "finishReason") or string(object_(data, "finishReason"), "unified")


SIDES = {"input": names("input_tokens"), "output": names("output_tokens")}

Usage = dict[str, int]


def usage_of(data: Event) -> Usage:
    """The counts of a part as `input` and `output`, as far as given; empty if all are zero."""
    counted = (_counted(object_(data, name)) for name in USAGE)
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


def failure_of(error: Event) -> dict[str, object]:
    """The message and the code of an error, as far as set; those of the outermost level count."""
    inner = object_(error, "error")
    return (failure_of(inner) if inner else {}) | reason_of(error)
