"""Chat completions over HTTP: the same scenarios at another route, and conversations."""

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.shipped import folder as shipped
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import events

Json = dict[str, Any]


@pytest.fixture
def state(folder: Path) -> State:
    return State(Catalogue([folder, shipped("scenarios")]))


USER: Json = {"role": "user", "content": "Hello"}
TOOL: Json = {
    "type": "function",
    "function": {
        "name": "look_up",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string"}},
            "required": ["word"],
        },
    },
}


def asking(*messages: Json, **fields: Any) -> Json:
    return {"model": "mock", "messages": [USER, *messages], "stream": True, **fields}


async def streamed(client: ClientSession, path: str, body: Json) -> list[Json]:
    async with client.post(f"{path}/v1/chat/completions", json=body) as response:
        assert response.status == 200, await response.text()
        return events(await response.read())


def content(chunks: list[Json]) -> str:
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


def reasons(chunks: list[Json]) -> list[str]:
    finishes = [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"]]
    return [reason for reason in finishes if reason]


async def test_a_script_is_played_at_the_route_of_chat_completions(client: ClientSession) -> None:
    chunks = await streamed(client, "/s/any/hello", asking())
    assert (content(chunks), reasons(chunks)) == ("Hello there", ["stop"])
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert chunks[0]["id"].startswith("chatcmpl-")
    assert all(chunk["model"] == "mock" for chunk in chunks)


async def test_a_non_streaming_request_gets_one_completion(client: ClientSession) -> None:
    body = asking(stream=False)
    async with client.post("/s/any/hello/v1/chat/completions", json=body) as response:
        answer = await response.json()
    assert answer["choices"][0]["message"]["content"] == "Hello there"


async def test_usage_is_sent_if_it_is_requested(client: ClientSession) -> None:
    asked = asking(stream_options={"include_usage": True})
    *others, report = await streamed(client, "/s/any/hello", asked)
    without = await streamed(client, "/s/any/hello", asking())
    assert report["choices"] == []
    assert report["usage"]["total_tokens"] > 0
    assert others
    assert all(chunk["usage"] is None for chunk in others)
    assert not any("usage" in chunk for chunk in without)


async def test_a_scenario_of_another_dialect_is_not_found(client: ClientSession) -> None:
    path = "/s/openresponses/cut/v1/chat/completions"
    async with client.post(path, json=asking()) as response:
        error = (await response.json())["error"]
    assert response.status == 404
    assert "openresponses/cut is not played in 'chat'" in error["message"]


async def test_the_first_tool_is_called_and_its_result_is_answered(client: ClientSession) -> None:
    chunks = await streamed(client, "", asking(tools=[TOOL]))
    fragments = [
        call
        for chunk in chunks
        for choice in chunk["choices"]
        for call in choice["delta"].get("tool_calls", [])
    ]
    arguments = "".join(call["function"]["arguments"] for call in fragments)
    assert fragments[0]["function"]["name"] == "look_up"
    assert json.loads(arguments).keys() == {"word"}
    assert reasons(chunks) == ["tool_calls"]
    call = {
        "id": fragments[0]["id"],
        "type": "function",
        "function": {"name": "look_up", "arguments": arguments},
    }
    result = {"role": "tool", "tool_call_id": call["id"], "content": "a word"}
    asked = asking({"role": "assistant", "tool_calls": [call]}, result, tools=[TOOL])
    assert content(await streamed(client, "", asked)).startswith("Thank you")


async def test_an_agents_request_is_in_the_journal_verbatim(
    client: ClientSession, state: State
) -> None:
    headers = {
        "Authorization": "Bearer secret",
        "X-Request-Id": "7f0e",
        "X-Interaction-Type": "agent",
        "OpenAI-Intent": "chat",
    }
    function = TOOL["function"]
    body = asking(tools=[TOOL], functions=[function], n=1)
    path = "/s/any/hello/v1/chat/completions"
    async with client.post(path, json=body, headers=headers) as response:
        await response.read()
    exchange = list(state.local.exchanges)[-1]
    assert exchange.body == body
    kept = {name.lower(): value for name, value in dict(exchange.headers).items()}
    assert (kept["x-request-id"], kept["x-interaction-type"]) == ("7f0e", "agent")
    assert kept["openai-intent"] == "chat"
    assert "secret" not in kept["authorization"]


# A conversation over plain HTTP

CALL: Json = {
    "id": "call1",
    "type": "function",
    "function": {"name": "search", "arguments": '{"query": "SSE streaming parser"}'},
}
CALLED: Json = {"role": "assistant", "content": "Sure", "tool_calls": [CALL]}
RESULT: Json = {"role": "tool", "tool_call_id": "call1", "content": "[]"}
# The form of the annex, whose follow-up request leaves out the call.
AS_PRINTED: Json = {"role": "tool", "name": "search", "toolCallId": "call1", "content": "[]"}
ANSWER = "SSE streaming parsers handle partial deltas"


ANNEX = "/s/chat/annex"


@pytest.mark.parametrize("result", [[CALLED, RESULT], [AS_PRINTED]], ids=["real", "as printed"])
async def test_the_conversation_of_the_annex_is_played_to_its_end(
    client: ClientSession, result: list[Json]
) -> None:
    first = await streamed(client, ANNEX, asking())
    assert content(first).startswith("Sure — I can look this up")
    assert reasons(first) == ["tool_calls"]
    second = await streamed(client, ANNEX, asking(*result))
    assert content(second).startswith(ANSWER)
    assert reasons(second) == ["stop"]


async def test_the_same_request_gets_the_same_turn_again(client: ClientSession) -> None:
    for _ in range(2):
        assert content(await streamed(client, ANNEX, asking(CALLED, RESULT))).startswith(ANSWER)
    assert reasons(await streamed(client, ANNEX, asking())) == ["tool_calls"]


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([RESULT], "no call has the id 'call1'"),
        ([CALLED, USER], "no result came for call1"),
        (
            [CALLED, RESULT, {"role": "assistant", "content": ANSWER}, USER],
            "no turn is left: the scenario has 2 turns",
        ),
    ],
)
async def test_a_request_without_a_turn_is_refused_with_the_reason(
    client: ClientSession, server: Server, messages: list[Json], message: str
) -> None:
    path = f"{server.url}{ANNEX}/v1/chat/completions"
    async with client.post(path, json=asking(*messages)) as response:
        error = (await response.json())["error"]
    assert response.status == 400
    assert message in error["message"]


async def test_a_response_is_continued_by_its_id(client: ClientSession) -> None:
    path = "/s/any/annex/v1/responses"
    body = {"model": "mock", "input": "Explain", "stream": False}
    async with client.post(path, json=body) as response:
        first = await response.json()
    (call,) = [item for item in first["output"] if item["type"] == "function_call"]
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": "[]"}
    following = {**body, "input": [result], "previous_response_id": first["id"]}
    async with client.post(path, json=following) as response:
        second = await response.json()
    assert second["output"][0]["content"][0]["text"].startswith(ANSWER)
