"""The field names of the AI SDK's parts, by dialect and generation.

The dialects and the generations of ``fullStream`` have the same parts, with different field names;
one table lists them side by side. The names of ai 5, 6 and 7 are the same. ``seed`` is read and
sent with both names of a field; its column has the one that differs from ai 6.

Source: ai 4 to 7 (TextStreamPart, UIMessageChunk), @ai-sdk/provider (LanguageModelV2StreamPart to
V4); stream-mapping § fullStream Chunk Types.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mockserver.dialects.vercel.parts import GATEWAY, SEED, UI, V4, V5, V6, V7


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The field names of one dialect or generation; empty if it has no such field."""

    text_delta: str
    """In text-delta: the next piece of text."""
    reasoning_delta: str
    """In reasoning-delta (in ai 4: reasoning): the next piece of text."""
    input_delta: str
    """In tool-input-delta (in ai 4: tool-call-delta): the next piece of the input."""
    input_id: str
    """In tool-input-start, -delta and -end (in ai 4: tool-call-streaming-start): the call's id."""
    call_id: str
    """In tool-call and tool-input-available: the call's id."""
    input: str
    """In tool-call and tool-input-available: the complete input."""
    output: str
    """In tool-result and tool-output-available: the tool's output."""
    error: str
    source_id: str
    """In source, source-url and source-document: the id."""
    media_type: str
    """In file: the media type."""
    usage: str
    """In finish: the total usage of all steps."""
    input_tokens: str
    """In any usage; so is the next one."""
    output_tokens: str

    def delta(self, kind: str) -> str:
        """The field with the next piece of a block, whose kind is ``text`` or ``reasoning``."""
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
"""By generation of ``fullStream``, and by the name of the other two dialects."""

_FIRST = (V6, GATEWAY, UI, V4, SEED)


def names(*fields: str, of: Iterable[str] = _FIRST) -> tuple[str, ...]:
    """The distinct names of these fields in these columns; those of ai 6 come first."""
    found = [getattr(NAMES[column], field) for field in fields for column in of]
    return tuple(dict.fromkeys(filter(None, found)))
