"""A conversation is played turn by turn, and the transcript has every turn."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, Transcript, TurnInput, from_json
from conformance.drivers.python import Emit, PythonDriver
from conformance.report import timeline
from conformance.report.results import Result
from conformance.rules.judge import judge_case
from conformance.rules.turns import turns_of
from conformance.suite.host import ConversationEnded, next_request
from conformance.suite.workbench import Workbench, items, run
from mockserver.cases.case import Case
from mockserver.foundation.shipped import schema
from mockserver.scenario.model import Then
from tests.turns.broken_adapters import DECLARED, BrokenAdapter, adapter, provider, results

ROUNDS = "any/conversation-two-rounds"
THREE = "any/conversation-three-rounds-of-tools"


def described(claims: Claims) -> Description:
    return Description("mine", {}, ("chat",), "vscode", Path("mine"), DECLARED, claims)


class DropsParts:
    """The reference adapter, which drops parts of one type from a turn on; records its runs."""

    def __init__(self, turn: int, drops: str) -> None:
        self.inner = adapter("chat", BrokenAdapter("", "DropsParts"))
        self._turn, self._drops = turn, drops
        self.runs: list[dict[str, Any]] = []

    def hello(self) -> dict[str, Any]:
        return self.inner.hello()

    async def run(self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event) -> dict[str, Any]:
        self.runs.append(run)
        late = len(self.runs) > self._turn

        def through(part: dict[str, Any]) -> None:
            if not (late and part["type"] == self._drops):
                emit(part)

        return await self.inner.run(run, through, cancel)


def played(workbench: Workbench, id_: str, adapter_: DropsParts) -> Result:
    scenario = workbench.catalogue.get(id_)
    assert scenario
    driver = PythonDriver(adapter_)
    try:
        return run(workbench.drive(described(Claims(turns=True)), driver), Case(scenario, "chat"))
    finally:
        driver.close()


@pytest.fixture(scope="module")
def three_rounds(workbench: Workbench) -> Result:
    return played(workbench, THREE, DropsParts(9, "nothing"))


def test_each_turn_is_a_run_with_all_messages_before_it(workbench: Workbench) -> None:
    right = DropsParts(9, "nothing")
    played(workbench, THREE, right)
    roles = [[message["role"] for message in run["messages"]] for run in right.runs]
    round_ = ["assistant", "tool"]
    assert roles == [
        ["system", "user"],
        ["system", "user", *round_],
        ["system", "user", *round_, "assistant", "tool", "tool"],
        ["system", "user", *round_, "assistant", "tool", "tool", *round_],
    ]
    (result,) = [m for m in right.runs[1]["messages"] if m["role"] == "tool"]
    assert (result["callId"], result["content"]) == ("gw-call_run", "FAILED test_sum: 3 != 4")


def test_tool_results_have_the_token_of_the_run(workbench: Workbench) -> None:
    right = DropsParts(9, "nothing")
    played(workbench, ROUNDS, right)
    first, second = right.runs
    (result,) = [m for m in second["messages"] if m["role"] == "tool"]
    assert result["toolInvocationToken"] == first["tool_invocation_token"]
    assert first["tool_invocation_token"] == second["tool_invocation_token"]


def test_the_transcript_has_every_turn(three_rounds: Result) -> None:
    assert three_rounds.findings == ()
    assert three_rounds.transcript
    turns = three_rounds.transcript.turns
    assert [turn.turn for turn in turns] == [0, 1, 2, 3]
    assert [[request.turn for request in turn.requests] for turn in turns] == [[0], [1], [2], [3]]
    assert all(turn.asked for turn in turns)


def test_the_transcript_is_read_back_as_it_was_written(three_rounds: Result) -> None:
    assert three_rounds.transcript
    written = json.loads(json.dumps(three_rounds.transcript.to_json()))
    Draft202012Validator(schema("transcript")).validate(written)
    assert from_json(written).to_json() == three_rounds.transcript.to_json()


def test_a_conversation_ends_if_a_call_is_lost(workbench: Workbench) -> None:
    result = played(workbench, ROUNDS, DropsParts(0, "toolCall"))
    assert [(f.rule, f.turn) for f in result.findings] == [("call-none-lost", 0)]
    assert result.transcript
    assert len(result.transcript.turns) == 1
    assert result.transcript.notes == (
        "the call 'call_oslo' did not come out, so nobody can answer it",
    )


def test_a_conversation_ends_if_a_call_has_no_id_to_answer_it_by() -> None:
    without_id = {"type": "toolCall", "callId": "", "name": "f", "input": {}}
    turn = Transcript(
        ROUNDS, ROUNDS, "chat", "vscode", "mine", "completed", parts=(Emitted(0, 1.0, without_id),)
    )
    ended = next_request(TurnInput(()), Then({"f": "one"}), turn, Traits())
    assert ended == ConversationEnded("the call 'f' came out without an id to answer it by")


def test_a_finding_has_its_turn(workbench: Workbench) -> None:
    result = played(workbench, ROUNDS, DropsParts(1, "text"))
    assert [(f.rule, f.turn) for f in result.findings] == [("text-exact", 1)]


def test_a_recorded_conversation_has_the_findings_of_the_played_one(workbench: Workbench) -> None:
    result = played(workbench, ROUNDS, DropsParts(1, "text"))
    scenario = workbench.catalogue.get(ROUNDS)
    assert scenario
    assert result.transcript
    again = judge_case(Case(scenario, "chat"), from_json(result.transcript.to_json()), DECLARED)
    assert tuple(again) == result.findings


def test_a_recorded_request_to_a_gateway_is_read_with_its_headers(workbench: Workbench) -> None:
    def bare(body: dict[str, Any], _run: dict[str, Any]) -> None:
        for result in results(body):
            result["output"] = result["output"]["value"]

    scenario = workbench.catalogue.get(ROUNDS)
    assert scenario
    case, traits = Case(scenario, "vercel-gateway"), Traits()
    mine = Description(
        "mine", {}, ("vercel-gateway",), "stream", Path("mine"), traits, Claims(turns=True)
    )
    driver = PythonDriver(provider(BrokenAdapter("", "Bare", sends=bare)))
    try:
        result = run(workbench.drive(mine, driver), case)
    finally:
        driver.close()
    assert result.transcript
    (request,) = result.transcript.requests
    assert request.headers == {
        "ai-language-model-id": "mock",
        "ai-language-model-specification-version": "3",
        "ai-language-model-streaming": "true",
    }
    again = from_json(json.loads(json.dumps(result.transcript.to_json())))
    findings = judge_case(case, again, traits)
    assert [finding.rule for finding in findings] == ["turn-output-shape"]
    assert tuple(findings) == result.findings


def test_a_timeline_has_turns_in_order_and_findings_in_their_turn(workbench: Workbench) -> None:
    result = played(workbench, ROUNDS, DropsParts(1, "text"))
    assert result.transcript
    rows = timeline.of_run(turns_of(result.transcript, DECLARED), result.findings)
    begins = [n for n, row in enumerate(rows) if row.asked]
    assert [rows[n].left for n in begins] == ["— turn 0 —", "— turn 1 —"]
    assert rows[begins[1]].asked.endswith("the result of call_oslo")
    (found,) = [n for n, row in enumerate(rows) if row.findings]
    assert found > begins[1]


def test_conversations_are_skipped_if_an_adapter_claims_no_turns(workbench: Workbench) -> None:
    found = {item.id: item for item in items(workbench.catalogue, [described(Claims())])}
    item = found[f"{ROUNDS}@chat"]
    assert item.case is None
    assert item.why == "the adapter does not claim turns: true"


def test_a_turn_that_fails_ends_the_conversation(workbench: Workbench) -> None:
    class Fails(DropsParts):
        async def run(
            self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event
        ) -> dict[str, Any]:
            done = await super().run(run, emit, cancel)
            error = {"kind": "unknown", "message": "No more."}
            return {"type": "done", "id": done["id"], "outcome": "failed", "error": error}

    result = played(workbench, ROUNDS, Fails(9, "nothing"))
    assert [(f.rule, f.turn) for f in result.findings] == [("end-honest", 0)]
    assert result.transcript
    assert result.transcript.notes[-1].startswith("the turn ended as failed")


def test_the_transcript_of_one_turn_has_no_fields_of_turns(workbench: Workbench) -> None:
    scenario = workbench.catalogue.get("any/refusal")
    assert scenario
    driver = PythonDriver(adapter("chat", BrokenAdapter("", "Right")))
    try:
        result = run(workbench.drive(described(Claims()), driver), Case(scenario, "chat"))
    finally:
        driver.close()
    assert result.transcript
    assert not {"turn", "asked", "before"} & result.transcript.to_json().keys()
    assert replace(result.transcript).turns == (result.transcript,)
