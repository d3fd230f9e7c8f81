"""Runs are open at the same time, each at a URL that cannot be guessed."""

import re

from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.server.journal import Exchange
from mockserver.server.runs import Run, Runs

HELLO = Case(
    load(b"title: A greeting\nturns: [{says: [{text: Hello}]}]\n", "x.yaml", "any/x"),
    "openresponses",
    ("crlf",),
)


def exchange(n: int) -> Exchange:
    return Exchange(n, 1.0, "POST", "/", {})


def test_a_run_has_an_id_that_cannot_be_guessed_and_fits_a_url() -> None:
    ids = {Runs().open(HELLO).id for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{12,}", id_) for id_ in ids)


def test_a_run_is_found_while_it_is_open() -> None:
    runs = Runs()
    run = runs.open(HELLO)
    assert runs.get(run.id) is run
    assert runs.close(run.id) is run
    assert runs.get(run.id) is None
    assert runs.close(run.id) is None
    assert runs.get("") is None


def test_the_oldest_run_is_closed_if_there_are_too_many() -> None:
    runs = Runs(most=2)
    first, second, third = (runs.open(HELLO) for _ in range(3))
    assert runs.get(first.id) is None
    assert runs.all() == [second, third]


def test_a_run_has_its_case_and_its_base_url() -> None:
    run = Run("abc", HELLO)
    run.keep(exchange(0))
    assert run.to_json("http://127.0.0.1:4100") == {
        "id": "abc",
        "case": "any/x@openresponses+crlf",
        "base_url": "http://127.0.0.1:4100/r/abc/v1",
        "requests": 1,
    }


def test_a_flood_of_requests_is_counted_and_not_kept() -> None:
    run = Run("abc", HELLO)
    for n in range(1000):
        run.keep(exchange(n))
    assert 0 < len(run.exchanges) < 1000
    assert [each.n for each in run.exchanges] == list(range(len(run.exchanges)))
    assert run.to_json("")["requests"] == 1000


def heavy(n: int, size: int) -> Exchange:
    made = exchange(n)
    made.received = b"x" * size
    return made


def test_a_flood_of_bytes_is_counted_and_not_kept() -> None:
    runs = Runs()
    run = runs.open(HELLO)
    for n in range(50):
        run.keep(sent := heavy(n, 1 << 20))
        runs.record_end(run, sent)
    assert 0 < len(run.exchanges) < 40
    assert [each.n for each in run.exchanges] == list(range(len(run.exchanges)))
    assert run.to_json("")["requests"] == 50


def test_the_oldest_run_is_closed_if_runs_hold_too_many_bytes() -> None:
    runs = Runs(most_bytes=2_500_000)
    opened = [runs.open(HELLO) for _ in range(4)]
    runs.close(opened[0].id)
    for n, run in enumerate(opened):
        run.keep(sent := heavy(n, 1_000_000))
        runs.record_end(run, sent)
    assert runs.all() == opened[2:]


def test_a_closed_run_makes_room() -> None:
    runs = Runs(most_bytes=2_500_000)
    for n in range(4):
        run = runs.open(HELLO)
        run.keep(sent := heavy(n, 1_000_000))
        runs.record_end(run, sent)
        assert runs.all() == [run]
        runs.close(run.id)
