"""openai-python with the mock as its base URL, and any key."""

from collections.abc import AsyncIterator
from pathlib import Path

import openai
import pytest

from mockserver.server.serving import Server
from tests.server import write

CALL = """
title: A call behind a text
turns:
  - says:
      - text: "Let me see."
      - call: {id: call_1, name: search, input: {q: x}}
"""


def sdk(url: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=url, api_key="any", max_retries=0, timeout=10)


@pytest.fixture
async def scenario(folder: Path, server: Server) -> AsyncIterator[openai.AsyncOpenAI]:
    write(folder, "any/call", CALL)
    async with sdk(f"{server.url}/s/any/call/v1") as client:
        yield client


async def test_its_stream_helper_accepts_the_stream(scenario: openai.AsyncOpenAI) -> None:
    async with scenario.responses.stream(model="gpt-4o", input="Hello") as stream:
        types = [event.type async for event in stream]
        final = await stream.get_final_response()
    assert types[0] == "response.created"
    assert types[-1] == "response.completed"
    assert final.output_text == "Let me see."
    assert [item.type for item in final.output] == ["message", "function_call"]


async def test_it_reads_a_non_streaming_response(scenario: openai.AsyncOpenAI) -> None:
    response = await scenario.responses.create(model="gpt-4o", input="Hello")
    assert response.output_text == "Let me see."
    assert response._request_id is not None


async def test_it_chooses_by_model_id_and_lists_the_models(server: Server) -> None:
    async with sdk(f"{server.url}/v1") as client:
        response = await client.responses.create(model="mock/any/goodbye", input="Hello")
        assert response.output_text == "Good bye"
        assert "mock/any/goodbye" in [model.id async for model in client.models.list()]
        assert (await client.models.retrieve("mock/any/goodbye")).id == "mock/any/goodbye"
        with pytest.raises(openai.NotFoundError, match="no model is called 'gpt-4o'"):
            await client.models.retrieve("gpt-4o")


async def test_its_error_says_why_no_scenario_matched(server: Server) -> None:
    async with sdk(f"{server.url}/s/any/helo/v1") as client:
        with pytest.raises(openai.NotFoundError, match="any/hello: its name differs"):
            await client.responses.create(model="gpt-4o", input="Hello", stream=True)


async def test_its_error_says_what_is_malformed(scenario: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        await scenario.responses.create(model="gpt-4o", input="Hello", temperature=7)
    assert caught.value.param == "temperature"


@pytest.mark.parametrize("id_", ["cut", "reset"])
async def test_it_raises_an_error_for_a_stream_that_breaks_off(server: Server, id_: str) -> None:
    async with sdk(f"{server.url}/s/openresponses/{id_}/v1") as client:
        stream = await client.responses.create(model="gpt-4o", input="Hello", stream=True)
        with pytest.raises(openai.APIConnectionError):
            async for _ in stream:
                pass
