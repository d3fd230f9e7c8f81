"""Scenarios of a test's own, and what a ``default`` run is for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import streamproof
from streamproof import Fault, Mock, When
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
