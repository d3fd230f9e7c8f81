"""A request is checked as the real upstream checks it, and echoed in the response."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.scenario.script import Send, Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import encode_values, fill_json
from tests.clients.judges import SCHEMA
from tests.data import needs_data
from tests.schemas import ours, problems
from tests.schemas.test_events import RESPONSE

Json = Any
FUNCTION = {"type": "function", "name": "f"}


def response_to(**request: Json) -> dict[str, Json]:
    """The response object that answers a request."""
    inbound = OPENRESPONSES.requests.read({"model": "m", "input": "Hi", **request}, {})
    assert inbound.problems == ()
    created = OPENRESPONSES.steps(Sends((Send("response.created"),), ()), 0)[0]
    assert isinstance(created, Event)
    slots = encode_values(id="resp_1", created_at=1767225600, model=inbound.model, **inbound.echo)
    event: dict[str, Json] = fill_json(created.data, slots)
    assert problems(ours("events/openresponses"), event) == []
    response: dict[str, Json] = event["response"]
    return response


# The 31 required fields of a response (openresponses § The response object) for a request that
# says nothing.
MINIMAL: dict[str, Json] = {**RESPONSE, "model": "m", "store": False}


def test_the_response_to_a_minimal_request_has_every_required_field() -> None:
    assert len(MINIMAL) == 31
    assert response_to() == MINIMAL


ECHOED: list[tuple[str, Json, Json]] = [
    ("instructions", "Be brief.", "Be brief."),
    ("instructions", "\ud83d lone", "\ud83d lone"),
    ("temperature", 0, 0),
    ("temperature", 0.25, 0.25),
    ("temperature", None, 1),
    ("top_p", 0.5, 0.5),
    ("top_logprobs", 20, 20),
    ("parallel_tool_calls", False, False),
    ("store", True, True),
    ("metadata", {"a": "b"}, {"a": "b"}),
    ("max_output_tokens", 16, 16),
    ("max_tool_calls", 1, 1),
    ("previous_response_id", "resp_0", "resp_0"),
    ("truncation", "auto", "auto"),
    ("service_tier", "auto", "default"),
    ("service_tier", "flex", "flex"),
    ("safety_identifier", "s", "s"),
    ("prompt_cache_key", "k", "k"),
    ("reasoning", {"effort": "low"}, {"effort": "low", "summary": None}),
    ("reasoning", {"summary": "auto"}, {"effort": None, "summary": "auto"}),
    ("text", {"verbosity": "low"}, {"verbosity": "low", "format": {"type": "text"}}),
    ("text", {"format": None, "verbosity": None}, {"format": {"type": "text"}}),
    ("text", {"format": {"type": "json_object"}}, {"format": {"type": "json_object"}}),
    ("tool_choice", "none", "none"),
    ("tool_choice", {"type": "function", "name": "f"}, {"type": "function", "name": "f"}),
    (
        "tool_choice",
        {"type": "allowed_tools", "tools": [FUNCTION]},
        {"type": "allowed_tools", "tools": [FUNCTION], "mode": "auto"},
    ),
    (
        "tool_choice",
        {"type": "allowed_tools", "tools": [FUNCTION], "mode": "required"},
        {"type": "allowed_tools", "tools": [FUNCTION], "mode": "required"},
    ),
    ("tools", [FUNCTION], [FUNCTION | {"description": None, "parameters": None, "strict": None}]),
    (
        "tools",
        [FUNCTION | {"parameters": {"type": "object"}, "strict": True, "acme": 1}],
        [
            FUNCTION
            | {"description": None, "parameters": {"type": "object"}, "strict": True, "acme": 1}
        ],
    ),
    ("tools", None, []),
]


@pytest.mark.parametrize(("field", "asked", "echoed"), ECHOED)
def test_the_response_echoes_the_request(field: str, asked: Json, echoed: Json) -> None:
    assert response_to(**{field: asked}) == {**MINIMAL, field: echoed}


@needs_data
@pytest.mark.parametrize(("field", "asked", "_echoed"), ECHOED)
def test_echoed_fields_satisfy_the_published_schema(field: str, asked: Json, _echoed: Json) -> None:
    event = {
        "type": "response.created",
        "sequence_number": 0,
        "response": response_to(**{field: asked}),
    }
    assert SCHEMA.event(event) == set()


def test_a_schema_for_the_answer_is_echoed_with_its_defaults() -> None:
    asked = {"type": "json_schema", "name": "n", "schema": {"type": "object"}}
    told_format = response_to(text={"format": asked})["text"]["format"]
    assert told_format == {**asked, "description": None, "strict": False}


def test_a_hosted_tool_is_echoed_as_it_was_requested() -> None:
    assert response_to(tools=[{"type": "web_search"}])["tools"] == [{"type": "web_search"}]


@pytest.mark.parametrize(
    ("body", "stream"),
    [({"stream": True}, True), ({"stream": False}, False), ({"stream": None}, False), ({}, False)],
)
def test_the_answer_is_a_stream_only_if_it_was_requested(body: Json, stream: bool) -> None:
    inbound = OPENRESPONSES.requests.read({"input": "Hi", **body}, {})
    assert (inbound.problems, inbound.stream, inbound.model) == ((), stream, "")


MALFORMED: list[tuple[Json, str]] = [
    ({"input": "Hi", "stream": "true"}, "stream: 'true' is not of type"),
    ({"input": "Hi", "temperature": 3}, "temperature: 3 is greater than the maximum of 2"),
    ({"input": 5}, "input: 5 is not of type"),
    ({}, "body: 'input' is a required property"),
    ({"input": [{"role": "user"}]}, "input[0]: 'content' is a required property"),
    ({"input": [{"role": "usr", "content": "x"}]}, "input[0].role: 'usr' is not one of"),
    (
        {"input": "Hi", "tools": [FUNCTION, {"type": "function", "function": FUNCTION}]},
        "tools[1]: 'name' is a required property",
    ),
    ({"input": "Hi", "metadata": {"a": 5}}, "metadata.a: 5 is not of type 'string'"),
]


@pytest.mark.parametrize(("body", "problem"), MALFORMED)
def test_the_refusal_of_a_malformed_request_begins_with_its_field(body: Json, problem: str) -> None:
    inbound = OPENRESPONSES.requests.read(body, {})
    assert len(inbound.problems) == 1
    assert inbound.problems[0].startswith(problem)
    assert inbound.echo == {}


def test_the_refusal_of_a_very_wrong_request_is_short() -> None:
    body = {"input": "x", "tools": ["x" * 10_000] * 50, "stream": 5}
    problems_ = OPENRESPONSES.requests.read(body, {}).problems
    assert 0 < len(problems_) <= 5
    assert all(len(problem) < 300 for problem in problems_)


@pytest.mark.parametrize("body", [None, [], "x", 5, True])
def test_a_body_that_is_not_an_object_is_one_problem(body: Json) -> None:
    inbound = OPENRESPONSES.requests.read(body, {})
    assert inbound.problems == ("the request body is not a JSON object",)


@pytest.mark.parametrize(
    ("status", "type_"),
    [
        (400, "invalid_request_error"), (401, "authentication_error"), (404, "not_found"),
        (429, "too_many_requests"), (500, "server_error"), (503, "server_error"),
    ],
)  # fmt: skip
def test_a_refusal_has_the_shape_of_openresponses_errors(status: int, type_: str) -> None:
    for param in ("input[0].role", None):
        error = {"message": "No.", "type": type_, "param": param, "code": None}
        assert OPENRESPONSES.requests.refuse(status, "No.", param) == {"error": error}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 30) | st.sampled_from(["", "auto", "user", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "name", "text", "id", "format"]), inner
        )
    ),
    max_leaves=6,
)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["message", "function_call_output", "acme:x", "item_reference"]),
        "role": st.sampled_from(["user", "assistant"]),
        "content": JSON,
        "id": JSON,
    },
)
BODIES = st.fixed_dictionaries(
    {"input": st.just("Hi") | st.lists(ITEMS, max_size=3)},
    optional={
        "tools": st.none() | st.lists(st.just(FUNCTION) | JSON, max_size=2),
        "tool_choice": JSON,
        "text": JSON,
        "reasoning": JSON,
        "metadata": JSON,
        "temperature": JSON,
        "model": JSON,
    },
)


@given(BODIES)
def test_any_request_is_refused_or_echoed_in_a_legal_response(body: Json) -> None:
    inbound = OPENRESPONSES.requests.read(body, {})
    if not inbound.problems:
        response_to(**body)
