"""Fields of full-stream parts under the names that they had in each generation.

Layers and generations of the SDK name the same field differently, and streams were seen that carry
two of them side by side (stream-mapping § Stream Chunk Schema Mismatch). The name of the current
generation stands first: beside it, another one is stale.
"""

from __future__ import annotations

from conformance.reference.fields import Event, object_, string

TEXT = ("text", "delta", "textDelta")
ARGUMENTS = ("delta", "inputTextDelta", "argsTextDelta")
INPUT = ("input", "args")
CALL_ID = ("toolCallId", "id")
ERROR = ("error", "errorText")
SOURCE_ID = ("id", "sourceId")
MEDIA_TYPE = ("mediaType", "mimeType")
USAGE = ("totalUsage", "usage")
REASON = ("unified", "raw")


def first(data: Event, names: tuple[str, ...]) -> str:
    """The first of these fields that says something."""
    return next(filter(None, (string(data, name) for name in names)), "")


def told(data: Event, names: tuple[str, ...]) -> object:
    """The first of these fields that is there and not null."""
    return next((data[name] for name in names if data.get(name) is not None), None)


def reason(data: Event) -> str:
    """A finish reason; the provider's own layer has it in an object."""
    return string(data, "finishReason") or first(object_(data, "finishReason"), REASON)
