"""A valid request's input in neutral form, and which tools may be called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from mockserver.conversation import Answered, Called, Entry, Kept, Role, Said, Thought, unanswered
from mockserver.conversation import uncalled as uncalled_in
from mockserver.dialects.json_fields import listed, mapping, text

_OUTPUT = "_output"


def conversation(body: Mapping[str, Any]) -> tuple[Entry, ...]:
    """What was said, called, answered and thought, in order; the instructions come first."""
    input_ = body.get("input")
    plain = [Said("user", input_)] if isinstance(input_, str) else []
    first = [Said("system", told)] if (told := text(body.get("instructions"))) else []
    return (
        *first,
        *plain,
        *(entry for item in listed(input_) for entry in _entries(mapping(item))),
    )


def _entries(item: Mapping[str, Any]) -> Iterator[Entry]:
    type_, call_id = text(item.get("type")) or "message", text(item.get("call_id"))
    if type_ == "message":
        yield Said(cast("Role", text(item.get("role"))), _text(item.get("content")))
    elif type_ == "reasoning":
        yield Thought(_shown(item), text(item.get("encrypted_content")))
    elif type_ == "item_reference":
        yield Kept(text(item.get("id")))
    elif call_id and type_.endswith(_OUTPUT):
        yield Answered(call_id, item.get("output"))
    elif call_id:
        arguments = text(item.get("arguments")) or text(item.get("input"))
        yield Called(call_id, text(item.get("name")), arguments)


def _text(content: Any) -> str:
    # Items of unknown types are accepted, so even a user's content may be anything.
    return text(content) or "".join(text(mapping(part).get("text")) for part in listed(content))


def _shown(item: Mapping[str, Any]) -> str:
    parts = [*listed(item.get("summary")), *listed(item.get("content"))]
    return "".join(text(mapping(part).get("text")) for part in parts)


def mismatches(body: Mapping[str, Any], told: tuple[Entry, ...]) -> Iterator[str]:
    """Calls and results that do not belong together, as OpenAI refuses them.

    Where the upstream keeps the conversation, or an item stands for what it keeps, a call may be
    one of those.
    """
    kept = any(isinstance(entry, Kept) for entry in told)
    if kept or any(body.get(name) for name in ("previous_response_id", "conversation", "prompt")):
        return
    for id_ in uncalled_in(told):
        yield f"input: no tool call found for function call output with call_id {id_!r}"
    for id_ in unanswered(told):
        yield f"input: no tool output found for function call {id_!r}"


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The function tools that ``tool_choice`` lets the model call, with their input's schema."""
    choice = body.get("tool_choice")
    named = choice.get("name") if isinstance(choice, dict) else None
    return tuple(
        (tool["name"], tool.get("parameters") or {"type": "object"})
        for tool in body.get("tools") or ()
        if tool.get("type") == "function" and choice != "none" and named in (None, tool["name"])
    )
