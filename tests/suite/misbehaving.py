"""Adapters in Python that misbehave, and the verdict of each."""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from conformance.contract.transcript import Verdict
from conformance.drivers.recorder import MAX_PARTS

Json = dict[str, Any]
Emit = Callable[[Any], None]
Run = Callable[[Json, Emit, asyncio.Event], Any]

PART = {"type": "text", "value": "Hello"}
ME = {"name": "misbehaving", "version": "1"}
HELLO = {"type": "hello", "protocol": 1, "adapter": ME, "implementation": ME}


class Adapter:
    """An adapter whose runs are played by the function ``play``, which a test may replace."""

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


def threads() -> list[str]:
    """The names of the driver's threads that are alive."""
    return [t.name for t in threading.enumerate() if t.name == "streamproof-adapter"]


# The ways to misbehave; ``MISBEHAVING`` has the verdict and the message of each.


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


async def stops_when_cancelled(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
    await cancel.wait()
    return done(run, outcome="cancelled")


async def crashes_when_cancelled(run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
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


MISBEHAVING: list[tuple[Run, Verdict, str]] = [
    (well, "completed", ""),
    (raises, "crashed", "KeyError: 'choices'"),
    (raises_at_once, "crashed", "KeyError: 'choices'"),
    (exits, "crashed", "SystemExit: 3"),
    (is_cancelled_from_within, "crashed", "CancelledError"),
    (cancels_itself, "crashed", "CancelledError"),
    (is_no_coroutine, "crashed", "TypeError: object dict can't be used in 'await' expression"),
    (says_it_broke, "crashed", "at 7"),
    (returns_nothing, "broke-protocol", "run() returned null, where a message is a JSON object"),
    (returns_a_part, "broke-protocol", "where done or unsupported or error was due"),
    (returns_a_run, "broke-protocol", "a run message, which only the kit sends, where done or"),
    (returns_no_outcome, "broke-protocol", "'outcome' is a required property"),
    (returns_what_cannot_be_shown, "broke-protocol", "an object of the type Hidden"),
    (ends_another_run, "broke-protocol", "the ending of another run, 'r-0'"),
    (never_returns, "hung", "did not answer its cancellation"),
    (stops_when_cancelled, "timed-out", ""),
    (crashes_when_cancelled, "timed-out", "RuntimeError: no"),
    (cannot_be_cancelled, "hung", "did not answer its cancellation"),
    (is_busy, "hung", "blocked its event loop"),
    (leaves_a_task_that_exits, "completed", ""),
    (leaves_a_task_that_never_ends, "completed", ""),
]
