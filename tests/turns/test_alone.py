"""A single turn is judged by what its host says: what has to arrive, and that somebody asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator

from conformance.contract.adapter import Description
from conformance.contract.results import Result
from conformance.contract.transcript import from_json
from conformance.drivers.python import Adapter, Emit, PythonDriver
from conformance.suite.workbench import Workbench, run
from mockserver.render import Case
from mockserver.scenario.catalogue import Catalogue
from mockserver.shipped import schema
from tests.turns.animals import DECLARED, Animal, Body, GivesUp, Run, adapter
from tests.turns.test_rules import OPTIONS, asks_much

DIALECTS = ("openresponses", "chat", "vercel-fullstream")


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped()) as bench:
        yield bench


def played(workbench: Workbench, dialect: str, driven: Adapter, **host: Any) -> Result:
    """The one turn, of a host that says other things where ``host`` does."""
    scenario = asks_much(dialect)
    scenario = replace(scenario, host=replace(scenario.host, **host))
    described = Description("mine", {}, (dialect,), "vscode", Path("mine"), DECLARED)
    driver = PythonDriver(driven)
    try:
        return run(workbench.drive(described, driver), Case(scenario, dialect))
    finally:
        driver.close()


def told(result: Result) -> list[str]:
    return [f"{finding.rule}: {finding.message}" for finding in result.findings]


@dataclass(frozen=True)
class LooksUp:
    """An adapter that asks for the models before anything else."""

    right: Adapter

    def hello(self) -> dict[str, Any]:
        return self.right.hello()

    async def run(self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event) -> dict[str, Any]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{run['base_url']}/models") as response,
        ):
            (model,) = (await response.json())["data"]
            assert (model["context_window"], model["max_tokens"]) == (100, 64)
        return await self.right.run(run, emit, cancel)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_adapter_may_look_the_model_up_before_it_asks(
    workbench: Workbench, dialect: str
) -> None:
    result = played(workbench, dialect, LooksUp(adapter(dialect, Animal("", "Right"))))
    assert told(result) == []
    assert result.transcript
    assert [request.method for request in result.transcript.requests] == ["GET", "POST"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_to_look_the_model_up_is_not_to_ask(workbench: Workbench, dialect: str) -> None:
    animal = Animal("", "GivesUp", gives_up=lambda _run: True)
    result = played(workbench, dialect, LooksUp(GivesUp(adapter(dialect, animal), animal)))
    assert told(result) == [
        "turn-asked: the run failed before the upstream was asked: 'Message exceeds token limit.'"
    ]


def spoilt(result: Result) -> tuple[str, str]:
    (finding,) = result.findings
    return finding.message, finding.right


def sends(field: str, value: Any) -> Animal:
    def change(body: Body, _run: Run) -> None:
        body[field] = value

    return Animal("", "Changes", sends=change)


def test_what_became_of_a_limit_is_said(workbench: Workbench) -> None:
    other = adapter("chat", sends("max_completion_tokens", 63))
    assert spoilt(played(workbench, "chat", other)) == (
        "the limit of 64 output tokens went upstream as 63",
        "64, under the dialect's own name for it",
    )


def test_what_became_of_an_option_is_said(workbench: Workbench) -> None:
    managed = {"anthropic": {"contextManagement": {"enabled": False}}, "gateway": {"order": ["a"]}}
    other = adapter("vercel-fullstream", sends("providerOptions", managed))
    assert spoilt(played(workbench, "vercel-fullstream", other)) == (
        "the option providerOptions.anthropic.contextManagement.enabled went upstream as false",
        "true, as the host set it",
    )


def test_other_options_may_stand_beside_those_of_the_host(workbench: Workbench) -> None:
    given = OPTIONS["vercel-fullstream"]["providerOptions"]
    more = {**given, "anthropic": {**given["anthropic"], "thinking": {"type": "enabled"}}}
    other = adapter("vercel-fullstream", sends("providerOptions", {**more, "openai": {}}))
    assert told(played(workbench, "vercel-fullstream", other)) == []


def test_a_limit_has_two_names_in_chat_completions(workbench: Workbench) -> None:
    right = adapter("chat", sends("max_completion_tokens", 64))
    assert told(played(workbench, "chat", right, options={"max_tokens": 64})) == []


def test_numbers_are_compared_as_numbers(workbench: Workbench) -> None:
    right = adapter("openresponses", sends("temperature", 1.0))
    assert told(played(workbench, "openresponses", right, options={"temperature": 1})) == []


def test_how_often_to_try_again_is_not_for_the_upstream(workbench: Workbench) -> None:
    right = adapter("chat", Animal("", "Right"))
    assert told(played(workbench, "chat", right, options={"max_retries": 0})) == []


def test_the_transcript_has_what_the_host_handed_over(workbench: Workbench) -> None:
    result = played(workbench, "chat", adapter("chat", Animal("", "Right")))
    assert result.transcript
    assert result.transcript.asked
    assert result.transcript.asked.options == OPTIONS["chat"]
    written = json.loads(json.dumps(result.transcript.to_json()))
    Draft202012Validator(schema("transcript")).validate(written)
    assert from_json(written) == result.transcript
