"""Scenarios of a test's own, and what a ``default`` run is for."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import streamproof
from streamproof import AsyncMock, AsyncRun, Fault, Mock, When
from tests.api.asking import body_of, parts, parts_of, post

GREETS: dict[str, Any] = {"title": "Greets Ann", "says": [{"text": "Hello "}, {"text": "Ann"}]}
FILE = """\
title: A greeting
turns:
  - says:
      - text: "Hello "
      - text: there
"""


@pytest.fixture(scope="module")
def mock() -> Iterator[Mock]:
    with streamproof.serve() as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "Greeting.yaml"
    path.write_text(FILE, "utf-8")
    return path


def test_a_run_plays_a_scenario_that_is_a_mapping(mock: Mock) -> None:
    run = mock.run(GREETS, vary="crlf")
    verdict = run.verdict(parts(run.base_url))
    assert (verdict.case, verdict.passed) == ("greets-ann@chat+crlf", True)
    assert run.verdict([{"type": "text", "value": "Hello Bob"}]).rules == ("text-exact",)


def test_a_run_plays_the_file_of_a_scenario(mock: Mock, file: Path) -> None:
    for wanted in (file, str(file)):
        run = mock.run(wanted)
        verdict = run.verdict(parts(run.base_url))
        assert (verdict.case.partition("/")[2], verdict.passed) == ("greeting@chat", True)


def test_a_scenario_of_its_own_is_one_of_several(mock: Mock, file: Path) -> None:
    run = mock.run(When(GREETS, message="Ann"), file)
    assert len(parts(run.base_url, message="I am Ann")) == 2
    assert run.request.case == "greets-ann@chat"


def test_a_scenario_of_its_own_is_played_without_a_server(file: Path) -> None:
    played = streamproof.play({**GREETS, "dialects": ["chat"]}, vary="crlf")
    assert played.case == "greets-ann@chat+crlf"
    played.check(parts_of(played.body))
    with pytest.raises(AssertionError, match="text-exact"):
        played.check([])
    file.write_text(FILE.replace("turns", "dialects: [chat]\nturns"), "utf-8")
    streamproof.play(file).check([{"type": "text", "value": "Hello there"}])


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"says": [{"txt": "Hi"}]}, r"scenario.turns\[0\].says\[0\].txt: "),
        ({"title": "Nothing"}, "'turns' is missing"),
        ("nowhere.yaml", "nowhere.yaml cannot be read: No such file"),
        (7, "7 is no case\n.*any/refusal@chat, a file, or a scenario as a dict"),
    ],
)
def test_what_is_no_scenario_is_explained(mock: Mock, wanted: Any, why: str) -> None:
    with pytest.raises(Fault, match=why):
        mock.run(wanted)


def test_a_mistake_in_a_file_has_its_line(mock: Mock, file: Path) -> None:
    file.write_text(FILE.replace("says", "say"), "utf-8")
    with pytest.raises(Fault, match=r"greeting\.yaml:3:5: "):
        mock.run(file)


CALL = {"id": "call_1", "name": "f", "input": {}}
TWO_TURNS: dict[str, Any] = {
    "turns": [
        {"says": [{"call": CALL}], "then": {"tool_results": {"call_1": "yes"}}},
        {"says": [{"text": "Yes"}]},
    ]
}


def test_a_turn_is_named_if_several_were_played(mock: Mock) -> None:
    run = mock.run(TWO_TURNS)
    part = {"type": "toolCall", "callId": "call_1", "name": "f", "input": {}}
    asked = body_of(tool="f")
    post(f"{run.base_url}/chat/completions", asked)
    run.check([part])
    called = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_1", "content": "yes"},
    ]
    post(f"{run.base_url}/chat/completions", asked)
    with pytest.raises(Fault, match=r"has played the turns 0 and 1\n.*turn=1 in Python"):
        run.check([part])
    run.check([part], turn=0)
    run.check("Yes", turn=1)
    said = {"role": "assistant", "content": "Yes"}
    with pytest.raises(Fault, match=r"messages\[0\].content: 'Yes' is not of type 'array'"):
        run.check("Yes", turn=1, messages=[said])


def test_a_client_that_knows_only_the_server_is_led_to_the_default_run(mock: Mock) -> None:
    with mock.run(GREETS, default=True) as run:
        assert run.base_url == mock.base_url == mock.environ(run)["OPENAI_BASE_URL"]
        run.check(parts(mock.base_url))
        assert run.request.path == "/v1/chat/completions"
        with pytest.raises(Fault, match="greets-ann@openresponses is the default run"):
            mock.run("any/refusal", default=True)
    with mock.run("any/refusal", default=True) as run:
        assert len(parts(mock.base_url)) == 3


# What a test may hand over as parts, and what the code under test raises while it makes them


BEGUN = {"type": "text", "value": "The capital of France is"}


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
    for made in (raising_later(ValueError()), coming):
        with pytest.raises(Fault, match="of streamproof_async"):
            mock.run("any/refusal").verdict(made)  # type: ignore[arg-type]
    coming.close()
