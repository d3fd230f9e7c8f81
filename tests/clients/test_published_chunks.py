"""The chunks of a script, by default and as openai, are what OpenAI publishes, and no more."""

import json
from typing import Any

from aiohttp import ClientSession

from conformance.dialects.client.sse import Decoder
from mockserver.cases.catalogue import Catalogue
from mockserver.dialects.chat import chunks
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Close, Says
from tests.clients.chunks import REASONING, is_invalid, unpublished_fields
from tests.rows import row

DIALECT = "chat"
ASK: dict[str, Any] = {
    "model": "mock",
    "messages": [{"role": "user", "content": "Hello"}],
    "stream": True,
    "stream_options": {"include_usage": True},
}


def _streams(scenario: Scenario) -> bool:
    """Whether its first answer is a script with content and a clean close."""
    script = scenario.turns[0].attempt(1).script
    return isinstance(script, Says) and script.steps[1:][-1:] == (Close("clean"),)


SCRIPTS = [
    entry.id
    for entry in Catalogue.shipped().entries()
    if entry.scenario and DIALECT in entry.scenario.dialects and _streams(entry.scenario)
]


async def streamed(client: ClientSession, id_: str) -> list[dict[str, Any]]:
    url = f"/s/{id_}/v1/chat/completions"
    async with client.post(url, json=ASK) as response:
        assert response.status == 200
        decoder = Decoder()
        body = await response.read()
        messages = [*decoder.feed(body), *decoder.end()]
    return [json.loads(message.data) for message in messages if message.data != chunks.DONE]


async def test_chunks_have_only_published_fields_except_reasoning(client: ClientSession) -> None:
    reasoning = {f"ChoiceDelta.{name}" for name in REASONING}
    for id_ in SCRIPTS:
        for case in (f"{id_}@{DIALECT}", f"{id_}@{DIALECT}+openai"):
            with row(case):
                events = await streamed(client, case)
                assert events
                for event in events:
                    if chunks.error_in(event) is None:
                        assert not is_invalid(event), event
                        assert unpublished_fields(event) <= reasoning, event


def test_the_judge_refuses_malformed_chunks_and_finds_unpublished_fields() -> None:
    chunk: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "mock",
        "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}],
    }
    assert not is_invalid(chunk)
    assert unpublished_fields(chunk) == set()
    assert is_invalid(chunk | {"created": "0"})
    assert unpublished_fields(chunk | {"x_new": 1}) == {"ChatCompletionChunk.x_new"}
    odd = [{"index": 0, "delta": {"content": "Hi", "thinking": "Hm"}}]
    assert unpublished_fields(chunk | {"choices": odd}) == {"ChoiceDelta.thinking"}
