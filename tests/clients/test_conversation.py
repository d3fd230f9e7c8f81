"""Conversations from the first request to the final answer, with openai-python as the client.

It sends back what it received, as its documentation shows: the assistant's message or the output
items unchanged, and a result for each call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed (pip install -e '.[dev]')")

import openai

from conformance.expectation.content import ExpectedContent
from conformance.expectation.turn_content import expected_contents
from conformance.suite.upstream import Upstream
from mockserver.cases.catalogue import Catalogue
from mockserver.scenario.model import Scenario

Json = dict[str, Any]
ANNEX, ROUNDS = "chat/annex", "any/conversation-three-rounds-of-tools"


@dataclass(frozen=True, slots=True)
class Reply:
    """The content of one response; ``calls`` maps an id to name and input."""

    text: str
    calls: Mapping[str, tuple[str, Any]]

    @classmethod
    def of(cls, content: ExpectedContent) -> Reply:
        text = "".join(segment.value for segment in content.segments if segment.kind == "text")
        return cls(text, {call.id: (call.name, call.input) for call in content.calls})


Ask = Callable[[openai.OpenAI, list[Any], Any], Reply]
"""Makes one request, and adds the reply to the messages."""


def _calls(message: Any) -> dict[str, tuple[str, Any]]:
    made = message.tool_calls or ()
    return {each.id: (each.function.name, json.loads(each.function.arguments)) for each in made}


def chat(client: openai.OpenAI, messages: list[Any], tools: Any) -> Reply:
    done = client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)
    message = done.choices[0].message
    messages.append(message)
    return Reply(message.content or "", _calls(message))


def chat_stream(client: openai.OpenAI, messages: list[Any], tools: Any) -> Reply:
    asked = client.chat.completions.stream(model="gpt-5", messages=messages, tools=tools)
    with asked as stream:
        message = stream.get_final_completion().choices[0].message
    messages.append(message)
    return Reply(message.content or "", _calls(message))


def responses(client: openai.OpenAI, messages: list[Any], tools: Any) -> Reply:
    return _items(client.responses.create(model="gpt-5", input=messages, tools=tools), messages)


def responses_stream(client: openai.OpenAI, messages: list[Any], tools: Any) -> Reply:
    with client.responses.stream(model="gpt-5", input=messages, tools=tools) as stream:
        return _items(stream.get_final_response(), messages)


def _items(response: Any, messages: list[Any]) -> Reply:
    messages += response.output
    made = [item for item in response.output if item.type == "function_call"]
    calls = {item.call_id: (item.name, json.loads(item.arguments)) for item in made}
    return Reply(response.output_text, calls)


def chat_tool(function: Json) -> Json:
    return {"type": "function", "function": function}


def responses_tool(function: Json) -> Json:
    return {"type": "function", **function, "strict": False}


def chat_result(id_: str, output: str) -> Json:
    return {"role": "tool", "tool_call_id": id_, "content": output}


def responses_result(id_: str, output: str) -> Json:
    return {"type": "function_call_output", "call_id": id_, "output": output}


@dataclass(frozen=True, slots=True)
class Way:
    """An API of openai-python: how to make a request, and its form of tools and results."""

    dialect: str
    ask: Ask
    tool: Callable[[Json], Json]
    result: Callable[[str, str], Json]


WAYS = (
    Way("chat", chat, chat_tool, chat_result),
    Way("chat", chat_stream, chat_tool, chat_result),
    Way("openresponses", responses, responses_tool, responses_result),
    Way("openresponses", responses_stream, responses_tool, responses_result),
)

SCENARIOS = {id_: scenario for id_ in (ANNEX, ROUNDS) if (scenario := Catalogue.shipped().get(id_))}
CONVERSATIONS = [
    pytest.param(scenario, way, id=f"{id_}-{way.ask.__name__}")
    for id_, scenario in SCENARIOS.items()
    for way in WAYS
    if way.dialect in scenario.dialects
]


def begun(scenario: Scenario) -> list[Any]:
    host = scenario.host
    system = [{"role": "system", "content": host.system}] if host.system else []
    return [*system, {"role": "user", "content": host.user}]


def functions(scenario: Scenario) -> list[Json]:
    """The host's tools, or, without any, a tool with any input for each call."""
    if offered := scenario.host.tools:
        names = {"name": "name", "description": "description", "input_schema": "parameters"}
        return [{names[key]: value for key, value in tool.items()} for tool in offered]
    called = {name for reply in expected(scenario) for name, _ in reply.calls.values()}
    return [{"name": name, "parameters": {"type": "object"}} for name in sorted(called)]


def expected(scenario: Scenario) -> list[Reply]:
    return [Reply.of(expected_contents(scenario, n)[0]) for n in range(len(scenario.turns))]


def conversation(client: openai.OpenAI, scenario: Scenario, way: Way) -> Iterator[Reply]:
    """Make requests until an answer calls no tool."""
    messages = begun(scenario)
    tools = [way.tool(function) for function in functions(scenario)]
    for turn in scenario.turns:
        reply = way.ask(client, messages, tools)
        yield reply
        results = turn.then.tool_results if turn.then else {}
        assert results.keys() == reply.calls.keys()
        messages += [way.result(id_, results[id_]) for id_ in reply.calls]


@pytest.mark.parametrize(("scenario", "way"), CONVERSATIONS)
def test_a_conversation_is_answered_turn_by_turn_up_to_the_final_answer(
    anywhere: openai.OpenAI, upstream: Upstream, scenario: Scenario, way: Way
) -> None:
    client = anywhere.with_options(base_url=f"{upstream.url}/s/{scenario.id}/v1")
    replies = list(conversation(client, scenario, way))
    assert replies == expected(scenario)
    assert replies[-1].text
    assert not replies[-1].calls
