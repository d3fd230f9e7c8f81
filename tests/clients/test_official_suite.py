"""The requests of the official OpenResponses compliance suite, made over HTTP.

For each the suite requires status 200, a final response that is a complete ResponseResource, output
that is not empty and the status completed; for tools, an item that is a function call. It reads a
stream only if lines end with LF and each write consists of whole events.
"""

import base64
import json
from typing import Any

import pytest
from aiohttp import ClientSession

from conformance.dialects.client.sse import Decoder
from tests.clients.judges import Judge, each_judge

# An image of one pixel.
_GIF = base64.b64encode(b"GIF89a\x01\x00\x01\x00\x00\x00\x00;").decode()

WEATHER: dict[str, Any] = {
    "type": "function",
    "name": "weather",
    "description": "Tells the weather of a place.",
    "parameters": {
        "type": "object",
        "properties": {"place": {"type": "string"}},
        "required": ["place"],
    },
}
CLOCK: dict[str, Any] = {"type": "function", "name": "current_time"}


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content, **more}


def ask(*messages: dict[str, Any], scenario: str = "any/reasoning", **more: Any) -> dict[str, Any]:
    return {"model": f"mock/{scenario}", "input": list(messages), **more}


REQUESTS: dict[str, dict[str, Any]] = {
    "one message": ask(message("user", "Greet me in three words.")),
    "a history with phases": ask(
        message("user", "What is two and two?"),
        message("assistant", "Let me add them.", phase="commentary"),
        message("assistant", "Four.", phase="final_answer"),
        message("user", "And three more?"),
    ),
    "a system prompt": ask(
        message("system", "You speak like a captain."), message("user", "Greet me.")
    ),
    "tools": ask(
        message("user", "How is the weather in Oslo?"),
        scenario="openresponses/parallel-calls",
        tools=[WEATHER, CLOCK],
    ),
    "an image": ask(
        message(
            "user",
            [
                {"type": "input_text", "text": "What is on the picture?"},
                {"type": "input_image", "image_url": f"data:image/gif;base64,{_GIF}"},
            ],
        )
    ),
    "several turns": ask(
        message("user", "My name is Ada."),
        message("assistant", "Good day, Ada."),
        message("user", "What is my name?"),
    ),
}

each_request = pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)


def expect_complete(response: dict[str, Any], request: dict[str, Any], judge: Judge) -> None:
    assert judge.refuses("ResponseResource", response) == set()
    assert response["status"] == "completed"
    assert response["model"] == request["model"]
    types = [item["type"] for item in response["output"]]
    assert ("function_call" if "tools" in request else "message") in types


@each_judge
@each_request
async def test_a_request_is_answered_with_a_complete_response(
    client: ClientSession, request_: dict[str, Any], judge: Judge
) -> None:
    async with client.post("/v1/responses", json=request_) as answer:
        assert answer.status == 200
        assert answer.content_type == "application/json"
        expect_complete(await answer.json(), request_, judge)


@each_judge
@each_request
async def test_a_streamed_request_ends_with_a_complete_response(
    client: ClientSession, request_: dict[str, Any], judge: Judge
) -> None:
    async with client.post("/v1/responses", json={**request_, "stream": True}) as answer:
        assert answer.status == 200
        events = [
            json.loads(message_.data)
            for message_ in Decoder().feed(await answer.read())
            if message_.data != "[DONE]"
        ]
    assert [place for event in events for place in judge.event(event)] == []
    assert events[-1]["type"] == "response.completed"
    expect_complete(events[-1]["response"], request_, judge)


@pytest.mark.parametrize("stream", [False, True])
async def test_echoed_tools_have_null_for_unset_fields(client: ClientSession, stream: bool) -> None:
    """The schema FunctionTool requires its nullable fields; a strict reader fails without them."""
    async with client.post("/v1/responses", json={**REQUESTS["tools"], "stream": stream}) as answer:
        body = await answer.read()
    if stream:
        events = [json.loads(m.data) for m in Decoder().feed(body) if m.data != "[DONE]"]
        responses = [event["response"] for event in events if "response" in event]
        assert len(responses) == 3
    else:
        responses = [json.loads(body)]
    for response in responses:
        assert response["tools"] == [
            {**WEATHER, "strict": None},
            {**CLOCK, "description": None, "parameters": None, "strict": None},
        ]


@each_request
async def test_every_write_of_a_stream_has_whole_events_and_no_carriage_return(
    client: ClientSession, request_: dict[str, Any]
) -> None:
    async with client.post("/v1/responses", json={**request_, "stream": True}) as answer:
        writes, current = [], b""
        async for data, ended in answer.content.iter_chunks():
            current += data
            # The client may pass on the empty chunk that ends the body, or not.
            if ended and current:
                writes.append(current)
                current = b""
    assert current == b""
    assert writes
    assert all(write.endswith(b"\n\n") for write in writes)
    assert b"\r" not in b"".join(writes)
