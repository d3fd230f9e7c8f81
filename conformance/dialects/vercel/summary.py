"""Describes a part of the AI SDK on one line: its ids, its labels and its content.

All dialects and generations are described alike, under any names of fields.
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

_ID_FIELDS = (*field_names("call_id", "input_id", "source_id"), "messageId", "approvalId")
_LABEL_FIELDS = (
    *("toolName", "modelId"),
    *field_names("media_type"),
    *("kind", "filename", "url", "reason"),
)
DELTA_FIELDS = field_names("text_delta", "reasoning_delta", "input_delta")
"""The fields with the delta of a block or an input."""
VALUE_FIELDS = (*field_names("input", "output"), "data", "rawValue")
"""The fields with a complete value."""


def summary(type_: str, part: Part) -> str:
    """The type of a part, its ids and labels, its delta or values, and its error."""
    return " ".join(filter(None, (type_, *_words(part))))


def _words(part: Part) -> Iterator[str]:
    yield from map(clip, labels(part))
    if (said := delta_of(part)) is not None:
        yield quoted(said)
    for value in values_of(part):
        yield clip(value) if isinstance(value, str) else compact(value)
    yield failure(part.get("error")) or clip(text(part.get("errorText")))


def labels(part: Part) -> Iterator[str]:
    """The ids and labels of a part, such as its tool, kind, source and finish reason."""
    source = mapping(part.get("source")) or part
    yield next((found for name in _ID_FIELDS if (found := text(source.get(name)))), "")
    held = mapping(part.get("file"))
    yield from (text(source.get(name)) or text(held.get(name)) for name in _LABEL_FIELDS)
    yield text(mapping(part.get("toolCall")).get(NAMES[parts.USUAL].call_id))
    yield parts.reason(part)
    yield "preliminary" if part.get("preliminary") is True else ""


def delta_of(part: Part) -> str | None:
    """The delta of a part; None if it has none."""
    found = (part[name] for name in DELTA_FIELDS if name in part)
    return next((value for value in found if isinstance(value, str)), None)


def values_of(part: Part) -> Iterator[Any]:
    """The complete values in a part, without the bytes of files."""
    if part.get("type") not in ("file", "reasoning-file", "redacted-reasoning"):
        # A result may repeat the input of its call; only its output is shown.
        values = [part[name] for name in VALUE_FIELDS if name in part]
        yield from values[-1:]
