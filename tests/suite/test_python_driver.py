"""Adapters in Python that misbehave: each run has one verdict, and no other run is affected."""

import asyncio
import inspect
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.contract.transcript import ReportedError, Verdict
from conformance.drivers.driver import Outcome
from conformance.drivers.loop_thread import LoopThread
from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import MAX_PARTS, Recorder
from tests.drivers import HAS_PROC
from tests.suite.misbehaving import (
    MISBEHAVING,
    PART,
    Adapter,
    Emit,
    Json,
    Run,
    done,
    floods,
    raises,
    threads,
    well,
)

DEADLINE_MS = 100


class Stage:
    """An adapter and its Python driver; ``play`` runs a function as the adapter's next run."""

    def __init__(self) -> None:
        self.adapter = Adapter(well)
        self.driver = PythonDriver(self.adapter)
        self.runs = 0

    def play(self, how: Run, deadline_ms: int = DEADLINE_MS) -> tuple[Outcome, list[Any]]:
        self.adapter.play = how
        self.runs += 1
        recorder = Recorder(f"case {self.runs}")
        message = {"type": "run", "id": f"r-{self.runs}", "deadline_ms": deadline_ms}
        outcome = self.driver.run(message, recorder)
        return outcome, [emitted.part for emitted in recorder.parts()]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    died: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", died.append)
    stage = Stage()
    yield stage
    stage.driver.close()
    assert not threads()
    assert not died


@pytest.mark.parametrize(
    ("how", "verdict", "message"), MISBEHAVING, ids=[c[0].__name__ for c in MISBEHAVING]
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_misbehaving_run_has_its_verdict_and_the_next_run_is_unaffected(
    stage: Stage, how: Run, verdict: Verdict, message: str
) -> None:
    outcome, _ = stage.play(how)
    assert outcome.verdict == verdict
    assert message in "\n".join(outcome.notes)
    assert len(outcome.ends) <= 1
    outcome, parts = stage.play(well, deadline_ms=5000)
    assert outcome.verdict == "completed"
    assert parts == [PART]
    assert (outcome.ends[0].outcome, outcome.ends[0].finish) == ("completed", "stop")


def test_an_adapter_that_blocks_in_a_system_call_is_abandoned(stage: Stage) -> None:
    let_go = threading.Event()

    async def blocks(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        let_go.wait(60)
        emit({"type": "text", "value": "much later"})
        return done(run)

    outcome, parts = stage.play(blocks, deadline_ms=500)
    assert (outcome.verdict, parts) == ("hung", [])
    assert (outcome.busy is not None) is HAS_PROC
    assert (outcome.busy or 0) < 0.05
    assert outcome.notes == ("the adapter blocked its event loop",)
    assert stage.play(well)[0].verdict == "completed"
    let_go.set()


def test_a_crash_is_reported_with_its_exception(stage: Stage) -> None:
    outcome, parts = stage.play(raises)
    assert parts == [PART]
    (end,) = outcome.ends
    assert (end.outcome, end.error) == ("error", ReportedError("unknown", "KeyError: 'choices'"))
    assert "in raises" in outcome.notes[0]
    assert "drivers/python.py" not in outcome.notes[0]


def test_a_flood_of_parts_is_cut_off_and_reported(stage: Stage) -> None:
    outcome, parts = stage.play(floods, deadline_ms=30_000)
    assert outcome.verdict == "broke-protocol"
    assert "it emitted more than 10,000 parts, more than any answer has" in outcome.notes
    assert len(parts) == MAX_PARTS


def test_a_part_emitted_after_the_ending_is_recorded_after_it(stage: Stage) -> None:
    async def emits_late(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        async def later() -> None:
            await asyncio.sleep(0)
            emit({"type": "text", "value": "late"})

        run["task"] = asyncio.ensure_future(later())
        return done(run)

    stage.adapter.play = emits_late
    recorder = Recorder()
    outcome = stage.driver.run({"type": "run", "id": "r-1", "deadline_ms": DEADLINE_MS}, recorder)
    (emitted,) = recorder.parts()
    assert emitted.part["value"] == "late"
    assert emitted.at >= outcome.ends[0].at


def test_a_part_emitted_after_the_run_is_over_is_dropped() -> None:
    recorder = Recorder()
    recorder.emit(PART)
    recorder.close()
    recorder.emit(PART)
    assert len(recorder.parts()) == 1


def test_a_part_long_after_the_ending_goes_with_the_next_outcome(stage: Stage) -> None:
    came = threading.Event()

    async def emits_later(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        def late() -> None:
            for _ in range(3):
                emit(PART)
            came.set()

        threading.Timer(0.1, late).start()
        return done(run)

    first, parts = stage.play(emits_later)
    assert (first.incidents, parts) == ((), [])
    assert came.wait(5)
    second, parts = stage.play(well)
    assert parts == [PART]
    (incident,) = second.incidents
    assert (incident.kind, incident.what, incident.after) == ("late-message", "a part", "case 1")
    assert stage.play(well)[0].incidents == ()


def test_a_part_is_recorded_as_it_was_when_it_was_emitted(stage: Stage) -> None:
    async def changes_its_mind(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        part: Json = {"type": "toolCall", "callId": "c", "name": "n", "input": {"path": "a"}}
        emit(part)
        part["input"]["path"] = "b"
        return done(run)

    _, parts = stage.play(changes_its_mind)
    assert parts[0]["input"] == {"path": "a"}


def deep(levels: int) -> Json:
    value: Json = {}
    for _ in range(levels):
        value = {"in": value}
    return value


class Unshown:
    def __repr__(self) -> str:
        raise RuntimeError("no")


GARBAGE: list[tuple[str, Any]] = [
    ("a string", "text"),
    ("None", None),
    ("a list", [PART]),
    ("a set inside", {"type": "text", "value": {1}}),
    ("no number", {"type": "text", "value": float("nan")}),
    ("bytes", {"type": "data", "mimeType": "image/png", "data": b"\x89PNG"}),
    ("deep", deep(500)),
    ("too deep for JSON", deep(5000)),
    ("an object", object()),
    ("an object that cannot be shown", Unshown()),
]


@pytest.mark.parametrize("part", [g[1] for g in GARBAGE], ids=[g[0] for g in GARBAGE])
def test_a_part_that_is_not_a_json_object_is_recorded_by_its_repr(stage: Stage, part: Any) -> None:
    async def emits_it(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        emit(PART)
        emit(part)
        emit(PART)
        return done(run)

    outcome, parts = stage.play(emits_it)
    assert outcome.verdict == "completed"
    assert (parts[0], parts[2]) == (PART, PART)
    assert parts[1]["type"].startswith("not a JSON object: ")
    assert len(parts[1]["type"]) < 300


def test_parts_come_from_any_thread(stage: Stage) -> None:
    async def emits_elsewhere(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        await asyncio.to_thread(emit, PART)
        return done(run)

    assert stage.play(emits_elsewhere)[1] == [PART]


def test_a_task_that_a_run_leaves_ends_with_the_run(stage: Stage) -> None:
    ended = threading.Event()

    async def leaves_one(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        async def waits() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        run["task"] = asyncio.ensure_future(waits())
        await asyncio.sleep(0)
        return done(run)

    stage.play(leaves_one)
    assert ended.wait(5)


def test_a_closed_driver_leaves_no_threads() -> None:
    stage = Stage()
    stage.play(well)
    assert len(threads()) == 1
    stage.driver.close()
    assert not threads()
    stage.driver.close()


def test_a_loop_that_was_left_takes_no_more_work_and_says_nothing_of_it() -> None:
    thread = LoopThread("tested")
    thread.leave()
    work = asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="the loop has been left"):
        thread.submit(work)
    # Else Python prints that nothing has awaited it.
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED


def test_a_driver_that_was_never_used_can_be_closed() -> None:
    PythonDriver(Adapter(well)).close()
