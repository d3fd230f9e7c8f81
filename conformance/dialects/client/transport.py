"""Around every machine: a request out, bytes in, parts and one ending out.

A dialect brings three things of its own: where requests go, a builder of requests, and a machine
that is told events and says what they amount to. Everything else is alike and stands here: the
connection, the decoding of the event stream, the cutting off at its end, HTTP errors, and the
cancellation, which stops a run in the middle of a burst. Nothing here knows what an event means.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import aiohttp

from conformance.dialects.client.fields import Event, Part, integer, object_, reason_of, string
from conformance.dialects.client.sse import Decoder, Message

Emit = Callable[[Part], None]
Traits = Mapping[str, object]


PLAIN = "text/plain"
LONGEST_REASON = 500
"""Characters of a refusal in plain text, which is for people."""


class Machine(Protocol):
    """Events of one response in, parts out; no I/O."""

    @property
    def ended(self) -> bool:
        """Whether nothing that could still come would be heard."""

    @property
    def patience(self) -> float | None:
        """Seconds that it waits for what may still come; None while it waits for what must."""

    def event(self, data: Event) -> list[Part]:
        """The parts that one decoded event sets free."""

    def fail(self, kind: str, message: str, code: object = None) -> None:
        """Is told of a failure that no event tells of."""

    def close(self) -> list[Part]:
        """Is told that no event follows; the parts that this sets free."""

    def end(self) -> dict[str, object]:
        """The `done` message, without the id of its run."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """How a dialect is spoken to; `request` takes a run and the prefix of emitted call ids.

    `headers` are what a run says in them, beside those of every request.
    """

    name: str
    dialect: str
    path: str
    request: Callable[[Event, str], dict[str, object]]
    headers: Callable[[Event], Mapping[str, str]] = lambda _: {}


class Adapter:
    """Plays runs of drive/1 against an upstream; keeps nothing between them."""

    def __init__(
        self, upstream: Upstream, machine: Callable[[Traits], Machine], traits: Traits | None = None
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        self._upstream = upstream
        self._machine = machine
        self._traits = dict(traits or {})
        machine(self._traits)

    def hello(self) -> dict[str, object]:
        me = {"name": self._upstream.name, "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    async def run(
        self, run: dict[str, object], emit: Emit, cancel: asyncio.Event
    ) -> dict[str, object]:
        """Emits the parts of one run; returns its `done` or `unsupported` message."""
        if run.get("dialect") != self._upstream.dialect:
            reason = f"this adapter speaks {self._upstream.dialect}, not {run.get('dialect')}"
            return {"type": "unsupported", "id": run["id"], "reason": reason}
        machine = self._machine(self._traits)
        outlet = _Outlet(emit, cancel, integer(object_(run, "cancel"), "after_parts"))
        if not outlet.shut:
            body = self._upstream.request(run, str(self._traits.get("call_id_prefix") or ""))
            with suppress(_Cancelled):
                await _unless(cancel, _exchange(run, self._upstream, body, machine, outlet))
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


async def _exchange(
    run: Event, upstream: Upstream, body: Event, machine: Machine, outlet: _Outlet
) -> None:
    """One request and its answer. Nothing is sent twice, so no part can come twice."""
    url = string(run, "base_url").rstrip("/") + upstream.path
    headers = {
        "Authorization": f"Bearer {string(run, 'api_key')}",
        "Accept": "text/event-stream",
        **upstream.headers(run),
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


async def _read(content: aiohttp.StreamReader, machine: Machine, outlet: _Outlet) -> None:
    """Reads up to the end of the response, which may come long before that of the connection."""
    decoder = Decoder()
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as grace:
            async for chunk in content.iter_any():
                for message in decoder.feed(chunk):
                    if not _take(message, machine, outlet, broken="decode"):
                        return
                _wait(grace, machine.patience)
    for message in decoder.end():
        _take(message, machine, outlet, broken="truncated")


def _wait(grace: asyncio.Timeout, patience: float | None) -> None:
    """What keeps a connection busy, comments say, does not make a patience any longer."""
    if patience is None:
        grace.reschedule(None)
    elif grace.when() is None:
        grace.reschedule(asyncio.get_running_loop().time() + patience)


def _take(message: Message, machine: Machine, outlet: _Outlet, broken: str) -> bool:
    """Hands one message on; False where it makes no sense to read further."""
    if message.data == "[DONE]":
        return False
    try:
        event = _decoded(message)
    except (ValueError, RecursionError):
        machine.fail(broken, f"an event is not JSON: {message.data[:200]}")
        return False
    outlet(machine.event(event))
    return not machine.ended


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
        plain = body.decode(errors="replace").strip() if response.content_type == PLAIN else ""
        status = f"HTTP {response.status} {response.reason}".rstrip()
        kind, message = "http", plain[:LONGEST_REASON] or status
    else:
        kind, message = "decode", f"{response.content_type} instead of an event stream"
    return kind, str(told.get("message", message)), told.get("code")
