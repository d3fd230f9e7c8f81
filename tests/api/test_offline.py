"""Scenarios and streams as values, without a server."""

import pickle
import re
from collections import OrderedDict
from pathlib import Path
from traceback import format_exception_only
from typing import Any

import pytest

import streamproof
from streamproof import Fault, ScenarioError
from tests.api.asking import REFUSAL, parts_of

SCENARIO = """\
title: A greeting
source: [none, a test]
turns:
  - says:
      - text: "Hello "
      - text: there
"""


def test_a_case_is_played_as_the_bytes_that_the_mock_sends() -> None:
    played = streamproof.play("any/refusal@chat")
    assert played.status == 200
    assert played.headers["Content-Type"].startswith("text/event-stream")
    assert played.body.endswith(b"data: [DONE]\n\n")
    assert played.verdict(parts_of(played.body), traits=REFUSAL).passed
    assert played.verdict([]).rules == ("refusal-routed",)


def test_the_pieces_are_those_of_the_variation() -> None:
    whole, cut = map(streamproof.play, ("any/refusal@chat", "any/refusal@chat+cut:17"))
    assert cut.body == whole.body
    assert len(cut.pieces[0]) == 17


def test_a_plain_answer_is_played_too() -> None:
    played = streamproof.play("any/status-500-html@chat")
    assert (played.status, played.events) == (500, ())
    assert b"<html" in played.body


def test_cases_are_selected_by_a_pattern() -> None:
    assert streamproof.cases("any/refusal@chat") == ["any/refusal@chat"]
    assert streamproof.cases("any/refusal@chat+bom") == ["any/refusal@chat+bom"]
    lines = streamproof.cases("any/refusal@chat+lines")
    assert {"any/refusal@chat+crlf", "any/refusal@chat+bom"} <= {*lines}
    assert all(case.endswith("@vercel-ui") for case in streamproof.cases("any/*@vercel-ui"))


def test_cases_that_end_only_if_the_host_cancels_are_named_or_asked_for() -> None:
    (named,) = streamproof.cases("any/cancel-in-a-stall@chat")
    assert named not in streamproof.cases("any/*@chat")
    assert named in streamproof.cases("any/*@chat", cancel=True)
    broken = streamproof.cases("any/refusal@chat+faults")
    assert not any(case.endswith(":stall") for case in broken)
    assert streamproof.cases("any/refusal@chat+stop:1:stall")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("any/refusals", "no scenario matches 'any/refusals'\n.*any/refusal"),
        ("any/refusal@klingon", "no case matches"),
        ("any/refusal+crfl", "no variation is called 'crfl'"),
    ],
)
def test_a_pattern_that_selects_nothing_is_explained(pattern: str, why: str) -> None:
    with pytest.raises(Fault, match=why):
        streamproof.cases(pattern)


def test_a_scenario_is_loaded_and_linted_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "greeting.yaml"
    file.write_text(SCENARIO, "utf-8")
    assert streamproof.load(file).title == "A greeting"
    assert streamproof.lint(file) == []
    file.write_text(SCENARIO.replace("says", "say"), "utf-8")
    (problem,) = streamproof.lint(file)
    assert problem.place is not None
    assert (problem.place.line, "say" in problem.message) == (4, True)
    with pytest.raises(Fault):
        streamproof.load(file)


def test_a_stream_is_judged_by_its_protocol(tmp_path: Path) -> None:
    body = streamproof.play("any/refusal@openresponses").body
    assert streamproof.judge(body) == []
    broken = body.replace(b'"type":"response.completed"', b'"type":"response.finished"')
    file = tmp_path / "stream.sse"
    file.write_bytes(broken)
    for given in (file, str(file), broken.decode()):
        assert "must" in {finding.level for finding in streamproof.judge(given)}
    with pytest.raises(Fault, match=r"nowhere\.sse cannot be read: No such file"):
        streamproof.judge("nowhere.sse")


@pytest.mark.parametrize("stream", ["data: {}\n\n", b": no event of a dialect\n\n"])
def test_a_profile_that_does_not_exist_is_answered_by_those_that_do(stream: bytes | str) -> None:
    with pytest.raises(Fault, match="no profile is called 'nope'") as caught:
        streamproof.judge(stream, profile="nope")
    assert "those of openresponses are openai, azure, copilot, lmstudio" in str(caught.value)
    assert "those of chat are openai, azure, copilot" in str(caught.value)


@pytest.mark.parametrize(
    ("title", "why"),
    [
        (("Hi",), "is tuple; a string is expected"),
        (b"Hi", "is bytes; a string is expected"),
        (True, "is true or false; a string is expected"),
        (OrderedDict(Hi=1), "is a mapping; a string is expected"),
    ],
)
def test_a_value_of_any_type_in_a_scenario_is_explained(title: Any, why: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(why)):
        streamproof.play({"title": title, "says": [{"text": "Hi"}]})


def test_a_turn_or_an_attempt_that_does_not_exist_is_explained() -> None:
    with pytest.raises(Fault, match="has no turn 3; it has 1, counted from 0"):
        streamproof.play("any/refusal@chat", turn=3)
    with pytest.raises(Fault, match="there is no attempt 0"):
        streamproof.play("any/refusal@chat", attempt=0)


@pytest.mark.parametrize(
    "raised", ["AdapterError", "Fault", "InputError", "KitError", "ScenarioError", "UserError"]
)
def test_an_error_is_shown_with_the_name_by_which_it_is_caught(raised: str) -> None:
    kind = getattr(streamproof, raised)
    assert format_exception_only(kind("It broke")) == [f"streamproof.{raised}: It broke\n"]
    assert type(pickle.loads(pickle.dumps(kind("It broke")))) is kind


def test_every_public_name_exists() -> None:
    assert dir(streamproof) == sorted(streamproof.__all__)
    assert all(hasattr(streamproof, name) for name in streamproof.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        streamproof.nothing  # noqa: B018
