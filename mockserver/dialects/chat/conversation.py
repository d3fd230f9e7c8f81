"""A valid request's messages in neutral form, and which tools may be called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mockserver.conversation import Answered, Called, Entry, Role, Said, Thought, unanswered
from mockserver.conversation import uncalled as uncalled_in
from mockserver.dialects.chat.chunks import OPAQUE, THOUGHTS, calls
from mockserver.dialects.json_fields import listed, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CAMEL = "toolCallId"


def conversation(messages: list[Any]) -> tuple[Entry, ...]:
    """What was said, called and answered, in order."""
    return tuple(entry for message in messages for entry in _entries(message))


def _entries(message: Mapping[str, Any]) -> Iterator[Entry]:
    role = text(message.get("role"))
    if role in ("tool", "function"):
        name = text(message.get("name")) or None
        yield Answered(_answers(message), message.get("content"), name)
        return
    yield from _thought(message)
    if (said := _text(message.get("content"))) or role != "assistant":
        yield Said(cast("Role", role), said)
    for call in calls(message):
        function = mapping(call.get("function")) or mapping(call.get("custom"))
        arguments = text(function.get("arguments")) or text(function.get("input"))
        yield Called(text(call.get("id")), text(function.get("name")), arguments)
    if legacy := mapping(message.get("function_call")):
        # Before there were ids, the one call of a message was known by its function's name.
        name = text(legacy.get("name"))
        yield Called(name, name, text(legacy.get("arguments")))


def _answers(message: Mapping[str, Any]) -> str:
    """The id of the call that a result is of; a legacy one names the function."""
    found = message.get("tool_call_id") or message.get(_CAMEL) or message.get("name")
    return text(found)


def _thought(message: Mapping[str, Any]) -> Iterator[Thought]:
    shown = next((value for name in THOUGHTS if (value := text(message.get(name)))), "")
    opaque = next((value for name in OPAQUE if (value := text(message.get(name)))), "")
    if shown or opaque:
        yield Thought(shown, opaque)


def _text(content: Any) -> str:
    return text(content) or "".join(text(mapping(part).get("text")) for part in listed(content))


def mismatches(messages: list[Any], told: tuple[Entry, ...]) -> Iterator[str]:
    """Calls and results that do not belong together, as OpenAI refuses them.

    A result whose id is spelt ``toolCallId`` came without its call from the first clients of the
    Copilot proxy, and is taken as it is.
    """
    camel = {text(message.get(_CAMEL)) for message in messages if "tool_call_id" not in message}
    for id_ in uncalled_in(told):
        if id_ not in camel:
            yield (
                "messages: messages with role 'tool' must be a response to a preceding message "
                f"with 'tool_calls'; no call has the id {id_!r}"
            )
    if missing := unanswered(told):
        yield (
            "messages: an assistant message with 'tool_calls' must be followed by tool messages "
            f"responding to each 'tool_call_id'; no result came for {', '.join(missing)}"
        )


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the request lets the model call, with their input's schema."""
    choice = body.get("tool_choice", body.get("function_call"))
    chosen = mapping(choice)
    named = mapping(chosen.get("function")).get("name") or chosen.get("name")
    tools = [mapping(mapping(tool).get("function")) for tool in body.get("tools") or ()]
    functions = [*tools, *map(mapping, body.get("functions") or ())]
    known = {text(each.get("name")): each.get("parameters") for each in functions}
    return tuple(
        (name, parameters or {"type": "object"})
        for name, parameters in known.items()
        if name and choice != "none" and named in (None, name)
    )
