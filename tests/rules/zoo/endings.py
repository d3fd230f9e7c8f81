"""How a run ends, and what is told of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from conformance.contract.traits import Traits
from conformance.drivers.python import Emit
from tests.rules.zoo.animal import (
    PREFIX,
    Animal,
    Data,
    Wrapped,
    adapter,
    wrapped,
)

# end-once


class NeverEnds(Wrapped):
    """It goes on waiting when the stream has ended."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done = await super().run(run, emit, cancel)
        await cancel.wait()
        return {"type": "done", "id": done["id"], "outcome": "cancelled"}


# error-told


class TellsTwice(Wrapped):
    """It rejects, and shows the failure as text as well."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done.get("error", {}).get("kind") == "upstream":
            emit({"type": "text", "value": f"\n\n**Error:** {done['error']['message']}"})
        return done


class LosesTheMessage(Wrapped):
    """It fails as it should, but keeps the reason to itself."""

    def done(self, done: Data, emit: Emit) -> Data:
        if "error" in done:
            return {**done, "error": {"kind": "unknown", "message": "Something went wrong."}}
        return done


class TellsNothingInText(Wrapped):
    """It declares that failures are told in the text, and rejects without a word."""


# end-honest


class SwallowsFailures(Wrapped):
    """A failed response resolves like a finished one."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] == "failed" and done["error"]["kind"] != "decode":
            return {"type": "done", "id": done["id"], "outcome": "completed", "finish": "stop"}
        return done


class TakesACutForTheEnd(Wrapped):
    """The end of the connection is the end of the answer."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done.get("error", {}).get("kind") in ("truncated", "transport"):
            return {"type": "done", "id": done["id"], "outcome": "completed"}
        return done


class IncompleteIsStop(Wrapped):
    """An answer that was cut short finishes with `stop`."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "finish": "stop"} if done.get("finish") == "length" else done


class SaysNoFinish(Wrapped):
    """Nothing says that an answer was cut short."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {name: value for name, value in done.items() if name != "finish"}


class NeedsDone(Wrapped):
    """It takes a stream for broken although its response has completed."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] != "completed":
            return done
        error = {"kind": "truncated", "message": "no finish reason"}
        return {"type": "done", "id": done["id"], "outcome": "failed", "error": error}


ANIMALS = [
    Animal("end-once", NeverEnds, NeverEnds.__name__),
    wrapped("error-told", TellsTwice),
    wrapped("error-told", LosesTheMessage),
    wrapped("error-told", TellsNothingInText, Traits(call_id_prefix=PREFIX, errors="text")),
    Animal("refusal-routed", lambda: adapter(refusal="hidden"), "HidesRefusals"),
    Animal("refusal-routed", lambda: adapter(refusal="error"), "FailsOnRefusals"),
    wrapped("end-honest", SwallowsFailures),
    wrapped("end-honest", TakesACutForTheEnd),
    wrapped("end-honest", IncompleteIsStop),
    wrapped("end-honest", SaysNoFinish),
    # Where an error behind the end may be told, a failure of its own making is one told wrongly.
    replace(wrapped("end-honest", NeedsDone), also=frozenset({"error-told"})),
]
