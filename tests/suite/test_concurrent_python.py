"""Several runs of an adapter in Python at one time: each is as if it were alone."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from conformance.drivers.driver import Outcome, Place
from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import Recorder
from tests.suite.misbehaving import PART, Adapter, Emit, Json, Run, done, raises, threads, well

BOUND = 20.0
DEADLINE_MS = 10_000


class Stage:
    """A driver whose adapters play the function that is set for the id of a run."""

    def __init__(self) -> None:
        self.made: list[Adapter] = []
        self.plays: dict[str, Run] = {}
        self.driver = PythonDriver(self._make(), self._make)
        self._pool = ThreadPoolExecutor()

    def _make(self) -> Adapter:
        self.made.append(Adapter(lambda run, *rest: self.plays[run["id"]](run, *rest)))
        return self.made[-1]

    def start(self, id_: str, play: Run, place: Place = "beside others") -> Future[Outcome]:
        self.plays[id_] = play
        message = {"type": "run", "id": id_, "deadline_ms": DEADLINE_MS}
        return self._pool.submit(lambda: self.driver.run(message, Recorder(id_), place))

    def close(self) -> None:
        self.driver.close()
        self._pool.shutdown()


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()
    assert not threads()


class Held:
    """A run that begins, and ends when it is cancelled or let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self._let_go: Callable[[], object] = lambda: None

    async def __call__(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        loop = asyncio.get_running_loop()
        self._let_go = lambda: loop.call_soon_threadsafe(cancel.set)
        self.begun.set()
        await cancel.wait()
        return done(run)

    def let_go(self) -> None:
        self._let_go()


def in_progress(stage: Stage, count: int) -> list[tuple[Held, Future[Outcome]]]:
    held = [Held() for _ in range(count)]
    runs = [stage.start(f"r-{n}", each) for n, each in enumerate(held)]
    assert all(each.begun.wait(BOUND) for each in held)
    return list(zip(held, runs, strict=True))


def test_each_run_has_an_adapter_of_its_own(stage: Stage) -> None:
    for held, run in in_progress(stage, 3):
        held.let_go()
        assert run.result(BOUND).verdict == "completed"
    assert len(stage.made) == 3


def test_runs_one_after_the_other_have_the_same_adapter(stage: Stage) -> None:
    verdicts = [stage.start(f"r-{n}", well).result(BOUND).verdict for n in range(3)]
    assert (verdicts, len(stage.made)) == (["completed"] * 3, 1)


def blocks_until(event: threading.Event) -> Run:
    async def blocks(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        event.wait(BOUND)
        return done(run)

    return blocks


async def exits(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    raise SystemExit(3)


def test_a_run_that_blocks_its_loop_does_not_hold_up_the_others(stage: Stage) -> None:
    let_go = threading.Event()
    blocked = stage.start("r-blocked", blocks_until(let_go))
    assert stage.start("r-well", well).result(BOUND).verdict == "completed"
    assert not blocked.done()
    let_go.set()
    assert blocked.result(BOUND).verdict == "completed"


@pytest.mark.parametrize("play", [raises, exits])
def test_a_run_that_crashes_does_not_end_the_others(stage: Stage, play: Run) -> None:
    ((held, run),) = in_progress(stage, 1)
    assert stage.start("r-crashes", play).result(BOUND).verdict == "crashed"
    held.let_go()
    assert run.result(BOUND).verdict == "completed"


def test_only_the_run_with_the_id_is_cancelled(stage: Stage) -> None:
    (_, first), (held, second) = in_progress(stage, 2)
    stage.driver.cancel("r-0")
    assert first.result(BOUND).verdict == "completed"
    assert not second.done()
    held.let_go()
    second.result(BOUND)


def test_a_run_played_alone_waits_for_others_and_has_the_first_adapter(stage: Stage) -> None:
    (one, first), (two, second) = in_progress(stage, 2)
    seen: list[bool] = []

    async def looks(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        seen.append(first.done() and second.done())
        emit(PART)
        return done(run)

    # It looks once it plays, which must be after both have ended.
    alone = stage.start("r-alone", looks, "alone")
    for held in (two, one):
        held.let_go()
    assert alone.result(BOUND).verdict == "completed"
    assert len(stage.made) == 2
    outcome = stage.driver.count({"type": "count", "id": "c-1", "deadline_ms": DEADLINE_MS})
    assert outcome.verdict == "unsupported"


def test_closing_the_driver_ends_the_runs_in_progress_and_begins_no_more(stage: Stage) -> None:
    runs = [run for _, run in in_progress(stage, 2)]
    stage.driver.close()
    assert [run.result(BOUND).verdict for run in runs] == ["not-run"] * 2
    later = stage.start("r-later", well).result(BOUND)
    assert (later.verdict, later.notes) == ("not-run", ("the suite was stopped",))


def test_a_late_part_is_reported_whichever_run_comes_next(stage: Stage) -> None:
    kept: list[Any] = []

    async def keeps(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        kept.append(emit)
        return done(run)

    stage.start("r-1", keeps).result(BOUND)
    kept[0](PART)
    assert ["r-1" in message for message in stage.driver.left_behind()] == [True]
