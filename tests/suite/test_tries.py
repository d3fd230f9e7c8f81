"""A run that exceeds a limit is played again, alone, before it is called late or hung."""

import asyncio
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.drivers.driver import GRACE, Limit, grace_of
from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import Recorder
from conformance.report.results import Result
from conformance.suite.collector import Collector
from conformance.suite.session import Pace, Session
from conformance.suite.workbench import run
from mockserver.cases.catalogue import Catalogue
from tests.suite.misbehaving import Emit, Json
from tests.suite.run_by import DESCRIBED, Run, RunBy, case_of
from tests.virtual_time import virtual_time
from tests.wireless import Wireless

DEADLINE = 0.4

SLOW = """
title: An upstream that takes its time, and waits for the words to come out
source: [the tests of the suite]
turns:
  - says:
      - start: {text: t}
      - delta: {t: "One"}
      - pause: 3s
      - delta: {t: ", two"}
      - checkpoint: second
      - delta: {t: ", three."}
      - end: t
"""


CASE = case_of(SLOW)


def sleeps(*seconds: float) -> Run:
    """Sleeps so long before each of its runs, and for the last of these times before later ones."""
    left = list(seconds)

    async def slow(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
        await asyncio.sleep(left.pop(0) if len(left) > 1 else left[0])
        return await inner.run(run, emit, cancel)

    return slow


def holds_back(*seconds: float) -> Run:
    """Holds each part back so long, at most until the end; in its runs as in ``sleeps``."""
    left = list(seconds)

    async def late(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
        loop, delay = asyncio.get_running_loop(), left.pop(0) if len(left) > 1 else left[0]
        pending: list[Any] = []

        def out() -> None:
            if pending:
                emit(pending.pop(0))

        def later(part: Any) -> None:
            pending.append(part)
            loop.call_later(delay, out)

        end = await inner.run(run, later, cancel)
        while pending:
            out()
        return end

    return late


def doubles_once(how: Run) -> Run:
    """Emits each part of its first run twice."""
    runs: list[str] = []

    async def doubled(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
        runs.append(run["id"])

        def twice(part: Any) -> None:
            for _ in range(2 if len(runs) == 1 else 1):
                emit(part)

        return await how(inner, run, twice, cancel)

    return doubled


Play = Callable[[Run], Result]


@pytest.fixture
def played() -> Iterator[Play]:
    drivers: list[PythonDriver] = []
    with Wireless(Catalogue.shipped()) as upstream:

        def play(how: Run) -> Result:
            drivers.append(PythonDriver(RunBy(how)))
            deadline_ms = int(DEADLINE * 1000)
            return run(Session(DESCRIBED, drivers[-1], upstream, deadline_ms), CASE)

        yield play
        for driver in drivers:
            driver.close()


def tries(result: Result) -> list[tuple[str, str]]:
    assert result.transcript is not None
    return [(each.verdict, each.why) for each in result.transcript.tries]


LATE = ("timed-out", "it did not end within 0.4 s")
HUNG = ("hung", LATE[1])
HELD = ("completed", "the text before the checkpoint 'second' did not come out within 1 s")


@pytest.mark.parametrize(
    ("how", "expected", "rules"),
    [
        (sleeps(0.0), [], []),
        (sleeps(0.3), [], []),
        (sleeps(0.6, 0.0), [LATE], []),
        (sleeps(1.2), [HUNG], []),
        (sleeps(9.0), [HUNG], ["end-once"]),
        (holds_back(0.0), [], []),
        (holds_back(2.0, 0.0), [HELD], []),
        (holds_back(9.0), [HELD], ["text-incremental"]),
        (doubles_once(holds_back(9.0, 0.0)), [], ["text-exact"]),
    ],
    ids=[
        *("in time", "nearly late", "late once", "late, but not for the longer limit"),
        *(
            "late for both limits",
            "text as it comes",
            "text late once",
            "text always late",
            "late and wrong once",
        ),
    ],
)
def test_a_limit_counts_only_if_a_longer_one_is_exceeded_alone(
    played: Play, how: Run, expected: list[tuple[str, str]], rules: list[str]
) -> None:
    result = played(how)
    assert tries(result) == expected
    assert [finding.rule for finding in result.findings] == rules
    assert result.status == ("failed" if {"end-once", "text-exact"} & {*rules} else "passed")


def test_what_was_played_again_is_said_at_the_end(played: Play) -> None:
    collector = Collector([], {}, {}, None, ("must",), cases=1, rewrite=False)
    collector.results.append(played(sleeps(0.6, 0.0)))
    collector.left_behind.append("mine: sleep (process 7) was still running")
    said: list[str] = []
    reporter = SimpleNamespace(write_line=said.append, section=said.append)
    collector.pytest_terminal_summary(reporter)
    assert said == [
        "left behind by adapters",
        "mine: sleep (process 7) was still running",
        "played again, alone",
        "mine own/played@openresponses: timed-out, it did not end within 0.4 s; alone: completed",
    ]


def test_a_limit_stands_still_while_the_upstream_does_its_part() -> None:
    taken = [0.0]
    with virtual_time():
        limit = Limit(2.0, lambda: taken[0])
        assert limit.left() == pytest.approx(2.0, abs=0.01)
        taken[0] = 5.0
        assert limit.left() == pytest.approx(7.0, abs=0.01)


def test_a_longer_limit_leaves_more_time_to_answer_a_cancellation() -> None:
    assert [grace_of(seconds) for seconds in (0.1, 5.0, 20.0)] == [GRACE, GRACE, 2.0]


def test_an_adapter_needs_as_long_as_its_start_or_its_first_run() -> None:
    pace, recorder = Pace(), Recorder()
    pace.note_start(0.5)
    recorder.began -= 3
    recorder.upstream_seconds = lambda: 1.0
    pace.note_run(recorder)
    assert pace.seconds == pytest.approx(2.0, abs=0.1)
    recorder.began -= 30
    pace.note_run(recorder)
    assert pace.seconds < 3
