"""The kit's client of servers that stream the AI SDK's provider parts: emits each part unchanged.

The parts are those of the vocabulary `stream`, so no machine is needed. The host's conversation
goes back as a prompt (@ai-sdk/provider, LanguageModelV4Prompt). An assistant's message holds the
parts that came from the provider. They go back joined: a text for each block of deltas, a call with
its input parsed. A result needs the name of its tool, which is looked up in the call, in any
message.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, Part, functions, options, string
from conformance.dialects.client.machine import Machine
from conformance.dialects.client.transport import Upstream
from mockserver.foundation.call_arguments import read_arguments

Message = dict[str, Any]

_BLOCK_TYPES = {"text-delta": "text", "reasoning-delta": "reasoning"}


class ProviderParts(Machine):
    """Emits the parts as sent, up to the finish. A failure is reported by an error part."""

    lenient: ClassVar[bool] = False

    def __init__(self, traits: Event | None = None) -> None:
        super().__init__(traits)
        self._types: set[object] = set()

    @property
    def ended(self) -> bool:
        return "finish" in self._types

    def event(self, data: Event) -> list[Part]:
        self._types.add(data.get("type") if isinstance(data, dict) else None)
        part: Any = data
        return [part]

    def close(self) -> list[Part]:
        if "error" in self._types:
            return []
        self.fail("truncated", "the stream ended without a finish")
        return super().close()


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


def call_options(run: Any, _prefix: str = "") -> Message:
    """The call options of a language model provider, from a drive/1 ``run`` message."""
    tools = [
        {
            "type": "function",
            "name": tool["name"],
            "description": tool.get("description", ""),
            "inputSchema": tool["input_schema"],
        }
        for tool in functions(run)
    ]
    return {**options(run), "prompt": prompt(run["messages"]), "tools": tools}


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
    role, content = message["role"], message.get("content")
    match role:
        case "user":
            return {"role": role, "content": [{"type": "text", "text": content}]}
        case "assistant":
            return {"role": role, "content": _assistant_content(message["content"])}
        case "tool":
            result = {
                "type": "tool-result",
                "toolCallId": message["callId"],
                "toolName": names.get(message["callId"], ""),
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
        type_, block = part["type"], str(part.get("id"))
        if kind := _BLOCK_TYPES.get(type_):
            if block not in blocks:
                joined.append(blocks.setdefault(block, {"type": kind, "text": ""}))
            blocks[block]["text"] += part["delta"]
        elif type_ in ("reasoning-start", "reasoning-end"):
            if block not in blocks:
                joined.append(blocks.setdefault(block, {"type": "reasoning", "text": ""}))
            if options := dict(_provider_options(part.get("providerMetadata"))):
                blocks[block]["providerOptions"] = options
        elif type_ == "tool-call" and not part.get("providerExecuted"):
            joined.append(_call(part))
        if type_ in ("text-end", "reasoning-end"):
            blocks.pop(block, None)
    return joined


def _provider_options(metadata: Any) -> Iterator[tuple[str, Message]]:
    """Each provider's metadata, without fields that are null; empty providers are left out."""
    for name, fields in (metadata or {}).items():
        if options := {key: value for key, value in fields.items() if value is not None}:
            yield name, options


def _call(part: Mapping[str, Any]) -> Message:
    known = {name: part[name] for name in ("type", "toolCallId", "toolName")}
    return {**known, "input": read_arguments(part["input"]).value}
