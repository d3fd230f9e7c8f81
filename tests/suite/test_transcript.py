"""A transcript is read back as it was written, and satisfies its schema."""

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.contract.transcript import (
    VERDICTS,
    Cancelled,
    CheckpointResult,
    Disconnect,
    Emitted,
    End,
    EndOutcome,
    PlainAnswer,
    ReportedError,
    Request,
    SentEvent,
    Transcript,
    TurnInput,
    Verdict,
    digest_of,
    end_of,
    from_json,
)
from mockserver.foundation.shipped import schema

CONTRACT = Draft202012Validator(schema("transcript"))

words = st.text(max_size=12)
names = st.text(min_size=1, max_size=12)
counts = st.integers(0, 2**31)
seconds = st.floats(0, 1e6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(words, values, max_size=3)

events = st.builds(
    SentEvent,
    n=counts,
    at=seconds,
    kind=st.sampled_from(["event", "comment", "raw", "done"]),
    type=words,
    data=values,
    ignorable=st.booleans(),
)
requests = st.builds(
    Request,
    n=counts,
    at=seconds,
    method=names,
    path=names,
    status=st.integers(100, 599),
    turn=st.none() | counts,
    why=words,
    body=values,
    problems=st.tuples(words) | st.just(()),
    events=st.lists(events, max_size=3).map(tuple),
    left=st.none() | st.builds(Disconnect, at=seconds, how=names),
    ended=st.none() | seconds,
    attempt=st.integers(1, 9),
    answer=st.none()
    | st.builds(PlainAnswer, headers=st.dictionaries(names, words, max_size=2), body=words),
    wire=st.none() | st.builds(digest_of, st.binary(max_size=9)),
    headers=st.dictionaries(names, words, max_size=2),
)
asked = st.builds(
    TurnInput,
    messages=st.just(({"role": "user", "content": "Hi"},)),
    tools=st.just(()) | st.just(({"name": "search"},)),
    token=words,
    options=objects,
)
ends = st.builds(
    End,
    at=seconds,
    outcome=st.sampled_from(get_args(EndOutcome)),
    finish=st.none() | names,
    usage=st.none() | objects,
    error=st.none() | st.builds(ReportedError, kind=words, message=words, code=words),
)
transcripts = st.builds(
    Transcript,
    **dict.fromkeys(("case", "scenario", "dialect", "vocabulary", "adapter"), names),
    verdict=st.sampled_from(get_args(Verdict)),
    requests=st.lists(requests, max_size=2).map(tuple),
    parts=st.lists(st.builds(Emitted, n=counts, at=seconds, part=objects), max_size=3).map(tuple),
    checkpoints=st.lists(
        st.builds(
            CheckpointResult,
            name=names,
            event=counts,
            parts=counts,
            reached=st.booleans(),
            waited=seconds,
        ),
        max_size=2,
    ).map(tuple),
    cancelled=st.none()
    | st.builds(
        Cancelled, at=seconds, parts=counts, by=st.sampled_from(["after_parts", "checkpoint"])
    ),
    ends=st.lists(ends, max_size=2).map(tuple),
    notes=st.tuples(words) | st.just(()),
    asked=st.none() | asked,
)


@given(transcripts)
def test_a_transcript_is_read_back_as_it_was_written(transcript: Transcript) -> None:
    assert from_json(json.loads(json.dumps(transcript.to_json()))) == transcript


@given(transcripts)
def test_a_transcript_satisfies_its_schema(transcript: Transcript) -> None:
    as_data = json.loads(json.dumps(transcript.to_json()))
    assert [error.message for error in CONTRACT.iter_errors(as_data)] == []


MESSAGES: list[tuple[dict[str, Any], End]] = [
    ({"type": "done", "outcome": "completed"}, End(2.0, "completed")),
    (
        {"type": "done", "outcome": "completed", "finish": "stop", "usage": {"input": 11}},
        End(2.0, "completed", "stop", {"input": 11}),
    ),
    (
        {"type": "done", "outcome": "failed", "error": {"kind": "http", "message": "429"}},
        End(2.0, "failed", error=ReportedError("http", "429", "")),
    ),
    (
        {"type": "done", "outcome": "failed"}
        | {"error": {"kind": "upstream", "message": "slow down", "code": "rate_limit_exceeded"}},
        End(2.0, "failed", error=ReportedError("upstream", "slow down", "rate_limit_exceeded")),
    ),
    ({"type": "done", "outcome": "cancelled"}, End(2.0, "cancelled")),
    (
        {"type": "unsupported", "reason": "no tools"},
        End(2.0, "unsupported", error=ReportedError("unknown", "no tools")),
    ),
    (
        {"type": "error", "message": "KeyError: 'choices'"},
        End(2.0, "error", error=ReportedError("unknown", "KeyError: 'choices'")),
    ),
]


@pytest.mark.parametrize(("message", "end"), MESSAGES)
def test_a_drive_1_message_is_read_as_its_ending(message: dict[str, Any], end: End) -> None:
    assert end_of({"id": "r-1", **message}, 2.0) == end


def test_every_ending_has_its_verdict() -> None:
    assert set(VERDICTS) == set(get_args(EndOutcome))
    assert set(VERDICTS.values()) <= set(get_args(Verdict))


def request(n: int, turn: int | None, *types: str) -> Request:
    sent = tuple(SentEvent(k, 0.0, "event", type_) for k, type_ in enumerate(types))
    return Request(n, 0.0, "POST", "/v1/responses", 200, turn, events=sent)


def test_the_answer_is_that_of_the_last_request_that_was_played() -> None:
    transcript = Transcript(
        "any/a@openresponses", "any/a", "openresponses", "vscode", "mine", "completed",
        (request(0, 0, "first"), request(1, 0, "again", "more"), request(2, None)),
    )  # fmt: skip
    assert [event.type for event in transcript.sent] == ["again", "more"]


def test_the_attempt_is_that_of_the_last_request_that_was_played() -> None:
    first, again = request(0, 0), replace(request(1, 0), attempt=2, answer=PlainAnswer({}, "Away"))
    transcript = Transcript(
        "any/a@openresponses", "any/a", "openresponses", "vscode", "mine", "failed",
        (first, again, request(2, None)),
    )  # fmt: skip
    assert (transcript.attempt, transcript.plain_answer) == (2, PlainAnswer({}, "Away"))
    assert (replace(transcript, requests=()).attempt, first.answer) == (1, None)
