"""The HTTP client of every reference adapter: sends a request, feeds a machine, emits its parts.

A dialect brings an endpoint, a function that builds requests, and a machine that turns events into
parts. Everything else is shared and is here: the connection, decoding the event stream, stopping at
the end of the response, HTTP errors, and cancellation, which may stop a run between two parts of
one event. Nothing here depends on what an event means.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass

import aiohttp

from conformance.dialects.client.fields import Event, Part, integer, object_, reason_of, string
from conformance.dialects.client.machine import Machine
from conformance.dialects.client.sse import Decoder, Message

Emit = Callable[[Part], None]
Traits = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Upstream:
    """The endpoint of a dialect.

    - `name` is the name of the adapter; `path` is appended to the base URL of a run.
    - `request` builds the body from a run and the prefix that the adapter puts before call ids.
    - `headers` are the headers of a run that are added to those of every request.
    """

    name: str
    dialect: str
    path: str
    request: Callable[[Event, str], dict[str, object]]
    headers: Callable[[Event], Mapping[str, str]] = lambda _: {}


class Adapter:
    """Handles runs of drive/1 by requests to an upstream; keeps no state between runs."""

    def __init__(
        self, upstream: Upstream, machine: Callable[[Traits], Machine], traits: Traits | None = None
    ) -> None:
        self._upstream = upstream
        self._machine = machine
        self._traits = dict(traits or {})

    def hello(self) -> dict[str, object]:
        me = {"name": self._upstream.name, "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    async def run(
        self, run: dict[str, object], emit: Emit, cancel: asyncio.Event
    ) -> dict[str, object]:
        """Emit the parts of one run; returns its `done` or `unsupported` message."""
        if run.get("dialect") != self._upstream.dialect:
            reason = f"this adapter speaks {self._upstream.dialect}, not {run.get('dialect')}"
            return {"type": "unsupported", "id": run["id"], "reason": reason}
        machine = self._machine(self._traits)
        machine.begin(run)
        emitter = PartEmitter(emit, cancel, integer(object_(run, "cancel"), "after_parts"))
        try:
            emitter([])
            body = self._upstream.request(run, str(self._traits.get("call_id_prefix") or ""))
            await run_unless_cancelled(
                cancel, _exchange(run, self._upstream, body, machine, emitter)
            )
        except Cancelled:
            return {"type": "done", "id": run["id"], "outcome": "cancelled"}
        return {**machine.end(), "id": run["id"]}

    def replay(self, body: bytes, broken: str = "") -> tuple[list[Part], Machine]:
        """The parts of an event stream, and the machine that has read it, without a request.

        ``broken`` says how its connection broke; empty if it was closed.
        """
        machine, parts, decoder = self._machine(self._traits), list[Part](), Decoder()
        messages = iter(decoder.feed(body))
        if all(_take(each, machine, parts.extend) for each in messages):
            if broken:
                machine.fail("transport", broken)
            for message in () if broken or not machine.lenient else decoder.end():
                _take(message, machine, parts.extend)
        return [*parts, *machine.close()], machine


class Cancelled(Exception):
    """The run is cancelled; raised to leave the request, which closes the connection."""


class PartEmitter:
    """Emits parts until the run is cancelled or `left` parts were emitted; then it is closed."""

    def __init__(self, emit: Emit, cancel: asyncio.Event, left: int | None) -> None:
        self._emit, self._cancel, self._left = emit, cancel, left

    def __call__(self, parts: list[Part]) -> None:
        for part in parts:
            self._check()
            self._emit(part)
            self._left = None if self._left is None else self._left - 1
        self._check()

    def _check(self) -> None:
        if self._cancel.is_set() or self._left == 0:
            raise Cancelled


async def run_unless_cancelled(
    cancel: asyncio.Event, work: Coroutine[object, object, None]
) -> None:
    """Await the work; cancel it as soon as `cancel` is set, and raise Cancelled."""
    task, watch = asyncio.ensure_future(work), asyncio.ensure_future(cancel.wait())
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
        watch.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)
    if task.cancelled():
        raise Cancelled
    task.result()


async def _exchange(
    run: Event, upstream: Upstream, body: Event, machine: Machine, emitter: PartEmitter
) -> None:
    """Send one request and emit its answer. There are no retries, so no part is emitted twice."""
    url = string(run, "base_url") + upstream.path
    headers = {
        "Authorization": f"Bearer {string(run, 'api_key')}",
        "Accept": "text/event-stream",
        **upstream.headers(run),
    }
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, json=body, headers=headers) as response,
        ):
            if response.content_type != "text/event-stream":
                machine.fail(*http_failure(response, await response.read()))
            else:
                await _read(response.content, machine, emitter)
    except aiohttp.ClientError as error:
        machine.fail("transport", f"{type(error).__name__}: {error}")
    emitter(machine.close())


async def _read(content: aiohttp.StreamReader, machine: Machine, emitter: PartEmitter) -> None:
    """Read until the machine has ended, which may be long before the connection closes."""
    decoder = Decoder()
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as grace:
            async for chunk in content.iter_any():
                for message in decoder.feed(chunk):
                    if not _take(message, machine, emitter):
                        return
                _wait(grace, machine.grace_seconds)
    for message in decoder.end() if machine.lenient else ():
        _take(message, machine, emitter)


def _wait(grace: asyncio.Timeout, grace_seconds: float | None) -> None:
    """Set the deadline when the grace period begins; data that follows does not extend it."""
    if grace_seconds is None:
        grace.reschedule(None)
    elif grace.when() is None:
        grace.reschedule(asyncio.get_running_loop().time() + grace_seconds)


def _take(message: Message, machine: Machine, emitter: Callable[[list[Part]], None]) -> bool:
    """Feed one message to the machine and emit its parts; False if reading must stop.

    `[DONE]` is not JSON either, and what has ended cannot fail by it.
    """
    try:
        event = _decoded(message) if machine.lenient else json.loads(message.data)
    except (ValueError, RecursionError):
        machine.fail("decode", f"an event is not JSON: {message.data[:200]}")
        return False
    emitter(machine.event(event))
    return not machine.ended


def _decoded(message: Message) -> Event:
    """The event; without a `type`, it is "error" if it has an error, else the `event:` line."""
    data = json.loads(message.data) if message.data.strip() else {}
    if not isinstance(data, dict):
        return {}
    return {"type": "error" if data.get("error") else message.event, **data}


def http_failure(response: aiohttp.ClientResponse, body: bytes) -> tuple[str, str, object]:
    """Kind, message and code of the failure, for an answer that is not an event stream."""
    try:
        reason = reason_of(json.loads(body))
    except (ValueError, AttributeError):
        reason = {}
    plain = body.decode(errors="replace") if response.content_type == "text/plain" else ""
    status = f"HTTP {response.status} {response.reason} with {response.content_type}"
    return "http", str(reason.get("message") or plain or status), reason.get("code")
