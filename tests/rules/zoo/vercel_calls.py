"""Adapters of full streams: what goes wrong with calls, the host's and the provider's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.vercel.reference.machine import FullStream
from mockserver.call_arguments import read_arguments
from tests.rules.zoo.animal import Data, Part
from tests.rules.zoo.vercel import HeardOtherwise, Remembering, of_full_stream


def made(call_id: str, name: str, input_: object) -> Part:
    return {"type": "toolCall", "callId": call_id, "name": name, "input": input_}


class MakesCallsAsTheyBegin(FullStream):
    """The beginning of a call is the call, with an empty object; the whole one is old news."""

    def begin_call(self, data: Mapping[str, Any]) -> list[Part]:
        super().begin_call(data)
        calls = self.here().calls
        return calls.complete(_id(data), data["toolName"], {}, provider_executed=False)

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        known = self.here().calls._by_id.get(_id(data))
        return [] if known and known.settled else super().call(data)


class MakesStreamedAndWholeCalls(FullStream):
    """A call leaves when its input ends, and again when it comes whole."""

    def end_call(self, data: Mapping[str, Any]) -> list[Part]:
        super().end_call(data)
        call = self.here().calls._known(_id(data))
        input_ = read_arguments(call.streamed()).input
        return (
            [] if call.provider_executed or input_ is None else [made(call.id, call.name, input_)]
        )


class MakesRepeatedCalls(FullStream):
    """Whatever comes as a whole call is one."""

    def __init__(self, traits: Mapping[str, Any] | None = None) -> None:
        super().__init__(traits)
        self.left: dict[str, list[Part]] = {}

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().call(data) or self.left.get(_id(data), [])
        self.left[_id(data)] = parts
        return parts


class MakesProvidersCalls(HeardOtherwise):
    """It knows nothing of tools that a provider runs by itself."""

    def mishear(self, kind: str, data: Data) -> None:
        data.pop("providerExecuted", None)


class MakesApprovalsCalls(FullStream):
    """What asks for an approval has a call in it, and whoever is asked makes it."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "tool-approval-request":
            call = data["toolCall"]
            return [made(call["toolCallId"], call["toolName"], call["input"])]
        return super().event(data)


class ShowsPreliminaryResults(FullStream):
    """What a provider's tool has so far is shown as it comes."""

    def result(self, data: Mapping[str, Any]) -> list[Part]:
        super().result(data)
        return self._emit_text(json.dumps(data["output"])) if data.get("preliminary") else []


class DrawsPreliminaryImages(FullStream):
    """A result with an image in it is an image, however far it is drawn."""

    def result(self, data: Mapping[str, Any]) -> list[Part]:
        super().result(data)
        output = data.get("output")
        image = output.get("result") if isinstance(output, dict) else None
        return [{"type": "data", "mimeType": "image/png", "data": image}] if image else []


class FailsWithItsTools(FullStream):
    """A tool that failed is a run that failed."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "tool-error":
            self._record_error(data)
        return super().event(data)


class EmptyForInvalidCalls(HeardOtherwise):
    """A call that the SDK could not parse is made with nothing in it."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "tool-call" and data.pop("invalid", False):
            data["input"] = {}


class TextForInvalidCalls(FullStream):
    """A call that the SDK could not parse is made with the text that the model wrote."""

    def invalid_call(self, data: Mapping[str, Any]) -> list[Part]:
        return [made(_id(data), data["toolName"], data["input"])]


class KnowsCallsByIdAlone(Remembering):
    """A call whose id was there in an earlier step is the one that was there."""

    before: frozenset[str] = frozenset()

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "finish-step":
            self.before = frozenset(self.seen)
        if str(data.get("type")).startswith("tool-"):
            self.seen.add(_id(data))
            if _id(data) in self.before:
                return []
        return super().event(data)


class GivesPiecesToTheLastCall(FullStream):
    """A piece of an input belongs to the call that began last; the whole call is its pieces."""

    last = ""

    def begin_call(self, data: Mapping[str, Any]) -> list[Part]:
        self.last = _id(data)
        return super().begin_call(data)

    def grow_call(self, data: Mapping[str, Any]) -> list[Part]:
        return super().grow_call({**data, "toolCallId": self.last})

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        known = self.here().calls._by_id.get(_id(data))
        pieces = known.streamed() if known else ""
        return super().call(
            {**data, "input": read_arguments(pieces).input or {}} if pieces else data
        )


class NeedsABeginning(FullStream):
    """A call that was not streamed before is none."""

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        return super().call(data) if _id(data) in self.here().calls._by_id else []


class NeedsAnInput(FullStream):
    """A call without arguments is none."""

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        return super().call(data) if data.get("input") or data.get("args") else []


class InputAsText(FullStream):
    """It hands inputs on as providers have them, in JSON."""

    def call(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().call(data)
        return [{**part, "input": json.dumps(part["input"])} for part in parts]


class MendsHalfCalls(FullStream):
    """What breaks off is closed by its own hand, and made."""

    def _finish_step(self, why: str) -> list[Part]:
        if not self._step.finished:
            for call in self._step.calls._all:
                call.ended = call.ended or bool(call.pieces)
                call.pieces = {name: [_mended("".join(p))] for name, p in call.pieces.items()}
        return super()._finish_step(why)


def _mended(text: str) -> str:
    ends = (text, text + "}", text + '"}')
    return next((each for each in ends if read_arguments(each).input is not None), text)


class AwaitsAFinishOfCalls(Remembering):
    """Calls leave with the finish, and only with one that speaks of calls."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        self.hold([part for part in parts if part["type"] == "toolCall"])
        others = [part for part in parts if part["type"] != "toolCall"]
        right = data.get("type") == "finish" and data.get("finishReason") == "tool-calls"
        return others + (self.let_go() if right else [])


class ShowsInputs(FullStream):
    """The pieces of an input are shown as text."""

    def grow_call(self, data: Mapping[str, Any]) -> list[Part]:
        super().grow_call(data)
        return self._emit_text(str(data.get("delta") or ""))


def _id(data: Mapping[str, Any]) -> str:
    return str(data.get("toolCallId") or data.get("id") or "")


LATE = Traits(emit_call_at="end")

ANIMALS = [
    # What it makes is empty, what never ends is made, and the input that is invalid is none.
    of_full_stream(
        "call-not-early",
        MakesCallsAsTheyBegin,
        "call-complete",
        "call-none-lost",  # the second of two calls under one id
        "call-none-invented",
        "end-honest",
    ),
    of_full_stream("call-once", MakesStreamedAndWholeCalls),
    of_full_stream("call-once", MakesRepeatedCalls),
    # Where the ids of a step come again, the provider's call has the id of the host's.
    of_full_stream("call-none-invented", MakesProvidersCalls, "call-once"),
    of_full_stream("call-none-invented", MakesApprovalsCalls),
    of_full_stream("text-exact", ShowsPreliminaryResults),
    of_full_stream("data-exact", DrawsPreliminaryImages),
    # Who fails hears no more of the calls behind.
    of_full_stream("end-honest", FailsWithItsTools, "call-none-lost"),
    # A call that should have failed the run ends it well.
    of_full_stream("call-none-invented", EmptyForInvalidCalls, "end-honest", "call-complete"),
    of_full_stream("part-known", TextForInvalidCalls),
    of_full_stream("call-none-lost", KnowsCallsByIdAlone),
    of_full_stream("call-complete", GivesPiecesToTheLastCall),
    of_full_stream("call-none-lost", NeedsABeginning),
    of_full_stream("call-none-lost", NeedsAnInput),
    of_full_stream("part-known", InputAsText),
    of_full_stream("call-none-invented", MendsHalfCalls),
    of_full_stream("call-none-lost", AwaitsAFinishOfCalls, traits=LATE),
    of_full_stream("text-exact", ShowsInputs, "ignored-silently"),
]
