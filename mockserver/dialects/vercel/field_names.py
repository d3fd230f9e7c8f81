"""The AI SDK's names of fields, by part type, layer and generation.

The layers and the generations of ``fullStream`` have the same parts and call their fields by other
names; the table is the one place in which these names stand side by side. The names of ai 5, 6 and
7 are the same. ``seed`` is read and sent with both spellings: its column has the one that it gives
a field beside that of ai 6.

Source: ai 4 to 7 (TextStreamPart, UIMessageChunk), @ai-sdk/provider (LanguageModelV2StreamPart to
V4); stream-mapping § fullStream Chunk Types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockserver.dialects.vercel.parts import GATEWAY, SEED, UI, V4, V5, V6, V7

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class FieldNames:
    """What one layer or generation calls its fields; empty where it has no such field."""

    text_delta: str
    """Of text-delta: what the block grows by."""
    reasoning_delta: str
    """Of reasoning-delta, in ai 4 reasoning: what the block grows by."""
    input_delta: str
    """Of tool-input-delta, in ai 4 tool-call-delta: what the input grows by."""
    input_id: str
    """Of tool-input-start, -delta and -end, in ai 4 tool-call-streaming-start: the call's id."""
    call_id: str
    """Of tool-call and tool-input-available: the call's id."""
    input: str
    """Of tool-call and tool-input-available."""
    output: str
    """Of tool-result and tool-output-available."""
    error: str
    source_id: str
    """Of source, source-url and source-document."""
    media_type: str
    """Of file."""
    usage: str
    """Of finish: what all steps used."""
    input_tokens: str
    """In any usage, as the next one."""
    output_tokens: str

    def delta(self, kind: str) -> str:
        """What a block of this kind grows by: ``text`` or ``reasoning``."""
        return self.text_delta if kind == "text" else self.reasoning_delta


_COLUMNS = (V4, V6, SEED, GATEWAY, UI)
_TABLE = {
    "text_delta": ("textDelta", "text", "textDelta", "delta", "delta"),
    "reasoning_delta": ("textDelta", "text", "delta", "delta", "delta"),
    "input_delta": ("argsTextDelta", "delta", "argsTextDelta", "delta", "inputTextDelta"),
    "input_id": ("toolCallId", "id", "toolCallId", "id", "toolCallId"),
    "call_id": ("toolCallId", "toolCallId", "toolCallId", "toolCallId", "toolCallId"),
    "input": ("args", "input", "args", "input", "input"),
    "output": ("result", "output", "result", "result", "output"),
    "error": ("error", "error", "errorText", "error", "errorText"),
    "source_id": ("id", "id", "sourceId", "id", "sourceId"),
    "media_type": ("mimeType", "mediaType", "mediaType", "mediaType", "mediaType"),
    "usage": ("usage", "totalUsage", "usage", "usage", ""),
    "input_tokens": ("promptTokens", "inputTokens", "inputTokens", "inputTokens", ""),
    "output_tokens": ("completionTokens", "outputTokens", "outputTokens", "outputTokens", ""),
}

_BY_COLUMN = {
    column: FieldNames(**{field: names[n] for field, names in _TABLE.items()})
    for n, column in enumerate(_COLUMNS)
}

NAMES: Mapping[str, FieldNames] = _BY_COLUMN | dict.fromkeys((V5, V7), _BY_COLUMN[V6])
"""By generation of ``fullStream``, and by the dialect of the other two layers."""

_FIRST = (V6, GATEWAY, UI, V4, SEED)


def names(*fields: str, of: Iterable[str] = _FIRST) -> tuple[str, ...]:
    """Every name of these fields in these columns, once each; those of ai 6 come first."""
    found = [getattr(NAMES[column], field) for field in fields for column in of]
    return tuple(dict.fromkeys(filter(None, found)))
