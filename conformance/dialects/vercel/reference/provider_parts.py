"""Sends a run to a gateway that streams the AI SDK's provider parts, and emits each part unchanged.

The gateway's parts are those of the vocabulary ``stream``, so no state machine is needed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import aiohttp

from conformance.dialects.client.sse import Decoder
from conformance.dialects.client.transport import http_failure
from conformance.dialects.vercel.reference.prompt import prompt

Message = dict[str, Any]
Emit = Callable[[Message], None]


class ProviderParts:
    """A client of Vercel's gateway: POSTs to ``/language-model`` and emits the parts as sent."""

    def __init__(self, request: Callable[[Message], Message] | None = None) -> None:
        self._request = request or call_options

    def hello(self) -> Message:
        me = {"name": "provider parts", "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    async def run(self, run: Message, emit: Emit, cancel: asyncio.Event) -> Message:
        done = {"type": "done", "id": run["id"]}
        emitter = _Emitter(emit, cancel, run.get("cancel", {}).get("after_parts"))
        task = asyncio.ensure_future(_exchange(run, self._request(run), emitter))
        cancelled = asyncio.ensure_future(cancel.wait())
        await asyncio.wait({task, cancelled}, return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        cancelled.cancel()
        await asyncio.gather(task, cancelled, return_exceptions=True)
        if cancel.is_set() or task.cancelled():
            return {**done, "outcome": "cancelled"}
        return {**done, **task.result()}


class _Emitter:
    """Emits parts until the run is cancelled, by the host or after ``left`` parts."""

    def __init__(self, emit: Emit, cancel: asyncio.Event, left: int | None) -> None:
        self._emit, self._cancel, self._left = emit, cancel, left
        self._cancel_at_zero()

    def __call__(self, part: Message) -> None:
        if self._cancel.is_set():
            return
        self._emit(part)
        self._left = None if self._left is None else self._left - 1
        self._cancel_at_zero()

    def _cancel_at_zero(self) -> None:
        if self._left == 0:
            self._cancel.set()


async def _exchange(run: Message, body: Message, emit: Emit) -> Message:
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


async def _read_parts(content: aiohttp.StreamReader, emit: Emit) -> Message:
    decoder, failed = Decoder(), False
    async for chunk in content.iter_any():
        for message in decoder.feed(chunk):
            if message.data == "[DONE]":
                continue
            try:
                part = json.loads(message.data)
            except (ValueError, RecursionError):
                return _failed("decode", f"a part is not JSON: {message.data[:200]}")
            emit(part)
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
