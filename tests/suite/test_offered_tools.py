"""A run offers the tools that the scenario's model uses."""

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.contract.adapter import Claims
from conformance.suite.offered_tools import tools_of
from conformance.suite.workbench import reference_adapters, skip_reason
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.load import load
from mockserver.foundation.shipped import schema
from mockserver.scenario.model import Scenario

CATALOGUE = Catalogue.shipped()
TOOL = {"$ref": "#/$defs/tool", "$defs": schema("driver")["$defs"]}


def _scenario(id_: str) -> Scenario:
    found = CATALOGUE.get(id_)
    assert found
    return found


def _offered(scenario: str) -> list[dict[str, Any]]:
    return tools_of(_scenario(scenario))


PARALLEL = [(None, "read_file"), (None, "list_dir")]


@pytest.mark.parametrize(
    ("scenario", "tools"),
    [
        ("openresponses/parallel-calls", PARALLEL),
        ("openresponses/call-only-in-final-response", [(None, "search")]),
        ("openresponses/name-only-in-finished-item", [(None, "get_order")]),
        ("openresponses/custom-tool-call", [("custom", "run_sql")]),
        ("chat/custom-tool-call", [("custom", "run_sql")]),
        ("openresponses/patch-to-apply", [("apply_patch", "apply_patch")]),
        ("openresponses/computer-to-use", [("computer", "computer")]),
        ("openresponses/web-search-then-answer", [("web_search", "web_search")]),
        ("openresponses/code-runs-upstream", [("code_interpreter", "code_interpreter")]),
        ("openresponses/image-with-previews", [("image_generation", "image_generation")]),
        (
            "openresponses/hosted-tools-between-texts",
            [("file_search", "file_search"), ("mcp", "zip")],
        ),
        ("openresponses/approval-is-asked-for", [("mcp", "zip")]),
        ("openresponses/unknown-events-without-prefix", [(None, "show_time")]),
    ],
)
def test_the_tools_that_the_model_uses_are_offered(scenario: str, tools: list[Any]) -> None:
    assert [(tool.get("type"), tool["name"]) for tool in _offered(scenario)] == tools


PARTS = b"""
title: Parts name the tools
source: [ai]
dialects: [vercel-gateway]
turns:
  - sends:
      - tool-input-start: {id: c1, toolName: streamed}
      - tool-call: {toolCallId: c2, toolName: whole, input: "{}"}
      - tool-call: {toolCallId: c3, toolName: unnamed, input: "{}", dynamic: true}
      - tool-result: {toolCallId: c2, toolName: run, result: 1}
    expect: {parts: [], outcome: completed}
"""


def test_the_tools_that_parts_of_the_ai_sdk_call_are_offered() -> None:
    tools = tools_of(load(PARTS, "mine.yaml", "vercel/mine"))
    assert [tool["name"] for tool in tools] == ["streamed", "whole"]


def test_a_hosted_tool_has_the_fields_that_a_request_needs() -> None:
    search, server = _offered("openresponses/hosted-tools-between-texts")
    assert search["options"] == {"vector_store_ids": ["vs_1"]}
    assert server["options"] == {"server_url": "https://mcp.example", "server_label": "zip"}


@pytest.mark.parametrize(
    ("container", "options"), [({"container": "cntr_1"}, {"type": "container_auto"}), ({}, None)]
)
def test_a_shell_is_offered_where_its_commands_run(
    container: dict[str, Any], options: dict[str, Any] | None
) -> None:
    shell = {"shell": {"id": "call_s", "commands": ["ls"], **container}}
    value = {"title": "Runs", "profile": "openai", "turns": [{"says": [shell]}]}
    (tool,) = tools_of(load(json.dumps(value).encode(), "x.yaml", "openresponses/x"))
    assert tool["name"] == "shell"
    assert tool["options"].get("environment") == options


def test_every_tool_can_be_read_as_a_function() -> None:
    entries = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]
    for scenario in entries:
        for tool in tools_of(scenario):
            Draft202012Validator(TOOL).validate(tool)
            assert tool["input_schema"]["type"] == "object"


@pytest.mark.parametrize(
    ("tools", "why"),
    [
        (None, ""),
        (("custom", "computer"), ""),
        (("custom",), "the adapter does not claim tools of the type computer"),
        ((), "the adapter does not claim tools of the type computer"),
    ],
)
def test_a_scenario_with_tools_that_the_adapter_does_not_claim_is_skipped(
    tools: tuple[str, ...] | None, why: str
) -> None:
    adapter = replace(reference_adapters()[0], claims=Claims(cancel=True, tools=tools))
    assert (
        skip_reason(adapter, Case(_scenario("openresponses/computer-to-use"), "openresponses"))
        == why
    )
    assert (
        skip_reason(adapter, Case(_scenario("openresponses/parallel-calls"), "openresponses")) == ""
    )
