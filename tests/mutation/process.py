"""Runs work in forked processes with limits, several at a time; whatever they do, it ends.

A process may take a fixed amount of memory more than it has at its start. Its wall-clock time is
limited, and `limit_cpu` ends it when the work that follows takes too much CPU time.
"""

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Generic, TypeVar

MORE_MEMORY = 1 << 30
_FORK = multiprocessing.get_context("fork")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done:
    """What a process returned; ``why`` says how it ended if it returned nothing."""

    value: Any
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Started(Generic[T]):
    process: Any
    answer: Connection
    of: T
    until: float


def in_a_process(work: Callable[[], Any], seconds: float) -> Done:
    """Do work in a process of its own."""
    ((_, done),) = in_processes([None], lambda _: work(), jobs=1, seconds=seconds)
    return done


def in_processes(
    todo: Iterable[T], work: Callable[[T], Any], jobs: int, seconds: float
) -> Iterator[tuple[T, Done]]:
    """Do work for each value, in a process each; yields in the order in which they end."""
    waiting, running = iter(todo), dict[Connection, _Started[T]]()
    try:
        while True:
            while len(running) < jobs and (started := _start_next(waiting, work, seconds)):
                running[started.answer] = started
            if not running:
                return
            for each in _ended(running.values()):
                del running[each.answer]
                yield each.of, _close(each)
    finally:
        for each in running.values():
            _close(each)


def limit_cpu(seconds: float) -> None:
    """End this process by a signal after so much more CPU time; a later call replaces the limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _start_next(
    waiting: Iterator[T], work: Callable[[T], Any], seconds: float
) -> _Started[T] | None:
    for of in waiting:
        ours, theirs = _FORK.Pipe(duplex=False)
        process = _FORK.Process(target=_run, args=(theirs, work, of), daemon=True)
        process.start()
        theirs.close()
        return _Started(process, ours, of, time.monotonic() + seconds)
    return None


def _run(answer: Connection, work: Callable[[T], Any], of: T) -> None:
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    answer.send(work(of))
    answer.close()
    # No cleaning up: a thread of the work may still run.
    os._exit(0)


def _ended(running: Iterable[_Started[T]]) -> list[_Started[T]]:
    started = list(running)
    left = min(each.until for each in started) - time.monotonic()
    ready = wait([each.answer for each in started], max(0.0, left))
    now = time.monotonic()
    return [each for each in started if each.answer in ready or each.until <= now]


def _close(started: _Started[Any]) -> Done:
    done = Done(None, "took too long")
    try:
        if started.answer.poll():
            done = Done(started.answer.recv())
    except EOFError:
        started.process.join()
        code = started.process.exitcode
        ended_by = signal.Signals(-code).name if code and code < 0 else f"exit {code}"
        done = Done(None, f"the process ended by {ended_by}")
    finally:
        started.process.kill()
        started.process.join()
        started.answer.close()
    return done
