"""A single turn is judged by what its host sets: a request must be made, with every option."""

import asyncio
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from jsonschema import Draft202012Validator

from conformance.contract.adapter import Description
from conformance.contract.transcript import from_json
from conformance.drivers.python import Adapter, Emit, PythonDriver
from conformance.findings.words import message_of, right_of
from conformance.report.results import Result
from conformance.suite.workbench import Workbench, run
from mockserver.cases.case import Case
from mockserver.foundation.shipped import schema
from tests.turns.broken_adapters import DECLARED, Body, BrokenAdapter, GivesUp, Run, adapter
from tests.turns.test_rules import OPTIONS, with_all_options

DIALECTS = ("openresponses", "chat", "vercel-fullstream")


def played(workbench: Workbench, dialect: str, driven: Adapter, **host: Any) -> Result:
    """The result of the one turn, with the fields of the host replaced by ``host``."""
    scenario = with_all_options(dialect)
    scenario = replace(scenario, host=replace(scenario.host, **host))
    described = Description("mine", {}, (dialect,), "vscode", Path("mine"), DECLARED)
    driver = PythonDriver(driven)
    try:
        return run(workbench.drive(described, driver), Case(scenario, dialect))
    finally:
        driver.close()


def messages_of(result: Result) -> list[str]:
    return [f"{finding.rule}: {message_of(finding)}" for finding in result.findings]


@dataclass(frozen=True)
class LooksUpTheModel:
    """An adapter that requests the list of models first."""

    right: Adapter

    def hello(self) -> dict[str, Any]:
        return self.right.hello()

    async def run(self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event) -> dict[str, Any]:
        async with ClientSession() as session, session.get(f"{run['base_url']}/models") as response:
            (model,) = (await response.json())["data"]
            assert (model["context_window"], model["max_tokens"]) == (100, 64)
        return await self.right.run(run, emit, cancel)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_adapter_may_look_up_the_model_first(workbench: Workbench, dialect: str) -> None:
    result = played(
        workbench, dialect, LooksUpTheModel(adapter(dialect, BrokenAdapter("", "Right")))
    )
    assert messages_of(result) == []
    assert result.transcript
    assert [request.method for request in result.transcript.requests] == ["GET", "POST"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_looking_up_the_model_is_no_request_for_a_response(
    workbench: Workbench, dialect: str
) -> None:
    broken = BrokenAdapter("", "GivesUp", gives_up=lambda _run: True)
    result = played(workbench, dialect, LooksUpTheModel(GivesUp(adapter(dialect, broken), broken)))
    assert messages_of(result) == [
        "turn-asked: the run failed without a request at its base URL: "
        "'Message exceeds token limit.'"
    ]


def message_and_right(result: Result) -> tuple[str, str]:
    (finding,) = result.findings
    return message_of(finding), right_of(finding)


def setting(field: str, value: Any) -> BrokenAdapter:
    """An adapter that sets a field of the request's body."""

    def change(body: Body, _run: Run) -> None:
        body[field] = value

    return BrokenAdapter("", "Changes", sends=change)


def test_the_finding_says_what_was_sent_as_the_limit(workbench: Workbench) -> None:
    other = adapter("chat", setting("max_completion_tokens", 63))
    assert message_and_right(played(workbench, "chat", other)) == (
        "the limit of 64 output tokens went upstream as 63",
        "64, under the dialect's own name for it",
    )


def test_the_finding_says_what_was_sent_as_an_option(workbench: Workbench) -> None:
    managed = {"anthropic": {"contextManagement": {"enabled": False}}, "gateway": {"order": ["a"]}}
    other = adapter("vercel-fullstream", setting("providerOptions", managed))
    assert message_and_right(played(workbench, "vercel-fullstream", other)) == (
        "the option providerOptions.anthropic.contextManagement.enabled went upstream as false",
        "true, as the host set it",
    )


def test_a_request_may_have_options_that_the_host_did_not_set(workbench: Workbench) -> None:
    options = OPTIONS["vercel-fullstream"]["providerOptions"]
    more = {**options, "anthropic": {**options["anthropic"], "thinking": {"type": "enabled"}}}
    other = adapter("vercel-fullstream", setting("providerOptions", {**more, "openai": {}}))
    assert messages_of(played(workbench, "vercel-fullstream", other)) == []


def test_a_limit_has_two_names_in_chat_completions(workbench: Workbench) -> None:
    right = adapter("chat", setting("max_completion_tokens", 64))
    assert messages_of(played(workbench, "chat", right, options={"max_tokens": 64})) == []


def test_numbers_are_compared_as_numbers(workbench: Workbench) -> None:
    right = adapter("openresponses", setting("temperature", 1.0))
    assert messages_of(played(workbench, "openresponses", right, options={"temperature": 1})) == []


def test_max_retries_need_not_be_sent_upstream(workbench: Workbench) -> None:
    right = adapter("chat", BrokenAdapter("", "Right"))
    assert messages_of(played(workbench, "chat", right, options={"max_retries": 0})) == []


def test_the_transcript_has_the_options_of_the_host(workbench: Workbench) -> None:
    result = played(workbench, "chat", adapter("chat", BrokenAdapter("", "Right")))
    assert result.transcript
    assert result.transcript.asked
    assert result.transcript.asked.options == OPTIONS["chat"]
    written = json.loads(json.dumps(result.transcript.to_json()))
    Draft202012Validator(schema("transcript")).validate(written)
    assert from_json(written) == result.transcript
