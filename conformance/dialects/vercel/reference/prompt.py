"""A conversation of the host's as a prompt (@ai-sdk/provider, LanguageModelV4Prompt).

An assistant's message holds the parts that came from the provider, which go back joined: a text for
each stretch of deltas, a call with its input parsed. A result needs the name of its tool, which the
call alone knows, in whichever message that stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mockserver.call_arguments import read_arguments

Message = dict[str, Any]
_STRETCHES = {"text-delta": "text", "reasoning-delta": "reasoning"}


def prompt(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """The messages of drive/1, whose assistant speaks in parts of the vocabulary ``stream``."""
    names = {
        part["toolCallId"]: part["toolName"]
        for message in messages
        if message["role"] == "assistant"
        for part in message["content"]
        if part["type"] == "tool-call"
    }
    return [_message(message, names) for message in messages]


def _message(message: Mapping[str, Any], names: Mapping[str, str]) -> Message:
    role, content = message["role"], message.get("content")
    match role:
        case "user":
            return {"role": role, "content": [{"type": "text", "text": content}]}
        case "assistant":
            return {"role": role, "content": _said(message["content"])}
        case "tool":
            result = {
                "type": "tool-result",
                "toolCallId": message["callId"],
                "toolName": names.get(message["callId"], ""),
                "output": {"type": "text", "value": content},
            }
            return {"role": role, "content": [result]}
    return {"role": role, "content": content}


def _said(parts: Sequence[Mapping[str, Any]]) -> list[Message]:
    """What the provider ran itself is left out: it keeps that, and nobody else can answer it."""
    said: list[Message] = []
    stretches: dict[str, Message] = {}
    for part in parts:
        type_, lane = part["type"], str(part.get("id"))
        if kind := _STRETCHES.get(type_):
            if lane not in stretches:
                said.append(stretches.setdefault(lane, {"type": kind, "text": ""}))
            stretches[lane]["text"] += part["delta"]
        elif type_ in ("reasoning-start", "reasoning-end"):
            if lane not in stretches:
                said.append(stretches.setdefault(lane, {"type": "reasoning", "text": ""}))
            if sealed := dict(_told(part.get("providerMetadata"))):
                stretches[lane]["providerOptions"] = sealed
        elif type_ == "tool-call" and not part.get("providerExecuted"):
            said.append(_call(part))
        if type_ in ("text-end", "reasoning-end"):
            stretches.pop(lane, None)
    return said


def _told(metadata: Any) -> Iterator[tuple[str, Message]]:
    """What each provider has said, without what it left open."""
    for name, fields in (metadata or {}).items():
        if given := {key: value for key, value in fields.items() if value is not None}:
            yield name, given


def _call(part: Mapping[str, Any]) -> Message:
    known = {name: part[name] for name in ("type", "toolCallId", "toolName")}
    return {**known, "input": read_arguments(part["input"]).value}
