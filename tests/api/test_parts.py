"""What a test may hand over as parts, and what the code under test raises while it makes them."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import streamproof
from streamproof import AsyncMock, AsyncRun, Fault, Mock
from tests.api.asking import post

BEGUN = {"type": "text", "value": "The capital of France is"}


@pytest.fixture(scope="module")
def mock() -> Iterator[Mock]:
    with streamproof.serve() as started:
        yield started


def failing(mock: Mock) -> streamproof.Run:
    """A run whose response has failed in the middle of its text."""
    run = mock.run("openresponses/failed-after-text")
    post(f"{run.base_url}/responses", {"model": "mock", "input": "Hello", "stream": True})
    return run


class UpstreamFailed(Exception):
    pass


def raising(error: Exception) -> Iterator[Any]:
    yield BEGUN
    raise error


async def later() -> list[str]:
    return ["The capital of ", "France is"]


async def rejected() -> list[str]:
    raise UpstreamFailed("The model failed")


async def raising_later(error: Exception) -> AsyncIterator[Any]:
    yield BEGUN
    raise error


def musts(verdict: streamproof.Verdict) -> list[str]:
    return [finding.rule for finding in verdict.findings if finding.level == "must"]


def test_what_a_generator_raises_is_the_error_of_the_run(mock: Mock) -> None:
    verdict = failing(mock).verdict(raising(UpstreamFailed("The model failed")))
    assert musts(verdict) == []
    assert isinstance(verdict.error, UpstreamFailed)
    assert "The model failed" in verdict.timeline


async def test_what_an_async_generator_raises_is_the_error_of_the_run(mock: Mock) -> None:
    run = await AsyncMock(mock).run("any/refusal@chat")
    verdict = await run.verdict(raising_later(UpstreamFailed("The model failed")))
    assert verdict.rules[0] == "request-valid"
    with pytest.raises(AssertionError) as caught:
        await run.check(raising_later(UpstreamFailed("The model failed")))
    assert isinstance(caught.value.__cause__, UpstreamFailed)


async def test_what_is_awaited_are_parts_or_the_error_of_the_run(mock: Mock) -> None:
    run = AsyncRun(failing(mock))
    assert musts(await run.verdict(later(), "failed")) == []
    verdict = await run.verdict(rejected())
    assert isinstance(verdict.error, UpstreamFailed)
    assert musts(verdict) == ["text-exact"]


def test_a_failed_check_has_the_error_as_its_cause(mock: Mock) -> None:
    with pytest.raises(AssertionError) as caught:
        mock.run("any/refusal@chat").check(raising(KeyError("choices")))
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("error", [AssertionError("of the test"), Fault("of the test")])
def test_what_the_test_raises_is_raised(mock: Mock, error: Exception) -> None:
    with pytest.raises(type(error), match="of the test"):
        failing(mock).verdict(raising(error))


@dataclass
class Text:
    type: str
    value: str


class Dumped:
    def model_dump(self) -> dict[str, Any]:
        return dict(BEGUN)


@pytest.mark.parametrize("part", [Text(**BEGUN), Dumped(), dict(BEGUN)])
def test_objects_of_libraries_are_parts(mock: Mock, part: Any) -> None:
    assert musts(failing(mock).verdict([part], "failed")) == []


@pytest.mark.parametrize("vocabulary", ["vscode", "fullstream"])
@pytest.mark.parametrize("parts", [BEGUN["value"], ["The capital of ", "France is"]])
def test_a_text_is_a_part(mock: Mock, parts: Any, vocabulary: Any) -> None:
    run = failing(mock)
    assert musts(run.verdict(parts, "failed", vocabulary=vocabulary)) == []
    assert musts(run.verdict([*parts, "!"], "failed", vocabulary=vocabulary)) == ["text-exact"]
    assert musts(run.verdict(["The capital of ", {**BEGUN, "value": "France is"}], "failed")) == []


@pytest.mark.parametrize(
    ("part", "right"),
    [
        ({"type": "text-delta", "id": "0", "delta": "The"}, "parts of the vocabulary stream"),
        ({"type": "text-delta", "id": "0", "text": "The"}, "parts of the vocabulary fullstream"),
        ({"type": "words", "value": "The"}, "schemas/parts/vscode.json"),
    ],
)
def test_parts_of_another_vocabulary_are_recognised(mock: Mock, part: Any, right: str) -> None:
    (first, *_) = failing(mock).verdict([part], "failed").findings
    assert first.rule == "part-known"
    assert first.right.endswith(right)


def test_a_run_whose_ending_has_no_time_is_not_said_to_end_before_an_event(mock: Mock) -> None:
    timeline = failing(mock).verdict([], "failed").timeline
    assert "– did not come: text 'The capital of '\n" in timeline
    assert "the run had ended" not in timeline


def test_bytes_and_errors_in_parts_are_data(mock: Mock) -> None:
    part = {"type": "data", "mimeType": "image/png", "data": b"abc", "why": ValueError("x")}
    timeline = failing(mock).verdict([part], "failed").timeline
    assert "YWJj" in timeline


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (b"Hello", "a list or another iterable, not b'Hello'"),
        (None, "a list or another iterable, not None"),
        ({"type": "text"}, "a list or another iterable, not {'type': 'text'}"),
        (["Hello", b"Ann"], "a part is a text or an object, not bytes: b'Ann'"),
        ([object()], "a part is to be JSON data, and object is none"),
    ],
)
def test_what_are_no_parts_is_explained(mock: Mock, parts: Any, why: str) -> None:
    with pytest.raises(Fault, match=why):
        mock.run("any/refusal").verdict(parts)


def test_async_parts_of_a_sync_run_are_explained(mock: Mock) -> None:
    coming = later()
    for parts in (raising_later(ValueError()), coming):
        with pytest.raises(Fault, match="of streamproof_async"):
            mock.run("any/refusal").verdict(parts)  # type: ignore[arg-type]
    coming.close()
