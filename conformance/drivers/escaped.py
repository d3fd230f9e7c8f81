"""Finds and ends the processes of a program that have left its process group.

A program's process group is ended with it. A process that it has started in another group or
session (a daemon, ``setsid``, ``detached: true`` in Node) is found by the mark in its environment,
which is inherited, or as a descendant of the program while that still runs. So only processes of
the program are ever ended, each by its id. If the kit were a subreaper (``PR_SET_CHILD_SUBREAPER``)
it would also adopt the orphans of everything else in its process, such as a user's own tests, and
could not say which are the adapter's. Needs Linux's ``/proc``; elsewhere nothing is found.
"""

import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "STREAMPROOF_CHILD"
"""The environment variable that marks a program and everything that it starts."""

_GRACE = 0.5
_POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Process:
    """A process: its id, name, state, parent and group, and when it was started."""

    pid: int
    name: str
    state: str
    parent: int
    group: int
    started: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


def new_mark() -> str:
    """A value of ``VARIABLE`` that no other program has."""
    return secrets.token_hex(8)


def processes() -> Iterator[Process]:
    """All processes that are not zombies."""
    for folder in Path("/proc").glob("[0-9]*"):
        if (found := _process(int(folder.name))) and found.state not in "ZX":
            yield found


def _process(pid: int) -> Process | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    head, _, tail = text.rpartition(")")
    fields = tail.split()
    name = head.partition("(")[2]
    return Process(pid, name, fields[0], int(fields[1]), int(fields[2]), fields[19])


def escaped(group: int, mark: str, *, leads: bool) -> list[Process]:
    """The processes outside of a group that have the mark or descend from the group's leader.

    ``leads`` is whether the leader still runs: if not, its id may be that of another process.
    """
    found = {process.pid: process for process in processes()}
    mine = _descendants(group, found) if leads else set()
    return [
        process
        for process in found.values()
        if process.group != group and (process.pid in mine or _has_mark(process.pid, mark))
    ]


def family(leader: int) -> set[int]:
    """The ids of the processes in the group of a process, and of those that it has started."""
    found = {process.pid: process for process in processes()}
    group = {process.pid for process in found.values() if process.group == leader}
    return group | _descendants(leader, found)


def _descendants(leader: int, found: dict[int, Process]) -> set[int]:
    """The ids of the processes that a process has started, and of those that they have started."""
    mine = {leader}
    while more := {p.pid for p in found.values() if p.parent in mine} - mine:
        mine |= more
    return mine - {leader}


def _has_mark(pid: int, mark: str) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{VARIABLE}={mark}".encode() in variables


def end_escaped(found: list[Process]) -> None:
    """End these processes: terminate them, and kill those that are left after a while."""
    for which in (signal.SIGTERM, signal.SIGKILL):
        for process in found:
            _signal(process, which)
        until = time.monotonic() + _GRACE
        while any(map(is_alive, found)) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)


def is_alive(process: Process) -> bool:
    """Whether this process runs, and not a later one with the same id."""
    now = _process(process.pid)
    return now is not None and now.started == process.started and now.state not in "ZX"


def _signal(process: Process, which: signal.Signals) -> None:
    """Signal this process, and no later one with the same id."""
    with suppress(OSError):
        handle = os.pidfd_open(process.pid)
        try:
            if is_alive(process):
                signal.pidfd_send_signal(handle, which)
        finally:
            os.close(handle)
