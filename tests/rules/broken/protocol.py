"""Broken adapters: requests, kinds of parts, parts after the end, retries and unknown events."""

import asyncio
from collections.abc import Mapping
from typing import Any

from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import Data, Part, Wrapped, machined, wrapped


class SendsNonsense(Wrapped):
    """Sends a message whose content is a number."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        spoilt = {**run, "messages": [{"role": "user", "content": 5}]}
        return await super().run(spoilt, emit, cancel)


class ReportsToolResults(Wrapped):
    """Emits a tool result after each call, as if it had run the tool."""

    def part(self, part: Part, emit: Emit) -> None:
        emit(part)
        if part["type"] == "toolCall":
            emit({"type": "toolResult", "callId": part["callId"], "content": []})


class NamesTheFieldText(Wrapped):
    """Emits text parts with `text` in place of the vocabulary's `value`."""

    def part(self, part: Part, emit: Emit) -> None:
        emit({"type": "text", "text": part["value"]} if part["type"] == "text" else part)


class EmitsAfterDone(Wrapped):
    """Emits a text part from a background task after the run has returned."""

    task: asyncio.Task[None] | None = None

    def done(self, done: Data, emit: Emit) -> Data:
        async def later() -> None:
            await asyncio.sleep(0)
            emit({"type": "text", "value": "(done)"})

        self.task = asyncio.ensure_future(later())
        return done


class TriesAgain(Wrapped):
    """Retries a run that failed with one of `kinds`, also after parts have been emitted."""

    kinds: tuple[str, ...]

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done = await super().run(run, emit, cancel)
        again = done.get("error", {}).get("kind") in self.kinds
        return await super().run(run, emit, cancel) if again else done


class TriesBrokenStreamsAgain(TriesAgain):
    """Retries after the connection broke, and emits the answer from its beginning."""

    kinds = ("transport", "truncated", "decode")


class TriesFailedResponsesAgain(TriesAgain):
    """Retries after the response failed, and emits the answer from its beginning."""

    kinds = ("upstream",)


def _is_unknown(data: Mapping[str, Any]) -> bool:
    return ":" in str(data.get("type"))


class BlankForUnknown(ResponsesToVscode):
    """Emits a blank for each unknown event (stream-mapping § The Whitespace Bug)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if _is_unknown(data):
            return [{"type": "text", "value": " "}]
        return super().event(data)


class ThrowsOnUnknown(ResponsesToVscode):
    """Raises an exception for an unknown event."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if _is_unknown(data):
            raise ValueError(f"Unhandled event {data['type']}")
        return super().event(data)


class StopsAtUnknown(ResponsesToVscode):
    """Ignores everything after an unknown event, and reports the run as completed."""

    stopped = False

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        self.stopped = self.stopped or _is_unknown(data)
        terminal = str(data.get("type")) == "response.completed"
        if self.stopped and not terminal:
            return []
        return super().event({**data, "response": {}} if self.stopped else data)


class CallsUnknownItems(ResponsesToVscode):
    """Emits a tool call for an output item of an unknown type."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        item = data.get("item") or {}
        if data["type"] == "response.output_item.done" and ":" in str(item.get("type")):
            return [{"type": "toolCall", "callId": item["id"], "name": "search", "input": {}}]
        return super().event(data)


BROKEN = [
    wrapped("request-valid", SendsNonsense),
    wrapped("part-known", ReportsToolResults),
    wrapped("part-known", NamesTheFieldText),
    wrapped("part-after-end", EmitsAfterDone),
    wrapped("retry-clean", TriesBrokenStreamsAgain),
    wrapped("retry-clean", TriesFailedResponsesAgain),
    machined("ignored-silently", BlankForUnknown),
    machined("ignored-silently", ThrowsOnUnknown),
    machined("ignored-silently", StopsAtUnknown),
    machined("ignored-silently", CallsUnknownItems),
]
