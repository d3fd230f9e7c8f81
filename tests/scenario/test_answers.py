"""Plain answers and attempts: how they are written, and how they are loaded."""

import json
from typing import Any

import pytest

from conformance.expectation.turn_content import expected_contents
from mockserver.cases.load import load
from mockserver.dialects import DIALECTS
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Answer, Says

FAILS: dict[str, Any] = {"parts": [], "outcome": "failed"}


def scenario(*turns: dict[str, Any], **fields: Any) -> Scenario:
    value = {"title": "An answer", "turns": turns, **fields}
    return load(json.dumps(value).encode(), "mine.yaml", "any/mine")


def answer(**fields: Any) -> Answer:
    script = scenario({"status": 429, "expect": FAILS, **fields}).turns[0].script
    assert isinstance(script, Answer)
    return script


BODIES: dict[str, tuple[Any, bytes, str]] = {
    "a mapping is JSON": (
        {"error": {"code": None}},
        b'{"error":{"code":null}}',
        "application/json",
    ),
    "a list is JSON": ([1, "é"], '[1,"é"]'.encode(), "application/json"),
    "a text is itself": ("{no: JSON}\n", b"{no: JSON}\n", "text/plain; charset=utf-8"),
    "a text may be empty": ("", b"", "text/plain; charset=utf-8"),
}


@pytest.mark.parametrize(("body", "sent", "kind"), BODIES.values(), ids=BODIES)
def test_a_body_is_json_or_text_with_its_content_type(body: Any, sent: bytes, kind: str) -> None:
    assert answer(body=body) == Answer(429, {"Content-Type": kind}, sent)


def test_headers_may_set_another_content_type() -> None:
    headers = {"content-type": "text/html", "Retry-After": "1"}
    assert answer(body="<p>", headers=headers) == Answer(429, headers, b"<p>")


def test_an_answer_without_a_body_has_no_content_type() -> None:
    assert answer() == Answer(429, {}, b"")


def test_an_answer_needs_no_dialect() -> None:
    assert scenario({"status": 503, "expect": FAILS}).dialects == tuple(DIALECTS)


def test_an_answer_that_is_not_a_refusal_may_expect_content() -> None:
    expect = {"parts": [{"text": "Hi"}]}
    turn = scenario({"status": 200, "body": {}, "expect": expect}, conduct="violation").turns[0]
    assert turn.expect[0].outcome == "completed"


ATTEMPTS: dict[str, Any] = {
    "attempts": [
        {"status": 503, "expect": FAILS},
        {"says": [{"failed": {"message": "Not yet."}}]},
        {"says": [{"text": "Now."}]},
    ]
}


def test_the_last_attempt_repeats() -> None:
    turn = scenario(ATTEMPTS).turns[0]
    assert [type(turn.attempt(n).script) for n in range(1, 6)] == [Answer, Says, Says, Says, Says]
    assert turn.attempt(3) == turn.attempt(5) == turn
    assert turn.attempt(2) != turn


def test_each_attempt_has_its_own_expected_content() -> None:
    contents = expected_contents(scenario(ATTEMPTS))
    assert [(s.attempt, s.outcome) for s in contents] == [
        (1, "failed"),
        (2, "failed"),
        (3, "completed"),
    ]
    assert contents[1].error is not None
    assert contents[1].error.message == "Not yet."
    assert contents[2].segments[0].value == "Now."


def test_a_scenario_streams_if_one_of_its_attempts_does() -> None:
    assert scenario(ATTEMPTS).streams
    assert not scenario({"status": 503, "expect": FAILS}).streams
    assert not scenario({"attempts": ATTEMPTS["attempts"][:1] * 2}).streams
