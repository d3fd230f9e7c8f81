"""Text, thinking and usage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference.machine import ENDED, ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.zoo.animal import (
    PREFIX,
    Animal,
    Data,
    Heard,
    Part,
    Wrapped,
    adapter,
    items_of,
    machined,
    wrapped,
)

# text-exact


class RepeatsWholeText(ResponsesToVscode):
    """The text comes in deltas, and again when it is done."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.done":
            parts = [*parts, {"type": "text", "value": data["text"]}]
        return parts


class TrimsDeltas(Heard):
    """It trims each delta."""

    def mishear(self, data: Data) -> None:
        if data["type"] == "response.output_text.delta":
            data["delta"] = data["delta"].strip()
        elif data["type"].endswith(".done") or "response" in data:
            # What it has trimmed it does not find out about later either.
            data.pop("text", None)
            data.pop("part", None)
            for item in items_of(data):
                item.pop("content", None)


# text-unicode and text-markup


class BreaksCharacters(Wrapped):
    """It decodes what it reads piece by piece, so that a cut character is lost."""

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text":
            part = {**part, "value": part["value"].replace("本", "\ufffd")}
        emit(part)


class TellsFailuresInHtml(Wrapped):
    """It shows a failure as text, as declared, but in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(errors="text")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text" and "**Error:**" in part["value"]:
            part = {**part, "value": part["value"].replace("**Error:**", "<b>Error:</b>")}
        emit(part)


# text-incremental


class BuffersText(ResponsesToVscode):
    """Text waits until something else comes, or the end."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        held: list[Part] = self.__dict__.setdefault("kept", [])
        parts = super().event(data)
        if self.phase != ENDED and all(part["type"] == "text" for part in parts):
            held += parts
            return []
        parts, held[:] = [*held, *parts], []
        return parts

    def close(self) -> list[Part]:
        held: list[Part] = self.__dict__.pop("kept", [])
        return [*held, *super().close()]


# usage-last


class CountsForItself(Wrapped):
    """Its usage is zero until it has counted for itself."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "usage": {"input": 0, "output": 0}}


ANIMALS = [
    Animal("thinking-routed", lambda: adapter(reasoning="text"), "ShowsThinking"),
    Animal("thinking-routed", lambda: adapter(reasoning="hidden"), "DropsThinking"),
    wrapped("text-unicode", BreaksCharacters),
    wrapped("text-markup", TellsFailuresInHtml, Traits(call_id_prefix=PREFIX, errors="text")),
    machined("text-exact", RepeatsWholeText),
    machined("text-exact", TrimsDeltas),
    wrapped("usage-last", CountsForItself),
    machined("text-incremental", BuffersText),
]
