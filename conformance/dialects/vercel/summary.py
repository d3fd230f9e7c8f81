"""The AI SDK's parts in a few words: whose they are, and what they carry.

All layers and generations are told alike, whichever names their fields have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.short_text import clip, compact, failure, quoted
from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.field_names import names as field_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Part = Mapping[str, Any]

_WHOSE = (*field_names("call_id", "input_id", "source_id"), "messageId", "approvalId")
_NAMED = (
    *("toolName", "modelId"),
    *field_names("media_type"),
    *("kind", "filename", "url", "reason"),
)
GROWN = field_names("text_delta", "reasoning_delta", "input_delta")
"""The fields that hold what a block or an input grows by."""
CARRIED = (*field_names("input", "output"), "data", "rawValue")
"""The fields that hold a value."""


def summary(type_: str, part: Part) -> str:
    """A part: its type, what it is about, what it grows by or carries, and what went wrong."""
    return " ".join(filter(None, (type_, *_words(part))))


def _words(part: Part) -> Iterator[str]:
    yield from map(clip, names(part))
    if (said := grown(part)) is not None:
        yield quoted(said)
    for value in carried(part):
        yield clip(value) if isinstance(value, str) else compact(value)
    yield failure(part.get("error")) or clip(text(part.get("errorText")))


def names(part: Part) -> Iterator[str]:
    """What a part is about: an id, a name, a kind, a source."""
    told = mapping(part.get("source")) or part
    yield next((found for name in _WHOSE if (found := text(told.get(name)))), "")
    held = mapping(part.get("file"))
    yield from (text(told.get(name)) or text(held.get(name)) for name in _NAMED)
    yield text(mapping(part.get("toolCall")).get(NAMES[parts.USUAL].call_id))
    yield parts.reason(part)


def grown(part: Part) -> str | None:
    """What something grows by; None where the part is no such one."""
    found = (part[name] for name in GROWN if name in part)
    return next((value for value in found if isinstance(value, str)), None)


def carried(part: Part) -> Iterator[Any]:
    """The values that a part carries whole; bytes are none of them."""
    if part.get("type") not in ("file", "reasoning-file", "redacted-reasoning"):
        # What is told of a result is the result; its call was told before.
        told = [part[name] for name in CARRIED if name in part]
        yield from told[-1:]
