"""Without a choice of scenario, the upstream improvises an answer."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator

TOOL: dict[str, Any] = {
    "type": "function",
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 2},
            "days": {"type": "integer", "minimum": 1, "maximum": 7},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "where": {"$ref": "#/$defs/place"},
        },
        "required": ["city", "days", "unit", "where"],
        "additionalProperties": False,
        "$defs": {
            "place": {
                "type": "object",
                "required": ["lat"],
                "properties": {"lat": {"type": "number"}},
            }
        },
    },
}
OTHER: dict[str, Any] = {"type": "function", "name": "other", "parameters": {"type": "object"}}
RESULT = {"type": "function_call_output", "call_id": "call_improvised_1", "output": "21 degrees"}


async def answer(client: aiohttp.ClientSession, **request: Any) -> dict[str, Any]:
    body = {"model": "gpt-4o", "input": "How is the weather?", **request}
    async with client.post("/v1/responses", json=body) as response:
        assert response.status == 200
        (item,) = (await response.json())["output"]
        found: dict[str, Any] = item
        return found


async def test_without_tools_it_answers_with_text(client: aiohttp.ClientSession) -> None:
    item = await answer(client)
    assert item["type"] == "message"
    text = item["content"][0]["text"]
    assert "How is the weather?" in text
    for way in ("/s/ID/v1", "mock/ID", "x-mock-scenario"):
        assert way in text


async def test_it_calls_the_first_tool_with_arguments_that_satisfy_its_schema(
    client: aiohttp.ClientSession,
) -> None:
    item = await answer(client, tools=[TOOL, OTHER])
    assert (item["type"], item["name"]) == ("function_call", "get_weather")
    Draft202012Validator(TOOL["parameters"]).validate(json.loads(item["arguments"]))


@pytest.mark.parametrize(
    ("choice", "called"),
    [("auto", "get_weather"), ({"type": "function", "name": "other"}, "other"), ("none", None)],
)
async def test_it_obeys_the_tool_choice(
    client: aiohttp.ClientSession, choice: object, called: str | None
) -> None:
    item = await answer(client, tools=[TOOL, OTHER], tool_choice=choice)
    assert item.get("name") == called


async def test_it_answers_a_tool_result_with_text(client: aiohttp.ClientSession) -> None:
    call = {"type": "function_call", "call_id": RESULT["call_id"], "name": "x", "arguments": "{}"}
    item = await answer(
        client, tools=[TOOL], input=[{"role": "user", "content": "?"}, call, RESULT]
    )
    assert item["type"] == "message"


async def test_it_calls_tools_under_ids_of_their_own_where_a_call_is_required(
    client: aiohttp.ClientSession,
) -> None:
    entries: list[dict[str, Any]] = []
    called: list[str] = []
    for _turn in range(2):
        entries.append({"role": "user", "content": "?"})
        for _ in range(3):
            asked = {"tools": [TOOL, OTHER], "tool_choice": "required", "input": entries}
            item = await answer(client, **asked)
            called.append(item.get("name", item["type"]))
            if item["type"] == "function_call":
                call = {key: item[key] for key in ("type", "call_id", "name", "arguments")}
                entries += [call, {**RESULT, "call_id": item["call_id"]}]
    assert called == ["get_weather", "other", "message"] * 2
    ids = [entry["call_id"] for entry in entries if entry.get("type") == "function_call"]
    assert len(set(ids)) == len(ids) == 4


async def test_a_stored_conversation_gets_text_after_a_result(
    client: aiohttp.ClientSession,
) -> None:
    stored = {"tools": [TOOL, OTHER], "tool_choice": "required", "previous_response_id": "resp_1"}
    assert (await answer(client, input=[RESULT], **stored))["type"] == "message"


async def test_a_tool_whose_schema_cannot_be_satisfied_is_reported_and_not_called(
    client: aiohttp.ClientSession,
) -> None:
    never = {"type": "function", "name": "never", "parameters": {"type": "object", "not": {}}}
    item = await answer(client, tools=[never])
    assert "found no arguments" in item["content"][0]["text"]


async def test_very_long_arguments_are_reported_and_not_made(
    client: aiohttp.ClientSession,
) -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"const": "x" * 20_000}}}
    item = await answer(client, tools=[{"type": "function", "name": "long", "parameters": schema}])
    assert "it would be 20,008 characters long" in item["content"][0]["text"]
