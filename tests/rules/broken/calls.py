"""Broken adapters: tool calls and their order."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference.machine import ENDED
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import (
    PREFIX,
    BrokenAdapter,
    ChangedEvents,
    Data,
    Part,
    Wrapped,
    adapter,
    items_of,
    machined,
    wrapped,
)


class EmitsAtEachPoint(ResponsesToVscode):
    """Emits a call at each event that completes it: arguments, item and response done."""

    def _emit_if_complete(self, call: Any) -> None:
        if call.emitted:
            self._emitted.pop(call.call_id, None)
            call.emitted = False
        super()._emit_if_complete(call)


class EmitsWhenItParses(ResponsesToVscode):
    """Emits a call as soon as its arguments parse as JSON, before they are done."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.function_call_arguments.delta":
            for call in self._calls:
                if "".join(call.deltas).strip():
                    self._emit_if_complete(call)
            parts += self._emitter.take()
        return parts


class UsesItemIds(ChangedEvents):
    """Emits the output item's `id` in place of `call_id`, unless another call has that id."""

    def change(self, data: Data) -> None:
        ids: dict[str, str] = self.__dict__.setdefault("ids", {})
        for item in items_of(data):
            if (call_id := item.get("call_id")) and item["id"] not in ids.values():
                ids.setdefault(call_id, item["id"])
            if call_id in ids:
                item["call_id"] = ids[call_id]


class RoundsNumbers(Wrapped):
    """Drops the fraction of numbers in the input."""

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "toolCall":
            text = json.dumps(part["input"])
            part = {**part, "input": json.loads(text, parse_float=lambda n: int(float(n)))}
        emit(part)


class RepeatsTheName(ChangedEvents):
    """Concatenates the names of all events about a call, so a name comes out twice."""

    def change(self, data: Data) -> None:
        for item in items_of(data):
            if item.get("type") == "function_call":
                item["name"] = item["name"] * 2


class RunsIncompleteCalls(ChangedEvents):
    """Emits a call with status `incomplete` as a complete one, with `{}` as its input."""

    def change(self, data: Data) -> None:
        for item in items_of(data):
            if item.get("status") == "incomplete" and item["type"] == "function_call":
                item.update(status="completed", arguments="{}")


class ForgetsTheFinalResponse(ChangedEvents):
    """Ignores calls that are only in the output of `response.completed`."""

    def change(self, data: Data) -> None:
        if data["type"] == "response.completed":
            data["response"]["output"] = [i for i in items_of(data) if i["type"] != "function_call"]


class NeedsAnnouncement(ChangedEvents):
    """Ignores every event about a call without a preceding `response.output_item.added`."""

    def change(self, data: Data) -> None:
        known: set[object] = self.__dict__.setdefault("announced", set())
        if data["type"] == "response.output_item.added":
            known.add(data.get("output_index"))
        about_call = "arguments" in data["type"] or _is_call(data.get("item"))
        if about_call and data.get("output_index") not in known:
            data["type"] = "skipped"
        if response := data.get("response"):
            response["output"] = [i for i in response.get("output") or [] if not _is_call(i)]


def _is_call(item: Data | None) -> bool:
    return (item or {}).get("type") == "function_call"


class DropsCallsOfUnknownTools(Wrapped):
    """Drops a call of a tool that was not offered, and reports the run as completed."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        self.offered = {tool["name"] for tool in run["tools"]}
        return await super().run(run, emit, cancel)

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] != "toolCall" or part["name"] in self.offered:
            emit(part)


class HoldsCalls(ResponsesToVscode):
    """Holds calls until the end."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        held: list[Part] = self.__dict__.setdefault("held", [])
        out: list[Part] = []
        for part in super().event(data):
            (held if part["type"] == "toolCall" else out).append(part)
        if self.phase == ENDED:
            out, held[:] = [*out, *held], []
        return out

    def close(self) -> list[Part]:
        held: list[Part] = self.__dict__.pop("held", [])
        return [*held, *super().close()]


class ForgetsItems(ResponsesToVscode):
    """Emits a call when its arguments are done, or else with the final response."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        self.ends_item = data["type"] == "response.output_item.done"
        return super().event(data)

    def _emit_if_complete(self, call: Any) -> None:
        if not self.ends_item:
            super()._emit_if_complete(call)


_AT_ITEM, _AT_END = (Traits(PREFIX, emit_call_at=at) for at in ("item", "end"))


def _early(declared: Traits) -> BrokenAdapter:
    """An adapter that emits calls with their arguments and declares a later point."""
    name = f"EmitsBefore{declared.emit_call_at.title()}"
    return BrokenAdapter("call-prompt", adapter, name, declared)


BROKEN = [
    machined("call-once", EmitsAtEachPoint),
    machined("call-not-early", EmitsWhenItParses),
    machined("call-complete", UsesItemIds),
    wrapped("call-complete", RoundsNumbers),
    machined("call-name", RepeatsTheName),
    BrokenAdapter("call-namespaced", lambda: adapter(call_id_prefix=""), "ForgetsThePrefix"),
    machined("call-none-invented", RunsIncompleteCalls),
    machined("call-none-lost", ForgetsTheFinalResponse),
    machined("call-none-lost", NeedsAnnouncement),
    replace(
        wrapped("call-none-lost", DropsCallsOfUnknownTools), only="any/tool-that-was-not-offered"
    ),
    machined("part-order", HoldsCalls),
    replace(machined("part-order", ForgetsItems), only="openresponses/call-only-in-item"),
    BrokenAdapter(
        "part-order",
        lambda: adapter(emit_call_at="item"),
        "EmitsWithTheItem",
        only="openresponses/text-between-arguments-and-item",
    ),
    replace(_early(_AT_ITEM), only="openresponses/text-between-arguments-and-item"),
    _early(_AT_END),
]
