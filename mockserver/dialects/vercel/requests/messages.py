"""The messages of a prompt, and of ``streamText``, in neutral form.

Both have the same parts (@ai-sdk/provider, LanguageModelV4Prompt; ai, ModelMessage); a message of
``streamText`` may be a text alone. A request that its schema refuses is read as far as it goes:
whoever judges it says more of a result without a tool's name than that a property is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mockserver.conversation import (
    Answered,
    Called,
    Entry,
    Role,
    Said,
    Thought,
    unanswered,
    uncalled,
)
from mockserver.dialects.json_fields import listed, mapping, text
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

OPAQUE = ("reasoningEncryptedContent", "signature", "redactedData")
"""What providers call that which only they can read of their reasoning."""

_TEXTS, _VALUES = ("text", "error-text"), ("json", "error-json")


def conversation(messages: Sequence[Any]) -> tuple[Entry, ...]:
    """What was said, called and answered, in order; what the provider itself ran is its own."""
    own = _run_by_the_provider(messages)
    entries = (entry for message in messages for entry in _entries(mapping(message)))
    return tuple(e for e in entries if not (isinstance(e, Called | Answered) and e.id in own))


def _run_by_the_provider(messages: Sequence[Any]) -> set[str]:
    parts = (p for message in messages for p in listed(mapping(message).get("content")))
    return {text(mapping(p).get("toolCallId")) for p in parts if mapping(p).get("providerExecuted")}


def _entries(message: Mapping[str, Any]) -> Iterator[Entry]:
    role, content = text(message.get("role")), message.get("content")
    if role not in ("assistant", "tool"):
        yield Said(cast("Role", role), _joined(content))
    elif role == "assistant" and isinstance(content, str):
        yield Said("assistant", content)
    else:
        for part in listed(content):
            yield from _of_part(mapping(part))


def _of_part(part: Mapping[str, Any]) -> Iterator[Entry]:
    match part.get("type"):
        case "text" if said := text(part.get("text")):
            yield Said("assistant", said)
        case "reasoning":
            yield thought(part, "providerOptions")
        case "tool-call":
            name = text(part.get("toolName"))
            yield Called(text(part.get("toolCallId")), name, dump(part.get("input")))
        case "tool-result":
            name = text(part.get("toolName"))
            yield Answered(text(part.get("toolCallId")), _output(part), name)


def _joined(content: Any) -> str:
    return text(content) or "".join(text(mapping(part).get("text")) for part in listed(content))


def thought(part: Mapping[str, Any], beside: str) -> Thought:
    """Reasoning, with what each provider has put ``beside`` it."""
    options = [mapping(each) for each in mapping(part.get(beside)).values()]
    values = (text(each.get(name)) for each in options for name in OPAQUE)
    return Thought(text(part.get("text")), next(filter(None, values), ""))


def _output(part: Mapping[str, Any]) -> Any:
    """What a typed result says; one without a type is shown as it stands, whatever its name."""
    output = mapping(part.get("output"))
    type_, value = output.get("type"), output.get("value")
    if type_ in _TEXTS or type_ == "content":
        return value
    if type_ in _VALUES:
        return value if isinstance(value, str) else dump(value)
    if type_ == "execution-denied":
        return text(output.get("reason"))
    return {name: part[name] for name in ("output", "result", "content") if name in part}


def mismatches(where: str, told: Sequence[Entry]) -> Iterator[str]:
    """Calls and results that do not belong together, as the SDK (AI_MissingToolResultsError) and
    the models behind it refuse them."""
    for id_ in uncalled(told):
        yield f"{where}: no tool call before it has the toolCallId {id_!r} of a tool result"
    for id_ in unanswered(told):
        yield f"{where}: tool result is missing for tool call {id_!r}"


def offered(
    tools: Iterable[tuple[str, Any]], choice: str, named: str
) -> tuple[tuple[str, Any], ...]:
    """Those of the tools that a choice allows; ``named`` is the one that has to be called."""
    return tuple(
        (name, schema or {"type": "object"})
        for name, schema in tools
        if name and choice != "none" and named in ("", name)
    )
