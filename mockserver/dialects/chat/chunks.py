"""What stands in a chunk, and how a scenario names the five kinds of data on this wire.

On the wire nothing has a name: each ``data:`` line holds a chunk or an error. A scenario says which
kind of chunk it means, so that it need not repeat what every chunk has.

Source: OpenAI, "Chat completion chunk object"; the Copilot proxy's own fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import listed, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK, DELTA, FINISH, USAGE, ERROR = "chunk", "delta", "finish", "usage", "error"
KINDS = (CHUNK, DELTA, FINISH, USAGE, ERROR)

DONE = "[DONE]"

THOUGHTS = ("reasoning_text", "cot_summary", "reasoning_content", "reasoning", "thinking")
"""The fields in which reasoning streams, by who sends them; the proxy's own stands first."""

OPAQUE = ("reasoning_opaque", "cot_id", "signature")
"""The fields with what only the upstream can read of it."""

SHOWN = frozenset({"content", "refusal", *THOUGHTS})
"""The fields of a delta whose text somebody is shown."""


def choices(data: Any) -> Iterator[Mapping[str, Any]]:
    """The choices of a chunk, whatever it is."""
    yield from map(mapping, listed(mapping(data).get("choices")))


def index(choice: Mapping[str, Any]) -> int:
    """Which choice it is; one that does not say so is the first."""
    found = choice.get("index")
    return found if isinstance(found, int) else 0


def reasons(data: Any) -> list[str]:
    """The finish reasons that a chunk tells."""
    return [reason for choice in choices(data) if (reason := text(choice.get("finish_reason")))]


def failure(data: Any) -> Any:
    """The error that stands in place of a chunk or in one; None where none does."""
    return mapping(data).get("error")


def calls(delta: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The fragments of tool calls in a delta."""
    return [mapping(each) for each in listed(delta.get("tool_calls"))]
