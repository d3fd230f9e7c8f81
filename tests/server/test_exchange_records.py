"""Exchanges as records: nothing of them is lost on the way to another worker and back."""

import json
from dataclasses import MISSING, fields, replace

import pytest

from mockserver.scenario.script import Answer
from mockserver.server.journal import Exchange
from mockserver.server.shared.shared_journal import WrongRecord, from_record, to_record
from mockserver.wire.frames import Plan
from mockserver.wire.playback import WriteRecord

PLAN = Plan((), (), "cut", 0.5)
SAMPLE = Exchange(
    n=7,
    at=12.25,
    method="POST",
    path="/r/x/v1/responses\udce4",
    headers={"X": "ä\udcff"},
    received=b'{"input": "\xff"}',
    is_json=True,
    case="any/hello@chat+crlf",
    turn=2,
    turns=4,
    why="chosen",
    attempt=3,
    form="v4",
    status=429,
    problems=("input: missing", "model: missing"),
    refused="no",
    plan=PLAN,
    answer=Answer(429, {"Retry-After": "1"}, b"\x00later"),
    values={"id": b'"resp_1"', "echo": '"ä"'.encode()},
    writes=[WriteRecord(12.5, 0.25, 0, 3, 100), WriteRecord(13.0, 0.0, 4, 4, 7)],
    left=(13.5, "reset the connection"),
    after_left=9,
    ended=14.0,
)


def test_an_exchange_comes_back_as_it_was() -> None:
    # A field that is added without being recorded would have its default.
    for field in fields(Exchange):
        made = field.default_factory
        default = field.default if made is MISSING else made()
        assert getattr(SAMPLE, field.name) != default, field.name
    key, again = from_record(to_record(SAMPLE, "worker:1"), lambda _: PLAN)
    assert key == "worker:1"
    for field in fields(Exchange):
        assert getattr(again, field.name) == getattr(SAMPLE, field.name), field.name


def test_an_exchange_that_has_only_begun_comes_back_as_it_was() -> None:
    begun = Exchange(0, 1.5, "GET", "/v1/models", {})
    assert from_record(to_record(begun, "worker:2"), lambda _: PLAN)[1] == begun


def test_without_a_plan_the_writes_are_still_there() -> None:
    _, again = from_record(to_record(SAMPLE, "worker:3"))
    assert again == replace(SAMPLE, plan=None)


@pytest.mark.parametrize("key", sorted({*json.loads(to_record(SAMPLE, "")), "key"}))
def test_a_record_without_one_of_its_values_is_not_believed(key: str) -> None:
    value = json.loads(to_record(SAMPLE, "worker:4"))
    del value[key]
    with pytest.raises(WrongRecord):
        from_record(json.dumps(value).encode(), lambda _: PLAN)


@pytest.mark.parametrize("record", [b"\x80", b"[" * 100_000, b"1" * 5000, b"[1]", b'{"key": 1}'])
def test_what_is_no_record_is_not_believed(record: bytes) -> None:
    with pytest.raises(WrongRecord):
        from_record(record)
