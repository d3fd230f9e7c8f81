"""Checkpoints: the stream waits until the text so far is emitted, and times out at most once."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import pytest

from conformance.contract.traits import Traits
from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import Recorder
from conformance.report.results import Result
from conformance.suite.checkpoints import CancelAt, Checkpoints
from conformance.suite.workbench import Workbench, run
from conformance.vocabularies import VSCODE
from mockserver.cases.render import render
from mockserver.wire.frames import Gate
from tests.suite.misbehaving import Emit, Json
from tests.suite.run_by import DESCRIBED, Run, RunBy, case_of

PATIENCE = 0.3
LONG = 30.0
# Far less than the patience, and far more than a busy machine needs to see that nothing is due.
AT_ONCE = 0.15

GATED = """
title: Two checkpoints in one text
source: [the tests of the suite]
turns:
  - says:
      - start: {text: t}
      - delta: {t: "One"}
      - checkpoint: first
      - delta: {t: ", two"}
      - checkpoint: second
      - delta: {t: ", three."}
      - end: t
"""


CASE = case_of(GATED)


class Played(Protocol):
    def __call__(self, how: Run, patience: float = ...) -> Result: ...


async def as_it_comes(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    return await inner.run(run, emit, cancel)


async def at_the_end(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    parts: list[Any] = []
    end = await inner.run(run, parts.append, cancel)
    for part in parts:
        emit(part)
    return end


async def one_part_late(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    held: list[Any] = []

    def through(part: Any) -> None:
        held.append(part)
        if len(held) > 1:
            emit(held.pop(0))

    end = await inner.run(run, through, cancel)
    for part in held:
        emit(part)
    return end


async def leaves(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    await inner.run(run, lambda _part: cancel.set(), cancel)
    return {"type": "done", "id": run["id"], "outcome": "completed"}


@pytest.fixture
def played(workbench: Workbench) -> Iterator[Played]:
    drivers: list[PythonDriver] = []

    def play(how: Run, patience: float = PATIENCE) -> Result:
        drivers.append(PythonDriver(RunBy(how)))
        session = replace(workbench.drive(DESCRIBED, drivers[-1]), patience=patience)
        return run(session, CASE)

    yield play
    for driver in drivers:
        driver.close()


def rules_and_levels(result: Result) -> list[tuple[str, str]]:
    return [(finding.rule, finding.level) for finding in result.findings]


def test_an_adapter_that_emits_at_once_does_not_wait(played: Played) -> None:
    result = played(as_it_comes, LONG)
    assert result.transcript is not None
    assert rules_and_levels(result) == []
    reached = result.transcript.checkpoints
    assert [(r.name, r.parts, r.reached) for r in reached] == [
        ("first", 1, True),
        ("second", 2, True),
    ]
    assert all(r.waited < LONG / 2 for r in reached)


@pytest.mark.parametrize("how", [at_the_end, one_part_late])
def test_a_late_adapter_has_one_finding_and_the_run_goes_on(played: Played, how: Run) -> None:
    result = played(how)
    assert result.transcript is not None
    assert rules_and_levels(result) == [("text-incremental", "should")]
    assert result.status == "passed"
    assert result.transcript.verdict == "completed"
    text = "".join(emitted.part["value"] for emitted in result.transcript.parts)
    assert text == "One, two, three."


def test_only_the_first_checkpoint_times_out(played: Played) -> None:
    result = played(at_the_end)
    assert result.transcript is not None
    first, second = result.transcript.checkpoints
    assert (first.reached, second.reached) == (False, False)
    assert first.waited >= PATIENCE
    assert second.waited < AT_ONCE
    assert result.findings[0].event == first.event


def test_the_stream_does_not_wait_for_an_adapter_that_has_disconnected(played: Played) -> None:
    began = time.monotonic()
    result = played(leaves, LONG)
    assert time.monotonic() - began < LONG / 2
    assert result.transcript is not None
    assert result.transcript.verdict == "completed"
    assert [request.status for request in result.transcript.requests] == [200]


# The gatekeeper without a server


@pytest.fixture
def gate() -> tuple[Checkpoints, Recorder]:
    recorder = Recorder()
    plan = render(CASE, 0).plan
    return Checkpoints("openresponses", [plan], VSCODE, Traits(), recorder, PATIENCE), recorder


def event_of(delta: str) -> int:
    sent = render(CASE, 0).plan.sent
    return next(s.n for s in sent if isinstance(s.data, dict) and s.data.get("delta") == delta)


async def test_text_during_the_wait_opens_the_gate(gate: tuple[Checkpoints, Recorder]) -> None:
    checkpoints, recorder = gate
    waiting = asyncio.ensure_future(checkpoints("first", event_of("One")))
    await asyncio.sleep(0)
    assert not waiting.done()
    recorder.emit({"type": "text", "value": "On"})
    await asyncio.sleep(0)
    assert not waiting.done()
    recorder.emit({"type": "text", "value": "e"})
    await asyncio.wait_for(waiting, 5)
    (reached,) = checkpoints.reached
    assert (reached.reached, reached.parts) == (True, 2)


async def test_the_end_of_the_run_opens_the_gate(gate: tuple[Checkpoints, Recorder]) -> None:
    checkpoints, recorder = gate
    waiting = asyncio.ensure_future(checkpoints("first", event_of("One")))
    await asyncio.sleep(0)
    recorder.close()
    await asyncio.wait_for(waiting, 5)
    (reached,) = checkpoints.reached
    assert not reached.reached
    assert reached.waited < PATIENCE


async def test_the_stream_does_not_wait_for_a_cancelled_run_and_no_note_is_made(
    gate: tuple[Checkpoints, Recorder],
) -> None:
    checkpoints, recorder = gate
    recorder.cancel_after(1)
    waiting = asyncio.ensure_future(checkpoints("second", event_of(", two")))
    await asyncio.sleep(0)
    assert not waiting.done()
    recorder.emit({"type": "text", "value": "One"})
    await asyncio.wait_for(waiting, 5)
    await asyncio.wait_for(checkpoints("second", event_of(", two")), 5)
    assert checkpoints.reached == []


@pytest.mark.parametrize("later", range(4))
async def test_a_client_that_leaves_as_the_gate_opens_is_not_missed(
    gate: tuple[Checkpoints, Recorder], later: int
) -> None:
    checkpoints, recorder = gate
    waiting = asyncio.ensure_future(checkpoints("first", event_of("One")))
    await asyncio.sleep(0)
    recorder.emit({"type": "text", "value": "One"})
    for _ in range(later):
        await asyncio.sleep(0)
    left = waiting.cancel()
    await asyncio.wait({waiting}, timeout=5)
    assert waiting.cancelled() == left


async def test_a_run_is_cancelled_once_at_its_checkpoint_and_later_ones_do_not_wait(
    gate: tuple[Checkpoints, Recorder],
) -> None:
    checkpoints, recorder = gate
    cancelled: list[int] = []
    gatekeeper = CancelAt("first", lambda: cancelled.append(len(recorder.parts())), checkpoints)
    waiting = asyncio.ensure_future(gatekeeper("first", event_of("One")))
    await asyncio.sleep(0)
    assert cancelled == []
    recorder.emit({"type": "text", "value": "One"})
    await asyncio.wait_for(waiting, 5)
    await asyncio.wait_for(gatekeeper("second", event_of(", two")), 5)
    assert cancelled == [1]
    assert [each.name for each in checkpoints.reached] == ["first"]


async def test_the_stream_waits_at_the_checkpoint_until_the_adapter_has_got_its_cancellation(
    gate: tuple[Checkpoints, Recorder],
) -> None:
    checkpoints, recorder = gate
    asked = asyncio.Event()
    waiting = asyncio.ensure_future(
        CancelAt("first", asked.set, checkpoints)("first", event_of("One"))
    )
    recorder.emit({"type": "text", "value": "One"})
    await asyncio.wait_for(asked.wait(), 5)
    await asyncio.sleep(0)
    assert not waiting.done()
    recorder.cancel()
    await asyncio.wait_for(waiting, 5)


async def test_more_text_than_was_sent_opens_the_gate(gate: tuple[Checkpoints, Recorder]) -> None:
    checkpoints, recorder = gate
    recorder.emit({"type": "text", "value": "One, two and more"})
    await asyncio.wait_for(checkpoints("first", event_of("One")), 5)
    assert checkpoints.reached[0].reached


async def test_a_checkpoint_before_every_event_does_not_wait() -> None:
    plan = render(CASE, 0).plan
    early = replace(plan, writes=(Gate("early", -1), *plan.writes))
    checkpoints = Checkpoints("openresponses", [early], VSCODE, Traits(), Recorder(), LONG)
    await asyncio.wait_for(checkpoints("early", -1), 5)
    assert checkpoints.reached[0].reached


def test_the_wait_does_not_count_towards_the_deadline(workbench: Workbench) -> None:
    driver = PythonDriver(RunBy(at_the_end))
    session = replace(workbench.drive(DESCRIBED, driver), patience=0.5, deadline_ms=400)
    try:
        result = run(session, CASE)
    finally:
        driver.close()
    assert result.transcript is not None
    assert result.transcript.verdict == "completed"
