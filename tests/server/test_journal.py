"""The journal records exchanges as data, without secrets."""

import json
from typing import Any

import pytest

from mockserver.scenario.script import Close, Comment, Pause
from mockserver.server.journal import Exchange, Journal, redact_headers
from mockserver.wire.event import Event
from mockserver.wire.frames import MIN_GAP, plan
from mockserver.wire.framing import Framing
from mockserver.wire.playback import WriteRecord
from mockserver.wire.slots import encode_values, mark


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("Authorization", "Bearer sk-secret", "Bearer [redacted]"),
        ("proxy-authorization", "Basic dXNlcjpwYXNz", "Basic [redacted]"),
        ("authorization", "sk-secret", "[redacted]"),
        ("authorization", "sk-secret and more", "[redacted]"),
        ("authorization", "Bearer", "[redacted]"),
        ("X-Api-Key", "sk secret", "[redacted]"),
        ("api-key", "sk-secret", "[redacted]"),
        ("Cookie", "session=secret", "[redacted]"),
        ("Set-Cookie", "session=secret", "[redacted]"),
        ("x-goog-api-key", "secret", "[redacted]"),
        ("x-amz-security-token", "secret", "[redacted]"),
        ("X-Client-Secret", "secret", "[redacted]"),
        ("x-password", "secret", "[redacted]"),
        ("content-type", "application/json", "application/json"),
        ("User-Agent", "openai/3.52", "openai/3.52"),
        ("accept", "text/event-stream", "text/event-stream"),
    ],
)
def test_headers_keep_no_secret(name: str, value: str, kept: str) -> None:
    assert redact_headers([(name, value)]) == {name: kept}


def exchange(**fields: Any) -> Exchange:
    return Exchange(3, 100.0, "POST", "/r/x/v1/responses", {"accept": "*/*"}, **fields)


def test_an_unanswered_request_is_recorded_with_every_field() -> None:
    assert exchange().to_json() == {
        "n": 3, "method": "POST", "path": "/r/x/v1/responses", "headers": {"accept": "*/*"},
        "body": None, "case": "", "turn": None, "why": "", "attempt": 1, "status": 0,
        "answer": None, "problems": [], "refused": "", "writes": [], "late": 0.0, "left": None,
        "after_left": 0, "ended": None,
    }  # fmt: skip


def test_times_count_from_the_arrival_of_the_request() -> None:
    recorded = exchange(
        received=b'{"model": "m"}',
        is_json=True,
        problems=("model: no",),
        writes=[WriteRecord(100.25, 0.001, 0, 2, 10), WriteRecord(101.0, 0.0000004, 3, 3, 5)],
        left=(101.5, "closed"),
        after_left=7,
        ended=102.0,
    ).to_json()
    assert recorded["writes"] == [
        {"at": 0.25, "late": 0.001, "first": 0, "last": 2, "bytes": 10},
        {"at": 1.0, "late": 0.0, "first": 3, "last": 3, "bytes": 5},
    ]
    assert (recorded["late"], recorded["left"], recorded["ended"]) == (
        0.001,
        {"at": 1.5, "how": "closed"},
        2.0,
    )
    assert (recorded["problems"], recorded["after_left"]) == (["model: no"], 7)
    assert recorded["body"] == {"model": "m"}
    assert json.loads(json.dumps(recorded)) == recorded


PLAN = plan(
    [
        Event("a", {"type": "a", "response": {"id": mark("id")}}),
        Comment("x"),
        Pause(1),
        Event("response.completed", {"type": "response.completed"}),
        Close("clean"),
    ],
    lambda type_, _data: type_ == "response.completed",
    Framing(closing_apart=True),
)


def test_events_are_recorded_as_sent_with_the_time_of_their_write() -> None:
    played = exchange(plan=PLAN, values=encode_values(id="resp_7"))
    played.writes += [WriteRecord(100.5, 0, 0, 1, 10), WriteRecord(101.5, 0, 2, 2, 10)]
    assert list(played.events()) == [
        {"n": 0, "at": 0.5, "kind": "event", "type": "a"}
        | {"data": {"type": "a", "response": {"id": "resp_7"}}},
        {"n": 1, "at": 0.5, "kind": "comment", "type": "comment", "data": "x"},
        {"n": 2, "at": 1.5, "kind": "event", "type": "response.completed"}
        | {"data": {"type": "response.completed"}},
    ]
    played.writes.append(WriteRecord(101.5 + MIN_GAP, 0, 3, 3, 14))
    assert [event["kind"] for event in played.events()][-1] == "done"


def test_what_was_planned_and_not_written_is_not_recorded() -> None:
    assert list(exchange(plan=PLAN, values=encode_values(id="resp_7")).events()) == []
    assert list(exchange().events()) == []


def test_the_newest_exchanges_are_kept_and_all_are_counted() -> None:
    journal = Journal(most=2)
    for path in ("/a", "/b", "/c"):
        journal.add(Exchange(0, 1.0, "GET", path, {}))
    assert [(each.n, each.path) for each in journal] == [(1, "/b"), (2, "/c")]


def test_a_journal_may_grow_while_it_is_read() -> None:
    journal = Journal()
    journal.add(Exchange(0, 1.0, "GET", "/a", {}))
    for _ in journal:
        journal.add(Exchange(0, 1.0, "GET", "/b", {}))
    assert len(list(journal)) == 2


@pytest.mark.parametrize("is_json", [True, False])
def test_a_body_is_recorded_as_json_only_if_it_was_read_as_json(is_json: bool) -> None:
    body = exchange(received=b"null", is_json=is_json).body
    assert body == (None if is_json else "null")


MUCH = 1_000_000
HEAVY = {
    "received": b"x" * MUCH,
    "values": {"instructions": b"x" * MUCH},
    "problems": ("x" * MUCH,),
    "refused": "x" * MUCH,
    "headers": {"x": "x" * MUCH},
    "writes": [WriteRecord(1.0, 0.0, n, n, 1) for n in range(MUCH // 100)],
}


@pytest.mark.parametrize(("field", "value"), HEAVY.items(), ids=HEAVY)
def test_large_exchanges_of_any_kind_displace_older_ones(field: str, value: Any) -> None:
    journal = Journal(most_bytes=4 * MUCH)
    for _ in range(20):
        opened = journal.add(Exchange(0, 1.0, "GET", "/", {}))
        setattr(opened, field, value)
        journal.record_end(opened)
    kept = [each.n for each in journal]
    assert kept == list(range(20 - len(kept), 20))
    assert 2 <= len(kept) <= 4


def test_an_exchange_above_the_size_limit_is_not_kept() -> None:
    journal = Journal(most_bytes=MUCH)
    opened = journal.add(Exchange(0, 1.0, "GET", "/", {}))
    opened.received = b"x" * (2 * MUCH)
    journal.record_end(opened)
    assert list(journal) == []


def test_an_exchange_that_ends_after_it_was_displaced_has_no_size() -> None:
    journal = Journal(most=1, most_bytes=MUCH)
    first, second = (journal.add(Exchange(0, 1.0, "GET", path, {})) for path in ("/a", "/b"))
    first.received = b"x" * (2 * MUCH)
    journal.record_end(first)
    journal.record_end(second)
    assert list(journal) == [second]
