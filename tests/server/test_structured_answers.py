"""The improviser answers with JSON where the request asks for it, in each dialect that can ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mockserver.dialects import DIALECTS
from mockserver.scenario.script import Says
from mockserver.server.improviser import improvise
from mockserver.wire.event import Event

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
def test_a_schema_without_an_instance_is_not_honoured_and_the_answer_says_why(
    dialect: str,
) -> None:
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
    assert (deltas, why) == (
        [],
        "a call is required, so the next tool that was offered is called",
    )
    _, why = answered(dialect, both, asked.result)
    assert why == "a tool's result came, so text follows"
