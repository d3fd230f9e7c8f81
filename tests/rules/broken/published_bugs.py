"""Broken adapters: bugs of published adapters, each alone in the reference adapter.

Sources: stream-mapping § The Whitespace Bug and the sections around it; the issues that scenarios
name in ``seen``.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import aiohttp
from aiohttp import ClientSession

from conformance.contract.adapter import Claims
from conformance.dialects.client.content import blank
from conformance.dialects.client.transport import http_failure
from conformance.dialects.openresponses.reference import vscode as reference
from conformance.dialects.openresponses.reference.items import Item
from conformance.dialects.openresponses.reference.machine import HANDLERS
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import BrokenAdapter, Data, Part, machined


class BlankForIgnored(ResponsesToVscode):
    """Emits a blank for each event without a handler (stream-mapping § The Whitespace Bug)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") not in HANDLERS:
            return [{"type": "text", "value": " "}]
        return super().event(data)


class ReadsReasoningFromAnotherField(ResponsesToVscode):
    """Reads reasoning from a field that the upstream does not send, and so emits none."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if "reasoning" in str(data.get("type")):
            data = {name: data[name] for name in data if name not in ("delta", "text", "part")}
        return super().event(data)

    def _content(self, item: Item, index: int, part: Mapping[str, Any]) -> None:
        if part.get("type") != "reasoning_text":
            super()._content(item, index, part)

    def _finished(self, item: Item, source: Mapping[str, Any], complete: bool) -> None:
        if source.get("type") != "reasoning":
            super()._finished(item, source, complete)


class ReadsErrorsFromAnotherField(ResponsesToVscode):
    """Reads errors from `errorText`, which no upstream sends, and so reports no reason."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        response = {**(data.get("response") or {}), "error": None}
        dropped = {"error", "message", "code", "response"}
        changed = {name: data[name] for name in data if name not in dropped}
        return super().event({**changed, "response": response} if "response" in data else changed)


class EmptyForBrokenArguments(ResponsesToVscode):
    """Emits a call whose arguments do not parse, with `{}` as its input."""

    def _emit_if_complete(self, call: Any) -> None:
        try:
            json.loads(call.arguments() or "{}")
        except ValueError:
            call.from_item = {}
        super()._emit_if_complete(call)


class NeedsArguments(ResponsesToVscode):
    """Drops a call without arguments and reports no error."""

    def _emit_if_complete(self, call: Any) -> None:
        if not blank(call.arguments()):
            super()._emit_if_complete(call)

    def _check_calls(self) -> None:
        self._calls = [call for call in self._calls if not blank(call.arguments())]
        super()._check_calls()


class KnowsItemsById(ResponsesToVscode):
    """Emits a text again if `output_text.done` has another item id than the text began with."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        done = data.get("type") == "response.output_text.done"
        if done and self._items.by_id and data.get("item_id") not in self._items.by_id:
            return [{"type": "text", "value": data["text"]}]
        return super().event(data)


class IgnoresErrorEvents(ResponsesToVscode):
    """Ignores the `error` event."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        return [] if data.get("type") == "error" else super().event(data)


class ShowsComments:
    """Has an SSE parser of its own, which emits comments as text."""

    def hello(self) -> Data:
        hello: Data = reference.Adapter().hello()
        return hello

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        machine = ResponsesToVscode({"call_id_prefix": "gw-"})
        try:
            async with (
                ClientSession() as session,
                session.post(
                    f"{run['base_url']}/responses", json=reference.request(run, "gw-")
                ) as response,
            ):
                if response.content_type != "text/event-stream":
                    machine.fail(*http_failure(response, await response.read()))
                async for line in response.content:
                    for part in self._parts(line.decode().rstrip("\r\n"), machine):
                        emit(part)
                    if machine.ended:
                        break
        except aiohttp.ClientError as error:
            machine.fail("transport", str(error))
        for part in machine.close():
            emit(part)
        return {**machine.end(), "id": run["id"]}

    def _parts(self, line: str, machine: ResponsesToVscode) -> list[Part]:
        name, _, value = line.partition(":")
        if not name and value:
            return [{"type": "text", "value": value}]
        if name != "data" or value.strip() == "[DONE]":
            return []
        try:
            event = json.loads(value)
        except ValueError:
            machine.fail("decode", "no JSON")
            return []
        return machine.event({"type": "error" if event.get("error") else "", **event})


BROKEN = [
    # Where unknown events stand beside those that it ignores, the finding may name them instead.
    machined("text-exact", BlankForIgnored, "ignored-silently"),
    machined("text-exact", KnowsItemsById),
    machined("thinking-routed", ReadsReasoningFromAnotherField),
    machined("error-told", ReadsErrorsFromAnotherField),
    # An adapter that ignores an error may emit what follows it as part of the answer.
    machined("error-told", IgnoresErrorEvents, "end-honest"),
    # The invalid call should have failed the run, but the run completes.
    machined("call-none-invented", EmptyForBrokenArguments, "end-honest"),
    machined("call-none-lost", NeedsArguments),
    BrokenAdapter(
        "ignored-silently", ShowsComments, ShowsComments.__name__, claims=Claims(), connects=True
    ),
]
