"""What is left of a run that was cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from conformance.dialects.openresponses.reference.machine import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.zoo.animal import (
    PREFIX,
    Data,
    Part,
    Wrapped,
    adapter,
    wrapped,
)

# cancel-stops, cancel-resolves and cancel-upstream


def _counted(run: Data, emit: Emit, fire: Callable[[], None]) -> tuple[Data, Emit]:
    """The run without its cancellation, and an outlet that fires where it was to be cancelled."""
    after, out = run.get("cancel", {}).get("after_parts"), 0

    def counted(part: Part) -> None:
        nonlocal out
        emit(part)
        out += 1
        if out == after:
            fire()

    if after == 0:
        fire()
    return {name: value for name, value in run.items() if name != "cancel"}, counted


class CancelsTooLate(Wrapped):
    """It stops when it is cancelled, but only once the burst that it has read is out."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        late = asyncio.Event()

        def fire() -> None:
            asyncio.get_running_loop().call_later(0.02, late.set)

        watch = asyncio.ensure_future(cancel.wait())
        watch.add_done_callback(lambda _: fire())
        try:
            run, counted = _counted(run, emit, fire)
            return await super().run(run, counted, late)
        finally:
            watch.cancel()


class FlushesCalls(Wrapped):
    """When it is told to stop it emits the calls that it has, finished or not."""

    def __init__(self) -> None:
        super().__init__()
        machines: list[ResponsesToVscode] = []

        class Kept(ResponsesToVscode):
            def __init__(self, traits: Mapping[str, object] | None = None) -> None:
                super().__init__(traits)
                machines.append(self)

        self.machines = machines
        self.inner = adapter(Kept)

    def done(self, done: Data, emit: Emit) -> Data:
        for call in self.machines[-1]._calls if done["outcome"] == "cancelled" else ():
            if call.call_id not in self.machines[-1]._emitted:
                id_ = PREFIX + call.call_id
                emit({"type": "toolCall", "callId": id_, "name": call.name, "input": {}})
        return done


class FailsWhenCancelled(Wrapped):
    """A cancelled run is a failed one."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] != "cancelled":
            return done
        error = {"kind": "transport", "message": "The operation was aborted."}
        return {**done, "outcome": "failed", "error": error}


class ThrowsWhenCancelled(Wrapped):
    """The exception of an aborted request leaves the adapter."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] == "cancelled":
            raise asyncio.CancelledError
        return done


class KeepsListening(Wrapped):
    """When it is cancelled it returns, and goes on reading in the background."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        run, counted = _counted(run, emit, cancel.set)

        def muted(part: Part) -> None:
            if not cancel.is_set():
                counted(part)

        reads = asyncio.ensure_future(self.inner.run(run, muted, asyncio.Event()))
        told = asyncio.ensure_future(cancel.wait())
        await asyncio.wait([reads, told], return_when=asyncio.FIRST_COMPLETED)
        if told.done():
            return {"type": "done", "id": run["id"], "outcome": "cancelled"}
        told.cancel()
        done: Data = reads.result()
        return done


ANIMALS = [
    wrapped("call-none-invented", FlushesCalls),
    wrapped("cancel-stops", CancelsTooLate),
    wrapped("cancel-resolves", FailsWhenCancelled),
    wrapped("cancel-resolves", ThrowsWhenCancelled),
    wrapped("cancel-upstream", KeepsListening),
]
