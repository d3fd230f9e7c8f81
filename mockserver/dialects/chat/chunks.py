"""The contents of chunks, and the five event names that scenarios use for them.

On the wire, events have no type: each ``data:`` line has a chunk or an error. A scenario names the
kind of chunk, so that the fields which every chunk has can be filled in.

Source: OpenAI, "Chat completion chunk object"; the Copilot proxy's own fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.foundation.json_fields import listed, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK, DELTA, FINISH, USAGE, ERROR = "chunk", "delta", "finish", "usage", "error"
KINDS = (CHUNK, DELTA, FINISH, USAGE, ERROR)

DONE = "[DONE]"

REASONING_FIELDS = ("reasoning_text", "cot_summary", "reasoning_content", "reasoning", "thinking")
"""The fields of a delta in which different upstreams stream reasoning; Copilot's first."""

ENCRYPTED_FIELDS = ("reasoning_opaque", "cot_id", "signature")
"""The fields of a delta that have the encrypted form of reasoning; Copilot's first."""


def choices(data: Any) -> Iterator[Mapping[str, Any]]:
    """The choices of a chunk; none if it is not a chunk."""
    yield from map(mapping, listed(mapping(data).get("choices")))


def index(choice: Mapping[str, Any]) -> int:
    """The index of a choice; 0 if it has none."""
    found = choice.get("index")
    return found if isinstance(found, int) else 0


def finish_reasons(data: Any) -> list[str]:
    """The finish reasons in the choices of a chunk."""
    return [reason for choice in choices(data) if (reason := text(choice.get("finish_reason")))]


def error_in(data: Any) -> Any:
    """The error in an error event or in a chunk; None if there is none."""
    return mapping(data).get("error")


def calls(delta: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The fragments of tool calls in a delta."""
    return [mapping(each) for each in listed(delta.get("tool_calls"))]
