"""The names of the fields of parts in each layer of the AI SDK.

Three layers have the same parts under nearly the same names: what a provider sends to the SDK's
core, the full stream that a program reads, and the messages that a browser reads. The names in full
streams differ between generations, and some streams have a field under two names (stream-mapping §
Stream Chunk Schema Mismatch). So a full stream is read under all names, those of the current
generation first. The other layers have one name for each field; a part without it is broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from conformance.dialects.client.fields import Event, object_, string
from mockserver.dialects.vercel.field_names import names
from mockserver.dialects.vercel.parts import GATEWAY
from mockserver.dialects.vercel.parts import UI as BROWSER

Names = tuple[str, ...]

DATA = "data-"
"""The prefix of types of an application's own data; used as the type of all of them."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The names of each field in one layer, in order of precedence.

    - `handled_types` are the types of parts that are read; None for all.
    - `strict` says that a part without its field is broken.
    - `continues_after_error` says that parts after an error are read.
    """

    text: Names
    arguments: Names
    input: Names
    call_id: Names
    error: Names
    source_id: Names
    media_type: Names
    usage: Names
    handled_types: frozenset[str] | None = None
    strict: bool = False
    continues_after_error: bool = False

    def reads(self, type_: str) -> bool:
        return self.handled_types is None or type_ in self.handled_types


_BLOCKS = (
    *("text-start", "text-delta", "text-end"),
    *("reasoning-start", "reasoning-delta", "reasoning-end"),
)
_OTHER = ("file", "error", "finish")


def _layer(dialect: str = "", handled_types: frozenset[str] | None = None) -> Layer:
    """The strict layer of a dialect; without a dialect, a lenient one with the names of all."""
    named = partial(names, of=(dialect,)) if dialect else names
    return Layer(
        text=named("text_delta"),
        arguments=named("input_delta"),
        input=named("input"),
        call_id=named("call_id", "input_id"),
        error=named("error"),
        source_id=named("source_id"),
        media_type=named("media_type"),
        usage=named("usage"),
        handled_types=handled_types,
        strict=bool(dialect),
        continues_after_error=bool(dialect),
    )


FULL_STREAM = _layer()
PROVIDER = _layer(
    GATEWAY,
    handled_types=frozenset(
        (
            *_BLOCKS,
            *_OTHER,
            *("tool-input-start", "tool-input-delta", "tool-input-end", "tool-call"),
            "source",
        )
    ),
)
UI = _layer(
    BROWSER,
    handled_types=frozenset(
        (
            *_BLOCKS,
            *_OTHER,
            *("start-step", "abort", DATA),  # only `finish` has a finish reason
            *("tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error"),
            *("source-url", "source-document"),
        )
    ),
)

REASON = ("unified", "raw")


def first(data: Event, names: Names) -> str:
    """The first of these fields that is a string and not empty; else empty."""
    return next(filter(None, (string(data, name) for name in names)), "")


def first_value(data: Event, names: Names) -> object:
    """The first of these fields that is not missing or null; else None."""
    return next((data[name] for name in names if data.get(name) is not None), None)


def reason(data: Event) -> str:
    """The finish reason; providers send it in an object since specification V3."""
    return string(data, "finishReason") or first(object_(data, "finishReason"), REASON)
