"""What the AI SDK's layers call the fields of their parts: a table each.

Three layers have the same parts under nearly the same names: what a provider gives to the SDK's
core, the full stream that a program gets, and the messages that a browser gets. Of full streams
there are generations besides, and streams were seen that carry two of their names side by side
(stream-mapping § Stream Chunk Schema Mismatch). So a full stream is read under all of them; the
name of the current generation stands first: beside it, another one is stale. The other layers have
one name each; what stands under another one is not read, and not passed over either.
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
"""What the types of an application's own data begin with; here it stands for all of them."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The names of each field, of which the first that says something counts.

    `types` are those that are heard of, None for all that there are. A layer that is `strict` has
    one name for each field, so that a part without it is broken. Where a stream `goes_on`, an error
    is a part like any other, and what comes behind it is heard.
    """

    text: Names
    arguments: Names
    input: Names
    call_id: Names
    error: Names
    source_id: Names
    media_type: Names
    usage: Names
    types: frozenset[str] | None = None
    strict: bool = False
    goes_on: bool = False

    def hears(self, type_: str) -> bool:
        return self.types is None or type_ in self.types


_BLOCKS = (
    *("text-start", "text-delta", "text-end"),
    *("reasoning-start", "reasoning-delta", "reasoning-end"),
)
_BESIDE = ("file", "error", "finish")


def _layer(dialect: str = "", types: frozenset[str] | None = None) -> Layer:
    """The names of one dialect, which is strict; without one, those of all of them."""
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
        types=types,
        strict=bool(dialect),
        goes_on=bool(dialect),
    )


FULL_STREAM = _layer()
PROVIDER = _layer(
    GATEWAY,
    types=frozenset(
        (
            *_BLOCKS,
            *_BESIDE,
            *("tool-input-start", "tool-input-delta", "tool-input-end", "tool-call"),
            "source",
        )
    ),
)
UI = _layer(
    BROWSER,
    types=frozenset(
        (
            *_BLOCKS,
            *_BESIDE,
            *("start-step", "abort", DATA),  # why a step ended stands in the finish alone
            *("tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error"),
            *("source-url", "source-document"),
        )
    ),
)

REASON = ("unified", "raw")


def first(data: Event, names: Names) -> str:
    """The first of these fields that says something."""
    return next(filter(None, (string(data, name) for name in names)), "")


def told(data: Event, names: Names) -> object:
    """The first of these fields that is there and not null."""
    return next((data[name] for name in names if data.get(name) is not None), None)


def reason(data: Event) -> str:
    """A finish reason; providers have told it in an object since their third specification."""
    return string(data, "finishReason") or first(object_(data, "finishReason"), REASON)
