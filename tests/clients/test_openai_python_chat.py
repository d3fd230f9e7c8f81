"""Every legal scenario as chat completion chunks is read by openai-python over a socket.

A sample is read by default: every field of a chunk and every outcome.
The other scenarios are read in .ci/libraries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed (pip install -e '.[dev]')")

import openai

from conformance.suite.upstream import Upstream
from tests.clients.chat import (
    Reader,
    expect_completion,
    expect_error,
    expect_read,
    expect_streamed,
    expect_usage,
    sends_usage,
)
from tests.clients.lines import UNREAD, read_by
from tests.clients.truth import CHAT, Truth, sample

ASK: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello"}]}
WITH_USAGE: dict[str, Any] = {**ASK, "stream_options": {"include_usage": True}}

# The helper has no final completion of a response that was cut off, and raises at the end of a
# stream after it has passed on every chunk: 3.52.0 parses every final completion, requested or not.
NO_FINAL: dict[str, type[openai.OpenAIError]] = {
    "length": openai.LengthFinishReasonError,
    "content-filter": openai.ContentFilterFinishReasonError,
}


# The helper (3.52.0) reports no call as done that began in the chunk with the finish.
BEGUN_WITH_THE_FINISH = {"chat/call-in-the-chunk-of-the-finish"}


# The helper (3.52.0) asserts that every fragment of a call has a function, which is optional.
WITHOUT_A_FUNCTION = {"chat/fragment-without-function"}


FEW = sample("chat", CHAT) | {id_: CHAT[id_] for id_ in BEGUN_WITH_THE_FINISH | WITHOUT_A_FUNCTION}


@pytest.fixture(
    params=[
        pytest.param(each, id=id_, marks=() if id_ in FEW else pytest.mark.long)
        for id_, each in CHAT.items()
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


def read(client: openai.OpenAI, reader: Reader, ask: dict[str, Any] = ASK) -> None:
    for chunk in client.chat.completions.create(**ask, stream=True):
        reader.take(chunk)


def expect_failure(caught: Any, reader: Reader, truth: Truth) -> None:
    """The client raised the upstream's error, after all of the content."""
    assert type(caught) is openai.APIError
    expect_error(caught.message, caught.code, truth)
    expect_streamed(reader, truth)
    assert reader.reasons == {}


@pytest.mark.parametrize("ask", [ASK, WITH_USAGE], ids=["without usage", "with usage"])
def test_its_stream_has_the_text_the_calls_and_the_ending(
    client: openai.OpenAI, truth: Truth, ask: dict[str, Any]
) -> None:
    reader = Reader()
    if truth.content.outcome == "failed":
        with pytest.raises(openai.APIError) as caught:
            read(client, reader, ask)
        expect_failure(caught.value, reader, truth)
        return
    read(client, reader, ask)
    expect_read(reader, truth)
    if ask is WITH_USAGE:
        expect_usage(reader.usage and reader.usage.model_dump(), truth)
    else:
        assert reader.usage is None


async def test_its_asynchronous_stream_has_the_same(
    async_client: openai.AsyncOpenAI, truth: Truth
) -> None:
    async def read_all(reader: Reader) -> None:
        async for chunk in await async_client.chat.completions.create(**ASK, stream=True):
            reader.take(chunk)

    reader = Reader()
    if truth.content.outcome == "failed":
        with pytest.raises(openai.APIError) as caught:
            await read_all(reader)
        expect_failure(caught.value, reader, truth)
    else:
        await read_all(reader)
        expect_read(reader, truth)


class HelperEvents:
    """The content of the stream helper's own events, apart from the chunks."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal = ""
        self.done: list[tuple[str, str]] = []

    def take(self, event: Any) -> None:
        if event.type == "content.delta":
            self.text = event.snapshot
        elif event.type == "refusal.delta":
            self.refusal = event.snapshot
        elif event.type == "tool_calls.function.arguments.done":
            self.done.append((event.name, event.arguments))

    def expect(self, truth: Truth) -> None:
        expected = truth.first_choice.streamed
        assert (self.text, self.refusal) == (expected["text"], expected["refusal"])

    def expect_done(self, reader: Reader) -> None:
        """Every call without interrupted fragments is reported as done, complete."""
        assert len(self.done) == len(reader.calls)
        calls = (call for call in reader.calls.values() if not call.interrupted)
        assert not Counter((call.name, call.arguments) for call in calls) - Counter(self.done)


@pytest.mark.parametrize("ask", [ASK, WITH_USAGE], ids=["without usage", "with usage"])
def test_its_stream_helper_assembles_the_same(
    client: openai.OpenAI, truth: Truth, ask: dict[str, Any]
) -> None:
    reader, own = Reader(), HelperEvents()
    with client.chat.completions.stream(**ask) as stream:

        def read_all() -> None:
            for event in stream:
                own.take(event)
                if event.type == "chunk":
                    reader.take(event.chunk)

        if truth.content.outcome == "failed":
            with pytest.raises(openai.APIError) as caught:
                read_all()
            expect_failure(caught.value, reader, truth)
            own.expect(truth)
            return
        if truth.id in WITHOUT_A_FUNCTION:
            with pytest.raises(AssertionError):
                read_all()
            return
        read_all()
        expect_read(reader, truth)
        own.expect(truth)
        if refusal := NO_FINAL.get(truth.content.reason):
            with pytest.raises(refusal):
                stream.get_final_completion()
            return
        if truth.id in BEGUN_WITH_THE_FINISH:
            assert own.done == []
        else:
            own.expect_done(reader)
        final = stream.get_final_completion()
    expect_completion(final, truth)
    assert final.usage == reader.usage
    if ask is ASK:
        assert final.usage is None


def _without_final(truth: Truth) -> type[Exception] | None:
    """What the helper raises in place of the final completion, if it has none."""
    return AssertionError if truth.id in WITHOUT_A_FUNCTION else NO_FINAL.get(truth.content.reason)


async def test_its_asynchronous_stream_helper_has_the_same_final_completion(
    async_client: openai.AsyncOpenAI, truth: Truth
) -> None:
    async with async_client.chat.completions.stream(**ASK) as stream:
        if truth.content.outcome == "failed":
            with pytest.raises(openai.APIError) as caught:
                await stream.get_final_completion()
            expect_error(caught.value.message, caught.value.code, truth)
        elif refusal := _without_final(truth):
            with pytest.raises(refusal):
                await stream.get_final_completion()
        else:
            expect_completion(await stream.get_final_completion(), truth)


def test_it_parses_a_non_streaming_completion(client: openai.OpenAI, truth: Truth) -> None:
    if truth.content.outcome == "failed":
        with pytest.raises(openai.InternalServerError) as caught:
            client.chat.completions.create(**ASK)
        body = caught.value.body
        assert isinstance(body, dict)
        expect_error(body["message"], body["code"], truth)
        return
    completion = client.chat.completions.create(**ASK)
    assert completion.model == "gpt-5"
    expect_completion(completion, truth)
    if sends_usage(truth):
        expect_usage(completion.usage and completion.usage.model_dump(), truth)


@pytest.mark.parametrize("variation", ["ids-alone", "empty-events"])
def test_it_parses_the_data_of_blocks_that_have_none(
    anywhere: openai.OpenAI, upstream: Upstream, variation: str
) -> None:
    assert variation in UNREAD["openai-python"]
    url = f"{upstream.url}/s/any/text-looks-like-framing@chat+{variation}/v1"
    with pytest.raises(ValueError, match="Expecting value"):
        read(anywhere.with_options(base_url=url), Reader())


def test_it_loses_the_first_event_behind_a_bom(anywhere: openai.OpenAI, upstream: Upstream) -> None:
    assert "bom" in UNREAD["openai-python"]
    plain, marked = (
        list(
            anywhere.with_options(
                base_url=f"{upstream.url}/s/any/text-looks-like-framing@chat{name}/v1"
            ).chat.completions.create(**ASK, stream=True)
        )
        for name in ("", "+bom")
    )
    assert len(marked) == len(plain) - 1


@pytest.mark.parametrize("variation", read_by("openai-python"))
@pytest.mark.parametrize("id_", ["any/text-looks-like-framing", "chat/calls-interleave-by-index"])
def test_variations_of_the_wire_do_not_change_what_it_reads(
    anywhere: openai.OpenAI, upstream: Upstream, id_: str, variation: str
) -> None:
    url = f"{upstream.url}/s/{id_}@chat+{variation}/v1"
    reader = Reader()
    read(anywhere.with_options(base_url=url), reader)
    expect_read(reader, CHAT[id_])


def test_its_helper_calls_a_call_done_when_another_begins(
    anywhere: openai.OpenAI, upstream: Upstream
) -> None:
    # 3.52.0 compares with the index of the last fragment. The final completion is right.
    client = anywhere.with_options(base_url=f"{upstream.url}/s/chat/calls-interleave-by-index/v1")
    own = HelperEvents()
    with client.chat.completions.stream(**ASK) as stream:
        for event in stream:
            own.take(event)
    assert own.done == [("read_file", ""), ("list_dir", "")]
