"""Drives an adapter that is a Python object, on a thread and an event loop of its own.

The clock is here: a run that does not end by its deadline is asked to cancel, then cancelled, then
left behind with its thread, and the next run gets a fresh one.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from jsonschema import Draft202012Validator

from conformance.drivers.driver import Outcome
from conformance.transcript import VERDICTS, end_of
from mockserver.faults import AdapterError, Problem
from mockserver.shipped import schema

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.recorder import Recorder

GRACE = 0.5
_BLOCKED = 1.0
_MOST_TRACE = 4000

Emit = Callable[[dict[str, Any]], None]


class Adapter(Protocol):
    """What an adapter in Python is: the drive/1 verbs as methods."""

    def hello(self) -> dict[str, Any]:
        """The ``hello`` answer: the adapter's and the implementation's name and version."""

    def run(
        self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event
    ) -> Awaitable[dict[str, Any]]:
        """Play one run, emit its parts, return ``done``, ``unsupported`` or ``error``."""


def load(target: str, folder: Path) -> Adapter:
    """The adapter that ``package.module:factory`` makes; its description's folder is importable.

    Raises AdapterError.
    """
    module, _, factory = target.partition(":")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        adapter: Adapter = getattr(importlib.import_module(module), factory)()
    except Exception as error:
        why = traceback.format_exception_only(error)[-1].strip()
        raise AdapterError(
            Problem(
                f"{target!r} makes no adapter: {why}",
                hint="drive: {python: package.module:factory} names a function without arguments",
            )
        ) from error
    return adapter


@cache
def _messages() -> Draft202012Validator:
    return Draft202012Validator(schema("driver"))


class PythonDriver:
    """Runs an adapter's coroutines one after the other."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def hello(self) -> Mapping[str, Any]:
        answer = self._adapter.hello()
        if error := next(_messages().iter_errors(answer), None):
            raise AdapterError(f"its hello is no drive/1 message: {error.message[:200]}")
        return answer

    def run(self, message: Mapping[str, Any], recorder: Recorder) -> Outcome:
        work = self._run(dict(message), recorder)
        future = asyncio.run_coroutine_threadsafe(work, self._running_loop())
        patience = message["deadline_ms"] / 1000 + 2 * GRACE + _BLOCKED
        try:
            return future.result(patience)
        except concurrent.futures.TimeoutError:
            future.cancel()
            self._abandon()
            return Outcome("hung", notes=("the adapter blocked its event loop",))
        finally:
            recorder.close()

    def close(self) -> None:
        loop, thread = self._loop, self._thread
        self._abandon()
        if loop is not None and thread is not None:
            thread.join(_BLOCKED)
            if not thread.is_alive():
                loop.close()

    def _abandon(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._loop = self._thread = None

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="streamproof-adapter", daemon=True
            )
            self._thread.start()
        return self._loop

    async def _run(self, message: dict[str, Any], recorder: Recorder) -> Outcome:
        before = asyncio.all_tasks()
        cancel = asyncio.Event()
        run = asyncio.ensure_future(self._ended(message, recorder, cancel))
        await asyncio.wait([run], timeout=message["deadline_ms"] / 1000)
        outcome = run.result() if run.done() else await _stopped(run, cancel)
        await _no_task_left(before)
        return outcome

    async def _ended(
        self, message: dict[str, Any], recorder: Recorder, cancel: asyncio.Event
    ) -> Outcome:
        """Await the adapter; the ending is timed here, before any other task can go on."""
        try:
            result = await self._adapter.run(message, recorder.emit, cancel)
        except Exception as error:
            why = traceback.format_exception_only(error)[-1].strip()
            end = end_of({"type": "error", "message": why}, recorder.now())
            return Outcome("crashed", (end,), (traceback.format_exc()[-_MOST_TRACE:],))
        if wrong := _not_an_ending(result):
            return Outcome("broke-protocol", notes=(wrong,))
        end = end_of(result, recorder.now())
        if recorder.flooded:
            return Outcome("broke-protocol", (end,), ("more parts than any answer has",))
        return Outcome(VERDICTS[end.outcome], (end,))


async def _stopped(run: asyncio.Future[Outcome], cancel: asyncio.Event) -> Outcome:
    """Ask a run that is over its deadline to stop, then make it."""
    cancel.set()
    await asyncio.wait([run], timeout=GRACE)
    if run.done() and not run.cancelled():
        return replace(run.result(), verdict="timed-out")
    run.cancel()
    await asyncio.wait([run], timeout=GRACE)
    return Outcome("hung", notes=("the adapter did not answer its cancellation",))


def _not_an_ending(result: Any) -> str:
    if not isinstance(result, dict) or result.get("type") not in ("done", "unsupported", "error"):
        return f"run() returned {result!r:.200}, which is no done, unsupported or error message"
    error = next(_messages().iter_errors(result), None)
    return f"run() returned an invalid message: {error.message[:200]}" if error else ""


async def _no_task_left(before: set[asyncio.Task[Any]]) -> None:
    """Give tasks that the run left behind a moment to show themselves, then end them."""
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    tasks = [task for task in left if task is not None]
    if not tasks:
        return
    _, pending = await asyncio.wait(tasks, timeout=GRACE)
    for task in pending:
        task.cancel()
