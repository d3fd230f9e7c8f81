"""The kit's client of servers that stream the AI SDK's provider parts: emits each part unchanged.

The parts are those of the vocabulary `stream`, so no machine is needed. The host's conversation
goes back as a prompt (@ai-sdk/provider, LanguageModelV4Prompt). An assistant's message holds the
parts that came from the provider. They go back joined: a text for each block of deltas, a call with
its input parsed. A result needs the name of its tool, which is looked up in the call, in any
message.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import aiohttp

from conformance.dialects.client.sse import Decoder
from conformance.dialects.client.transport import (
    Cancelled,
    Emit,
    PartEmitter,
    http_failure,
    run_unless_cancelled,
)
from mockserver.foundation.call_arguments import read_arguments

Message = dict[str, Any]

_BLOCK_TYPES = {"text-delta": "text", "reasoning-delta": "reasoning"}


class ProviderParts:
    """A client of Vercel's gateway: POSTs to `/language-model` and emits the parts as sent."""

    def __init__(self, request: Callable[[Message], Message] | None = None) -> None:
        self._request = request or call_options

    def hello(self) -> Message:
        me = {"name": "provider parts", "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    async def run(self, run: Message, emit: Emit, cancel: asyncio.Event) -> Message:
        emitter = PartEmitter(emit, cancel, run.get("cancel", {}).get("after_parts"))
        ending: Message = {"outcome": "cancelled"}
        if not emitter.closed:
            exchange = _exchange(run, self._request(run), emitter)
            with suppress(Cancelled):
                ending = await run_unless_cancelled(cancel, exchange)
        return {"type": "done", "id": run["id"], **ending}


async def _exchange(run: Message, body: Message, emit: PartEmitter) -> Message:
    """Send one request, emit its answer, and return the ending for the ``done`` message."""
    headers = {
        "Authorization": f"Bearer {run['api_key']}",
        "Accept": "text/event-stream",
        "ai-language-model-id": run["model"],
        "ai-language-model-specification-version": "3",
        "ai-language-model-streaming": "true",
    }
    no_timeout = aiohttp.ClientTimeout(total=None)  # the driver owns the clock
    try:
        async with (
            aiohttp.ClientSession(timeout=no_timeout, headers=headers) as session,
            session.post(f"{run['base_url']}/language-model", json=body) as response,
        ):
            if response.status >= 400 or response.content_type != "text/event-stream":
                return _failed(*http_failure(response, await response.read()))
            return await _read_parts(response.content, emit)
    except (aiohttp.ClientError, OSError) as error:
        return _failed("transport", f"{type(error).__name__}: {error}")


def call_options(run: Message) -> Message:
    """The call options of a language model provider, from a drive/1 ``run`` message."""
    options = {name: value for name, value in run["options"].items() if name != "max_retries"}
    tools = [
        {
            "type": "function",
            "name": tool["name"],
            "description": tool.get("description", ""),
            "inputSchema": tool["input_schema"],
        }
        for tool in run["tools"]
        if tool.get("type", "function") == "function"
    ]
    return {**options, "prompt": prompt(run["messages"]), "tools": tools}


async def _read_parts(content: aiohttp.StreamReader, emit: PartEmitter) -> Message:
    decoder, failed = Decoder(), False
    async for chunk in content.iter_any():
        for message in decoder.feed(chunk):
            if message.data == "[DONE]":
                continue
            try:
                part = json.loads(message.data)
            except (ValueError, RecursionError):
                return _failed("decode", f"a part is not JSON: {message.data[:200]}")
            emit([part])
            type_ = part.get("type") if isinstance(part, dict) else None
            if type_ == "finish":
                return _COMPLETED
            failed = failed or type_ == "error"
    return _COMPLETED if failed else _failed("truncated", "the stream ended without a finish")


# A failure is reported by an error part.
_COMPLETED = {"outcome": "completed"}


def _failed(kind: str, message: str, code: object = None) -> Message:
    error = {"kind": kind, "message": message} | ({"code": str(code)} if code else {})
    return {"outcome": "failed", "error": error}


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
