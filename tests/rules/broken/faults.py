"""Broken adapters that no scenario convicts as it is written, but a fault at some place does."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Adapter, Emit
from mockserver.foundation.call_arguments import read_arguments
from tests.rules.broken.broken_adapter import PREFIX, Data, Part, Wrapped, adapter


class _Watched(Wrapped):
    """The reference adapter; ``seen`` are the events of its last run, ``out`` its parts."""

    def __init__(self) -> None:
        seen: list[Data] = []

        class Machine(ResponsesToVscode):
            def __init__(self, traits: Mapping[str, object] | None = None) -> None:
                super().__init__(traits)
                seen.clear()

            def event(self, data: Mapping[str, object]) -> list[Part]:
                seen.append(dict(data))
                return super().event(dict(data))

        self.seen, self.out = seen, list[Part]()
        self.inner = adapter(Machine)

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        self.out.clear()
        return await super().run(run, emit, cancel)

    def part(self, part: Part, emit: Emit) -> None:
        self.out.append(part)
        emit(part)


def _broke(done: Data) -> bool:
    return done.get("error", {}).get("kind") in ("truncated", "transport")


class CompletesAfterTheLastItem(_Watched):
    """Reports a stream that is reset as completed, if no item of it was open."""

    def done(self, done: Data, emit: Emit) -> Data:
        is_last = bool(self.seen) and self.seen[-1]["type"] == "response.output_item.done"
        if is_last and done.get("error", {}).get("kind") == "transport":
            return {"type": "done", "id": done["id"], "outcome": "completed", "finish": "stop"}
        return done


class RunsParsableCalls(_Watched):
    """When a stream breaks off, emits a call whose arguments so far are an object."""

    def done(self, done: Data, emit: Emit) -> Data:
        calls = {e.get("output_index"): e["item"] for e in self.seen if _adds_call(e)}
        for at, item in calls.items() if _broke(done) else ():
            deltas = (e for e in self.seen if e["type"] == "response.function_call_arguments.delta")
            said = "".join(e["delta"] for e in deltas if e["output_index"] == at)
            id_ = PREFIX + item["call_id"]
            read = read_arguments(said)
            if read.kind == "object" and id_ not in [part.get("callId") for part in self.out]:
                call = {"callId": id_, "name": item["name"], "input": read.value}
                emit({"type": "toolCall", **call})
        return done


def _adds_call(event: Data) -> bool:
    item = event.get("item") or {}
    return bool(
        event["type"] == "response.output_item.added" and item.get("type") == "function_call"
    )


class TellsStringErrorsTwice(_Watched):
    """After some text, an error that is a string is reported in the text and by the failure."""

    def done(self, done: Data, emit: Emit) -> Data:
        strings = [e["error"] for e in self.seen if isinstance(e.get("error"), str)]
        if strings and any(part["type"] == "text" for part in self.out):
            emit({"type": "text", "value": f"\n\n{strings[0]}"})
        return done


class RetriesUntilTextIsOut(_Watched):
    """Makes the request again if the stream breaks off before its first text, even after a call."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done = await super().run(run, emit, cancel)
        began = any(part["type"] == "text" for part in self.out)
        if _broke(done) and self.out and not began and not cancel.is_set():
            return await super().run(run, emit, cancel)
        return done


class ReadsEndingsThatAreCutOff(_Watched):
    """Takes the beginning of an event's name for the event: half of a completion completes."""

    def done(self, done: Data, emit: Emit) -> Data:
        if "response.completed" in str(done.get("error", {}).get("message")):
            return {"type": "done", "id": done["id"], "outcome": "completed", "finish": "stop"}
        return done


@dataclass(frozen=True)
class Faulty:
    """A broken adapter of OpenResponses, the rule that it breaks, and the case that shows it."""

    rule: str
    make: type[Adapter]
    case: str


FAULTY = (
    Faulty(
        "end-honest",
        CompletesAfterTheLastItem,
        "any/text-between-calls@openresponses+stop:terminal:reset",
    ),
    Faulty(
        "end-honest",
        ReadsEndingsThatAreCutOff,
        "any/two-equal-messages@openresponses+junk:terminal",
    ),
    Faulty(
        "call-none-invented",
        RunsParsableCalls,
        "any/empty-object-arguments@openresponses+stop:4:cut",
    ),
    Faulty(
        "error-told",
        TellsStringErrorsTwice,
        "any/two-equal-messages@openresponses+error:terminal:string",
    ),
    Faulty(
        "retry-clean",
        RetriesUntilTextIsOut,
        "any/empty-object-arguments@openresponses+stop:terminal:cut",
    ),
)
"""For each rule about broken answers, the adapters that only a fault exposes."""
