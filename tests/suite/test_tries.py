"""A run that exceeds a limit is played again, alone, before it is called late or hung."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.drivers.driver import GRACE, Limit, Outcome, grace_of
from conformance.drivers.python import Adapter, PythonDriver
from conformance.drivers.recorder import Recorder
from conformance.report.results import Result
from conformance.suite.collector import Collector
from conformance.suite.session import MOST_TRIED_OFTEN, Pace, Session
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


async def leaves_and_hangs(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    """Closes its connection while the upstream waits for text at a checkpoint, and never ends."""
    reading = asyncio.ensure_future(inner.run(run, lambda _part: None, cancel))
    await asyncio.wait([reading], timeout=3.1)
    reading.cancel()
    await asyncio.Event().wait()


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


Play = Callable[..., Result]


class Watched(PythonDriver):
    """Reports of each run that it was so busy; nothing real can be measured in virtual time."""

    def __init__(self, adapter: Adapter, busy: float | None) -> None:
        super().__init__(adapter)
        self._busy = busy

    def run(self, *asked: Any) -> Outcome:
        outcome = super().run(*asked)
        is_late = outcome.verdict in ("timed-out", "hung")
        return replace(outcome, busy=self._busy) if is_late else outcome


@pytest.fixture
def played() -> Iterator[Play]:
    drivers: list[PythonDriver] = []
    with Wireless(Catalogue.shipped()) as upstream:

        def play(how: Run, busy: float | None = None, cases: int = 1) -> Result:
            drivers.append(Watched(RunBy(how), busy))
            session = Session(DESCRIBED, drivers[-1], upstream, int(DEADLINE * 1000))
            return [run(session, CASE) for _ in range(cases)][-1]

        yield play
        for driver in drivers:
            driver.close()


def tries(result: Result) -> list[tuple[str, str]]:
    assert result.transcript is not None
    return [(each.verdict, each.why) for each in result.transcript.tries]


LATE = ("timed-out", "it did not end within 0.4 s")
HUNG = ("hung", LATE[1])
HELD = ("completed", "the text before the checkpoint 'second' did not come out within 1 s")
IN_TIME = ("completed", "")
HUNG_LONGER = ("hung", "it did not end within 1.6 s")
SOMETIMES = [("end-once", "hangs-sometimes")]
NEVER = [("end-once", "not-ended-without-request")]


@pytest.mark.parametrize(
    ("how", "busy", "expected", "found"),
    [
        (sleeps(0.0), 0.0, [], []),
        (sleeps(0.3), 0.0, [], []),
        (sleeps(0.6, 0.0), 1.0, [LATE, *[IN_TIME] * 4], []),
        (sleeps(0.6, 0.0), None, [LATE, *[IN_TIME] * 4], []),
        (sleeps(0.6, 0.0), 0.01, [LATE, *[IN_TIME] * 4], SOMETIMES),
        (sleeps(9.0, 0.0), 0.01, [HUNG, *[IN_TIME] * 4], SOMETIMES),
        (sleeps(0.6, 0.0, 0.0, 9.0), 1.0, [LATE, IN_TIME, IN_TIME, HUNG_LONGER], SOMETIMES),
        (sleeps(1.2, 1.2, 0.0), 0.01, [HUNG, *[IN_TIME] * 4], []),
        (sleeps(9.0), 0.01, [HUNG, HUNG_LONGER], NEVER),
        (leaves_and_hangs, 0.01, [HUNG, HUNG_LONGER], [("end-once", "not-ended")]),
        (holds_back(0.0), 0.0, [], []),
        (holds_back(2.0, 0.0), 0.0, [HELD, IN_TIME], []),
        (holds_back(9.0), 0.0, [HELD, HELD], [("text-incremental", "not-all-out")]),
        (doubles_once(holds_back(9.0, 0.0)), 0.0, [], [("text-exact", "differs")]),
    ],
    ids=[
        *("in time", "nearly late", "slow once", "slow or hung once", "idle once", "hung once"),
        *(
            "late once, hung later",
            "slow by itself",
            "late for both limits",
            "gone and hung",
            "text as it comes",
        ),
        *("text late once", "text always late", "late and wrong once"),
    ],
)
def test_a_limit_counts_only_if_no_load_explains_that_it_was_exceeded(
    played: Play,
    how: Run,
    busy: float | None,
    expected: list[tuple[str, str]],
    found: list[tuple[str, str]],
) -> None:
    result = played(how, busy)
    assert tries(result) == expected
    assert [(each.rule, each.kind.name) for each in result.findings] == found
    assert result.status == ("passed" if not found or HELD in expected else "failed")


def test_of_an_adapter_that_often_hangs_only_some_cases_are_played_more_often(played: Play) -> None:
    often = [seconds for _ in range(MOST_TRIED_OFTEN) for seconds in (0.6, 0, 0, 0, 0)]
    result = played(sleeps(*often, 0.6, 0.0), 0.01, MOST_TRIED_OFTEN + 1)
    (late, again) = tries(result)
    assert (late, again) == (
        LATE,
        ("completed", "not played more often, as 8 cases that hung have been"),
    )
    assert [each.kind.name for each in result.findings] == ["hangs-sometimes"]


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
        "mine own/played@openresponses: timed-out, it did not end within 0.4 s"
        + 4 * "; alone: completed",
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
