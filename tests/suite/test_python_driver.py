"""Adapters in Python that misbehave: each run gets one verdict, and harms no other run."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.drivers import python
from conformance.drivers.driver import Outcome
from conformance.drivers.python import PythonDriver, load
from conformance.recorder import MAX_PARTS, Recorder
from conformance.transcript import Told, Verdict
from mockserver.faults import AdapterError

Json = dict[str, Any]
Emit = Callable[[Any], None]
Run = Callable[[Json, Emit, asyncio.Event], Any]

DEADLINE_MS = 100
PART = {"type": "text", "value": "Hello"}
ME = {"name": "misbehaving", "version": "1"}
HELLO = {"type": "hello", "protocol": 1, "adapter": ME, "implementation": ME}


class Adapter:
    """Plays each run as the function says that came with it last."""

    def __init__(self, play: Run) -> None:
        self.play = play

    def hello(self) -> Any:
        return HELLO

    def run(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Awaitable[Json]:
        result: Awaitable[Json] = self.play(run, emit, cancel)
        return result


def done(run: Json, **fields: Any) -> Json:
    return {"type": "done", "id": run["id"], "outcome": "completed", **fields}


async def well(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    emit(PART)
    return done(run, finish="stop")


class Stage:
    """An adapter and its driver."""

    def __init__(self) -> None:
        self.adapter = Adapter(well)
        self.driver = PythonDriver(self.adapter)
        self.runs = 0

    def play(self, how: Run, deadline_ms: int = DEADLINE_MS) -> tuple[Outcome, list[Any]]:
        self.adapter.play = how
        self.runs += 1
        recorder = Recorder()
        message = {"type": "run", "id": f"r-{self.runs}", "deadline_ms": deadline_ms}
        outcome = self.driver.run(message, recorder)
        return outcome, [emitted.part for emitted in recorder.parts()]


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.driver.close()
    assert not threads()


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name == "streamproof-adapter"]


# What it does, the verdict that it gets, and what is told of it.


async def raises(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    emit(PART)
    raise KeyError("choices")


def raises_at_once(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    raise KeyError("choices")


async def exits(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    sys.exit(3)


async def is_cancelled_from_within(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    inner = asyncio.ensure_future(asyncio.Event().wait())
    asyncio.get_running_loop().call_soon(inner.cancel)
    await inner
    return done(run)


async def cancels_itself(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.Event().wait()
    return done(run)


def is_no_coroutine(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    return done(run)


async def says_it_broke(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    return {"type": "error", "id": run["id"], "message": "KeyError: 'choices'", "traceback": "at 7"}


async def returns_nothing(run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    return None


async def returns_a_part(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    return PART


async def returns_a_run(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    return run


async def returns_no_outcome(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    return {"type": "done", "id": run["id"]}


async def returns_what_cannot_be_shown(run: Json, emit: Emit, cancel: asyncio.Event) -> Any:
    class Hidden:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    return Hidden()


async def ends_another_run(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    return done({"id": "r-0"})


async def never_returns(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    await asyncio.Event().wait()
    return done(run)


async def stops_when_told(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    await cancel.wait()
    return done(run, outcome="cancelled")


async def crashes_when_told(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    await cancel.wait()
    raise RuntimeError("no")


async def cannot_be_cancelled(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    never = asyncio.Event()
    while True:
        try:
            await never.wait()
        except asyncio.CancelledError:
            emit({"type": "text", "value": "still here"})


async def is_busy(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    while True:
        pass


async def floods(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    for _ in range(MAX_PARTS + 10):
        emit(PART)
    return done(run)


async def leaves_a_task_that_exits(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    async def exits_later() -> None:
        await asyncio.sleep(0)
        sys.exit(3)

    run["task"] = asyncio.ensure_future(exits_later())
    return done(run)


async def leaves_a_task_that_never_ends(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    run["task"] = asyncio.ensure_future(asyncio.Event().wait())
    return done(run)


CAST: list[tuple[Run, Verdict, str]] = [
    (well, "completed", ""),
    (raises, "crashed", "KeyError: 'choices'"),
    (raises_at_once, "crashed", "KeyError: 'choices'"),
    (exits, "crashed", "SystemExit: 3"),
    (is_cancelled_from_within, "crashed", "CancelledError"),
    (cancels_itself, "crashed", "CancelledError"),
    (is_no_coroutine, "crashed", "TypeError: object dict can't be used in 'await' expression"),
    (says_it_broke, "crashed", "at 7"),
    (returns_nothing, "broke-protocol", "run() returned None, which is no done or unsupported"),
    (returns_a_part, "broke-protocol", "which is no done or unsupported or error message"),
    (returns_a_run, "broke-protocol", "which is no done or unsupported or error message"),
    (returns_no_outcome, "broke-protocol", "'outcome' is a required property"),
    (returns_what_cannot_be_shown, "broke-protocol", "an object of the type Hidden"),
    (ends_another_run, "broke-protocol", "the ending of another run, 'r-0'"),
    (never_returns, "hung", "did not answer its cancellation"),
    (stops_when_told, "timed-out", ""),
    (crashes_when_told, "timed-out", "RuntimeError: no"),
    (cannot_be_cancelled, "hung", "did not answer its cancellation"),
    (is_busy, "hung", "blocked its event loop"),
    (leaves_a_task_that_exits, "completed", ""),
    (leaves_a_task_that_never_ends, "completed", ""),
]


@pytest.mark.parametrize(("how", "verdict", "told"), CAST, ids=[c[0].__name__ for c in CAST])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_run_gets_one_verdict_and_the_next_run_is_as_ever(
    stage: Stage, how: Run, verdict: Verdict, told: str
) -> None:
    outcome, _ = stage.play(how)
    assert outcome.verdict == verdict
    assert told in "\n".join(outcome.notes)
    assert len(outcome.ends) <= 1
    outcome, parts = stage.play(well, deadline_ms=5000)
    assert outcome.verdict == "completed"
    assert parts == [PART]
    assert (outcome.ends[0].outcome, outcome.ends[0].finish) == ("completed", "stop")


def test_an_adapter_that_waits_in_the_system_is_left_behind(stage: Stage) -> None:
    let_go = threading.Event()

    async def blocks(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        let_go.wait(60)
        emit({"type": "text", "value": "much later"})
        return done(run)

    outcome, parts = stage.play(blocks)
    assert (outcome.verdict, parts) == ("hung", [])
    assert outcome.notes == ("the adapter blocked its event loop",)
    assert stage.play(well)[0].verdict == "completed"
    let_go.set()


def test_a_crash_is_told_as_what_was_raised(stage: Stage) -> None:
    outcome, parts = stage.play(raises)
    assert parts == [PART]
    (end,) = outcome.ends
    assert (end.outcome, end.error) == ("error", Told("unknown", "KeyError: 'choices'"))
    assert "in raises" in outcome.notes[0]
    assert "drivers/python.py" not in outcome.notes[0]


def test_a_flood_is_cut_off_and_told(stage: Stage) -> None:
    outcome, parts = stage.play(floods, deadline_ms=30_000)
    assert outcome.verdict == "broke-protocol"
    assert "more parts than any answer has" in outcome.notes
    assert len(parts) == MAX_PARTS


def test_what_is_emitted_behind_the_ending_is_kept_behind_it(stage: Stage) -> None:
    async def emits_late(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        async def later() -> None:
            await asyncio.sleep(0)
            emit({"type": "text", "value": "late"})

        run["task"] = asyncio.ensure_future(later())
        return done(run)

    stage.adapter.play = emits_late
    recorder = Recorder()
    outcome = stage.driver.run({"id": "r-1", "deadline_ms": DEADLINE_MS}, recorder)
    (emitted,) = recorder.parts()
    assert emitted.part["value"] == "late"
    assert emitted.at >= outcome.ends[0].at


def test_what_is_emitted_once_the_run_is_over_is_not_kept() -> None:
    recorder = Recorder()
    recorder.emit(PART)
    recorder.close()
    recorder.emit(PART)
    assert len(recorder.parts()) == 1


def test_a_part_is_kept_as_it_was_when_it_was_emitted(stage: Stage) -> None:
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
    ("too deep", deep(5000)),
    ("an object", object()),
    ("an object that cannot be shown", Unshown()),
]


@pytest.mark.parametrize("part", [g[1] for g in GARBAGE], ids=[g[0] for g in GARBAGE])
def test_what_is_no_json_object_is_kept_as_what_it_looks_like(stage: Stage, part: Any) -> None:
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


def test_a_task_that_was_left_behind_does_not_outlive_its_run(stage: Stage) -> None:
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


def test_nothing_is_left_of_a_driver_that_was_closed() -> None:
    stage = Stage()
    stage.play(well)
    assert len(threads()) == 1
    stage.driver.close()
    assert not threads()
    stage.driver.close()


def test_a_driver_that_was_never_used_is_closed_too() -> None:
    PythonDriver(Adapter(well)).close()


# Who the adapter is.


def introduced(answer: Callable[[], Any]) -> str:
    """What is told of an adapter whose hello() does this."""
    adapter = Adapter(well)
    adapter.hello = answer  # type: ignore[method-assign]
    driver = PythonDriver(adapter)
    try:
        with pytest.raises(AdapterError) as raised:
            driver.hello()
    finally:
        driver.close()
    assert not threads()
    return str(raised.value)


def refuses() -> Any:
    raise OSError("no binary")


def leaves() -> Any:
    sys.exit("good bye")


def gives_up() -> Any:
    raise TimeoutError("the gateway is not up")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda: None, "returned None, which is no hello message"),
        (lambda: {"type": "done"}, "which is no hello message"),
        (lambda: {"type": "hello", "protocol": 1, "kit": ME}, "returned an invalid message"),
        (lambda: {**HELLO, "protocol": 2}, "returned an invalid message: 1 was expected"),
        (lambda: {**HELLO, "adapter": {"name": "x"}}, "'version' is a required property"),
        (refuses, "its hello() raised OSError: no binary"),
        (leaves, "its hello() raised SystemExit: good bye"),
        (gives_up, "its hello() raised TimeoutError: the gateway is not up"),
    ],
)
def test_an_adapter_that_does_not_introduce_itself_cannot_be_driven(
    answer: Callable[[], Any], told: str
) -> None:
    assert told in introduced(answer)


def test_a_hello_that_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "_HELLO_SECONDS", 0.2)

    def thinks() -> Any:
        while True:
            pass

    began = time.monotonic()
    assert "its hello() did not return within" in introduced(thinks)
    assert time.monotonic() - began < 10


# Loading.


def module(folder: Path, name: str, source: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(source, "utf-8")


@pytest.fixture
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raise ValueError('no key')", "ValueError: no key"),
        ("import sys; sys.exit(7)", "SystemExit: 7"),
        ("def factory(:", "SyntaxError"),
        ("", "has no attribute 'factory'"),
        ("def factory(one): pass", "missing 1 required positional argument"),
        ("def factory(): pass", "what it returns has no method 'hello'"),
        ("class factory:\n    def hello(self): ...", "what it returns has no method 'run'"),
    ],
)
@pytest.mark.usefixtures("own_path")
def test_what_makes_no_adapter_is_told(source: str, told: str, tmp_path: Path) -> None:
    target = f"{tmp_path.name}:factory"
    module(tmp_path, tmp_path.name, source)
    with pytest.raises(AdapterError) as raised:
        load(target, tmp_path)
    assert f"{target!r} makes no adapter: " in str(raised.value)
    assert told in str(raised.value)


@pytest.mark.usefixtures("own_path")
def test_two_modules_of_one_name_are_not_taken_for_each_other(tmp_path: Path) -> None:
    source = "class factory:\n    def hello(self): ...\n    def run(self): ...\n"
    for folder in ("one", "two"):
        module(tmp_path / folder, tmp_path.name, source)
    load(f"{tmp_path.name}:factory", tmp_path / "one")
    with pytest.raises(AdapterError) as raised:
        load(f"{tmp_path.name}:factory", tmp_path / "two")
    other = tmp_path / "one" / f"{tmp_path.name}.py"
    assert f"another module of that name was imported before: {other}" in str(raised.value)
