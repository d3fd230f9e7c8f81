"""Each broken framing of one correct run in the vocabulary `stream` is one finding."""

import json
from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import End, Request, SentEvent, Transcript
from conformance.dialects.recording import recorded_turn
from conformance.rules.judge import judge_case
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.dialects.vercel.gateway import VERSION
from mockserver.scenario.model import Conduct
from tests.rows import row
from tests.rules import made_runs

Part = dict[str, Any]

COMPLETED = End(9.0, "completed")
FAILED = End(9.0, "failed")
SEARCH = {"id": "call_1", "name": "search", "input": {"q": "x", "n": 1}}
FRAMED, UNFRAMED = Traits(errors="part"), Traits(errors="part", framing="none")
ANSWER = [{"reasoning": "Hm."}, {"text": "Hi there"}, {"call": SEARCH}]


def case_of(*steps: Any, dialect: str = "openresponses", conduct: str = "legal") -> Case:
    value = {"title": "Framed", "conduct": conduct, "turns": [{"says": steps}]}
    return made_runs.case_of(value, dialect)


def of_scenario(name: str, dialect: str) -> Case:
    scenario = Catalogue.shipped().get(name)
    assert scenario
    return Case(scenario, dialect)


def part(type_: str, id_: str = "", **fields: Any) -> Part:
    return {"type": type_, **({"id": id_} if id_ else {}), **fields}


def call(id_: str, name: str, input_: str, **fields: Any) -> Part:
    return part("tool-call", toolCallId=id_, toolName=name, input=input_, **fields)


def result(id_: str, name: str, **fields: Any) -> Part:
    return part("tool-result", toolCallId=id_, toolName=name, result={"ok": True}, **fields)


def approval(approval_id: str, id_: str) -> Part:
    return part("tool-approval-request", approvalId=approval_id, toolCallId=id_)


HOSTED = {"providerExecuted": True}
# The names are those by which the changes below find the parts.
NAMED: dict[str, Part] = {
    "start": part("stream-start", warnings=[]),
    "metadata": part("response-metadata", "resp_1", modelId="mock"),
    "reasoning-start": part("reasoning-start", "rs_1:0"),
    "reasoning-delta": part("reasoning-delta", "rs_1:0", delta="Hm."),
    "reasoning-end": part("reasoning-end", "rs_1:0"),
    "text-start": part("text-start", "msg_1"),
    "text-delta": part("text-delta", "msg_1", delta="Hi "),
    "text-more": part("text-delta", "msg_1", delta="there"),
    "text-end": part("text-end", "msg_1"),
    "image": call("ig_1", "image_generation", "{}", **HOSTED),
    "preview": result("ig_1", "image_generation", preliminary=True),
    "result": result("ig_1", "image_generation"),
    "mcp": call("mcp_1", "mcp.shorten", "{}", dynamic=True, **HOSTED),
    "approval": approval("mcpr_1", "mcp_1"),
    "input-start": part("tool-input-start", "call_1", toolName="search"),
    "input-delta": part("tool-input-delta", "call_1", delta='{"n":1.0,'),
    "input-more": part("tool-input-delta", "call_1", delta='"q":"x"}'),
    "input-end": part("tool-input-end", "call_1"),
    "call": call("call_1", "search", '{"q":"x","n":1}'),
    "finish": part("finish", finishReason={"unified": "tool-calls"}, usage={}),
}
CORRECT = list(NAMED.values())


def at(name: str) -> int:
    return CORRECT.index(NAMED[name])


def without(*names: str) -> list[Part]:
    return [each for each in CORRECT if each not in [NAMED[name] for name in names]]


def after(name: str, *parts: Part) -> list[Part]:
    return [*CORRECT[: at(name) + 1], *parts, *CORRECT[at(name) + 1 :]]


def changed(name: str, **fields: Any) -> list[Part]:
    return [{**each, **fields} if each is NAMED[name] else each for each in CORRECT]


def moved(name: str, behind: str) -> list[Part]:
    return [each for each in after(behind, dict(NAMED[name])) if each is not NAMED[name]]


def transcript(
    played: Case, parts: list[Part], end: End = COMPLETED, vocabulary: str = "stream"
) -> Transcript:
    sent: tuple[SentEvent, ...] = recorded_turn(played, 0).events
    request = Request(1, 0.0, "POST", "/r/x/v1/responses", 200, 0, events=sent)
    return made_runs.run_of(played, parts, end, request, vocabulary)


def findings(
    parts: list[Part],
    played: Case | None = None,
    end: End = COMPLETED,
    vocabulary: str = "stream",
    traits: Traits = FRAMED,
) -> list[tuple[str, str]]:
    played = played or case_of(*ANSWER)
    found = judge_case(played, transcript(played, parts, end, vocabulary), traits)
    return [(each.rule, each.level) for each in found]


def test_a_correct_framing_breaks_no_rule() -> None:
    assert findings(CORRECT) == []


BROKEN: dict[str, tuple[list[Part], str, str]] = {
    "a text without its start": (without("text-start"), "block-framing", "must"),
    "a text that starts late": (moved("text-start", "text-delta"), "block-framing", "must"),
    "a text under another id": (changed("text-more", id="msg_2"), "block-framing", "must"),
    "a text that grows after its end": (moved("text-end", "text-delta"), "block-framing", "must"),
    "a text that ends twice": (after("text-end", NAMED["text-end"]), "block-framing", "must"),
    "a text that never ends": (without("text-end"), "block-framing", "must"),
    "a text that starts twice": (after("text-start", NAMED["text-start"]), "block-framing", "must"),
    "a reasoning without its start": (without("reasoning-start"), "block-framing", "must"),
    "a reasoning that never ends": (without("reasoning-end"), "block-framing", "must"),
    "an input without its start": (without("input-start"), "block-framing", "must"),
    "an input that grows after its end": (
        moved("input-end", "input-delta"),
        "block-framing",
        "must",
    ),
    "an input that grows after the call": (moved("input-more", "call"), "block-framing", "must"),
    "an input that never ends": (without("input-end"), "block-framing", "must"),
    "an input that starts after the call": (
        after("call", part("tool-input-start", "call_1", toolName="search")),
        *("block-framing", "must"),
    ),
    "a call of the provider's twice": (after("image", NAMED["image"]), *("block-framing", "must")),
    "half of an input": (without("input-more"), "input-agrees", "must"),
    "another input": (changed("input-more", delta='"q":"y"}'), "input-agrees", "must"),
    "another name": (changed("input-start", toolName="find"), "input-agrees", "must"),
    "an input of the provider's": (
        changed("input-start", providerExecuted=True),
        *("input-agrees", "must"),
    ),
    "an input of a dynamic tool": (changed("input-start", dynamic=True), "input-agrees", "must"),
    "another tool of the provider": (
        [
            {**each, "providerName": each["type"]} if each.get("toolName") == "search" else each
            for each in CORRECT
        ],
        *("input-agrees", "must"),
    ),
    "a result of no call": (without("image"), "result-of-call", "must"),
    "a result before its call": (moved("image", "result"), "result-of-call", "must"),
    "a result of the host's call": (
        after("call", result("call_1", "search")),
        *("result-of-call", "must"),
    ),
    "a preview after the result": (moved("preview", "result"), "result-of-call", "must"),
    "only previews": (without("result"), "result-of-call", "must"),
    "two final results": (after("result", NAMED["result"]), "result-of-call", "must"),
    "an approval asked for twice": (
        after("approval", NAMED["approval"]),
        *("approval-once", "must"),
    ),
    "an approval under two ids": (
        after("approval", approval("mcpr_2", "mcp_1")),
        *("approval-once", "must"),
    ),
    "an approval without an id": (changed("approval", approvalId=""), "approval-once", "must"),
    "an approval of no call": (without("mcp"), "approval-once", "must"),
    "a late stream-start": (moved("start", "metadata"), "stream-start-first", "must"),
    "two stream-starts": (after("start", NAMED["start"]), "stream-start-first", "must"),
    "metadata twice": (after("text-end", NAMED["metadata"]), "metadata-once", "must"),
    "no finish": (without("finish"), "finish-last", "must"),
    "two finishes": (after("finish", NAMED["finish"]), "finish-last", "must"),
    "a call after the finish": (moved("call", "finish"), "finish-last", "must"),
    "metadata after the finish": (moved("metadata", "finish"), "finish-last", "must"),
    "stop with a call": (changed("finish", finishReason="stop"), "finish-reason", "must"),
    "other with a call": (changed("finish", finishReason="other"), "finish-reason", "must"),
}


def test_a_broken_framing_is_one_finding() -> None:
    for name, (parts, rule, level) in BROKEN.items():
        with row(name):
            assert findings(parts) == [(rule, level)]


ALLOWED: dict[str, list[Part]] = {
    "a call without its input": without("input-start", "input-delta", "input-more", "input-end"),
    "an input without deltas": without("input-delta", "input-more"),
    "a call that is only announced": without("input-delta", "input-more", "input-end"),
    "no stream-start and no metadata": without("start", "metadata"),
    "metadata in two parts": [
        *changed("metadata", modelId=None)[:-1],
        part("response-metadata", modelId="mock"),
        NAMED["finish"],
    ],
    "raw parts anywhere": [part("raw", rawValue={}), *CORRECT, part("raw", rawValue={})],
    "a text that goes on under its id": after("text-delta", NAMED["text-end"], NAMED["text-start"]),
    "an error in place of a result": changed("result", isError=True),
    "names of Effect": [
        {**each, "type": each["type"].replace("tool-input", "tool-params")} for each in CORRECT
    ],
    "a call of Effect": [
        part("tool-call", "call_1", name="search", params={"q": "x", "n": 1})
        if each is NAMED["call"]
        else each
        for each in CORRECT
    ],
}


def test_what_hosts_rely_on_breaks_no_rule() -> None:
    for name, parts in ALLOWED.items():
        with row(name):
            assert findings(parts) == []


TEXT = [NAMED["text-start"], NAMED["text-delta"], NAMED["text-more"], NAMED["text-end"]]


def finish(reason: str) -> Part:
    return part("finish", finishReason={"unified": reason})


# The last step of the upstream, the reason that the adapter gives, and the findings.
REASONS: dict[str, tuple[Any, str, End, list[tuple[str, str]]]] = {
    "a text": ({"finish": "stop"}, "stop", COMPLETED, []),
    "tool-calls without a call": (
        *({"finish": "stop"}, "tool-calls", COMPLETED),
        [("finish-reason", "must")],
    ),
    "cut at a length": ({"incomplete": "length"}, "length", COMPLETED, []),
    "a length for a filter": (
        *({"incomplete": "content-filter"}, "length", COMPLETED),
        [("end-honest", "must")],
    ),
    "other for a length": (
        *({"incomplete": "length"}, "other", COMPLETED),
        [("finish-reason", "should")],
    ),
    "a failure": ({"failed": {"message": "Busy", "code": "busy"}}, "error", FAILED, []),
    "stop for a failure": (
        *({"failed": {"message": "Busy", "code": "busy"}}, "stop", FAILED),
        [("finish-reason", "must")],
    ),
}


@pytest.mark.parametrize(("step", "reason", "end", "expected"), REASONS.values(), ids=REASONS)
def test_the_reason_of_the_finish_is_the_upstreams(
    step: Any, reason: str, end: End, expected: list[tuple[str, str]]
) -> None:
    failure = [part("error", error={"message": "Busy", "code": "busy"})]
    parts = [*TEXT, *(failure if end is FAILED else []), finish(reason)]
    assert findings(parts, case_of({"text": "Hi there"}, step), end) == expected


def test_two_errors_before_the_finish_break_no_rule_on_framing() -> None:
    played = case_of({"text": "Hi there"}, {"failed": {"message": "Busy", "code": "busy"}})
    error = part("error", error={"message": "Busy", "code": "busy"})
    found = findings([*TEXT, error, error, finish("error")], played, FAILED)
    assert found == [("error-told", "should")]


SQL = "select \"n\u00e4me\"\nfrom t where p like 'C:\\%'"


@pytest.mark.parametrize(("delta", "expected"), [(SQL, []), (SQL[:-1], ["input-agrees"])])
def test_a_custom_tools_call_is_its_deltas_as_a_json_text(delta: str, expected: list[str]) -> None:
    parts = [
        NAMED["start"],
        part("tool-input-start", "call_sql", toolName="run_sql", inputEncoding="text"),
        part("tool-input-delta", "call_sql", delta=delta),
        part("tool-input-end", "call_sql"),
        call("call_sql", "run_sql", json.dumps(SQL)),
        finish("tool-calls"),
    ]
    found = findings(parts, of_scenario("openresponses/custom-tool-call", "openresponses"))
    assert [rule for rule, _ in found] == expected


BARE = [
    part("reasoning-delta", "0", delta="Hm."),
    part("text-delta", "0", delta="Hi there"),
    NAMED["call"],
]


def test_bare_deltas_and_calls_need_the_trait_framing() -> None:
    bare = [("block-framing", "must")] * 2
    assert findings(BARE) == [*bare, ("finish-last", "must")]
    assert findings(BARE, traits=UNFRAMED) == []
    framed = [NAMED["start"], *BARE, NAMED["finish"]]
    assert findings(framed, traits=UNFRAMED) == [*bare, ("traits-kept", "must")]


# What an adapter makes of an item that is done twice, in place of one end of its text.
ENDS: dict[str, tuple[int, list[tuple[str, str]]]] = {
    "one end": (1, []),
    "an end for each end of the item": (2, [("block-framing", "should")]),
    "no end": (0, [("block-framing", "should")]),
}


@pytest.mark.parametrize(("ends", "expected"), ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("conduct", ["deviation", "violation"])
def test_a_violation_excuses_the_framing_and_a_deviation_does_not(
    ends: int, expected: list[tuple[str, str]], conduct: Conduct
) -> None:
    played = of_scenario("openresponses/item-done-twice", "openresponses")
    parts = [
        part("text-start", "msg"),
        part("text-delta", "msg", delta="Sending it now."),
        *[part("text-end", "msg")] * ends,
        call("call_mail", "send_mail", '{"to":"ops@example.org"}'),
        finish("tool-calls"),
    ]
    judged = replace(played, scenario=replace(played.scenario, conduct=conduct))
    assert findings(parts, judged) == (expected if conduct == "deviation" else [])


def gateway(*parts: Part, conduct: str = "deviation") -> Case:
    """A gateway that sends these parts, and an adapter that passes them on."""
    sends = [{each["type"]: {k: v for k, v in each.items() if k != "type"}} for each in parts]
    expect = {"parts": [{"text": "Hi there"}], "reason": "stop"}
    turn = {"sends": sends, "expect": expect}
    value = {
        "title": "Passed on",
        "conduct": conduct,
        "seen": [{"at": "a/b#1", "line": "data: 1", "upstream": "Azure"}],
        "dialects": ["vercel-gateway"],
        "turns": [turn],
    }
    return made_runs.case_of(value, "vercel-gateway", "vercel/x")


PASSED_ON: dict[str, list[Part]] = {
    "a text without its start": [NAMED["start"], *TEXT[1:], finish("stop")],
    "a text that never ends": [NAMED["start"], *TEXT[:-1], finish("stop")],
    "metadata twice": [NAMED["metadata"], *TEXT, NAMED["metadata"], finish("stop")],
    "a preview after the result": [
        *(NAMED["start"], *TEXT, NAMED["image"], NAMED["result"], NAMED["preview"]),
        finish("stop"),
    ],
}


@pytest.mark.parametrize(
    ("version", "expected"), [("2", []), ("4", [("result-of-call", "should")])]
)
def test_a_client_of_v2_knows_no_preliminary_results(
    version: str, expected: list[tuple[str, str]]
) -> None:
    results = [NAMED["start"], *TEXT, NAMED["image"], NAMED["preview"], NAMED["result"]]
    played = gateway(*results, finish("stop"))
    unmarked = [{k: v for k, v in each.items() if k != "preliminary"} for each in results]
    run = transcript(played, [*unmarked, finish("stop")])
    asked = replace(run.requests[0], headers={VERSION: version})
    found = judge_case(played, replace(run, requests=(asked,)), Traits(errors="part"))
    assert [(each.rule, each.level) for each in found] == expected


@pytest.mark.parametrize("parts", PASSED_ON.values(), ids=PASSED_ON)
def test_parts_that_a_gateway_sends_are_passed_on_without_a_finding(parts: list[Part]) -> None:
    assert findings(parts, gateway(*parts)) == []


@pytest.mark.parametrize("parts", PASSED_ON.values(), ids=PASSED_ON)
def test_the_same_parts_are_a_finding_where_no_gateway_sent_them(parts: list[Part]) -> None:
    correct = gateway(
        NAMED["start"], NAMED["metadata"], *TEXT, NAMED["image"], NAMED["result"], finish("stop")
    )
    assert len(findings(parts, correct)) == 1


# An input that no function takes is the host's failure, and the finish is that of a call.
TWICE = json.dumps('{"note":"{oops}","raw":"{\\"a\\":1}"}')
# A call of the catalogue, and the reason that the adapter gives.
OWN_REASONS: dict[str, tuple[Case, Part, str]] = {
    "an input that is encoded twice": (
        of_scenario("any/double-encoded-arguments", "openresponses"),
        call("call_twice", "post_note", TWICE),
        "tool-calls",
    ),
    "stop with calls on the wire": (
        of_scenario("chat/finish-stop-with-calls", "chat"),
        call("call_1", "search", "{}"),
        "stop",
    ),
}


@pytest.mark.parametrize(("played", "made", "reason"), OWN_REASONS.values(), ids=OWN_REASONS)
def test_the_reason_that_the_wire_gives_with_a_call_is_passed_on(
    played: Case, made: Part, reason: str
) -> None:
    found = findings([NAMED["start"], made, finish(reason)], played)
    assert "finish-reason" not in [rule for rule, _ in found]


@pytest.mark.parametrize(("reason", "expected"), [("stop", []), ("tool-calls", ["finish-reason"])])
def test_calls_that_the_upstream_runs_finish_with_stop(reason: str, expected: list[str]) -> None:
    played = of_scenario("openresponses/web-search-then-answer", "openresponses")
    sunset = {**result("ws_dusk", "web_search"), "result": {"query": "sunset Tromsø"}}
    search = [call("ws_dusk", "web_search", "{}", **HOSTED), sunset]
    said = {**NAMED["text-delta"], "delta": "The sun does not rise today."}
    text = [NAMED["text-start"], said, NAMED["text-end"]]
    found = findings([NAMED["start"], *search, *text, finish(reason)], played)
    assert [rule for rule, _ in found] == expected
