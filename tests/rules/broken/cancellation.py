"""Broken adapters: runs that are cancelled."""

import asyncio
from collections.abc import Callable, Mapping

from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import PREFIX, Data, Part, Wrapped, adapter, wrapped


def _counted(run: Data, emit: Emit, fire: Callable[[], None]) -> tuple[Data, Emit]:
    """The run without its `cancel` field, and an `emit` that calls ``fire`` at that part."""
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
    """Stops 20 ms after it is cancelled, and emits everything that it has read until then."""

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
    """Emits all pending calls when it is cancelled, complete or not."""

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
    """Reports a cancelled run as `failed`."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] != "cancelled":
            return done
        error = {"kind": "transport", "message": "The operation was aborted."}
        return {**done, "outcome": "failed", "error": error}


class ThrowsWhenCancelled(Wrapped):
    """Raises CancelledError from `run` when it is cancelled."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] == "cancelled":
            raise asyncio.CancelledError
        return done


class CrashesWhenCancelled(Wrapped):
    """Raises KeyError from `run` when it is cancelled."""

    def done(self, done: Data, emit: Emit) -> Data:
        return done if done["outcome"] != "cancelled" else done["usage"]


class KeepsListening(Wrapped):
    """Returns when it is cancelled, but goes on reading the stream in the background."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        run, counted = _counted(run, emit, cancel.set)

        def muted(part: Part) -> None:
            if not cancel.is_set():
                counted(part)

        reads = asyncio.ensure_future(self.inner.run(run, muted, asyncio.Event()))
        cancelled = asyncio.ensure_future(cancel.wait())
        await asyncio.wait([reads, cancelled], return_when=asyncio.FIRST_COMPLETED)
        if cancelled.done():
            return {"type": "done", "id": run["id"], "outcome": "cancelled"}
        cancelled.cancel()
        done: Data = reads.result()
        return done


BROKEN = [
    wrapped("call-none-invented", FlushesCalls),
    wrapped("cancel-stops", CancelsTooLate),
    wrapped("cancel-resolves", FailsWhenCancelled),
    wrapped("cancel-resolves", ThrowsWhenCancelled),
    wrapped("cancel-resolves", CrashesWhenCancelled),
    wrapped("cancel-upstream", KeepsListening),
]
