"""The catalogue in the vocabulary `stream`: correct and broken adapters."""

import json
from typing import Any

import pytest

from conformance.contract.adapter import Claims
from conformance.contract.citations import citation_of_data_part
from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference import vscode as reference
from conformance.drivers.python import Emit
from conformance.findings.words import message_of
from conformance.suite.workbench import Workbench
from conformance.vocabularies import STREAM
from tests.representative import REACHES
from tests.rules.broken.broken_adapter import PREFIX, Data, Part, Wrapped
from tests.rules.test_broken_adapters import described, findings

# Of the cases that show these bugs, one that is not among the few that are always played.
SHOWING = frozenset({"openresponses/one-call-id-for-two-calls"})

PARTS = Traits(call_id_prefix=PREFIX, annotations="data", errors="part", framing="none")
REJECTS = Traits(call_id_prefix=PREFIX, annotations="data", framing="none")


class InStream(Wrapped):
    """The reference adapter, with its parts and endings as an AI SDK provider streams them."""

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
    counts = {f"{side}Tokens": {"total": tokens} for side, tokens in usage.items()}
    return {"type": "finish", "finishReason": {"unified": reason}, "usage": counts}


class Rejects(InStream):
    """Reports an error by rejecting in place of an error part."""

    def failed(self, done: Data, _emit: Emit) -> Data:
        return done


class ReportsErrorsTwice(InStream):
    """Emits an error part for the event, and another at the end."""

    def failed(self, done: Data, emit: Emit) -> Data:
        emit({"type": "error", "error": done["error"]})
        return super().failed(done, emit)


class LosesTheError(InStream):
    """Reports a failure of the upstream as a finish without an error."""

    def failed(self, done: Data, emit: Emit) -> Data:
        if done["error"]["kind"] == "decode":
            return super().failed(done, emit)
        emit(_finish("stop", {}))
        return {"type": "done", "id": done["id"], "outcome": "completed"}


class SendsObjects(InStream):
    """Emits a call's input as an object, as in `vercel-fullstream`, in place of JSON text."""

    def part(self, part: Part, emit: Emit) -> None:
        made = _translated(part)
        emit({**made, "input": json.loads(made["input"])} if "input" in made else made)


class ReportsZeroUsage(InStream):
    """Reports a usage of zero in place of the upstream's."""

    def done(self, done: Data, emit: Emit) -> Data:
        return super().done({**done, "usage": {"input": 0, "output": 0}}, emit)


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(
    ("make", "traits"),
    [
        (InStream, PARTS),
        (Rejects, PARTS),
        (Rejects, REJECTS),
        (
            lambda: InStream(reasoning="text", refusal="error"),
            Traits(PREFIX, "text", "error", "data", "part", framing="none"),
        ),
    ],
    ids=["error parts", "rejections instead of parts", "rejections", "other traits"],
)
def test_a_correct_adapter_breaks_no_rule(
    workbench: Workbench, make: Any, traits: Traits, reach: str
) -> None:
    adapted = described("in stream", traits, Claims(cancel=True), "stream")
    assert findings(workbench, adapted, make(), reach=reach) == {}


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(
    ("make", "traits", "rules"),
    [
        (ReportsErrorsTwice, PARTS, {"error-told"}),
        # Where a run may fail or complete, a wrong error is as far from one as from the other.
        (InStream, REJECTS, {"error-told", "end-honest"}),
        (LosesTheError, PARTS, {"end-honest"}),
        (SendsObjects, PARTS, {"part-known"}),
        (ReportsZeroUsage, PARTS, {"usage-last"}),
    ],
    ids=["twice", "a part that is not declared", "lost", "parsed input", "usage"],
)
def test_a_broken_adapter_breaks_its_rule_and_no_other(
    workbench: Workbench, make: Any, traits: Traits, rules: set[str], reach: str
) -> None:
    adapted = described(make.__name__, traits, Claims(cancel=True), "stream")
    found = findings(workbench, adapted, make(), reach=reach, until=frozenset(rules), first=SHOWING)
    told = {case: [f"{f.rule}: {message_of(f)}" for f in each] for case, each in found.items()}
    assert {f.rule for each in found.values() for f in each} == rules, told
