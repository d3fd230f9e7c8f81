"""Broken adapters of full streams: the host's calls, the provider's calls and their results."""

import json
from collections.abc import Mapping
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.client.content import text_parts
from conformance.dialects.vercel.reference.machine import FullStream
from mockserver.foundation.call_arguments import read_arguments
from tests.rules.broken.broken_adapter import Data, Part
from tests.rules.broken.vercel import ChangedParts, WithMemory, of_full_stream


def made(call_id: str, name: str, input_: object) -> Part:
    return {"type": "toolCall", "callId": call_id, "name": name, "input": input_}


class MakesCallsAtTheirStart(FullStream):
    """Emits a call at `tool-input-start`, with `{}` as its input, and ignores its `tool-call`."""

    def begin_call(self, data: Mapping[str, Any]) -> list[Part]:
        return self._calls.make(_id(data), data["toolName"], {})

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        return [] if _id(data) in self._calls.made else super().call(data)


class MakesStreamedAndCompleteCalls(FullStream):
    """Emits a call when its input is a whole object, and again at `tool-call`."""

    def grow_call(self, data: Mapping[str, Any]) -> list[Part]:
        super().grow_call(data)
        call = self._calls._streamed.get(_id(data))
        input_ = read_arguments("".join(call.pieces)).input if call else None
        return [made(_id(data), call.name, input_)] if call and input_ else []


class MakesRepeatedCalls(FullStream):
    """Emits a call again for each repeated `tool-call`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.made: dict[str, list[Part]] = {}

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().call(data) or self.made.get(_id(data), [])
        self.made[_id(data)] = parts
        return parts


class MakesProvidersCalls(ChangedParts):
    """Ignores `providerExecuted`, and so emits calls that the provider has run."""

    def change(self, kind: str, data: Data) -> None:
        data.pop("providerExecuted", None)


class MakesCallsAwaitingApproval(FullStream):
    """Emits the call inside a `tool-approval-request`."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "tool-approval-request":
            call = data["toolCall"]
            return [made(call["toolCallId"], call["toolName"], call["input"])]
        return super().event(data)


class ShowsPreliminaryResults(FullStream):
    """Emits preliminary tool results as text."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        shown = data.get("type") == "tool-result" and data.get("preliminary")
        return super().event(data) + (text_parts(json.dumps(data["output"])) if shown else [])


class EmitsPreliminaryImages(FullStream):
    """Emits the image of every tool result, preliminary ones too."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        output = data.get("output") if data.get("type") == "tool-result" else None
        image = output.get("result") if isinstance(output, dict) else None
        shown = [{"type": "data", "mimeType": "image/png", "data": image}] if image else []
        return super().event(data) + shown


class FailsWithItsTools(FullStream):
    """Fails the run at a `tool-error`."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "tool-error":
            self.error(data)
        return super().event(data)


class EmptyForInvalidCalls(ChangedParts):
    """Emits an `invalid` call with `{}` as its input."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "tool-call" and data.pop("invalid", False):
            data["input"] = {}


class TextForInvalidCalls(FullStream):
    """Emits an `invalid` call with the model's raw text as its input."""

    def invalid_call(self, data: Mapping[str, Any]) -> list[Part]:
        super().invalid_call(data)
        return [made(_id(data), data["toolName"], data["input"])]


class KnowsCallsByIdAlone(WithMemory):
    """Ignores a call whose id an earlier step used."""

    before: frozenset[str] = frozenset()

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "finish-step":
            self.before = frozenset(self.seen)
        if str(data.get("type")).startswith("tool-"):
            self.seen.add(_id(data))
            if _id(data) in self.before:
                return []
        return super().event(data)


class GivesDeltasToTheLastCall(FullStream):
    """Adds input deltas to the call that started last, and emits the calls with those inputs."""

    last = ""

    def begin_call(self, data: Mapping[str, Any]) -> list[Part]:
        self.last = _id(data)
        return super().begin_call(data)

    def grow_call(self, data: Mapping[str, Any]) -> list[Part]:
        return super().grow_call({**data, "toolCallId": self.last})

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        known = self._calls._streamed.get(_id(data))
        pieces = "".join(known.pieces) if known else ""
        return super().call(
            {**data, "input": read_arguments(pieces).input or {}} if pieces else data
        )


class NeedsToolInputStart(FullStream):
    """Ignores a `tool-call` without a preceding `tool-input-start`."""

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        return super().call(data) if _id(data) in self._calls._streamed else []


class NeedsAnInput(FullStream):
    """Ignores a `tool-call` with an empty input."""

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        return super().call(data) if data.get("input") or data.get("args") else []


class InputAsText(FullStream):
    """Emits inputs as JSON text in place of objects."""

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().call(data)
        return [{**part, "input": json.dumps(part["input"])} for part in parts]


class RepairsIncompleteCalls(FullStream):
    """Adds the closing quotes and braces to an input that was cut off, and emits the call."""

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        for call in self._calls._streamed.values():
            call.pieces = [_repaired("".join(call.pieces))]
        return super().finished(data)


def _repaired(text: str) -> str:
    ends = (text, text + "}", text + '"}')
    return next((each for each in ends if read_arguments(each).input is not None), text)


class NeedsAToolCallsFinish(WithMemory):
    """Holds calls until the finish, and drops them unless its reason is `tool-calls`."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        self.hold([part for part in parts if part["type"] == "toolCall"])
        others = [part for part in parts if part["type"] != "toolCall"]
        right = data.get("type") == "finish" and data.get("finishReason") == "tool-calls"
        return others + (self.release() if right else [])


class ShowsInputs(FullStream):
    """Emits input deltas as text."""

    def grow_call(self, data: Mapping[str, Any]) -> list[Part]:
        super().grow_call(data)
        return text_parts(str(data.get("delta") or ""))


def _id(data: Mapping[str, Any]) -> str:
    return str(data.get("toolCallId") or data.get("id") or "")


LATE = Traits(emit_call_at="end")

BROKEN = [
    # Its inputs are empty, and it emits calls that are never completed or are invalid.
    of_full_stream(
        "call-not-early",
        MakesCallsAtTheirStart,
        "call-complete",
        "call-none-lost",  # the second of two calls under one id
        "call-none-invented",
        "end-honest",
    ),
    of_full_stream("call-once", MakesStreamedAndCompleteCalls),
    of_full_stream("call-once", MakesRepeatedCalls),
    # Where a later step uses an id again, the provider's call has the id of a host's call.
    of_full_stream("call-none-invented", MakesProvidersCalls, "call-once"),
    of_full_stream("call-none-invented", MakesCallsAwaitingApproval),
    of_full_stream("text-exact", ShowsPreliminaryResults),
    of_full_stream("data-exact", EmitsPreliminaryImages),
    # Calls after the failure are not read.
    of_full_stream("end-honest", FailsWithItsTools),
    # The invalid call should have failed the run, but the run completes.
    of_full_stream("call-none-invented", EmptyForInvalidCalls, "end-honest", "call-complete"),
    of_full_stream("part-known", TextForInvalidCalls),
    of_full_stream("call-none-lost", KnowsCallsByIdAlone),
    of_full_stream("call-complete", GivesDeltasToTheLastCall),
    of_full_stream("call-none-lost", NeedsToolInputStart),
    of_full_stream("call-none-lost", NeedsAnInput),
    of_full_stream("part-known", InputAsText),
    of_full_stream("call-none-invented", RepairsIncompleteCalls),
    of_full_stream("call-none-lost", NeedsAToolCallsFinish, traits=LATE),
    of_full_stream("text-exact", ShowsInputs),
]
