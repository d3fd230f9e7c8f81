"""Every legal scenario as chat completion chunks is read by openai-python over a socket.

A sample is read by default: every field of a chunk and every outcome.
The other scenarios are read in .ci/libraries.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("openai", reason="openai is not installed (pip install -e '.[dev]')")

import openai

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
from tests.clients.truth import CHAT, Truth, few_and_others, sample
from tests.rows import row

ASK: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello"}]}
STREAM: dict[str, Any] = {**ASK, "stream": True}
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


each_legal = few_and_others(FEW, CHAT)
each_ask = pytest.mark.parametrize("ask", [ASK, WITH_USAGE], ids=["without usage", "with usage"])
At = Callable[[str], openai.OpenAI]
AsyncAt = Callable[[str], openai.AsyncOpenAI]


def read(client: openai.OpenAI, reader: Reader, ask: dict[str, Any] = ASK) -> None:
    for chunk in client.chat.completions.create(**ask, stream=True):
        reader.take(chunk)


def expect_failure(caught: Any, reader: Reader, truth: Truth) -> None:
    """The client raised the upstream's error, after all of the content."""
    assert type(caught) is openai.APIError
    expect_error(caught.message, caught.code, truth)
    expect_streamed(reader, truth)
    assert reader.reasons == {}


@each_legal
@each_ask
def test_its_stream_has_the_text_the_calls_and_the_ending(
    at: At, truths: list[Truth], ask: dict[str, Any]
) -> None:
    for truth in truths:
        with row(truth.id):
            expect_stream(at(truth.id), truth, ask)


def expect_stream(client: openai.OpenAI, truth: Truth, ask: dict[str, Any]) -> None:
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


@each_legal
async def test_its_asynchronous_stream_has_the_same(async_at: AsyncAt, truths: list[Truth]) -> None:
    for truth in truths:
        with row(truth.id):
            await expect_async_stream(async_at(truth.id), truth)


async def expect_async_stream(client: openai.AsyncOpenAI, truth: Truth) -> None:
    async def read_all(reader: Reader) -> None:
        async for chunk in await client.chat.completions.create(**ASK, stream=True):
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


@each_legal
@each_ask
def test_its_stream_helper_assembles_the_same(
    at: At, truths: list[Truth], ask: dict[str, Any]
) -> None:
    for truth in truths:
        with row(truth.id):
            expect_assembled(at(truth.id), truth, ask)


def expect_assembled(client: openai.OpenAI, truth: Truth, ask: dict[str, Any]) -> None:
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


@each_legal
async def test_its_asynchronous_stream_helper_has_the_same_final_completion(
    async_at: AsyncAt, truths: list[Truth]
) -> None:
    for truth in truths:
        with row(truth.id):
            await expect_final(async_at(truth.id), truth)


async def expect_final(client: openai.AsyncOpenAI, truth: Truth) -> None:
    async with client.chat.completions.stream(**ASK) as stream:
        if truth.content.outcome == "failed":
            with pytest.raises(openai.APIError) as caught:
                await stream.get_final_completion()
            expect_error(caught.value.message, caught.value.code, truth)
        elif refusal := _without_final(truth):
            with pytest.raises(refusal):
                await stream.get_final_completion()
        else:
            expect_completion(await stream.get_final_completion(), truth)


@each_legal
def test_it_parses_a_non_streaming_completion(at: At, truths: list[Truth]) -> None:
    for truth in truths:
        with row(truth.id):
            expect_non_streaming(at(truth.id), truth)


def expect_non_streaming(client: openai.OpenAI, truth: Truth) -> None:
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
def test_it_parses_the_data_of_blocks_that_have_none(at: At, variation: str) -> None:
    assert variation in UNREAD["openai-python"]
    with pytest.raises(ValueError, match="Expecting value"):
        read(at(f"any/text-looks-like-framing@chat+{variation}"), Reader())


def test_it_loses_the_first_event_behind_a_bom(at: At) -> None:
    assert "bom" in UNREAD["openai-python"]
    plain, marked = (
        list(at(f"any/text-looks-like-framing@chat{name}").chat.completions.create(**STREAM))
        for name in ("", "+bom")
    )
    assert len(marked) == len(plain) - 1


@pytest.mark.parametrize("id_", ["any/text-looks-like-framing", "chat/calls-interleave-by-index"])
def test_variations_of_the_wire_do_not_change_what_it_reads(at: At, id_: str) -> None:
    for variation in read_by("openai-python"):
        with row(variation):
            reader = Reader()
            read(at(f"{id_}@chat+{variation}"), reader)
            expect_read(reader, CHAT[id_])


def test_its_helper_calls_a_call_done_when_another_begins(at: At) -> None:
    # 3.52.0 compares with the index of the last fragment. The final completion is right.
    own = HelperEvents()
    with at("chat/calls-interleave-by-index").chat.completions.stream(**ASK) as stream:
        for event in stream:
            own.take(event)
    assert own.done == [("read_file", ""), ("list_dir", "")]
