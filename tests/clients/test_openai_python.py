"""Every legal scenario is read by openai-python over a socket.

A sample is read by default: every field of every type of event, every outcome, and texts that are
hard to frame. The other scenarios are read in .ci/libraries.

Two tables list what the client does not read completely, with the reason and the version; its error
is asserted, so that an entry fails when the client changes.
"""

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed (pip install -e '.[dev]')")

import openai

from tests.clients.lines import UNREAD, read_by
from tests.clients.reading import Reader, expect_content, expect_read, expect_response
from tests.clients.truth import RESPONSES, Truth, few_and_others, sample
from tests.rows import row

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
    )
}

# The helper keeps no other final response (3.52.0).
NO_FINAL = "Didn't receive a `response.completed` event"


HARD = ("any/long-arguments", "any/text-looks-like-framing", "any/unicode-and-large-numbers")
FEW = sample("openresponses", RESPONSES) | {
    id_: RESPONSES[id_] for id_ in (*REFUSED, *WARNED, *HARD)
}


each_legal = few_and_others(FEW, RESPONSES)
At = Callable[[str], openai.OpenAI]
AsyncAt = Callable[[str], openai.AsyncOpenAI]


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


def expect_stream(client: openai.OpenAI, truth: Truth) -> None:
    reader = Reader()
    if refusal := REFUSED.get(truth.id):
        with pytest.raises(refusal.kind) as caught:
            read(client, reader)
        expect_refusal(caught.value, refusal, reader, truth)
    else:
        read(client, reader)
        expect_read(reader, truth)


@each_legal
def test_its_stream_has_the_text_the_calls_and_the_ending(at: At, truths: list[Truth]) -> None:
    for truth in truths:
        with row(truth.id):
            expect_stream(at(truth.id), truth)


@each_legal
async def test_its_asynchronous_stream_has_the_same(async_at: AsyncAt, truths: list[Truth]) -> None:
    for truth in truths:
        with row(truth.id):
            await expect_async_stream(async_at(truth.id), truth)


async def expect_async_stream(client: openai.AsyncOpenAI, truth: Truth) -> None:
    async def read_all(reader: Reader) -> None:
        async for event in await client.responses.create(**ASK, stream=True):
            reader.take(event)

    reader = Reader()
    if refusal := REFUSED.get(truth.id):
        with pytest.raises(refusal.kind) as caught:
            await read_all(reader)
        expect_refusal(caught.value, refusal, reader, truth)
    else:
        await read_all(reader)
        expect_read(reader, truth)


def test_variations_of_lines_do_not_change_what_it_reads(at: At) -> None:
    for variation in read_by("openai-python"):
        with row(variation):
            expect_stream(at(f"{VARIED}+{variation}"), RESPONSES[VARIED])


@pytest.mark.parametrize("variation", ["ids-alone", "empty-events"])
def test_it_parses_the_data_of_blocks_that_have_none(at: At, variation: str) -> None:
    assert variation in UNREAD["openai-python"]
    with pytest.raises(ValueError, match="Expecting value"):
        read(at(f"{VARIED}+{variation}"), Reader())


@each_legal
@pytest.mark.parametrize("variation", ["crlf", "no-done", "no-event-line", "no-space"])
def test_the_lines_of_other_upstreams_do_not_change_what_it_reads(
    at: At, truths: list[Truth], variation: str
) -> None:
    for truth in truths:
        with row(truth.id):
            expect_stream(at(f"{truth.id}+{variation}"), truth)


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


@each_legal
def test_its_stream_helper_assembles_the_same(at: At, truths: list[Truth]) -> None:
    for truth in truths:
        with row(truth.id):
            expect_assembled(at(truth.id), truth)


def expect_assembled(client: openai.OpenAI, truth: Truth) -> None:
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


@each_legal
async def test_its_asynchronous_stream_helper_has_the_same_final_response(
    async_at: AsyncAt, truths: list[Truth]
) -> None:
    for truth in truths:
        with row(truth.id):
            await expect_final(async_at(truth.id), truth)


async def expect_final(client: openai.AsyncOpenAI, truth: Truth) -> None:
    async with client.responses.stream(**ASK) as stream:
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


@each_legal
def test_it_parses_a_non_streaming_response(at: At, truths: list[Truth]) -> None:
    for truth in truths:
        with row(truth.id):
            response = at(truth.id).responses.create(**ASK)
            assert response.object == "response"
            assert response.model == "gpt-5"
            expect_response(response, truth)


def test_a_refused_scenario_is_a_legal_one_of_the_catalogue() -> None:
    assert {*REFUSED, *WARNED} <= RESPONSES.keys()
    assert REFUSED.keys().isdisjoint(WARNED)
