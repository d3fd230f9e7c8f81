"""Broken adapters: how a run ends, its errors and its finish reason."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import (
    PREFIX,
    BrokenAdapter,
    Data,
    Part,
    Wrapped,
    adapter,
    machined,
    wrapped,
)

IN_TEXT = Traits(call_id_prefix=PREFIX, errors="text")


class NeverEnds(Wrapped):
    """Does not return when the stream has ended, until it is cancelled."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done = await super().run(run, emit, cancel)
        await cancel.wait()
        return {"type": "done", "id": done["id"], "outcome": "cancelled"}


class ReportsErrorsTwice(Wrapped):
    """Reports an upstream error in `done`, and emits it as text too."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done.get("error", {}).get("kind") == "upstream":
            emit({"type": "text", "value": f"\n\n**Error:** {done['error']['message']}"})
        return done


class LosesTheMessage(Wrapped):
    """Fails with a fixed message in place of the upstream's."""

    def done(self, done: Data, emit: Emit) -> Data:
        if "error" in done:
            return {**done, "error": {"kind": "unknown", "message": "Something went wrong."}}
        return done


class RejectsAsUnknown(Wrapped):
    """Fails with the upstream's message and code, as an error of a class that no host knows."""

    def done(self, done: Data, emit: Emit) -> Data:
        if "error" in done:
            return {**done, "error": {**done["error"], "thrown": "Error"}}
        return done


class DeclaresTextAndRejects(Wrapped):
    """Declares `errors: text`, but reports errors in `done` and emits no text about them."""


class TellsTheFailureTwice(Wrapped):
    """Declares `errors: text`, and repeats what it says about a failure at the end."""

    def __init__(self) -> None:
        self.inner = adapter(errors="text")
        self.last: Part = {}

    def part(self, part: Part, emit: Emit) -> None:
        self.last = part
        emit(part)

    def done(self, done: Data, emit: Emit) -> Data:
        last, self.last = self.last, {}
        if "**Error:**" in str(last.get("value")):
            emit(last)
        return done


class TellsItInWordsOfItsOwn(Wrapped):
    """Declares `errors: text`, and says that something failed without the upstream's message."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] != "failed":
            return done
        emit({"type": "text", "value": "\n\nSomething went wrong."})
        return {"type": "done", "id": done["id"], "outcome": "completed"}


class TellsACutByABlank(Wrapped):
    """Declares `errors: text`, and a stream that is cut is a blank in it."""

    def __init__(self) -> None:
        self.inner = adapter(errors="text")

    def part(self, part: Part, emit: Emit) -> None:
        is_cut = "the stream ended before the response did" in str(part.get("value"))
        emit({**part, "value": " "} if is_cut else part)


class SwallowsFailures(Wrapped):
    """Reports a failed response as completed with `stop`."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] == "failed" and done["error"]["kind"] != "decode":
            return {"type": "done", "id": done["id"], "outcome": "completed", "finish": "stop"}
        return done


class TakesACutForCompletion(Wrapped):
    """Reports a stream that was cut off as completed."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done.get("error", {}).get("kind") in ("truncated", "transport"):
            return {"type": "done", "id": done["id"], "outcome": "completed"}
        return done


class IncompleteIsStop(Wrapped):
    """Reports the finish `stop` for an answer that was cut off by its length."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "finish": "stop"} if done.get("finish") == "length" else done


class FiltersAreLimits(Wrapped):
    """Reports the finish `length` for an answer that the content filter cut off."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "finish": "length"} if done.get("finish") == "content-filter" else done


class EndsCallsWithStop(Wrapped):
    """Reports the finish `stop` although there are calls for the host."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "finish": "stop"} if done.get("finish") == "tool-calls" else done


class IgnoresIncomplete(ResponsesToVscode):
    """Does not read `response.incomplete`, and so takes the response for one that never ended."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        return [] if data.get("type") == "response.incomplete" else super().event(data)


class FailsWhenIncomplete(Wrapped):
    """Fails an incomplete response, and does not say that it is incomplete."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done.get("finish") not in ("length", "content-filter", "other"):
            return done
        error = {"kind": "upstream", "message": "The model did not answer."}
        return {"type": "done", "id": done["id"], "outcome": "failed", "error": error}


class SaysNoFinish(Wrapped):
    """Reports no finish reason."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {name: value for name, value in done.items() if name != "finish"}


class SaysNoUsage(Wrapped):
    """Reports no usage."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {name: value for name, value in done.items() if name != "usage"}


class FailsCompletedRuns(Wrapped):
    """Fails every run whose response has completed."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] != "completed":
            return done
        error = {"kind": "truncated", "message": "no finish reason"}
        return {"type": "done", "id": done["id"], "outcome": "failed", "error": error}


BROKEN = [
    BrokenAdapter("end-once", NeverEnds, NeverEnds.__name__),
    # Of a failure without words, the kit cannot know that the text is about it.
    replace(wrapped("error-told", ReportsErrorsTwice), also=frozenset({"text-exact"})),
    wrapped("error-told", LosesTheMessage),
    wrapped("error-told", RejectsAsUnknown),
    wrapped("error-told", DeclaresTextAndRejects, IN_TEXT),
    wrapped("error-told", TellsTheFailureTwice, IN_TEXT),
    wrapped("error-told", TellsItInWordsOfItsOwn, IN_TEXT),
    replace(wrapped("error-told", SwallowsFailures, IN_TEXT), also=frozenset({"end-honest"})),
    BrokenAdapter("refusal-routed", lambda: adapter(refusal="hidden"), "HidesRefusals"),
    BrokenAdapter("refusal-routed", lambda: adapter(refusal="error"), "FailsOnRefusals"),
    wrapped("end-honest", TellsACutByABlank, IN_TEXT),
    wrapped("end-honest", SwallowsFailures),
    wrapped("end-honest", TakesACutForCompletion),
    wrapped("end-honest", IncompleteIsStop),
    wrapped("end-honest", FiltersAreLimits),
    wrapped("finish-reason", EndsCallsWithStop),
    machined("end-honest", IgnoresIncomplete),
    wrapped("end-honest", FailsWhenIncomplete),
    wrapped("end-honest", SaysNoFinish),
    wrapped("end-honest", FailsCompletedRuns),
    replace(
        wrapped("finish-reason", SaysNoFinish),
        claims=Claims(cancel=True, finish=True),
        also=frozenset({"end-honest"}),
    ),
    replace(wrapped("usage-last", SaysNoUsage), claims=Claims(cancel=True, usage=True)),
]
