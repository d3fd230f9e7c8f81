"""How openai-python selects a scenario, and its errors for requests that cannot be answered."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed (pip install -e '.[dev]')")

import openai

from conformance.suite.upstream import Upstream
from mockserver.cases.case import Case
from tests.clients.reading import Reader, expect_read
from tests.clients.truth import RESPONSES

ASK: dict[str, Any] = {"model": "gpt-5", "input": "Hello"}

# Two interleaved calls show whether the right scenario is played.
PARALLEL = "openresponses/parallel-calls"


def at(client: openai.OpenAI, upstream: Upstream, case: str) -> openai.OpenAI:
    """The client with the base URL of a case."""
    return client.with_options(base_url=f"{upstream.url}/s/{case}/v1")


def by_base_url(client: openai.OpenAI, upstream: Upstream) -> None:
    read_parallel(at(client, upstream, PARALLEL))


def by_base_url_without_a_version(client: openai.OpenAI, upstream: Upstream) -> None:
    read_parallel(client.with_options(base_url=f"{upstream.url}/s/{PARALLEL}"))


def by_case_id(client: openai.OpenAI, upstream: Upstream) -> None:
    read_parallel(at(client, upstream, f"{PARALLEL}@openresponses+crlf+no-event-line"))


def by_model_id(client: openai.OpenAI, upstream: Upstream) -> None:
    read_parallel(client, model=f"mock/{PARALLEL}")


def by_header(client: openai.OpenAI, upstream: Upstream) -> None:
    read_parallel(client, extra_headers={"x-mock-scenario": PARALLEL})


def by_run(client: openai.OpenAI, upstream: Upstream) -> None:
    run = upstream.open(Case(RESPONSES[PARALLEL].scenario, "openresponses"))
    try:
        scoped = client.with_options(base_url=upstream.url + run.path)
        read_parallel(scoped)
        assert [model.id for model in scoped.models.list()] == ["mock"]
    finally:
        upstream.close(run)
    assert len(run.exchanges) == 2


def read_parallel(client: openai.OpenAI, **ask: Any) -> None:
    reader = Reader()
    for event in client.responses.create(**ASK | ask, stream=True):
        reader.take(event)
    expect_read(reader, RESPONSES[PARALLEL])
    assert len(reader.calls) == 2


@pytest.mark.parametrize(
    "choose",
    [by_base_url, by_base_url_without_a_version, by_case_id, by_model_id, by_header, by_run],
)
def test_it_selects_a_scenario(
    choose: Callable[[openai.OpenAI, Upstream], None], anywhere: openai.OpenAI, upstream: Upstream
) -> None:
    choose(anywhere, upstream)


def test_it_lists_every_scenario_as_a_model(anywhere: openai.OpenAI) -> None:
    models = list(anywhere.models.list())
    assert {f"mock/{id_}" for id_ in RESPONSES} <= {model.id for model in models}
    assert {model.object for model in models} == {"model"}


@pytest.mark.parametrize(
    ("wrong", "param", "message"),
    [
        ({"temperature": 7}, "temperature", "7 is greater than the maximum of 2"),
        ({"max_output_tokens": 1}, "max_output_tokens", "1 is less than the minimum of 16"),
        ({"input": [{"role": "user"}]}, "input[0]", "'content' is a required property"),
        ({"tools": [{"type": "function"}]}, "tools[0]", "'name' is a required property"),
        (
            {"input": [{"type": "function_call_output", "output": "3"}]},
            "input[0]",
            "'call_id' is a required property",
        ),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_malformed_request_is_a_bad_request_error_that_names_the_field(
    anywhere: openai.OpenAI,
    upstream: Upstream,
    wrong: dict[str, Any],
    param: str,
    message: str,
    stream: bool,
) -> None:
    client = at(anywhere, upstream, PARALLEL)
    with pytest.raises(openai.BadRequestError) as caught:
        client.responses.create(**ASK | wrong, stream=stream)
    assert caught.value.param == param
    assert caught.value.type == "invalid_request_error"
    assert f"{param}: {message}" in caught.value.message
    assert caught.value.request_id


MISSPELT = "openresponses/paralel-calls"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("path", "ask"),
    [
        (f"/s/{MISSPELT}/v1", {}),
        ("/v1", {"model": f"mock/{MISSPELT}"}),
        ("/v1", {"extra_headers": {"x-mock-scenario": MISSPELT}}),
    ],
)
def test_an_unknown_scenario_is_a_not_found_error_that_names_the_nearest(
    anywhere: openai.OpenAI, upstream: Upstream, path: str, ask: dict[str, Any], stream: bool
) -> None:
    client = anywhere.with_options(base_url=upstream.url + path)
    with pytest.raises(openai.NotFoundError) as caught:
        client.responses.create(**ASK | ask, stream=stream)
    assert f"no scenario is called {MISSPELT!r}" in caught.value.message
    assert f"  {PARALLEL}: its name differs" in caught.value.message
    assert caught.value.type == "not_found"
