"""SDKs ask a mock that was told nothing for JSON, for a completion, and for a stream to resume."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openai import OpenAI
from pydantic import BaseModel

from conformance.suite.upstream import Upstream
from tests.clients.ai_client import VERSIONS, AiClient, How
from tests.clients.node_process import PATIENCE
from tests.clients.npm import needs_node

RECIPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "steps": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        "contact": {"type": "string", "format": "email", "pattern": r"^(?!\.)\S+@\S+$"},
        "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
    },
    "required": ["name", "steps", "contact", "next"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module", params=VERSIONS)
def sdk(request: pytest.FixtureRequest) -> Iterator[AiClient]:
    needs_node()
    with AiClient(request.param) as running:
        yield running


@pytest.mark.installs
@pytest.mark.parametrize("how", ["generateObject", "streamObject", "output"])
def test_the_ai_sdk_gets_an_object_of_its_schema(
    sdk: AiClient, upstream: Upstream, how: How
) -> None:
    answer = sdk.ask(how, f"{upstream.url}/v1", schema=RECIPE).result(PATIENCE)
    assert answer["thrown"] is None
    Draft202012Validator(RECIPE).validate(answer["result"])
    assert len(answer["parts"]) > 2 or how != "streamObject"


@pytest.mark.installs
def test_the_ai_sdk_shows_why_a_schema_is_not_honoured(sdk: AiClient, upstream: Upstream) -> None:
    schema = {"type": "object", "not": {}}
    answer = sdk.ask("generateObject", f"{upstream.url}/v1", schema=schema).result(PATIENCE)
    assert answer["thrown"]
    assert "{} should not be valid under {}" in answer["thrown"]["text"]


@pytest.mark.installs
def test_the_completion_of_the_ai_sdk_is_the_text(sdk: AiClient, upstream: Upstream) -> None:
    answer = sdk.ask("completion", f"{upstream.url}/api", prompt="Sing.").result(PATIENCE)
    assert answer["thrown"] is None
    assert answer["result"].endswith("You said: Sing.")


@pytest.mark.installs
def test_a_chat_of_the_ai_sdk_has_no_stream_to_resume(sdk: AiClient, upstream: Upstream) -> None:
    answer = sdk.ask("resume", f"{upstream.url}/api", id="chat/1").result(PATIENCE)
    assert answer["thrown"] is None
    assert answer["result"] == {"status": "ready", "messages": []}


class Ingredient(BaseModel):
    name: str
    grams: float | None
    instead: Ingredient | None


class Recipe(BaseModel):
    name: str
    ingredients: list[Ingredient]
    minutes: int


def test_openai_python_parses_a_response(anywhere: OpenAI) -> None:
    response = anywhere.responses.parse(model="gpt-5", input="Hello", text_format=Recipe)
    assert isinstance(response.output_parsed, Recipe)
    assert response.output_parsed.ingredients


def test_openai_python_parses_a_streamed_response(anywhere: OpenAI) -> None:
    asked: Any = {"model": "gpt-5", "input": "Hello", "text_format": Recipe}
    with anywhere.responses.stream(**asked) as stream:
        assert isinstance(stream.get_final_response().output_parsed, Recipe)


def test_openai_python_parses_a_chat_completion(anywhere: OpenAI) -> None:
    messages: Any = [{"role": "user", "content": "Hello"}]
    asked: Any = {"model": "gpt-5", "messages": messages, "response_format": Recipe}
    parsed = anywhere.chat.completions.parse(**asked).choices[0].message.parsed
    assert isinstance(parsed, Recipe)
    with anywhere.chat.completions.stream(**asked) as stream:
        assert stream.get_final_completion().choices[0].message.parsed == parsed
