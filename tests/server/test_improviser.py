"""Without a choice of scenario, the upstream improvises an answer: text, calls and JSON."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import ClientSession
from jsonschema import Draft202012Validator

from mockserver.dialects import DIALECTS
from mockserver.scenario.script import Says
from mockserver.server.improviser import improvise
from mockserver.wire.event import Event

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

Json = dict[str, Any]

RECIPE: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "steps": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        "minutes": {"type": "integer", "minimum": 5},
    },
    "required": ["name", "steps", "minutes"],
    "additionalProperties": False,
}
NEVER: Json = {"type": "object", "properties": {"n": {"type": "string", "not": {}}}} | {
    "required": ["n"]
}
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


async def answer(client: ClientSession, **request: Any) -> dict[str, Any]:
    body = {"model": "gpt-4o", "input": "How is the weather?", **request}
    async with client.post("/v1/responses", json=body) as response:
        assert response.status == 200
        (item,) = (await response.json())["output"]
        found: dict[str, Any] = item
        return found


async def test_without_tools_it_answers_with_text(client: ClientSession) -> None:
    item = await answer(client)
    assert item["type"] == "message"
    text = item["content"][0]["text"]
    assert "How is the weather?" in text
    for way in ("/s/ID/v1", "mock/ID", "x-mock-scenario"):
        assert way in text


async def test_it_calls_the_first_tool_with_valid_arguments(client: ClientSession) -> None:
    item = await answer(client, tools=[TOOL, OTHER])
    assert (item["type"], item["name"]) == ("function_call", "get_weather")
    Draft202012Validator(TOOL["parameters"]).validate(json.loads(item["arguments"]))


@pytest.mark.parametrize(
    ("choice", "called"),
    [("auto", "get_weather"), ({"type": "function", "name": "other"}, "other"), ("none", None)],
)
async def test_it_obeys_the_tool_choice(
    client: ClientSession, choice: object, called: str | None
) -> None:
    item = await answer(client, tools=[TOOL, OTHER], tool_choice=choice)
    assert item.get("name") == called


async def test_it_answers_a_tool_result_with_text(client: ClientSession) -> None:
    call = {"type": "function_call", "call_id": RESULT["call_id"], "name": "x", "arguments": "{}"}
    item = await answer(
        client, tools=[TOOL], input=[{"role": "user", "content": "?"}, call, RESULT]
    )
    assert item["type"] == "message"


async def test_it_calls_tools_under_ids_of_their_own_where_a_call_is_required(
    client: ClientSession,
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


async def test_a_stored_conversation_gets_text_after_a_result(client: ClientSession) -> None:
    stored = {"tools": [TOOL, OTHER], "tool_choice": "required", "previous_response_id": "resp_1"}
    assert (await answer(client, input=[RESULT], **stored))["type"] == "message"


async def test_a_tool_with_an_impossible_schema_is_reported_and_not_called(
    client: ClientSession,
) -> None:
    never = {"type": "function", "name": "never", "parameters": {"type": "object", "not": {}}}
    item = await answer(client, tools=[never])
    assert "found no arguments" in item["content"][0]["text"]


async def test_very_long_arguments_are_reported_and_not_made(client: ClientSession) -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"const": "x" * 20_000}}}
    item = await answer(client, tools=[{"type": "function", "name": "long", "parameters": schema}])
    assert "it would be 20,008 characters long" in item["content"][0]["text"]


@dataclass(frozen=True, slots=True)
class Asked:
    """How a dialect asks for JSON, offers a tool and shows its result, and how it streams text.

    ``json`` makes the fields that ask for JSON, with a schema or without one.
    """

    body: Json
    json: Callable[[Json | None], Json]
    tool: Json
    result: Json
    delta: Callable[[Json], str]
    headers: Mapping[str, str] = field(default_factory=dict)


def _text_format(schema: Json | None) -> Json:
    named = {"type": "json_schema", "name": "recipe", "strict": True, "schema": schema}
    return {"text": {"format": named if schema else {"type": "json_object"}}}


def _response_format(schema: Json | None) -> Json:
    named = {"name": "recipe", "strict": True, "schema": schema}
    format_ = {"type": "json_schema", "json_schema": named} if schema else {"type": "json_object"}
    return {"response_format": format_}


def _gateway_format(schema: Json | None) -> Json:
    return {"responseFormat": {"type": "json", **({"schema": schema} if schema else {})}}


def _function(**fields: Any) -> Json:
    return {"type": "function", **fields}


USER = {"role": "user", "content": "Hello"}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
PROMPT = {"role": "user", "content": [{"type": "text", "text": "Hello"}]}
PROMPT_CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": {}}
PROMPT_RESULT = {
    "type": "tool-result",
    "toolCallId": "c1",
    "toolName": "weather",
    "output": {"type": "text", "value": "21"},
}

DIALECT: dict[str, Asked] = {
    "openresponses": Asked(
        body={"model": "m", "input": [USER]},
        json=_text_format,
        tool={"tools": [_function(name="weather", parameters=WEATHER)]},
        result={
            "input": [
                USER,
                {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": "21"},
            ]
        },
        delta=lambda data: data["delta"] if data["type"].endswith("output_text.delta") else "",
    ),
    "chat": Asked(
        body={"model": "m", "messages": [USER]},
        json=_response_format,
        tool={"tools": [_function(function={"name": "weather", "parameters": WEATHER})]},
        result={
            "messages": [
                USER,
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "c1", "content": "21"},
            ]
        },
        delta=lambda data: "".join(c["delta"].get("content") or "" for c in data["choices"]),
    ),
    "vercel-gateway": Asked(
        body={"prompt": [PROMPT]},
        json=_gateway_format,
        tool={"tools": [_function(name="weather", inputSchema=WEATHER)]},
        result={
            "prompt": [
                PROMPT,
                {"role": "assistant", "content": [PROMPT_CALL]},
                {"role": "tool", "content": [PROMPT_RESULT]},
            ]
        },
        delta=lambda data: data["delta"] if data["type"] == "text-delta" else "",
        headers={"ai-language-model-id": "m"},
    ),
}

each_dialect = pytest.mark.parametrize("dialect", DIALECT)


def answered(dialect: str, *fields: Json) -> tuple[list[str], str]:
    """The deltas of text that answer a request with these fields, and why."""
    asked = DIALECT[dialect]
    body = asked.body
    for each in fields:
        body = {**body, **each}
    inbound = DIALECTS[dialect].requests.read(body, asked.headers)
    assert inbound.problems == ()
    case, why = improvise(inbound, dialect)
    script = case.scenario.turns[0].script
    assert isinstance(script, Says)
    steps = DIALECTS[dialect].steps(script, 0)
    deltas = (asked.delta(step.data) for step in steps if isinstance(step, Event))
    return [delta for delta in deltas if delta], why


@each_dialect
def test_an_instance_of_the_requested_schema_is_streamed_in_deltas(dialect: str) -> None:
    deltas, why = answered(dialect, DIALECT[dialect].json(RECIPE))
    Draft202012Validator(RECIPE).validate(json.loads("".join(deltas)))
    assert len(deltas) > 3
    assert why == "no tool was offered, so an instance of the answer's schema follows"


@each_dialect
def test_json_without_a_schema_is_an_object(dialect: str) -> None:
    deltas, _ = answered(dialect, DIALECT[dialect].json(None))
    assert isinstance(json.loads("".join(deltas)), dict)


@each_dialect
def test_text_is_text(dialect: str) -> None:
    assert "".join(answered(dialect)[0]).startswith("Hello from streamproof.")


@each_dialect
def test_a_schema_without_an_instance_is_not_honoured_and_the_answer_says_why(dialect: str) -> None:
    deltas, why = answered(dialect, DIALECT[dialect].json(NEVER))
    assert "".join(deltas) == (
        "I was asked for JSON, but found no instance of its schema: at n: 'example' should not be "
        "valid under {}."
    )
    assert "should not be valid under {}" in why


@each_dialect
def test_a_tool_is_called_first_and_its_result_is_answered_with_json(dialect: str) -> None:
    asked = DIALECT[dialect]
    deltas, why = answered(dialect, asked.json(RECIPE), asked.tool)
    assert (deltas, why) == ([], "the first tool that was offered is called")
    deltas, _ = answered(dialect, asked.json(RECIPE), asked.tool, asked.result)
    Draft202012Validator(RECIPE).validate(json.loads("".join(deltas)))


REQUIRED: Mapping[str, Json] = {
    "openresponses": {"tool_choice": "required"},
    "chat": {"tool_choice": "required"},
    "vercel-gateway": {"toolChoice": {"type": "required"}},
}


@each_dialect
def test_another_tool_is_called_after_a_result_if_a_call_is_required(dialect: str) -> None:
    asked = DIALECT[dialect]
    (offered,) = asked.tool["tools"]
    named = json.loads(json.dumps(offered).replace('"weather"', '"answer"'))
    both: Json = {"tools": [offered, named]}
    deltas, why = answered(dialect, both, asked.result, REQUIRED[dialect])
    assert (deltas, why) == ([], "a call is required, so the next tool that was offered is called")
    _, why = answered(dialect, both, asked.result)
    assert why == "a tool's result came, so text follows"
