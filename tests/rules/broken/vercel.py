"""Broken adapters of full streams: the bugs of stream-mapping, and fields read by a wrong name.

Each has one bug and is otherwise the reference adapter. Sources: stream-mapping § Bug Analysis; the
issues that scenarios name in ``seen``.
"""

import copy
from collections.abc import Mapping
from typing import Any

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.dialects.vercel.reference.machine import HANDLERS, FullStream
from conformance.dialects.vercel.reference.vscode import FullStreamAdapter
from tests.rules.broken.broken_adapter import BrokenAdapter, Data, Part

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
) -> BrokenAdapter:
    """The reference adapter of full streams, with another state machine."""
    return BrokenAdapter(
        rule,
        lambda: FullStreamAdapter({}, machine),
        machine.__name__,
        traits,
        claims,
        also=frozenset(also),
        dialect="vercel-fullstream",
    )


class ChangedParts(FullStream):
    """A state machine that reads a copy of each part, which `change` has edited."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        changed = copy.deepcopy(dict(data))
        self.change(str(changed.get("type")), changed)
        return super().event(changed)

    def change(self, kind: str, data: Data) -> None:
        raise NotImplementedError


class WithMemory(FullStream):
    """A state machine that keeps the ids that it has seen, and parts that it holds back."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.seen: set[str] = set()
        self.held: list[Part] = []

    def hold(self, parts: list[Part]) -> list[Part]:
        self.held += parts
        return []

    def release(self) -> list[Part]:
        held, self.held = self.held, []
        return held


# Bugs that stream-mapping describes.


class BlankForUnhandled(FullStream):
    """Emits a blank for each part without a handler (§ The Whitespace Bug)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        kind = str(data.get("type"))
        if not self.ended and (kind not in HANDLERS or kind.startswith(FRAMES)):
            return [{"type": "text", "value": " "}, *super().event(data)]
        return super().event(data)


class ReadsErrorText(ChangedParts):
    """Reads the reason of an error from `errorText`, not `error` (§ Stream Error Chunk)."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "error":
            data["error"] = data.get("errorText") or UNKNOWN


class NeedsErrorText(FullStream):
    """Ignores an error part without `errorText`, and reports the run as completed."""

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


class ReadsReasoningFromDelta(ChangedParts):
    """Reads reasoning only from `delta`, as in provider parts (§ Reasoning Handler, reversed)."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "reasoning-delta":
            data.pop("text", None)


class IgnoresStreamedInputs(FullStream):
    """Ignores all parts that stream the input of a call (§ Tool Call Streaming)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        return [] if str(data.get("type")).startswith(STREAMED) else super().event(data)


# Field names of other generations.


class PrefersTextDelta(ChangedParts):
    """Reads `textDelta ?? text`, so that an empty `textDelta` hides `text`."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "text-delta" and "textDelta" in data:
            data["text"] = data["textDelta"]


class PrefersDelta(ChangedParts):
    """Reads `delta ?? text` of a reasoning delta."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "reasoning-delta" and "delta" in data:
            data["text"] = data["delta"]


class PrefersArgs(ChangedParts):
    """Reads `args ?? input` of a call."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "tool-call" and "args" in data:
            data["input"] = data["args"]


class ConcatenatesTextFields(ChangedParts):
    """Concatenates `text`, `textDelta` and `delta` of a text delta."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "text-delta":
            names = ("text", "textDelta", "delta")
            data["text"] = "".join(str(data.get(name) or "") for name in names)


class EmptyForOldArgs(ChangedParts):
    """Ignores `args`: a call without `input` gets `{}`."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "tool-call":
            data.setdefault("input", {})


class ReadsTextOnly(ChangedParts):
    """Reads the text of a delta from `text` only, and emits nothing for `textDelta` or `delta`."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "text-delta":
            data.pop("textDelta", None)
            data.pop("delta", None)


BROKEN = [
    of_full_stream("text-exact", BlankForUnhandled, "ignored-silently"),
    of_full_stream("error-told", ReadsErrorText),
    of_full_stream("end-honest", NeedsErrorText, "call-none-invented"),
    of_full_stream("thinking-routed", ReadsReasoningFromDelta),
    of_full_stream("call-none-lost", IgnoresStreamedInputs),
    of_full_stream("text-exact", PrefersTextDelta),
    of_full_stream("thinking-routed", PrefersDelta),
    of_full_stream("call-complete", PrefersArgs),
    of_full_stream("text-exact", ConcatenatesTextFields),
    of_full_stream("call-complete", EmptyForOldArgs),
    of_full_stream("text-exact", ReadsTextOnly, claims=SINCE_V5),
]
