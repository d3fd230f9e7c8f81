"""Every legal scenario is read by openai-python over a socket.

A sample is read by default: every field of every type of event, every outcome, and texts that are
hard to frame. The other scenarios are read in .ci/libraries.

Two tables list what the client does not read completely, with the reason and the version; its error
is asserted, so that an entry fails when the client changes.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed (pip install -e '.[dev]')")

import openai

from conformance.suite.upstream import Upstream
from tests.clients.lines import UNREAD, read_by
from tests.clients.reading import Reader, expect_content, expect_read, expect_response
from tests.clients.truth import RESPONSES, Truth, sample

VARIED = "any/unicode-and-large-numbers"
ASK: dict[str, Any] = {"model": "gpt-5", "input": "Hello"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The exception or warning with which the client refuses a legal stream, and the reason."""

    kind: type[Exception]
    message: str
    because: str


def upstream_failure(message: str) -> Refusal:
    because = (
        "3.52.0 raises whatever has an 'error' object at its top: the error event as OpenResponses "
        "has it. It hands over the flat error of its own types, which OpenResponses has not"
    )
    return Refusal(openai.APIError, message, because)


# Raised from the iterator, by the plain stream and by the helper, in place of an event.
REFUSED: dict[str, Refusal] = {
    "any/error-at-once": upstream_failure("You exceeded your current quota."),
    "openresponses/error-then-failed": upstream_failure("Rate limit reached for requests."),
}

# Read completely by the helper, with a warning.
WARNED: dict[str, Refusal] = {
    "openresponses/unknown-events": Refusal(
        UserWarning,
        "Pydantic serializer warnings",
        "3.52.0 puts an item of a vendor's type into the class of a message, and pydantic warns "
        "when the helper writes the final response out to parse it",
    ),
}

# The helper keeps no other final response (3.52.0).
NO_FINAL = "Didn't receive a `response.completed` event"


HARD = ("any/long-arguments", "any/text-looks-like-framing", "any/unicode-and-large-numbers")
FEW = sample("openresponses", RESPONSES) | {
    id_: RESPONSES[id_] for id_ in (*REFUSED, *WARNED, *HARD)
}


@pytest.fixture(
    params=[
        pytest.param(each, id=id_, marks=() if id_ in FEW else pytest.mark.long)
        for id_, each in RESPONSES.items()
    ]
)
def truth(request: pytest.FixtureRequest) -> Truth:
    """Each legal scenario; those outside of the sample are read in .ci/libraries only."""
    legal: Truth = request.param
    return legal


@pytest.fixture
def client(anywhere: openai.OpenAI, upstream: Upstream, truth: Truth) -> openai.OpenAI:
    return anywhere.with_options(base_url=f"{upstream.url}/s/{truth.id}/v1")


@pytest.fixture
async def async_client(upstream: Upstream, truth: Truth) -> AsyncIterator[openai.AsyncOpenAI]:
    url = f"{upstream.url}/s/{truth.id}/v1"
    # The mock speaks plain HTTP; certificates take longer to read than an answer.
    plain = openai.DefaultAsyncHttpxClient(verify=False, timeout=10)
    async with openai.AsyncOpenAI(
        base_url=url, api_key="any", max_retries=0, http_client=plain
    ) as chosen:
        yield chosen


def read(client: openai.OpenAI, reader: Reader) -> None:
    for event in client.responses.create(**ASK, stream=True):
        reader.take(event)


def expect_refusal(caught: Exception, refusal: Refusal, reader: Reader, truth: Truth) -> None:
    """The client reported the upstream's failure with its message, after all of the content."""
    assert type(caught) is refusal.kind
    assert str(caught) == refusal.message
    expect_content(reader, truth)
    assert reader.endings == []
    if isinstance(caught, openai.APIError) and truth.content.error:
        assert (caught.message, caught.code) == (
            truth.content.error.message,
            truth.content.error.code,
        )


def test_its_stream_has_the_text_the_calls_and_the_ending(
    client: openai.OpenAI, truth: Truth
) -> None:
    reader = Reader()
    if refusal := REFUSED.get(truth.id):
        with pytest.raises(refusal.kind) as caught:
            read(client, reader)
        expect_refusal(caught.value, refusal, reader, truth)
    else:
        read(client, reader)
        expect_read(reader, truth)


async def test_its_asynchronous_stream_has_the_same(
    async_client: openai.AsyncOpenAI, truth: Truth
) -> None:
    async def read_all(reader: Reader) -> None:
        async for event in await async_client.responses.create(**ASK, stream=True):
            reader.take(event)

    reader = Reader()
    if refusal := REFUSED.get(truth.id):
        with pytest.raises(refusal.kind) as caught:
            await read_all(reader)
        expect_refusal(caught.value, refusal, reader, truth)
    else:
        await read_all(reader)
        expect_read(reader, truth)


def varied(client: openai.OpenAI, upstream: Upstream, variation: str) -> Reader:
    """What the client reads of any text under a variation."""
    reader = Reader()
    url = f"{upstream.url}/s/{VARIED}+{variation}/v1"
    read(client.with_options(base_url=url), reader)
    return reader


@pytest.mark.parametrize("variation", read_by("openai-python"))
def test_variations_of_lines_do_not_change_what_it_reads(
    anywhere: openai.OpenAI, upstream: Upstream, variation: str
) -> None:
    expect_read(varied(anywhere, upstream, variation), RESPONSES[VARIED])


@pytest.mark.parametrize("variation", ["ids-alone", "empty-events"])
def test_it_parses_the_data_of_blocks_that_have_none(
    anywhere: openai.OpenAI, upstream: Upstream, variation: str
) -> None:
    assert variation in UNREAD["openai-python"]
    with pytest.raises(ValueError, match="Expecting value"):
        varied(anywhere, upstream, variation)


@pytest.mark.parametrize("variation", ["crlf", "no-done", "no-event-line", "no-space"])
def test_the_lines_of_other_upstreams_do_not_change_what_it_reads(
    anywhere: openai.OpenAI, upstream: Upstream, truth: Truth, variation: str
) -> None:
    url = f"{upstream.url}/s/{truth.id}+{variation}/v1"
    client, reader = anywhere.with_options(base_url=url), Reader()
    if refusal := REFUSED.get(truth.id):
        with pytest.raises(refusal.kind):
            read(client, reader)
        expect_content(reader, truth)
    else:
        read(client, reader)
        expect_read(reader, truth)


class Snapshots:
    """Collects the newest snapshot of each text and call in the stream helper's events."""

    def __init__(self) -> None:
        self.text: dict[tuple[int, int], str] = {}
        self.arguments: dict[int, str] = {}

    def take(self, event: Any) -> None:
        if event.type == "response.output_text.delta":
            self.text[event.output_index, event.content_index] = event.snapshot
        elif event.type == "response.output_text.done":
            self.text.setdefault((event.output_index, event.content_index), event.text)
        elif event.type == "response.function_call_arguments.delta":
            self.arguments[event.output_index] = event.snapshot

    def expect(self, reader: Reader, truth: Truth) -> None:
        assert "".join(text for _, text in sorted(self.text.items())) == truth.by_item["text"]
        for index, arguments in self.arguments.items():
            call = reader.calls[index]
            if call.complete:
                assert json.loads(arguments) == truth.calls[call.call_id][1]


def test_its_stream_helper_assembles_the_same(client: openai.OpenAI, truth: Truth) -> None:
    reader, snapshots = Reader(), Snapshots()
    with client.responses.stream(**ASK) as stream:

        def read_all() -> None:
            for event in stream:
                reader.take(event)
                snapshots.take(event)

        if refusal := REFUSED.get(truth.id):
            with pytest.raises(refusal.kind) as caught:
                read_all()
            expect_refusal(caught.value, refusal, reader, truth)
            snapshots.expect(reader, truth)
            return
        with expected_warnings(truth):
            read_all()
        expect_read(reader, truth)
        snapshots.expect(reader, truth)
        if truth.content.outcome == "completed":
            expect_response(stream.get_final_response(), truth)
        else:
            with pytest.raises(RuntimeError, match=NO_FINAL):
                stream.get_final_response()


async def test_its_asynchronous_stream_helper_has_the_same_final_response(
    async_client: openai.AsyncOpenAI, truth: Truth
) -> None:
    async with async_client.responses.stream(**ASK) as stream:
        if truth.content.outcome == "completed":
            with expected_warnings(truth):
                expect_response(await stream.get_final_response(), truth)
        else:
            refusal = REFUSED.get(truth.id) or Refusal(RuntimeError, NO_FINAL, "")
            with pytest.raises(refusal.kind, match=refusal.message):
                await stream.get_final_response()


def expected_warnings(truth: Truth) -> Any:
    if refusal := WARNED.get(truth.id):
        return pytest.warns(UserWarning, match=refusal.message)
    return nullcontext()


def test_it_parses_a_non_streaming_response(client: openai.OpenAI, truth: Truth) -> None:
    response = client.responses.create(**ASK)
    assert response.object == "response"
    assert response.model == "gpt-5"
    expect_response(response, truth)


@pytest.mark.parametrize("id_", sorted({*REFUSED, *WARNED}))
def test_a_refused_scenario_is_a_legal_one_of_the_catalogue(id_: str) -> None:
    assert id_ in RESPONSES
    assert len({REFUSED.get(id_), WARNED.get(id_)} - {None}) == 1
