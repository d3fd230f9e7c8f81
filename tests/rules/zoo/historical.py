"""Bugs that real adapters had, made small: each is the reference adapter but for that one bug.

Sources: stream-mapping § The Whitespace Bug and its neighbours; the issues that scenarios name in
``seen``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import aiohttp

from conformance.contract.adapter import Claims
from conformance.dialects.openresponses.reference import vscode as reference
from conformance.dialects.openresponses.reference.machine import HANDLERS, ResponsesToVscode
from conformance.dialects.openresponses.reference.response_state import Item, blank
from conformance.drivers.python import Emit
from tests.rules.zoo.animal import Animal, Data, Part, machined


class BlankForIgnored(ResponsesToVscode):
    """A blank for each event that it has no use for (stream-mapping § The Whitespace Bug)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") not in HANDLERS:
            return [{"type": "text", "value": " "}]
        return super().event(data)


class ReadsReasoningFromAnotherField(ResponsesToVscode):
    """It reads reasoning where another version of the upstream had it, and so finds none."""

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
    """It looks for an `errorText` that no upstream sends, and so can tell nothing."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        response = {**(data.get("response") or {}), "error": None}
        told = {"error", "message", "code", "response"}
        heard = {name: data[name] for name in data if name not in told}
        return super().event({**heard, "response": response} if "response" in data else heard)


class EmptyForBrokenArguments(ResponsesToVscode):
    """Arguments that do not parse become an empty object, and the call is made."""

    def _emit_if_complete(self, call: Any) -> None:
        try:
            json.loads(call.arguments() or "{}")
        except ValueError:
            call.from_item = {}
        super()._emit_if_complete(call)


class NeedsArguments(ResponsesToVscode):
    """A call without arguments is none to it, and nobody hears of that."""

    def _emit_if_complete(self, call: Any) -> None:
        if not blank(call.arguments()):
            super()._emit_if_complete(call)

    def _check_calls(self, *complete_by: str) -> None:
        self._calls = [call for call in self._calls if not blank(call.arguments())]
        super()._check_calls(*complete_by)


class KnowsItemsById(ResponsesToVscode):
    """A text that is done under another id than it began with is a new text to it."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        done = data.get("type") == "response.output_text.done"
        if done and self._by_id and data.get("item_id") not in self._by_id:
            return [{"type": "text", "value": data["text"]}]
        return super().event(data)


class IgnoresErrorEvents(ResponsesToVscode):
    """It has no case for the `error` event."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        return [] if data.get("type") == "error" else super().event(data)


class ShowsComments:
    """It splits lines for itself, and what is no field of an event is text to it."""

    def hello(self) -> Data:
        hello: Data = reference.Adapter().hello()
        return hello

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        machine = ResponsesToVscode({"call_id_prefix": "gw-"})
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.post(
                    f"{run['base_url']}/responses", json=reference.request(run, "gw-")
                ) as response,
            ):
                if response.content_type != "text/event-stream":
                    machine.fail(*reference.http_failure(response, await response.read()))
                async for line in response.content:
                    for part in self._parts(line.decode().rstrip("\r\n"), machine):
                        emit(part)
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


ANIMALS = [
    # Where foreign events stand beside those that it ignores, they may be what is blamed.
    machined("text-exact", BlankForIgnored, "ignored-silently"),
    machined("text-exact", KnowsItemsById),
    machined("thinking-routed", ReadsReasoningFromAnotherField),
    machined("error-told", ReadsErrorsFromAnotherField),
    # Whoever does not hear an error may take what follows it for the answer.
    machined("error-told", IgnoresErrorEvents, "end-honest", "text-exact"),
    # A call that should have failed the run ends it well.
    machined("call-none-invented", EmptyForBrokenArguments, "end-honest"),
    machined("call-none-lost", NeedsArguments),
    Animal(
        "ignored-silently",
        ShowsComments,
        ShowsComments.__name__,
        claims=Claims(),
        connects=True,
    ),
]
