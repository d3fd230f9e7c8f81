"""What an adapter asks for, what it emits at all, and what it should pass over."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from conformance.dialects.openresponses.reference.machine import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.zoo.animal import (
    Data,
    Part,
    Wrapped,
    machined,
    wrapped,
)

# request-valid


class SendsNonsense(Wrapped):
    """Its message content is a number."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        spoilt = {**run, "messages": [{"role": "user", "content": 5}]}
        return await super().run(spoilt, emit, cancel)


# part-known


class ReportsToolResults(Wrapped):
    """It reports a tool result beside each call, as if it had run the tool."""

    def part(self, part: Part, emit: Emit) -> None:
        emit(part)
        if part["type"] == "toolCall":
            emit({"type": "toolResult", "callId": part["callId"], "content": []})


class NamesTheFieldText(Wrapped):
    """Its text parts have `text` where the vocabulary has `value`."""

    def part(self, part: Part, emit: Emit) -> None:
        emit({"type": "text", "text": part["value"]} if part["type"] == "text" else part)


# part-after-end


class EmitsLate(Wrapped):
    """A task that outlives the run adds a last word."""

    task: asyncio.Task[None] | None = None

    def done(self, done: Data, emit: Emit) -> Data:
        async def later() -> None:
            await asyncio.sleep(0)
            emit({"type": "text", "value": "(done)"})

        self.task = asyncio.ensure_future(later())
        return done


# retry-clean


class TriesAgain(Wrapped):
    """It makes a request again where a run has failed so, whatever has come out of it."""

    kinds: tuple[str, ...]

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done = await super().run(run, emit, cancel)
        again = done.get("error", {}).get("kind") in self.kinds
        return await super().run(run, emit, cancel) if again else done


class TriesBrokenStreamsAgain(TriesAgain):
    """A connection that broke is opened again, and the whole answer is emitted."""

    kinds = ("transport", "truncated", "decode")


class TriesFailedResponsesAgain(TriesAgain):
    """A response that failed is asked for again, behind what was emitted of it."""

    kinds = ("upstream",)


# ignored-silently


def _is_foreign(data: Mapping[str, Any]) -> bool:
    return ":" in str(data.get("type"))


class BlankForUnknown(ResponsesToVscode):
    """A blank for every event that it does not know (stream-mapping § The Whitespace Bug)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if _is_foreign(data):
            return [{"type": "text", "value": " "}]
        return super().event(data)


class ThrowsOnUnknown(ResponsesToVscode):
    """An event that it does not know ends the run."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if _is_foreign(data):
            raise ValueError(f"Unhandled event {data['type']}")
        return super().event(data)


class StopsAtUnknown(ResponsesToVscode):
    """It takes an event that it does not know for the end, and says that all went well."""

    stopped = False

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        self.stopped = self.stopped or _is_foreign(data)
        terminal = str(data.get("type")) == "response.completed"
        if self.stopped and not terminal:
            return []
        return super().event({**data, "response": {}} if self.stopped else data)


class CallsUnknownItems(ResponsesToVscode):
    """It makes a tool call of an item that it does not know."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        item = data.get("item") or {}
        if data["type"] == "response.output_item.done" and ":" in str(item.get("type")):
            return [{"type": "toolCall", "callId": item["id"], "name": "search", "input": {}}]
        return super().event(data)


ANIMALS = [
    wrapped("request-valid", SendsNonsense),
    wrapped("part-known", ReportsToolResults),
    wrapped("part-known", NamesTheFieldText),
    wrapped("part-after-end", EmitsLate),
    wrapped("retry-clean", TriesBrokenStreamsAgain),
    wrapped("retry-clean", TriesFailedResponsesAgain),
    machined("ignored-silently", BlankForUnknown),
    machined("ignored-silently", ThrowsOnUnknown),
    machined("ignored-silently", StopsAtUnknown),
    machined("ignored-silently", CallsUnknownItems),
]
