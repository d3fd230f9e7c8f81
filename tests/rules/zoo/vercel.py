"""Adapters of full streams: the bugs of stream-mapping, and fields read by the wrong name.

Each is the reference adapter but for one bug. Sources: stream-mapping § Bug Analysis; the issues
that scenarios name in ``seen``.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.dialects.vercel.reference import fullstream as reference
from conformance.dialects.vercel.reference.machine import HANDLERS, FullStream
from tests.rules.zoo.animal import Animal, Data, Part

DECLARED = Traits()
CLAIMED = Claims(cancel=True)
SINCE_V5 = Claims(cancel=True, generations=("v5", "v6", "v7"))

FRAMES = ("text-start", "text-end", "tool-input-", "start-step", "finish-step")
STREAMED = ("tool-input-", "tool-call-streaming-start", "tool-call-delta")
UNKNOWN = "Unknown error occurred"


def of_full_stream(
    rule: str,
    machine: type[FullStream],
    *also: str,
    traits: Traits = DECLARED,
    claims: Claims = CLAIMED,
) -> Animal:
    """The reference adapter of full streams, with another machine."""
    return Animal(
        rule,
        lambda: reference.Adapter({}, machine),
        machine.__name__,
        traits,
        claims,
        also=frozenset(also),
        dialect="vercel-fullstream",
    )


class HeardOtherwise(FullStream):
    """A machine that hears parts otherwise than they were said."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        heard = copy.deepcopy(dict(data))
        self.mishear(str(heard.get("type")), heard)
        return super().event(heard)

    def mishear(self, kind: str, data: Data) -> None:
        raise NotImplementedError


class Remembering(FullStream):
    """A machine that remembers ids which it has seen, and parts that it holds back."""

    def __init__(self, traits: Mapping[str, Any] | None = None) -> None:
        super().__init__(traits)
        self.seen: set[str] = set()
        self.held: list[Part] = []

    def hold(self, parts: list[Part]) -> list[Part]:
        self.held += parts
        return []

    def let_go(self) -> list[Part]:
        held, self.held = self.held, []
        return held


# The bugs that stream-mapping tells of.


class BlankForUnhandled(FullStream):
    """A blank for each part that it has no use for (§ The Whitespace Bug)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        kind = str(data.get("type"))
        if not self.ended and (kind not in HANDLERS or kind.startswith(FRAMES)):
            return [{"type": "text", "value": " "}, *super().event(data)]
        return super().event(data)


class ReadsErrorText(HeardOtherwise):
    """It fails as it should, but looks for the reason in `errorText` (§ Stream Error Chunk)."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "error":
            data["error"] = data.get("errorText") or UNKNOWN


class NeedsErrorText(FullStream):
    """An error without an `errorText` is none to it, and the stream ends as streams do."""

    failed = False

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "error" and not data.get("errorText"):
            self.failed = True
            return []
        return super().event(data)

    def end(self) -> dict[str, object]:
        if self.failed:
            return {"type": "done", "outcome": "completed", "finish": "stop"}
        return super().end()


class ReadsReasoningFromDelta(HeardOtherwise):
    """It reads reasoning where providers have it (§ Reasoning Handler, turned round)."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "reasoning-delta":
            data.pop("text", None)


class WaitsForWholeCalls(FullStream):
    """What is told of a call in pieces is nothing to it (§ Tool Call Streaming)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        return [] if str(data.get("type")).startswith(STREAMED) else super().event(data)


# Names of other generations.


class PrefersTextDelta(HeardOtherwise):
    """`textDelta ?? text`: where the old name is there, it counts, be it empty."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "text-delta" and "textDelta" in data:
            data["text"] = data["textDelta"]


class PrefersDelta(HeardOtherwise):
    """`delta ?? text`, of reasoning."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "reasoning-delta" and "delta" in data:
            data["text"] = data["delta"]


class PrefersArgs(HeardOtherwise):
    """`args ?? input`."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "tool-call" and "args" in data:
            data["input"] = data["args"]


class AddsUpTheNames(HeardOtherwise):
    """It reads each name that a delta ever had, and shows them all."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "text-delta":
            names = ("text", "textDelta", "delta")
            data["text"] = "".join(str(data.get(name) or "") for name in names)


class EmptyForAStaleName(HeardOtherwise):
    """A call has its input in `input`, and an empty object where there is none."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "tool-call":
            data.setdefault("input", {})


class ReadsTextAlone(HeardOtherwise):
    """What it finds no words in has none, and an answer without words is one that ends well."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "text-delta":
            data.pop("textDelta", None)
            data.pop("delta", None)


ANIMALS = [
    of_full_stream("text-exact", BlankForUnhandled, "ignored-silently"),
    of_full_stream("error-told", ReadsErrorText),
    of_full_stream("end-honest", NeedsErrorText),
    of_full_stream("thinking-routed", ReadsReasoningFromDelta),
    of_full_stream("call-none-lost", WaitsForWholeCalls),
    of_full_stream("text-exact", PrefersTextDelta),
    of_full_stream("thinking-routed", PrefersDelta),
    of_full_stream("call-complete", PrefersArgs),
    of_full_stream("text-exact", AddsUpTheNames),
    of_full_stream("call-complete", EmptyForAStaleName),
    of_full_stream("text-exact", ReadsTextAlone, claims=SINCE_V5),
]
