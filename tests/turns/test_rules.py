"""Every rule about requests convicts an adapter that breaks it, of that and of nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.contract.adapter import Claims, Description
from conformance.contract.finding import Finding
from conformance.contract.traits import Traits
from conformance.dialects.chat.reference import to_copilot as copilot_copilot
from conformance.dialects.client.transport import Adapter
from conformance.dialects.openresponses.reference import vscode as openresponses_vscode
from conformance.dialects.openresponses.reference.machine import ResponsesToVscode
from conformance.drivers.python import Adapter as Driven
from conformance.drivers.python import PythonDriver
from conformance.rules.requests import TURN_RULES
from conformance.suite.play import Session
from conformance.suite.workbench import Workbench, run
from mockserver.render import Case
from mockserver.scenario.catalogue import Catalogue
from mockserver.scenario.load import load
from mockserver.scenario.model import Scenario
from tests.turns.animals import (
    ANIMALS,
    DECLARED,
    OF_CHAT,
    OF_PROVIDERS,
    Animal,
    GivesUp,
    adapter,
    provider,
)
from tests.wireless import Wireless

DIALECTS = ("openresponses", "chat", "vercel-fullstream")
ZOO = [(dialect, animal) for dialect in DIALECTS for animal in ANIMALS]
ZOO += [("chat", animal) for animal in OF_CHAT]
ZOO += [("vercel-fullstream", animal) for animal in OF_PROVIDERS]

_MANAGED = {"anthropic": {"contextManagement": {"enabled": True}}, "gateway": {"order": ["a"]}}
_VERCEL = {"maxOutputTokens": 64, "providerOptions": _MANAGED}
OPTIONS: dict[str, dict[str, Any]] = {
    "openresponses": {"max_output_tokens": 64, "metadata": {"team": "red", "on": "call"}},
    "chat": {"max_completion_tokens": 64, "metadata": {"team": "red", "on": "call"}},
    "vercel-fullstream": _VERCEL,
    "vercel-gateway": _VERCEL,
    "vercel-ui": _VERCEL,
}


def asks_much(dialect: str) -> Scenario:
    """One turn, in which the host has set all that it can."""
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
    """The shipped scenarios of several turns in a dialect, and one that asks much."""
    shipped = [e.scenario for e in Catalogue.shipped().entries() if e.scenario]
    several = [s for s in shipped if len(s.turns) > 1 and dialect in s.dialects]
    return (*several, asks_much(dialect))


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped()) as bench:
        yield bench


def findings(workbench: Workbench, dialect: str, animal: Animal) -> dict[str, list[Finding]]:
    """What the conversations of the catalogue find, by case."""
    spoilt = GivesUp(adapter(dialect, animal), animal)
    return found_in(workbench, dialect, "vscode", DECLARED, spoilt)


def found_in(
    workbench: Workbench, dialect: str, vocabulary: str, traits: Traits, driven: Driven
) -> dict[str, list[Finding]]:
    path, claims = Path("adapter.yaml"), Claims(turns=True)
    described = Description("driven", {}, (dialect,), vocabulary, path, traits, claims)
    driver = PythonDriver(driven)
    upstream = Wireless(workbench.catalogue)
    session = Session(described, driver, upstream)
    try:
        with upstream:
            results = [run(session, Case(scenario, dialect)) for scenario in conversations(dialect)]
    finally:
        driver.close()
    return {result.case: list(result.findings) for result in results if result.findings}


@pytest.mark.parametrize(
    ("dialect", "animal"), ZOO, ids=[f"{animal.name}@{dialect}" for dialect, animal in ZOO]
)
def test_an_adapter_that_sends_something_wrong_back_is_convicted_of_that_and_of_nothing_else(
    workbench: Workbench, dialect: str, animal: Animal
) -> None:
    found = findings(workbench, dialect, animal)
    told = {case: [f"{f.rule}: {f.message}" for f in each] for case, each in found.items()}
    assert {f.rule for each in found.values() for f in each} == {animal.rule}, told


@pytest.mark.parametrize("dialect", OPTIONS)
def test_an_adapter_that_sends_everything_back_is_convicted_of_nothing(
    workbench: Workbench, dialect: str
) -> None:
    assert findings(workbench, dialect, Animal("", "Right")) == {}


GATEWAY = [each for each in ANIMALS if each.rule in ("limits-passed", "options-passed")]


@pytest.mark.parametrize(
    "animal", [*GATEWAY, *OF_PROVIDERS], ids=lambda animal: f"{animal.name}@vercel-gateway"
)
def test_what_is_sent_to_a_gateway_is_judged_as_well(workbench: Workbench, animal: Animal) -> None:
    found = found_in(workbench, "vercel-gateway", "stream", Traits(), provider(animal))
    told = {case: [f"{f.rule}: {f.message}" for f in each] for case, each in found.items()}
    assert {f.rule for each in found.values() for f in each} == {animal.rule}, told


def test_a_client_of_gateways_sends_everything_back(workbench: Workbench) -> None:
    driven = provider(Animal("", "Right"))
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


def naming(name: str) -> Adapter:
    """An adapter that sends references in place of what the model said, to the ids that it saw."""
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
        body["input"] = [
            {"type": "item_reference", "id": name or seen[item["content"]]}
            if item.get("role") == "assistant" and item["content"] in seen
            else item
            for item in body["input"]
        ]
        return dict(body)

    driven._upstream = replace(driven._upstream, request=request)
    return driven


def test_what_the_upstream_keeps_may_be_named_in_place_of_being_told(workbench: Workbench) -> None:
    found = found_in(workbench, "openresponses", "vscode", Traits(), naming(""))
    assert found == {}


def test_to_name_what_the_upstream_never_said_is_to_lose_what_it_did(workbench: Workbench) -> None:
    found = found_in(workbench, "openresponses", "vscode", Traits(), naming("msg_other"))
    assert {finding.rule for each in found.values() for finding in each} == {"turn-history"}


def test_every_rule_has_an_adapter_that_breaks_it() -> None:
    assert {rule.id for rule in TURN_RULES} == {animal.rule for _, animal in ZOO}
