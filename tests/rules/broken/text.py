"""Broken adapters: text, thinking and usage."""

from collections.abc import Mapping
from typing import Any

from conformance.contract.traits import THINKING_PREFIX, Traits
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

# text-exact


class RepeatsWholeText(ResponsesToVscode):
    """Emits text with its deltas, and again at `output_text.done`."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.done":
            parts = [*parts, {"type": "text", "value": data["text"]}]
        return parts


class TrimsDeltas(ChangedEvents):
    """Trims the white space around each delta."""

    def change(self, data: Data) -> None:
        if data["type"] == "response.output_text.delta" and data["delta"]:
            data["delta"] = data["delta"].strip()
        elif data["type"].endswith(".done") or "response" in data:
            # Without the complete text, the machine does not notice what is missing.
            data.pop("text", None)
            data.pop("part", None)
            for item in items_of(data):
                item.pop("content", None)


# text-unicode and text-markup


class BreaksCharacters(Wrapped):
    """Emits U+FFFD for `本`, as an adapter does that decodes each read by itself."""

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text":
            part = {**part, "value": part["value"].replace("本", "\ufffd")}
        emit(part)


class ShowsFailuresInHtml(Wrapped):
    """Declares `errors: text`, and emits errors as HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(errors="text")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text" and "**Error:**" in part["value"]:
            part = {**part, "value": part["value"].replace("**Error:**", "<b>Error:</b>")}
        emit(part)


# thinking-routed, for hosts without thinking parts

IN_PREFIXED_TEXT = Traits(call_id_prefix=PREFIX, reasoning="prefixed")


class PrefixesTheAnswer(Wrapped):
    """Declares `reasoning: prefixed`, and puts the prefix before the answer too."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(reasoning="prefixed")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text":
            part = {**part, "value": THINKING_PREFIX + part["value"].removeprefix(THINKING_PREFIX)}
        emit(part)


class PrefixesTheFirstThought(Wrapped):
    """Declares `reasoning: prefixed`, and puts the prefix before the first part of a thought."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(reasoning="prefixed")
        self.is_thinking = False

    def part(self, part: Part, emit: Emit) -> None:
        was_thinking = self.is_thinking
        self.is_thinking = part.get("value", "").startswith(THINKING_PREFIX)
        if was_thinking and self.is_thinking:
            part = {**part, "value": part["value"].removeprefix(THINKING_PREFIX)}
        emit(part)


# text-incremental


class BuffersText(ResponsesToVscode):
    """Holds text until another part follows or the stream ends."""

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


class ReportsZeroUsage(Wrapped):
    """Reports a usage of zero in place of the upstream's."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "usage": {"input": 0, "output": 0}}


BROKEN = [
    BrokenAdapter("thinking-routed", lambda: adapter(reasoning="text"), "ShowsThinking"),
    BrokenAdapter("thinking-routed", lambda: adapter(reasoning="hidden"), "DropsThinking"),
    *(
        BrokenAdapter("thinking-routed", make, name, IN_PREFIXED_TEXT)
        for name, make in {
            "ForgetsThePrefix": lambda: adapter(reasoning="text"),
            "DropsPrefixedThinking": lambda: adapter(reasoning="hidden"),
            "PrefixesTheAnswer": PrefixesTheAnswer,
            "PrefixesTheFirstThought": PrefixesTheFirstThought,
        }.items()
    ),
    wrapped("text-unicode", BreaksCharacters),
    wrapped("text-markup", ShowsFailuresInHtml, Traits(call_id_prefix=PREFIX, errors="text")),
    machined("text-exact", RepeatsWholeText),
    machined("text-exact", TrimsDeltas),
    wrapped("usage-last", ReportsZeroUsage),
    machined("text-incremental", BuffersText),
]
