"""The whole catalogue in the vocabulary `stream`: right and wrong ways to tell a response in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.contract.adapter import Claims
from conformance.contract.citations import citation_of_data_part
from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference import vscode as reference
from conformance.drivers.python import Emit
from conformance.suite.workbench import Workbench
from conformance.vocabularies import STREAM
from tests.rules.test_zoo import described, findings, workbench
from tests.rules.zoo.animal import PREFIX, Data, Part, Wrapped

__all__ = ["workbench"]

PARTS = Traits(call_id_prefix=PREFIX, annotations="data", errors="part")
REJECTS = Traits(call_id_prefix=PREFIX, annotations="data")


class InStream(Wrapped):
    """The reference adapter, as a provider of the AI SDK would stream its parts and endings."""

    def __init__(self, **traits: str) -> None:
        super().__init__()
        self.inner = reference.Adapter({"call_id_prefix": PREFIX, "annotations": "data", **traits})

    def part(self, part: Part, emit: Emit) -> None:
        emit(_translated(part))

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] == "failed":
            return self.failed(done, emit)
        if done["outcome"] == "completed":
            emit(_finish(done.get("finish") or "other", done.get("usage") or {}))
        return {"type": "done", "id": done["id"], "outcome": done["outcome"]}

    def failed(self, done: Data, emit: Emit) -> Data:
        emit({"type": "error", "error": done["error"]})
        emit(_finish("error", {}))
        return {"type": "done", "id": done["id"], "outcome": "completed"}


def _translated(part: Part) -> Part:
    match part:
        case {"type": "text", "value": str(value)}:
            return STREAM.text(value)
        case {"type": "thinking", "value": str(value)}:
            return STREAM.thinking(value)
        case {"type": "toolCall", "callId": id_, "name": name, "input": input_}:
            return STREAM.call(id_, name, input_)
    if citation := citation_of_data_part(part):
        return STREAM.citation(citation)
    return STREAM.data(part["mimeType"], part["data"])


def _finish(reason: str, usage: Data) -> Part:
    told = {f"{side}Tokens": {"total": tokens} for side, tokens in usage.items()}
    return {"type": "finish", "finishReason": {"unified": reason}, "usage": told}


class Rejects(InStream):
    """What failed is no part: the stream is torn."""

    def failed(self, done: Data, _emit: Emit) -> Data:
        return done


class TellsTwice(InStream):
    """An error part for the event, and another one at the end."""

    def failed(self, done: Data, emit: Emit) -> Data:
        emit({"type": "error", "error": done["error"]})
        return super().failed(done, emit)


class LosesTheError(InStream):
    """A failure of the upstream is a finish like any other."""

    def failed(self, done: Data, emit: Emit) -> Data:
        if done["error"]["kind"] == "decode":
            return super().failed(done, emit)
        emit(_finish("stop", {}))
        return {"type": "done", "id": done["id"], "outcome": "completed"}


class SendsObjects(InStream):
    """It emits a call's input parsed, as the layer above has it."""

    def part(self, part: Part, emit: Emit) -> None:
        made = _translated(part)
        emit({**made, "input": json.loads(made["input"])} if "input" in made else made)


class ForgetsUsage(InStream):
    """It makes up what the response cost."""

    def done(self, done: Data, emit: Emit) -> Data:
        return super().done({**done, "usage": {"input": 0, "output": 0}}, emit)


@pytest.mark.parametrize(
    ("make", "traits"),
    [
        (InStream, PARTS),
        (Rejects, PARTS),
        (Rejects, REJECTS),
        (
            lambda: InStream(reasoning="text", refusal="error"),
            Traits(PREFIX, "text", "error", "data", "part"),
        ),
    ],
    ids=["error parts", "rejections instead of parts", "rejections", "other traits"],
)
def test_an_adapter_that_speaks_it_well_is_convicted_of_nothing(
    workbench: Workbench, make: Any, traits: Traits
) -> None:
    spoken = described("in stream", traits, Claims(cancel=True), "stream")
    assert findings(workbench, spoken, make()) == {}


@pytest.mark.parametrize(
    ("make", "traits", "rules"),
    [
        (TellsTwice, PARTS, {"error-told"}),
        # Where one may fail as well as complete, a failure told wrongly is as far from either.
        (InStream, REJECTS, {"error-told", "end-honest"}),
        (LosesTheError, PARTS, {"end-honest"}),
        (SendsObjects, PARTS, {"part-known"}),
        (ForgetsUsage, PARTS, {"usage-last"}),
    ],
    ids=["twice", "a part that is not declared", "lost", "parsed input", "usage"],
)
def test_a_broken_one_is_convicted_of_the_rule_it_breaks_and_of_nothing_else(
    workbench: Workbench, make: Any, traits: Traits, rules: set[str]
) -> None:
    spoken = described(make.__name__, traits, Claims(cancel=True), "stream")
    found = findings(workbench, spoken, make())
    told = {case: [f"{f.rule}: {f.message}" for f in each] for case, each in found.items()}
    assert {f.rule for each in found.values() for f in each} == rules, told
