"""The kit's client of servers that stream the AI SDK's provider parts: emits each part unchanged.

The parts are those of the vocabulary `stream`, so no machine is needed. The host's conversation
goes back as a prompt (@ai-sdk/provider, LanguageModelV4Prompt). An assistant's message holds the
parts that came from the provider. They go back joined: a text for each block of deltas, a call with
its input parsed. A result needs the name of its tool, which is looked up in the call, in any
message.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from conformance.dialects.client import transport
from conformance.dialects.client.fields import (
    Event,
    Part,
    functions,
    options,
    rename_fields,
    string,
)
from conformance.dialects.client.machine import Machine
from conformance.dialects.client.transport import Upstream
from mockserver.foundation.call_arguments import read_arguments

Message = dict[str, Any]

TOOL_FIELDS = {"description": "description", "input_schema": "inputSchema"}


class ProviderParts(Machine):
    """Emits the parts as sent, up to the finish."""

    lenient: ClassVar[bool] = False

    def __init__(self, _traits: Event) -> None:
        super().__init__()
        self._types: set[object] = set()

    @property
    def ended(self) -> bool:
        return "finish" in self._types

    def event(self, data: Event) -> list[Part]:
        self._types.add(data.get("type") if isinstance(data, dict) else None)
        part: Any = data
        return [part]


def headers(run: Event) -> dict[str, str]:
    """The headers with the model and the version of the specification of the parts."""
    return {
        "ai-language-model-id": string(run, "model"),
        "ai-language-model-specification-version": "3",
        "ai-language-model-streaming": "true",
    }


def adapter() -> transport.Adapter:
    """Create the client of Vercel's gateway, which POSTs to `/language-model`."""
    path = "/language-model"
    upstream = Upstream("provider parts", "vercel-gateway", path, call_options, headers)
    return transport.Adapter(upstream, ProviderParts)


def call_options(run: Any, _prefix: str) -> Message:
    """The call options of a language model provider, from a drive/1 ``run`` message."""
    return {**options(run), "prompt": prompt(run["messages"]), "tools": tools(run)}


def tools(run: Event) -> list[Message]:
    """The function tools of a run."""
    return [
        {"type": "function", "name": tool["name"], **rename_fields(tool, TOOL_FIELDS)}
        for tool in functions(run)
    ]


def prompt(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """A prompt from drive/1 messages; assistants' content is parts of ``stream``."""
    names = {
        part["toolCallId"]: part["toolName"]
        for message in messages
        if message["role"] == "assistant"
        for part in message["content"]
        if part["type"] == "tool-call"
    }
    return [_message(message, names) for message in messages]


def _message(message: Mapping[str, Any], names: Mapping[str, str]) -> Message:
    role, content = message["role"], message["content"]
    match role:
        case "user":
            return {"role": role, "content": [{"type": "text", "text": content}]}
        case "assistant":
            return {"role": role, "content": _assistant_content(content)}
        case "tool":
            result = {
                "type": "tool-result",
                "toolCallId": message["callId"],
                "toolName": names[message["callId"]],
                "output": {"type": "text", "value": content},
            }
            return {"role": role, "content": [result]}
    return {"role": role, "content": content}


def _assistant_content(parts: Sequence[Mapping[str, Any]]) -> list[Message]:
    """The content of an assistant's message, from its parts.

    Calls that the provider ran itself are left out: it keeps them, and the host cannot answer them.
    """
    joined: list[Message] = []
    blocks: dict[str, Message] = {}
    for part in parts:
        kind = part["type"].partition("-")[0]
        if kind in ("text", "reasoning"):
            if part["id"] not in blocks:
                joined.append(blocks.setdefault(part["id"], {"type": kind, "text": ""}))
            block = blocks[part["id"]]
            block["text"] += part.get("delta", "")
            if metadata := part.get("providerMetadata"):
                block["providerOptions"] = metadata
        elif part["type"] == "tool-call" and not part.get("providerExecuted"):
            joined.append(_call(part))
    return joined


def _call(part: Mapping[str, Any]) -> Message:
    known = {name: part[name] for name in ("type", "toolCallId", "toolName")}
    return {**known, "input": read_arguments(part["input"]).value}
