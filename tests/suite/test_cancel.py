"""Cancelled runs: when the cancellation came, and what a run may do after it."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from conformance.contract.adapter import Claims
from conformance.contract.transcript import RELEASE_SECONDS, Cancelled, Transcript
from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import Recorder
from conformance.findings.words import message_of, right_of
from conformance.report.results import Result
from conformance.suite.workbench import Item, Workbench, items, run, run_item
from mockserver.cases.catalogue import Catalogue
from tests.suite import scenario
from tests.suite.misbehaving import Adapter, Emit, Json, done
from tests.suite.misbehaving import well as says_hello
from tests.suite.run_by import DESCRIBED, Run, RunBy, case_of

DEADLINE_MS = 5000

AFTER_TWO = """
title: A text of four pieces, cancelled after two
turns:
  - cancel: {after_parts: 2}
    says: [{text: "One, two, three.", in: 4}]
"""
AT_ONE = """
title: A text that is cancelled in its middle and goes on, past another checkpoint
turns:
  - cancel: {at: one}
    says:
      - start: {text: t}
      - delta: {t: "One"}
      - checkpoint: one
      - delta: {t: ", two"}
      - checkpoint: two
      - delta: {t: ", three."}
      - end: t
"""
SILENT = """
title: A text that is cancelled when the upstream has fallen silent
conduct: deviation
turns:
  - cancel: {at: silent}
    says:
      - start: {text: t}
      - delta: {t: "One"}
      - checkpoint: silent
      - close: stall
"""


async def well(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    return await inner.run(run, emit, cancel)


async def joins(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    """Emits all of the text as one part, at the end."""
    parts: list[Json] = []
    whole = {name: value for name, value in run.items() if name != "cancel"}
    end = await inner.run(whole, parts.append, cancel)
    emit({"type": "text", "value": "".join(part["value"] for part in parts)})
    return end


async def joins_half(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    return await joins(inner, run, lambda part: emit({**part, "value": "One, "}), cancel)


async def refuses(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    return {"type": "unsupported", "id": run["id"], "reason": "it cannot be cancelled"}


async def leaves_early(inner: Any, run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    return {"type": "done", "id": run["id"], "outcome": "completed"}


class Play(Protocol):
    def __call__(self, how: Run, text: str) -> Result: ...


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped(), DEADLINE_MS) as workbench:
        yield workbench


@pytest.fixture
def played(workbench: Workbench) -> Iterator[Play]:
    drivers: list[PythonDriver] = []

    def play(how: Run, text: str) -> Result:
        drivers.append(PythonDriver(RunBy(how)))
        return run(workbench.drive(DESCRIBED, drivers[-1]), case_of(text))

    yield play
    for driver in drivers:
        driver.close()


def transcript(result: Result) -> Transcript:
    assert result.transcript is not None
    return result.transcript


def cancelled(result: Result) -> Cancelled:
    found = transcript(result).cancelled
    assert found is not None
    return found


def rules(result: Result) -> list[str]:
    return [finding.rule for finding in result.findings]


def test_a_run_is_cancelled_after_its_part(played: Play) -> None:
    result = played(well, AFTER_TWO)
    assert rules(result) == []
    assert (cancelled(result).parts, cancelled(result).by) == (2, "after_parts")
    assert cancelled(result).at >= transcript(result).parts[1].at
    assert transcript(result).verdict == "cancelled"


@pytest.mark.parametrize("text", [AT_ONE, SILENT], ids=["in a burst", "in a stall"])
def test_a_run_is_cancelled_at_a_checkpoint_of_its_playback(played: Play, text: str) -> None:
    result = played(well, text)
    assert rules(result) == []
    assert (cancelled(result).parts, cancelled(result).by) == (1, "checkpoint")
    assert [emitted.part["value"] for emitted in transcript(result).parts] == ["One"]
    assert len(transcript(result).checkpoints) == 1


def test_the_upstream_sees_a_cancelled_client_disconnect_without_a_wait(played: Play) -> None:
    began = time.monotonic()
    result = played(well, SILENT)
    assert time.monotonic() - began < RELEASE_SECONDS
    (request,) = transcript(result).requests
    assert request.left is not None
    assert request.ended is not None
    assert request.left.at - cancelled(result).at < RELEASE_SECONDS


def test_a_run_that_ended_before_its_cancellation_is_judged_as_not_cancelled(played: Play) -> None:
    result = played(joins, AFTER_TWO)
    assert transcript(result).cancelled is None
    assert rules(result) == []
    result = played(joins_half, AFTER_TWO)
    assert transcript(result).cancelled is None
    assert rules(result) == ["text-exact"]


def test_an_adapter_that_leaves_before_its_checkpoint_is_not_cancelled(played: Play) -> None:
    result = played(leaves_early, AT_ONE)
    assert transcript(result).cancelled is None
    assert result.status == "failed"


@pytest.mark.parametrize("text", [AFTER_TWO, AT_ONE, AFTER_TWO.replace("2", "0")])
def test_an_adapter_that_claims_cancel_and_says_unsupported_fails(played: Play, text: str) -> None:
    result = played(refuses, text)
    assert (result.status, rules(result)) == ("failed", ["end-honest"])
    assert "it cannot be cancelled" in message_of(result.findings[0])
    assert right_of(result.findings[0]) == "every run played that adapter.yaml claims"


def test_cancelled_cases_are_skipped_for_an_adapter_that_does_not_claim_cancel(
    workbench: Workbench, tmp_path: Path
) -> None:
    scenario(tmp_path, "own/stopped", AFTER_TWO)
    scenario(tmp_path, "own/whole", "title: A text\nturns:\n  - says: [{text: Whole}]\n")
    modest = replace(DESCRIBED, claims=Claims())
    found = {item.id: item for item in items(Catalogue([tmp_path]), [modest], ["crlf"])}
    assert list(found) == [
        "own/stopped@openresponses",
        "own/whole@openresponses",
        "own/whole@openresponses+crlf",
    ]
    result = run_item(workbench, found["own/stopped@openresponses"])
    assert (result.status, result.why) == (
        "not-applicable",
        "the adapter does not claim cancel: true",
    )
    claimed = list(items(Catalogue([tmp_path]), [DESCRIBED]))
    assert all(isinstance(item, Item) and item.case for item in claimed)


# The driver without a server


def message(id_: str = "r-1") -> Json:
    return {"type": "run", "id": id_, "deadline_ms": DEADLINE_MS}


@pytest.fixture
def adapter() -> Iterator[tuple[Adapter, PythonDriver]]:
    stands_in = Adapter(says_hello)
    driver = PythonDriver(stands_in)
    yield stands_in, driver
    driver.close()


def test_parts_are_counted_when_the_adapter_receives_the_cancellation(
    adapter: tuple[Adapter, PythonDriver],
) -> None:
    stands_in, driver = adapter
    recorder = Recorder()

    async def cancelled_between_two(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        emit({"type": "text", "value": "before"})
        driver.cancel(run["id"])
        emit({"type": "text", "value": "while the message is on its way"})
        await cancel.wait()
        emit({"type": "text", "value": "behind"})
        return done(run, outcome="cancelled")

    stands_in.play = cancelled_between_two
    assert driver.run(message(), recorder).verdict == "cancelled"
    assert recorder.cancelled is not None
    assert (recorder.cancelled.parts, recorder.cancelled.by) == (2, "checkpoint")
    assert len(recorder.parts()) == 3


def test_a_cancellation_of_another_run_has_no_effect(adapter: tuple[Adapter, PythonDriver]) -> None:
    stands_in, driver = adapter
    recorder = Recorder()

    async def cancels_another(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        driver.cancel("r-0")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return done(run, outcome="cancelled" if cancel.is_set() else "completed")

    stands_in.play = cancels_another
    assert driver.run(message(), recorder).verdict == "completed"
    assert recorder.cancelled is None
    driver.cancel("r-1")
    assert recorder.cancelled is None


def test_the_adapters_tasks_are_kept_until_the_kit_has_checked_the_upstream(
    adapter: tuple[Adapter, PythonDriver],
) -> None:
    stands_in, driver = adapter
    tasks: list[asyncio.Task[Any]] = []
    looked: list[bool] = []

    async def leaves_one(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        tasks.append(asyncio.ensure_future(asyncio.Event().wait()))
        return done(run)

    stands_in.play = leaves_one
    recorder = Recorder()
    recorder.on_end = lambda: looked.append(tasks[0].done())
    driver.run(message(), recorder)
    assert looked == [False]
    driver.close()
    assert tasks[0].cancelled()
