"""Conversations from the first request to the final answer, held by openai-python.

It sends back what it was given, as its documentation shows: the assistant's message or the output
items as they came, and a result for each call.
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
from mockserver.scenario.catalogue import Catalogue
from mockserver.scenario.model import Scenario

Json = dict[str, Any]
ANNEX, ROUNDS = "chat/annex", "any/conversation-three-rounds-of-tools"


@dataclass(frozen=True, slots=True)
class Told:
    """What one response said; ``calls`` are name and input by id."""

    text: str
    calls: Mapping[str, tuple[str, Any]]

    @classmethod
    def of(cls, story: ExpectedContent) -> Told:
        text = "".join(atom.value for atom in story.segments if atom.kind == "text")
        return cls(text, {call.id: (call.name, call.input) for call in story.calls})


Ask = Callable[[openai.OpenAI, list[Any], Any], Told]
"""Makes one request, and adds what came to the messages."""


def _calls(message: Any) -> dict[str, tuple[str, Any]]:
    made = message.tool_calls or ()
    return {each.id: (each.function.name, json.loads(each.function.arguments)) for each in made}


def chat(client: openai.OpenAI, messages: list[Any], tools: Any) -> Told:
    done = client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)
    message = done.choices[0].message
    messages.append(message)
    return Told(message.content or "", _calls(message))


def chat_stream(client: openai.OpenAI, messages: list[Any], tools: Any) -> Told:
    asked = client.chat.completions.stream(model="gpt-5", messages=messages, tools=tools)
    with asked as stream:
        message = stream.get_final_completion().choices[0].message
    messages.append(message)
    return Told(message.content or "", _calls(message))


def responses(client: openai.OpenAI, messages: list[Any], tools: Any) -> Told:
    return _items(client.responses.create(model="gpt-5", input=messages, tools=tools), messages)


def responses_stream(client: openai.OpenAI, messages: list[Any], tools: Any) -> Told:
    with client.responses.stream(model="gpt-5", input=messages, tools=tools) as stream:
        return _items(stream.get_final_response(), messages)


def _items(response: Any, messages: list[Any]) -> Told:
    messages += response.output
    made = [item for item in response.output if item.type == "function_call"]
    calls = {item.call_id: (item.name, json.loads(item.arguments)) for item in made}
    return Told(response.output_text, calls)


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
    """How an API is asked, and how it spells tools and results."""

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
    """The host's tools; a host that names none has those that are called, whatever they take."""
    if offered := scenario.host.tools:
        names = {"name": "name", "description": "description", "input_schema": "parameters"}
        return [{names[key]: value for key, value in tool.items()} for tool in offered]
    called = {name for told in expected(scenario) for name, _ in told.calls.values()}
    return [{"name": name, "parameters": {"type": "object"}} for name in sorted(called)]


def expected(scenario: Scenario) -> list[Told]:
    return [Told.of(expected_contents(scenario, n)[0]) for n in range(len(scenario.turns))]


def conversation(client: openai.OpenAI, scenario: Scenario, way: Way) -> Iterator[Told]:
    """Asks until an answer calls no tool."""
    messages = begun(scenario)
    tools = [way.tool(function) for function in functions(scenario)]
    for turn in scenario.turns:
        told = way.ask(client, messages, tools)
        yield told
        results = turn.then.tool_results if turn.then else {}
        assert results.keys() == told.calls.keys()
        messages += [way.result(id_, results[id_]) for id_ in told.calls]


@pytest.mark.parametrize(("scenario", "way"), CONVERSATIONS)
def test_it_is_answered_turn_by_turn_up_to_the_final_answer(
    anywhere: openai.OpenAI, upstream: Upstream, scenario: Scenario, way: Way
) -> None:
    client = anywhere.with_options(base_url=f"{upstream.url}/s/{scenario.id}/v1")
    told = list(conversation(client, scenario, way))
    assert told == expected(scenario)
    assert told[-1].text
    assert not told[-1].calls
