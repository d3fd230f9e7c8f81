"""A child process: its stdin and stdout, the last bytes of its stderr, and its end.

Four threads serve it: one writes to stdin, since a child that does not read would block the writer;
one reads stdout; one drains stderr; one waits for it to exit. A child is a process group of its
own, so that the processes that it starts are ended with it; ``escaped`` finds those that leave it.
"""

import asyncio
import os
import queue
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from conformance.drivers.activity import state_of, threads_of_process
from conformance.drivers.escaped import (
    VARIABLE,
    Process,
    end_escaped,
    escaped,
    family,
    is_alive,
    new_mark,
    processes,
)
from mockserver.foundation.faults import AdapterError, Problem
from mockserver.foundation.proxies import LOCAL, exempting

GRACE = 0.5
"""Seconds between asking a process to end (SIGTERM) and killing it."""

MAX_STDERR = 64 << 10
"""The last bytes of stderr that are kept."""
_CHUNK = 64 << 10
_POLL_SECONDS = 0.01
_OTHERS = "what it has started is still running"

# Variables that a program needs to start and to find its libraries; no keys, no proxies.
_KEPT_VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ"),
    *("TMPDIR", "TMP", "TEMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("PYTHONPATH", "VIRTUAL_ENV", "NODE_PATH", "GOPATH", "GOCACHE", "GOROOT", "CARGO_HOME"),
    *("RUSTUP_HOME", "JAVA_HOME", "DOTNET_ROOT", "GEM_HOME", "GEM_PATH", "DENO_DIR"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """A child's environment: only known variables, with this Python's programs first in PATH."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, **exempting({}, *LOCAL), **(extra or {})}


class Child:
    """A running process; nothing is read from it before ``listen``."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        extra: Mapping[str, str] | None = None,
        on_escape: Callable[[str], None] = lambda _name: None,
    ) -> None:
        """Start it in a folder, with extra environment variables. Raises AdapterError.

        ``on_escape`` is called for each process outside of the group that had to be ended.
        """
        self._mark, self._on_escape = new_mark(), on_escape
        self._escaped: dict[int, Process] = {}
        self._stderr = bytearray()
        self._stderr_bytes = 0
        self._progress = 0
        self._exited = threading.Event()
        self._others_killed = False
        self._is_reading = False
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        variables = environment({**(extra or {}), VARIABLE: self._mark})
        self._process = _start_process(argv, folder, variables)
        self._threads: list[threading.Thread] = []

    def listen(
        self,
        on_stdout: Callable[[bytes], None] = lambda _data: None,
        on_exit: Callable[[], None] = lambda: None,
    ) -> None:
        """Start to read from it and to write to it.

        ``on_stdout`` gets the bytes of stdout in pieces of any length; ``on_exit`` is called once,
        when it has exited and its pipes are read. Both are called on threads of the child's own.
        """
        self._thread(self._write_stdin)
        read = self._thread(lambda: self._read_stdout(on_stdout))
        drain = self._thread(self._drain_stderr)
        self._thread(lambda: self._wait_for_exit(read, drain, on_exit))

    def _thread(self, target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=target, name="streamproof-child", daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._process.pid

    def write(self, data: bytes) -> None:
        """Write to its stdin without waiting; ignored if it has exited."""
        self._to_write.put(data)

    @property
    def stderr_bytes(self) -> int:
        """How many bytes it has written to stderr."""
        return self._stderr_bytes

    def stderr(self, since: int = 0) -> str:
        """The kept part of stderr that follows the first ``since`` bytes."""
        kept = bytes(self._stderr)
        new = self._stderr_bytes - since
        return kept[max(0, len(kept) - new) :].decode(errors="replace").strip()

    def exited(self) -> str:
        """How it ended, in words, for messages."""
        code = self._process.poll()
        if code is None:
            return "it is still running"
        if code >= 0:
            return f"it exited with {code}"
        with suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it was ended by signal {-code}"

    @property
    def code(self) -> int | None:
        """Its exit code; minus the number of the signal that ended it; None while it runs."""
        return self._process.poll()

    @property
    def is_busy(self) -> bool:
        """Whether a thread of it runs or waits for a processor, or lines of it are not handled yet.

        False where that is not known.
        """
        states = map(state_of, threads_of_process(self._process.pid))
        return any(state in ("R", "D") for state in states) or self.has_unhandled

    def threads(self) -> Iterator[Path]:
        """The threads of the processes in its group, and of those that it has started."""
        return chain.from_iterable(map(threads_of_process, family(self._process.pid)))

    @property
    def has_unhandled(self) -> bool:
        """Whether it has written something to stdout that is not handled yet."""
        # In this order: the reader is marked as reading before it takes data from the pipe.
        return self._has_unread() or self._is_reading

    def _has_unread(self) -> bool:
        stdout = self._process.stdout
        assert stdout is not None
        with suppress(OSError, ValueError):
            return _is_readable(stdout.fileno(), 0)
        return False

    def hang_up(self) -> None:
        """Close its stdin after everything written has gone out."""
        self._to_write.put(None)

    def terminate(self) -> None:
        """Ask its process group to end (SIGTERM)."""
        self._signal(signal.SIGTERM)

    def end(self, patience: float = GRACE) -> str:
        """End it and its process group: wait ``patience`` seconds, then terminate, then kill.

        Processes that it has started outside of the group are ended, too. Returns what was still
        running in the group after the wait, in words; empty if nothing was.
        """
        left = ""
        self.note_escaped()
        for end_group in (self.terminate, self._kill):
            if self._exited.wait(patience):
                break
            left = left or self.exited()
            end_group()
        left = left or self._wait_for_group(patience) or (_OTHERS if self._others_killed else "")
        self._kill()
        self._exited.wait(GRACE)
        self.hang_up()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(GRACE)
        self._end_escaped()
        return left

    def note_escaped(self) -> None:
        """Note the processes outside of the group, while it is still known who started them."""
        found = escaped(self._process.pid, self._mark, leads=self._process.poll() is None)
        self._escaped |= {process.pid: process for process in found}

    def _end_escaped(self) -> None:
        self.note_escaped()
        found = [process for process in self._escaped.values() if is_alive(process)]
        self._escaped.clear()
        end_escaped(found)
        for process in found:
            self._on_escape(str(process))

    def _wait_for_group(self, patience: float) -> str:
        """Wait briefly until its process group is empty; says in words if it is not."""
        # Briefly, as processes that hold its pipes open are killed soon.
        until = time.monotonic() + min(patience, GRACE) / 2
        while _has_live_processes(self._process.pid):
            if time.monotonic() >= until:
                return _OTHERS
            time.sleep(_POLL_SECONDS)
        return ""

    def _kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, which: signal.Signals) -> None:
        # The group keeps the child's id, even if the child has exited and other processes have not.
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, which)
            else:
                self._process.terminate()

    def _write_stdin(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError), self._process.stdin as stdin:
            while (data := self._to_write.get()) is not None:
                stdin.write(data)
                stdin.flush()

    def _read_stdout(self, on_stdout: Callable[[bytes], None]) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError), self._process.stdout as stdout:
            while True:
                _is_readable(stdout.fileno(), None)
                self._is_reading = True
                if not (data := os.read(stdout.fileno(), _CHUNK)):
                    break
                self._progress += 1
                on_stdout(data)
                self._progress += 1
                self._is_reading = False
        self._is_reading = False

    def _drain_stderr(self) -> None:
        assert self._process.stderr is not None
        with suppress(OSError, ValueError), self._process.stderr as stderr:
            while data := os.read(stderr.fileno(), _CHUNK):
                self._progress += 1
                self._stderr += data
                del self._stderr[:-MAX_STDERR]
                self._stderr_bytes += len(data)

    def _wait_for_exit(
        self, read: threading.Thread, drain: threading.Thread, on_exit: Callable[[], None]
    ) -> None:
        self._process.wait()
        self._exited.set()
        for thread in (read, drain):
            if not self._wait_for_pipe(thread):
                # Another process holds the pipe open; all that the child wrote has been read.
                self._others_killed = True
                self._kill()
                self._wait_for_pipe(thread)
        on_exit()

    def _wait_for_pipe(self, thread: threading.Thread) -> bool:
        """Wait for the end of a pipe while data keeps coming; whether the end was reached."""
        before = -1
        while thread.is_alive() and self._progress != before:
            before = self._progress
            thread.join(GRACE)
        return not thread.is_alive()


def _has_live_processes(group: int) -> bool:
    """Whether a process group has a live process.

    Zombies do not count: in a container, orphans are often not waited for.
    """
    if not hasattr(os, "killpg"):
        return False
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    found = list(processes())
    return not found or any(process.group == group for process in found)


def _is_readable(fd: int, milliseconds: float | None) -> bool:
    """Wait up to so long, or without limit, until a pipe has data or is closed; whether it has."""
    if not hasattr(select, "poll"):
        return False
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return any(events & select.POLLIN for _, events in poller.poll(milliseconds))


def require_program(argv: Sequence[str], folder: Path) -> None:
    """Check that a program can be found. Raises AdapterError."""
    name = argv[0]
    place = str(folder / name) if Path(name).name != name else name
    if shutil.which(place, path=environment()["PATH"]) is None:
        raise _start_error(argv, folder, "there is no such program")


def _start_process(
    argv: Sequence[str], folder: Path, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    try:
        # The arguments are from the user's own adapter.yaml, and no shell is involved.
        return subprocess.Popen(  # noqa: S603
            argv,
            cwd=folder,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise _start_error(argv, folder, why) from error


def _start_error(argv: Sequence[str], folder: Path, why: str) -> AdapterError:
    hint = f"it is looked for in PATH and in {folder}; try it there: {shlex.join(argv)}"
    return AdapterError(Problem(f"{argv[0]!r} cannot be started: {why}", hint=hint))


_LEAST_SETTLING, _LONGEST_SETTLING = 0.02, 0.5
_SETTLING_POLL = 0.005


def settle(child: Child, lines_read: Callable[[], int]) -> None:
    """Wait after the ending of a run for messages that should not have come after it.

    A program that goes on after its ``done`` line needs a moment to do so, and longer on a busy
    machine. So a run settles for a fixed time, and then for as long as the program still computes
    or waits for a processor, or the kit has not yet read what it has written. A program that sleeps
    has had its chance, and so has one that has gone on to write something else.
    """
    time.sleep(_LEAST_SETTLING)
    before, until = lines_read(), time.monotonic() + _LONGEST_SETTLING
    while child.is_busy and lines_read() == before and time.monotonic() < until:
        time.sleep(_SETTLING_POLL)


async def wait_until_handled(children: Callable[[], Iterable[Child]]) -> None:
    """Wait until everything that programs have written so far is handled."""
    until = time.monotonic() + _LONGEST_SETTLING
    while time.monotonic() < until:
        if not any(child.has_unhandled for child in children()):
            return
        await asyncio.sleep(_SETTLING_POLL)
