"""Hosted tools, their results and approvals in requests are judged."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.contract.adapter import Claims
from conformance.contract.transcript import Emitted, Transcript
from conformance.drivers.python import PythonDriver
from conformance.expectation.own_ids import approval_ids
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.suite.offered_tools import tools_of
from conformance.suite.play import play
from conformance.suite.session import Session
from conformance.suite.workbench import skip_reason
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import ScenarioError
from mockserver.foundation.shipped import schema
from mockserver.scenario.model import Scenario
from tests.representative import REACHES
from tests.turns.hosted_adapter import SPOILT, HostedParts, SpoiltRequest, adapter
from tests.turns.hosted_play import CATALOGUE, described, findings, scenarios
from tests.wireless import Wireless


@pytest.fixture(scope="module")
def upstream() -> Iterator[Wireless]:
    with Wireless(CATALOGUE) as wireless:
        yield wireless


def test_a_client_that_sends_everything_back_breaks_no_rule(upstream: Wireless) -> None:
    assert findings(upstream, adapter(), *scenarios()) == []


# With the reach "few" a client plays one of so many shares, and the others if it breaks no rule.
SHARES = 3


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("spoilt", SPOILT, ids=lambda spoilt: spoilt.name)
def test_a_spoilt_request_breaks_its_rule_and_no_other(
    upstream: Wireless, spoilt: SpoiltRequest, reach: str
) -> None:
    found: list[Finding] = []
    share = SPOILT.index(spoilt) % SHARES
    for n in (share, *(n for n in range(SHARES) if n != share)):
        if not found or reach == "all":
            found += findings(upstream, adapter(spoilt.spoil), *scenarios()[n::SHARES])
    messages = [f"{each.rule}: {message_of(each)}" for each in found]
    assert {each.rule for each in found} == {spoilt.rule}, messages
    assert {each.level for each in found} == {spoilt.level}
    assert any(spoilt.message in message for message in messages), messages


def test_transcripts_of_approvals_and_outputs_satisfy_their_schema(upstream: Wireless) -> None:
    driver = PythonDriver(adapter())
    session = Session(described(Claims(turns=True, approvals=True)), driver, upstream)
    try:
        played = [play(session, Case(each, "openresponses")) for each in scenarios()]
    finally:
        driver.close()
    for transcript in played:
        Draft202012Validator(schema("transcript")).validate(transcript.to_json())
    roles = {m["role"] for t in played if t.asked for m in t.asked.messages}
    assert roles == {"user", "assistant", "tool", "approval"}


APPROVED = "openresponses/hosted-approval-granted"
STORED = "openresponses/hosted-reasoning-stored"


def _shipped(id_: str) -> Scenario:
    found = CATALOGUE.get(id_)
    assert found
    return found


def continuing(keeps: tuple[str, ...]) -> Any:
    """A client that goes on from the stored response, and sends the items of these types."""
    previous: list[str] = []

    class Noting(HostedParts):
        def event(self, data: Any) -> list[Any]:
            previous.append((data.get("response") or {}).get("id") or previous[-1])
            return super().event(data)

    def spoil(body: dict[str, Any]) -> None:
        if previous:
            body["previous_response_id"] = previous[-1]
            body["input"] = [item for item in body["input"] if item.get("type") in keeps]

    return adapter(spoil, Noting)


ANSWER, REQUEST = "mcp_approval_response", "mcp_approval_request"


@pytest.mark.parametrize(
    ("keeps", "messages"),
    [
        ((ANSWER,), []),
        (
            (ANSWER, REQUEST),
            ["the approval request 'mcpr_yes' went upstream again, beside previous_response_id"],
        ),
        ((), ["the host's answer to the approval request 'mcpr_yes' did not reach the upstream"]),
    ],
    ids=["the answer", "the request as well", "nothing"],
)
def test_a_stored_response_is_continued_with_the_answer_alone(
    upstream: Wireless, keeps: tuple[str, ...], messages: list[str]
) -> None:
    found = findings(upstream, continuing(keeps), _shipped(APPROVED))
    assert [message_of(each) for each in found] == messages


def names_the_call_in_id(body: dict[str, Any]) -> None:
    for item in body["input"]:
        if item.get("type") == "local_shell_call_output":
            item["id"] = item.pop("call_id")


def test_a_local_shell_output_may_name_its_call_in_its_id(upstream: Wireless) -> None:
    shell = _shipped("openresponses/hosted-local-shell-output")
    assert findings(upstream, adapter(names_the_call_in_id), shell) == []


def sends_references(body: dict[str, Any]) -> None:
    for item in body["input"]:
        if "call_id" in item and not item["type"].endswith("output"):
            id_ = item["id"]
            item.clear()
            item |= {"type": "item_reference", "id": id_}


def test_stored_calls_may_go_back_as_references(upstream: Wireless) -> None:
    assert findings(upstream, adapter(sends_references), *scenarios()) == []


@pytest.mark.parametrize(
    ("scenario", "claims", "why"),
    [
        (APPROVED, Claims(turns=True), "the adapter does not claim approvals: true"),
        (
            APPROVED,
            Claims(turns=True, approvals=True),
            "the adapter does not claim tools of the type mcp",
        ),
        (APPROVED, Claims(turns=True, approvals=True, tools=("mcp",)), ""),
        (
            "openresponses/hosted-offered-of-the-host",
            Claims(tools=("apply_patch",)),
            "the adapter does not claim tools of the type shell",
        ),
        ("openresponses/patch-to-apply", Claims(), ""),
        (STORED, Claims(), ""),
        (STORED, Claims(options=("store", "temperature")), ""),
        (STORED, Claims(options=("temperature",)), "the adapter does not claim the option store"),
        (STORED, Claims(options=()), "the adapter does not claim the option store"),
        ("openresponses/hosted-compaction", Claims(options=()), ""),
    ],
)
def test_offers_options_and_approvals_are_judged_only_if_they_are_claimed(
    scenario: str, claims: Claims, why: str
) -> None:
    assert skip_reason(described(claims), Case(_shipped(scenario), "openresponses")) == why


ASKS = {
    "sends": [
        "response.created",
        {"response.output_item.added": {"item": {"type": REQUEST, "id": "mcpr_1"}}},
        "response.completed",
    ],
    "expect": {"parts": []},
}
DONE = {"says": [{"text": "Done"}]}
CALL = {"call": {"id": "c1", "name": "f", "input": {}}}
PATCHED = {"c1": {"type": "apply_patch_call_output", "status": "completed"}}


def scenario(*turns: dict[str, Any], **fields: Any) -> Scenario:
    told = {"title": "Hosted", "conduct": "deviation", "dialects": ["openresponses"]}
    return load(json.dumps({**told, "turns": turns, **fields}).encode(), "mine.yaml", "any/mine")


@pytest.mark.parametrize(
    ("written", "approvals"),
    [(True, {"mcpr_1": True}), (False, {"mcpr_1": False}), ({"mcpr_1": True}, {"mcpr_1": True})],
)
def test_an_answer_is_for_each_approval_request_or_for_the_named_ones(
    written: Any, approvals: dict[str, bool]
) -> None:
    then = scenario({**ASKS, "then": {"approve": written}}, DONE).turns[0].then
    assert then
    assert then.approvals == approvals


@pytest.mark.parametrize(
    ("turns", "fields", "message"),
    [
        ([{**ASKS, "then": {"approve": {"mcpr_2": True}}}, DONE], {}, "with the id 'mcpr_2'"),
        ([{**DONE, "then": {"approve": True}}, DONE], {}, "asks for no approval in this turn"),
        ([{**ASKS, "then": {"approve": "yes"}}, DONE], {}, "approve"),
        ([{**ASKS, "then": {"reason": "No", "user": "Go"}}, DONE], {}, "approve"),
        (
            [{"says": [CALL], "then": {"outputs": {"c2": PATCHED["c1"]}}}, DONE],
            {},
            "no call of this turn that is completed has the id 'c2'",
        ),
        (
            [{"says": [CALL], "then": {"outputs": PATCHED, "tool_results": {"c1": ""}}}, DONE],
            {},
            "has a result in 'tool_results' as well",
        ),
        (
            [{"says": [CALL], "then": {"outputs": {"c1": {"type": "patch_output"}}}}, DONE],
            {},
            "patch_output",
        ),
        ([DONE], {"host": {"tools": [{"type": "mcp"}]}}, "server_label"),
        ([DONE], {"host": {"tools": [{"type": "custom"}]}}, "name"),
        ([DONE], {"host": {"tools": [{"type": "file_search"}]}}, "vector_store_ids"),
        ([DONE], {"host": {"tools": [{"type": "code_interpreter"}]}}, "container"),
        ([DONE], {"host": {"tools": [{"type": "code_interpeter"}]}}, "code_interpeter"),
        (
            [DONE],
            {"host": {"tools": [{"type": "shell"}]}, "dialects": ["chat"]},
            "chat has no tools that the upstream runs",
        ),
        (
            [DONE],
            {"host": {"tools": [{"type": "shell"}]}, "dialects": ["vercel-gateway"]},
            "the AI SDK has the tools of any provider",
        ),
    ],
)
def test_invalid_tools_outputs_and_approvals_of_a_host_are_refused(
    turns: list[dict[str, Any]], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScenarioError) as error:
        scenario(*turns, **fields)
    assert any(message in str(problem) for problem in error.value.problems)


def test_a_hosted_tool_is_offered_by_its_type_or_label_with_all_of_its_fields() -> None:
    server = {"type": "mcp", "server_label": "zip", "server_url": "https://mcp.example"}
    sql = {"type": "custom", "name": "sql", "description": "Asks.", "format": {"type": "text"}}
    offered = tools_of(scenario(DONE, host={"tools": [{"type": "shell"}, server, sql]}))
    plain = {"input_schema": {"type": "object"}}
    assert offered == [
        {"type": "shell", "name": "shell", "description": "", "options": {}, **plain},
        {
            "type": "mcp",
            "name": "zip",
            "description": "",
            "options": {"server_label": "zip", "server_url": "https://mcp.example"},
            **plain,
        },
        {
            "type": "custom",
            "name": "sql",
            "description": "Asks.",
            "options": {"format": {"type": "text"}},
            **plain,
        },
    ]


def test_an_approval_of_a_request_outside_the_input_is_refused_as_a_real_upstream_does() -> None:
    answer = {"type": ANSWER, "approval_request_id": "mcpr_1", "approve": True}
    asked = {"type": REQUEST, "id": "mcpr_1", "name": "f", "server_label": "s", "arguments": "{}"}
    inbound = DIALECTS["openresponses"].requests.read
    (problem,) = inbound({"input": [answer]}, {}).problems
    assert "'mcpr_1', which is not in the input" in problem
    for known in ({"input": [asked, answer]}, {"input": [answer], "previous_response_id": "r"}):
        assert inbound(known, {}).problems == ()


@pytest.mark.parametrize(
    ("emitted", "found"),
    [
        (["mcpr_1", "mcpr_2"], {"mcpr_1": "mcpr_1", "mcpr_2": "mcpr_2"}),
        (["own_1", "own_2"], {"mcpr_1": "own_1", "mcpr_2": "own_2"}),
        (["mcpr_2", "own_1"], {"mcpr_2": "mcpr_2", "mcpr_1": "own_1"}),
        (["mcpr_2", "mcpr_2", ""], {"mcpr_2": "mcpr_2"}),
        ([], {}),
    ],
)
def test_approvals_are_found_by_id_or_order(emitted: list[str], found: dict[str, str]) -> None:
    asked = ({"type": "tool-approval-request", "approvalId": id_} for id_ in emitted)
    parts = tuple(Emitted(n, 0.0, part) for n, part in enumerate(asked))
    turn = Transcript("c", "c", "openresponses", "stream", "mine", "completed", parts=parts)
    assert approval_ids(turn, ["mcpr_1", "mcpr_2"]) == found
