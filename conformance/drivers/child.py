"""A child process: its lines in and out, the end of what it said on stderr, and its own end.

Four threads serve it: one writes, since a child that does not read would hold up whoever writes to
it; one reads stdout; one drains stderr; one waits for it to exit. A child is a process group of its
own, so that what it has started ends with it.
"""

from __future__ import annotations

import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mockserver.faults import AdapterError, Problem

GRACE = 0.5
"""Seconds between asking a process to end and making it."""

MAX_STDERR = 64 << 10
_CHUNK = 64 << 10
_BETWEEN = 0.01

# What a program needs to start and to find its libraries; no key, no proxy, no setting of a shell.
_KEPT = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ"),
    *("TMPDIR", "TMP", "TEMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("PYTHONPATH", "VIRTUAL_ENV", "NODE_PATH", "GOPATH", "GOCACHE", "GOROOT", "CARGO_HOME"),
    *("RUSTUP_HOME", "JAVA_HOME", "DOTNET_ROOT", "GEM_HOME", "GEM_PATH", "DENO_DIR"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child: scrubbed, with this Python's programs first in its path."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, "NO_PROXY": "127.0.0.1,localhost,::1", **(extra or {})}


def _deaf(_data: bytes) -> None:
    """Hears nothing of what it says on stdout."""


class Child:
    """A running process; nothing of it is heard before ``listen``."""

    def __init__(
        self, argv: Sequence[str], folder: Path, extra: Mapping[str, str] | None = None
    ) -> None:
        """Start it. Raises AdapterError."""
        self._stderr = bytearray()
        self._said = 0
        self._progress = 0
        self._exited = threading.Event()
        self._written: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._process = _started(argv, folder, environment(extra))
        self._threads: list[threading.Thread] = []

    def listen(
        self, heard: Callable[[bytes], None] = _deaf, gone: Callable[[], None] = lambda: None
    ) -> None:
        """Serve it from now on.

        ``heard`` gets what it writes to stdout, in pieces of any length, and ``gone`` is called
        once, when it has exited and nothing more can be read; both on threads of the child's own.
        """
        self._thread(self._write_stdin)
        read = self._thread(lambda: self._read_stdout(heard))
        drain = self._thread(self._drain_stderr)
        self._thread(lambda: self._wait_for_exit(read, drain, gone))

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
        """Write to its stdin, without waiting; one that has exited hears nothing."""
        self._written.put(data)

    @property
    def said(self) -> int:
        """How many bytes it has said on stderr."""
        return self._said

    def stderr(self, since: int = 0) -> str:
        """The end of what it said on stderr, as far as it came behind so many bytes."""
        kept = bytes(self._stderr)
        new = self._said - since
        return kept[max(0, len(kept) - new) :].decode(errors="replace").strip()

    def exited(self) -> str:
        """How it ended, in words."""
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
        """Its exit code, once it has exited; the negative of a signal that ended it."""
        return self._process.poll()

    def hang_up(self) -> None:
        """Close its stdin, once all of what was written has gone out."""
        self._written.put(None)

    def terminate(self) -> None:
        """Ask its group to end."""
        self._signal(signal.SIGTERM)

    def end(self, patience: float = GRACE) -> str:
        """See to it that nothing is left: wait, then ask, then kill the group.

        Returns what was left when it had been waited for, in words; empty where nothing was.
        """
        left = ""
        for ask in (self.terminate, self._kill):
            if self._exited.wait(patience):
                break
            left = left or self.exited()
            ask()
        left = left or self._left_behind(patience)
        self._kill()
        self._exited.wait(GRACE)
        self.hang_up()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(GRACE)
        return left

    def _left_behind(self, patience: float) -> str:
        """Whether there is still somebody in its group, which takes a moment to empty itself."""
        # Not for long: those who hold its pipes open are ended after a while.
        until = time.monotonic() + min(patience, GRACE) / 2
        while _is_populated(self._process.pid):
            if time.monotonic() >= until:
                return "what it has started is still running"
            time.sleep(_BETWEEN)
        return ""

    def _kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, which: signal.Signals) -> None:
        # The group has the child's id, also when the child itself is gone and left others behind.
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, which)
            else:
                self._process.terminate()

    def _write_stdin(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError), self._process.stdin as stdin:
            while (data := self._written.get()) is not None:
                stdin.write(data)
                stdin.flush()

    def _read_stdout(self, heard: Callable[[bytes], None]) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError), self._process.stdout as stdout:
            while data := os.read(stdout.fileno(), _CHUNK):
                self._progress += 1
                heard(data)
                self._progress += 1

    def _drain_stderr(self) -> None:
        assert self._process.stderr is not None
        with suppress(OSError, ValueError), self._process.stderr as stderr:
            while data := os.read(stderr.fileno(), _CHUNK):
                self._progress += 1
                self._stderr += data
                del self._stderr[:-MAX_STDERR]
                self._said += len(data)

    def _wait_for_exit(
        self, read: threading.Thread, drain: threading.Thread, gone: Callable[[], None]
    ) -> None:
        self._process.wait()
        self._exited.set()
        for thread in (read, drain):
            if not self._read_out(thread):
                # Somebody else holds the pipe open; what the child itself wrote was read.
                self._kill()
                self._read_out(thread)
        gone()

    def _read_out(self, thread: threading.Thread) -> bool:
        """Wait for a pipe's end as long as something comes out of it."""
        before = -1
        while thread.is_alive() and self._progress != before:
            before = self._progress
            thread.join(GRACE)
        return not thread.is_alive()


def _is_populated(group: int) -> bool:
    """Is there anybody in a process group?

    Whoever is dead already does not count: in a container often nobody waits for orphans.
    """
    if not hasattr(os, "killpg"):
        return False
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    processes = list(Path("/proc").glob("[0-9]*/stat"))
    return not processes or any(_lives_in(group, stat) for stat in processes)


def _lives_in(group: int, stat: Path) -> bool:
    try:
        state, _parent, its_group = (
            stat.read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
        )
    except (OSError, ValueError):
        return False
    return int(its_group) == group and state not in "ZX"


def found(argv: Sequence[str], folder: Path) -> None:
    """See whether there is such a program. Raises AdapterError."""
    name = argv[0]
    place = str(folder / name) if Path(name).name != name else name
    if shutil.which(place, path=environment()["PATH"]) is None:
        raise _no_start(argv, folder, "there is no such program")


def _started(argv: Sequence[str], folder: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        # An argument list of the user's own adapter.yaml, and no shell.
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
        raise _no_start(argv, folder, why) from error


def _no_start(argv: Sequence[str], folder: Path, why: str) -> AdapterError:
    hint = f"it is looked for in PATH and in {folder}; try it there: {shlex.join(argv)}"
    return AdapterError(Problem(f"{argv[0]!r} cannot be started: {why}", hint=hint))
