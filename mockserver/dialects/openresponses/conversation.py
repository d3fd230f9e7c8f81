"""What a valid request says: who spoke last, and which tools may be called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.dialects.given import mapping, text


def heard(input_: Any) -> tuple[str, bool]:
    """The last text of a user, and whether a tool's result is the last word."""
    if not isinstance(input_, list):
        return (input_ if isinstance(input_, str) else ""), False
    answered = bool(input_) and input_[-1].get("type") == "function_call_output"
    texts = (_text(item.get("content")) for item in reversed(input_) if item.get("role") == "user")
    return next(texts, ""), answered


def _text(content: Any) -> str:
    # Items of unknown types are accepted, so even a user's content may be anything.
    parts = map(mapping, content) if isinstance(content, list) else ()
    said = (text(part.get("text")) for part in parts if part.get("type") == "input_text")
    return text(content) or "".join(said)


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The function tools that ``tool_choice`` lets the model call, with their input's schema."""
    choice = body.get("tool_choice")
    named = choice.get("name") if isinstance(choice, dict) else None
    return tuple(
        (tool["name"], tool.get("parameters") or {"type": "object"})
        for tool in body.get("tools") or ()
        if tool.get("type") == "function" and choice != "none" and named in (None, tool["name"])
    )
