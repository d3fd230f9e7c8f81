"""The adapter around the machine: a request out, bytes in, parts and one ending out.

Start with `machine`, which is the heart of it; nothing here knows what an event means.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from itertools import groupby

import aiohttp

from conformance.reference.fields import Event, Part, integer, object_, objects, reason_of, string
from conformance.reference.machine import ENDED, FAILING, ResponsesToVscode
from conformance.reference.sse import Decoder, Message

DIALECT = "openresponses"

ERROR_GRACE = 1.0
"""Seconds that an `error` waits for its `response.failed`, should the upstream fall silent."""

TOOL_FIELDS = {"name": "name", "description": "description", "input_schema": "parameters"}

Emit = Callable[[Part], None]


def adapter(traits: Mapping[str, object] | None = None) -> Adapter:
    """The factory that an `adapter.yaml` names."""
    return Adapter(traits)


class Adapter:
    """Plays runs of drive/1 against an OpenResponses upstream; keeps nothing between them."""

    def __init__(
        self,
        traits: Mapping[str, object] | None = None,
        machine: type[ResponsesToVscode] | None = None,
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        self._traits = dict(traits or {})
        self._machine = machine or ResponsesToVscode
        self._prefix = ResponsesToVscode(traits).prefix

    def hello(self) -> dict[str, object]:
        me = {"name": "reference-openresponses-vscode", "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    async def run(
        self, run: dict[str, object], emit: Emit, cancel: asyncio.Event
    ) -> dict[str, object]:
        """Emits the parts of one run; returns its `done` or `unsupported` message."""
        if run.get("dialect") != DIALECT:
            reason = f"this adapter speaks {DIALECT}, not {run.get('dialect')}"
            return {"type": "unsupported", "id": run["id"], "reason": reason}
        machine = self._machine(self._traits)
        outlet = _Outlet(emit, cancel, integer(object_(run, "cancel"), "after_parts"))
        if not outlet.shut:
            with suppress(_Cancelled):
                await _unless(cancel, _exchange(run, request(run, self._prefix), machine, outlet))
        if outlet.shut:
            return {"type": "done", "id": run["id"], "outcome": "cancelled"}
        return {**machine.end(), "id": run["id"]}


class _Cancelled(Exception):
    """The host wants no further part; on its way out this releases the connection."""


class _Outlet:
    """Lets parts out until the run is cancelled, also in the middle of a burst."""

    def __init__(self, emit: Emit, cancel: asyncio.Event, left: int | None) -> None:
        self._emit, self._cancel, self._left = emit, cancel, left

    @property
    def shut(self) -> bool:
        return self._cancel.is_set() or self._left == 0

    def __call__(self, parts: list[Part]) -> None:
        for part in parts:
            if not self.shut:
                self._emit(part)
                self._left = None if self._left is None else self._left - 1
            if self.shut:
                raise _Cancelled


async def _unless(cancel: asyncio.Event, work: Coroutine[object, object, None]) -> None:
    """Awaits the work, or gives it up in the middle of whatever it waits for."""
    task, watch = asyncio.ensure_future(work), asyncio.ensure_future(cancel.wait())
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
        watch.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)
    if not task.cancelled():
        task.result()


async def _exchange(run: Event, body: Event, machine: ResponsesToVscode, outlet: _Outlet) -> None:
    """One request and its answer. Nothing is sent twice, so no part can come twice."""
    url = string(run, "base_url").rstrip("/") + "/responses"
    headers = {
        "Authorization": f"Bearer {string(run, 'api_key')}",
        "Accept": "text/event-stream",
    }
    patient = aiohttp.ClientTimeout(total=None)  # the driver owns the clock
    try:
        async with (
            aiohttp.ClientSession(timeout=patient) as session,
            session.post(url, json=body, headers=headers) as response,
        ):
            if response.status >= 400 or response.content_type != "text/event-stream":
                machine.fail(*no_stream(response, await response.read()))
            else:
                await _read(response.content, machine, outlet)
    except (aiohttp.ClientError, OSError) as error:
        machine.fail("transport", f"{type(error).__name__}: {error}")
    outlet(machine.close())


async def _read(content: aiohttp.StreamReader, machine: ResponsesToVscode, outlet: _Outlet) -> None:
    """Reads up to the terminal event, which may come long before the end of the connection."""
    decoder = Decoder()
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as grace:
            async for chunk in content.iter_any():
                for message in decoder.feed(chunk):
                    if not _take(message, machine, outlet, broken="decode"):
                        return
                if machine.phase == FAILING and grace.when() is None:
                    grace.reschedule(asyncio.get_running_loop().time() + ERROR_GRACE)
    for message in decoder.end():
        _take(message, machine, outlet, broken="truncated")


def _take(message: Message, machine: ResponsesToVscode, outlet: _Outlet, broken: str) -> bool:
    """Hands one message on; False where it makes no sense to read further."""
    if message.data == "[DONE]":
        return False
    try:
        event = _decoded(message)
    except (ValueError, RecursionError):
        machine.fail(broken, f"an event is not JSON: {message.data[:200]}")
        return False
    outlet(machine.event(event))
    return machine.phase != ENDED


def _decoded(message: Message) -> Event:
    """The event; one without `type` is an error by its shape, or goes by its SSE name."""
    data = json.loads(message.data) if message.data.strip() else {}
    if not isinstance(data, dict):
        return {}
    return {"type": "error" if data.get("error") else message.event, **data}


def no_stream(response: aiohttp.ClientResponse, body: bytes) -> tuple[str, str, object]:
    """Kind, message and code of an answer that is no event stream."""
    try:
        told = reason_of(json.loads(body))
    except (ValueError, RecursionError, AttributeError):
        told = {}
    if response.status >= 400:
        kind, message = "http", f"HTTP {response.status} {response.reason}".rstrip()
    else:
        kind, message = "decode", f"{response.content_type} instead of an event stream"
    return kind, str(told.get("message", message)), told.get("code")


def request(run: Event, prefix: str = "") -> dict[str, object]:
    """The upstream request of a run; `prefix` is what this adapter put before call ids."""
    options = object_(run, "options")
    body = {name: value for name, value in options.items() if name != "max_retries"}
    body |= {"model": run.get("model"), "stream": True}
    body["input"] = [item for m in objects(run, "messages") for item in _items(m, prefix)]
    tools = [
        {"type": "function"} | {TOOL_FIELDS[name]: tool[name] for name in TOOL_FIELDS & tool.keys()}
        for tool in objects(run, "tools")
    ]
    return {**body, "tools": tools} if tools else body


def _items(message: Event, prefix: str) -> Iterator[dict[str, object]]:
    """A message as input items; of an assistant's parts, texts and calls go back."""
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        call_id = string(message, "callId").removeprefix(prefix)
        yield {"type": "function_call_output", "call_id": call_id, "output": content}
    elif role != "assistant":
        yield {"type": "message", "role": role, "content": content}
    else:
        for kind, parts in groupby(objects(message, "content"), lambda part: part.get("type")):
            if kind == "text":
                text = "".join(string(part, "value") for part in parts)
                yield {"type": "message", "role": role, "content": text}
            elif kind == "toolCall":
                yield from (_call_item(part, prefix) for part in parts)


def _call_item(part: Event, prefix: str) -> dict[str, object]:
    return {
        "type": "function_call",
        "call_id": string(part, "callId").removeprefix(prefix),
        "name": part.get("name"),
        "arguments": json.dumps(part.get("input")),
    }


def gateway() -> Adapter:
    """The adapter of rfc-00022: it prefixes call ids."""
    return Adapter({"call_id_prefix": "gw-"})
