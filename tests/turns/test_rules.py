"""Each rule about requests has findings for an adapter that breaks it, and for no other."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.dialects.chat.reference import to_copilot as copilot_copilot
from conformance.dialects.client.transport import Adapter
from conformance.dialects.openresponses.reference import vscode as openresponses_vscode
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Adapter as Driven
from conformance.drivers.python import PythonDriver
from conformance.findings.finding import Finding, Rule
from conformance.findings.words import message_of
from conformance.rules.requests import TURN_RULES
from conformance.rules.requests.calls import (
    CallNotHandedOver,
    HalfCallWithResult,
    ResultOfHalfCall,
    ResultWithoutCall,
)
from conformance.suite.session import Session
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.load import load
from mockserver.dialects.conversation import Entry, ToolCall, ToolResult
from mockserver.scenario.model import Scenario
from tests.representative import REACHES, split
from tests.turns.broken_adapters import (
    BROKEN,
    DECLARED,
    OF_CHAT,
    OF_PROVIDERS,
    OF_RESPONSES,
    BrokenAdapter,
    GivesUp,
    adapter,
    follows_the_annex,
    prefixes_own_ids,
    provider,
    renames_tool_call_id,
)
from tests.turns.hosted_adapter import SPOILT
from tests.wireless import Wireless

CALL_RULES: list[Rule[Any]] = [
    rule for rule in TURN_RULES if rule.id in ("turn-no-half-call", "turn-pairs")
]
HALF = ToolCall("call_half", "write_file", "{}")

# The dialects whose request bodies the broken adapters know.
DIALECTS = ("openresponses", "chat", "vercel-fullstream")
BROKEN_ADAPTERS = [*BROKEN, *OF_CHAT, *OF_PROVIDERS, *OF_RESPONSES]
BROKEN_IN_DIALECTS = [(dialect, broken) for dialect in DIALECTS for broken in BROKEN]
BROKEN_IN_DIALECTS += [("chat", broken) for broken in OF_CHAT]
BROKEN_IN_DIALECTS += [("openresponses", broken) for broken in OF_RESPONSES]
BROKEN_IN_DIALECTS += [("vercel-fullstream", broken) for broken in OF_PROVIDERS]

_MANAGED = {"anthropic": {"contextManagement": {"enabled": True}}, "gateway": {"order": ["a"]}}
_VERCEL = {"maxOutputTokens": 64, "providerOptions": _MANAGED}
OPTIONS: dict[str, dict[str, Any]] = {
    "openresponses": {"max_output_tokens": 64, "metadata": {"team": "red", "on": "call"}},
    "chat": {"max_completion_tokens": 64, "metadata": {"team": "red", "on": "call"}},
    "vercel-fullstream": _VERCEL,
    "vercel-gateway": _VERCEL,
    "vercel-ui": _VERCEL,
}


def with_all_options(dialect: str) -> Scenario:
    """A scenario of one turn, in which the host sets every option."""
    host = {
        "system": "You are brief.",
        "user": "Sum this up: " + "the same again, " * 40,
        "options": OPTIONS[dialect],
        "model": {"context_window": 100, "max_tokens": 64},
    }
    turns = [{"says": [{"text": "The same."}]}]
    value = {"title": "Much is asked", "dialects": [dialect], "host": host, "turns": turns}
    return load(json.dumps(value).encode(), "much.yaml", "any/much")


@cache
def conversations(dialect: str) -> tuple[Scenario, ...]:
    """The shipped scenarios of several turns with functions in a dialect, one with all options."""
    shipped = [e.scenario for e in Catalogue.shipped().entries() if e.scenario]
    several = (s for s in shipped if len(s.turns) > 1 and dialect in s.dialects)
    hosted = {s.id for s in shipped if any("type" in tool for tool in s.host.tools)}
    return (*(s for s in several if s.id not in hosted), with_all_options(dialect))


@cache
def few_first(dialect: str) -> tuple[list[Case], list[Case]]:
    """The conversations of a dialect, split into a few representative ones and the others."""
    return split([Case(scenario, dialect) for scenario in conversations(dialect)])


def findings(
    workbench: Workbench,
    dialect: str,
    broken: BrokenAdapter,
    until: str = "",
    share: slice = slice(None),
) -> dict[str, list[Finding]]:
    """The findings of the catalogue's conversations, by case id; without clean cases."""
    spoilt = GivesUp(adapter(dialect, broken), broken)
    return found_in(workbench, dialect, "vscode", DECLARED, spoilt, until, share)


def found_in(
    workbench: Workbench,
    dialect: str,
    vocabulary: str,
    traits: Traits,
    driven: Driven,
    until: str = "",
    share: slice = slice(None),
) -> dict[str, list[Finding]]:
    """The findings of the conversations of a dialect, by case id; without clean cases.

    With the rule ``until`` a ``share`` of a few is played, and then others until the rule has a
    finding.
    """
    path, claims = Path("adapter.yaml"), Claims(turns=True)
    described = Description("driven", {}, (dialect,), vocabulary, path, traits, claims)
    driver = PythonDriver(driven)
    upstream = Wireless(workbench.catalogue)
    session = Session(described, driver, upstream)
    few, others = few_first(dialect)
    try:
        with upstream:
            found = {str(case): run(session, case).findings for case in few[share]}
            for case in (each for each in (*few, *others) if str(each) not in found):
                if until in {finding.rule for each in found.values() for finding in each}:
                    break
                found[str(case)] = run(session, case).findings
    finally:
        driver.close()
    return {case: list(each) for case, each in found.items() if each}


def share_of(broken: BrokenAdapter) -> slice:
    """Every other of the few cases: those of the adapter beside it are the others."""
    return slice(BROKEN_ADAPTERS.index(broken) % 2, None, 2)


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(
    ("dialect", "broken"),
    BROKEN_IN_DIALECTS,
    ids=[f"{broken.name}@{dialect}" for dialect, broken in BROKEN_IN_DIALECTS],
)
def test_a_broken_adapter_breaks_its_rule_and_no_other(
    workbench: Workbench, dialect: str, broken: BrokenAdapter, reach: str
) -> None:
    until = broken.rule if reach == "few" else ""
    found = findings(workbench, dialect, broken, until, share_of(broken))
    messages = {case: [f"{f.rule}: {message_of(f)}" for f in each] for case, each in found.items()}
    assert {f.rule for each in found.values() for f in each} == {broken.rule}, messages
    if broken.only:
        assert list(found) == [f"{broken.only}@{dialect}"], messages


@pytest.mark.parametrize("sends", [prefixes_own_ids, renames_tool_call_id, follows_the_annex])
def test_an_adapter_of_chat_completions_may_send_back(workbench: Workbench, sends: Any) -> None:
    assert findings(workbench, "chat", BrokenAdapter("", sends.__name__, sends=sends)) == {}


@pytest.mark.parametrize("dialect", OPTIONS)
def test_an_adapter_that_sends_everything_back_breaks_no_rule(
    workbench: Workbench, dialect: str
) -> None:
    assert findings(workbench, dialect, BrokenAdapter("", "Right")) == {}


GATEWAY = [each for each in BROKEN if each.rule in ("limits-passed", "options-passed")]


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(
    "broken", [*GATEWAY, *OF_PROVIDERS], ids=lambda broken: f"{broken.name}@vercel-gateway"
)
def test_requests_to_a_gateway_are_judged(
    workbench: Workbench, broken: BrokenAdapter, reach: str
) -> None:
    until, driven = broken.rule if reach == "few" else "", provider(broken)
    share = share_of(broken)
    found = found_in(workbench, "vercel-gateway", "stream", Traits(), driven, until, share)
    messages = {case: [f"{f.rule}: {message_of(f)}" for f in each] for case, each in found.items()}
    assert {f.rule for each in found.values() for f in each} == {broken.rule}, messages


def test_a_gateway_client_that_sends_everything_back_breaks_no_rule(workbench: Workbench) -> None:
    driven = provider(BrokenAdapter("", "Right"))
    assert found_in(workbench, "vercel-gateway", "stream", Traits(), driven) == {}


def test_an_adapter_need_not_send_its_own_blank_back(workbench: Workbench) -> None:
    driven = copilot_copilot.adapter({"blank_before_call": True})
    right = driven._upstream

    def trimmed(run: Any, prefix: str) -> dict[str, object]:
        body: Any = right.request(run, prefix)
        said = [m for m in body["messages"] if m["role"] == "assistant" and m["content"]]
        for message in said:
            message["content"] = message["content"].rstrip(" ")
        return dict(body)

    for upstream in (right, replace(right, request=trimmed)):
        driven._upstream = upstream
        traits = Traits(blank_before_call=True, errors="part")
        assert found_in(workbench, "chat", "copilot", traits, driven) == {}


SHOWN_THOUGHT = b"""
title: Prefixed reasoning before an answer and a call
source: [lm-stream-semantics \xc2\xa7 9.5]
dialects: [openresponses]
turns:
  - says:
      - reasoning: {text: "The tool knows."}
      - text: "Let me see."
      - call: {id: call_prime, name: is_prime, input: {number: 1009}}
    then:
      tool_results: {call_prime: "true"}
  - says:
      - text: "Yes."
"""
_PREFIXED = "[Thinking] The tool knows."
SENT_BACK = {
    "as it came out": (_PREFIXED + "Let me see.", []),
    "without the reasoning": ("Let me see.", []),
    "without the answer": (_PREFIXED, ["turn-history"]),
}


def played_by(workbench: Workbench, driven: Adapter) -> list[Finding]:
    """The findings about an adapter that prefixes reasoning, in a conversation with a call."""
    traits, claims = Traits(reasoning="prefixed"), Claims(turns=True)
    described = Description(
        "prefixes", {}, ("openresponses",), "vscode", Path("adapter.yaml"), traits, claims
    )
    driver = PythonDriver(driven)
    case = Case(load(SHOWN_THOUGHT, "mine.yaml", "any/mine"), "openresponses")
    try:
        return list(run(workbench.drive(described, driver), case).findings)
    finally:
        driver.close()


@pytest.mark.parametrize("how", SENT_BACK)
def test_an_adapter_may_leave_out_the_reasoning_it_prefixed(workbench: Workbench, how: str) -> None:
    text, rules = SENT_BACK[how]
    driven = openresponses_vscode.Adapter({"reasoning": "prefixed"})

    def request(run: Any, prefix: str) -> dict[str, object]:
        body: Any = openresponses_vscode.request(run, prefix)
        for item in body["input"]:
            item.update({"content": text} if item.get("role") == "assistant" else {})
        return dict(body)

    driven._upstream = replace(driven._upstream, request=request)
    found = played_by(workbench, driven)
    assert [finding.rule for finding in found] == rules


def test_no_turn_is_judged_after_calls_that_nobody_made(workbench: Workbench) -> None:
    class Unnamed(ResponsesToVscode):
        def event(self, data: Any) -> list[Any]:
            parts = super().event(data)
            calls = [part for part in parts if part["type"] == "toolCall"]
            return [*parts, *({**call, "callId": "", "name": ""} for call in calls)]

    driven = openresponses_vscode.Adapter({"reasoning": "prefixed"}, machine=Unnamed)
    found = played_by(workbench, driven)
    assert {(finding.rule, finding.turn) for finding in found} == {("part-known", 0)}


def sending_references(id_: str) -> Adapter:
    """An adapter that sends `item_reference` in place of assistant messages.

    They refer to ``id_``, or to the id that the message had if that is empty. Messages that the
    upstream does not store are sent as they are.
    """
    seen: dict[str, str] = {}

    class Noting(ResponsesToVscode):
        def event(self, data: Any) -> list[Any]:
            item = data.get("item") or {}
            if data["type"] == "response.output_item.done" and item["type"] == "message":
                seen["".join(part["text"] for part in item["content"])] = item["id"]
            return super().event(data)

    driven = openresponses_vscode.Adapter(machine=Noting)

    def request(run: Any, prefix: str) -> dict[str, object]:
        body: Any = openresponses_vscode.request(run, prefix)
        if body.get("store") is False:
            return dict(body)
        body["input"] = [
            {"type": "item_reference", "id": id_ or seen[item["content"]]}
            if item.get("role") == "assistant" and item["content"] in seen
            else item
            for item in body["input"]
        ]
        return dict(body)

    driven._upstream = replace(driven._upstream, request=request)
    return driven


def test_a_reference_may_replace_an_item_that_the_upstream_has(workbench: Workbench) -> None:
    found = found_in(workbench, "openresponses", "vscode", Traits(), sending_references(""))
    assert found == {}


def test_a_reference_to_an_unknown_item_breaks_turn_history(workbench: Workbench) -> None:
    found = found_in(
        workbench, "openresponses", "vscode", Traits(), sending_references("msg_other")
    )
    assert {finding.rule for each in found.values() for finding in each} == {"turn-history"}


def test_every_rule_has_an_adapter_that_breaks_it() -> None:
    broken = {broken.rule for _, broken in BROKEN_IN_DIALECTS} | {spoilt.rule for spoilt in SPOILT}
    assert {rule.id for rule in TURN_RULES} == broken


@pytest.mark.parametrize(
    ("begun", "back", "is_pair"),
    [
        ({"call_half"}, (HALF, ToolResult("call_half", "The input ends too soon.")), True),
        ({"call_half"}, (HALF,), False),
        ({"call_half"}, (HALF, ToolResult("call_1", "sunny")), False),
        (set(), (HALF, ToolResult("call_half", "The input ends too soon.")), False),
    ],
    ids=["answered", "alone", "with another result", "never begun"],
)
def test_a_call_that_was_cut_short_is_sent_back_at_most_with_a_result(
    begun: set[str], back: tuple[Entry, ...], is_pair: bool
) -> None:
    sent = SimpleNamespace(received=back, ids_sent=begun, calls={}, hosted_calls={}, handed_over=())
    sent.upstream_id = str
    found = {rule.id: [type(defect.kind) for defect in rule.check(sent)] for rule in CALL_RULES}
    call = HalfCallWithResult if is_pair else CallNotHandedOver
    result = ResultOfHalfCall if is_pair else ResultWithoutCall
    results = [result for each in back if isinstance(each, ToolResult)]
    assert found == {"turn-no-half-call": [call], "turn-pairs": results}


@pytest.mark.parametrize(
    ("sent", "count"),
    [
        ({"include": ["code", "sources"]}, 0),
        ({"include": ["sources"]}, 1),
        ({"include": "code"}, 1),
        ({}, 1),
    ],
)
def test_an_adapter_may_ask_to_include_more_than_the_host(sent: dict[str, Any], count: int) -> None:
    (rule,) = (rule for rule in TURN_RULES if rule.id == "options-passed")
    asked = SimpleNamespace(options={"include": ["code"]})
    back = SimpleNamespace(asked=asked, body=sent, read=lambda _: SimpleNamespace(limit=None))
    assert len(list(rule.check(back))) == count  # type: ignore[arg-type]
