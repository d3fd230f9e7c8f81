"""Turns a binding into an adapter that the kit can drive (drive/1, JSON lines on stdin and stdout).

    python serve.py BINDING

``BINDING`` is a module beside the program's working folder with three names in it:

- ``LIBRARY``: the distribution that it binds; its installed version goes into the hello;
- ``DIALECTS``: the dialects that it speaks; others are answered with ``unsupported``;
- ``async def run(run, emit)``: plays one run of drive/1, emits parts as they come, and returns the
  rest of its ``done`` message: ``{"outcome": "completed", "finish": "stop"}``.

When a run is cancelled, by the kit's line or after the given number of parts, its task is
cancelled: whatever ``run`` awaits then raises ``asyncio.CancelledError``. A binding catches the
exceptions by which its library reports failures. A ``Contradiction`` is the binding's own failure,
and any other exception is a crash, reported with whose lines raised it: the library's or the
binding's. Needs nothing but Python, so that it runs in any library's environment.
"""

import asyncio
import importlib
import importlib.metadata
import json
import sys
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from failures import Contradiction, failed

Message = dict[str, Any]
Emit = Callable[[Message], None]


class Adapter:
    """A binding with the interface of the kit's Python driver; ``main`` serves it over stdio."""

    def __init__(self, module: ModuleType) -> None:
        self._run, self._dialects = module.run, module.DIALECTS
        version = importlib.metadata.version(module.LIBRARY)
        self._library = {"name": module.LIBRARY, "version": version}

    def hello(self) -> Message:
        adapter = {"name": "streamproof binding", "version": "1"}
        return {"type": "hello", "protocol": 1, "adapter": adapter, "implementation": self._library}

    async def run(self, run: Message, emit: Emit, cancel: asyncio.Event) -> Message:
        if run["dialect"] not in self._dialects:
            reason = f"{' and '.join(self._dialects)} only"
            return {"type": "unsupported", "id": run["id"], "reason": reason}
        most = run.get("cancel", {}).get("after_parts")
        out = 0

        def counted(part: Message) -> None:
            nonlocal out
            if cancel.is_set():
                return
            emit(part)
            out += 1
            if out == most:
                cancel.set()

        if most == 0:
            cancel.set()
        try:
            done = await until(cancel, self._run(run, counted)) or {"outcome": "cancelled"}
        except Contradiction as error:
            done = failed("binding", str(error))
        return {"type": "done", "id": run["id"], **done}


async def until(cancel: asyncio.Event, coroutine: Coroutine[Any, Any, Message]) -> Message | None:
    """The result of the coroutine; None if it was cancelled first."""
    task, told = asyncio.ensure_future(coroutine), asyncio.ensure_future(cancel.wait())
    await asyncio.wait({task, told}, return_when=asyncio.FIRST_COMPLETED)
    cancelled = cancel.is_set()
    told.cancel()
    if cancelled:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return None
    return task.result()


class _Line(asyncio.Event):
    """The cancel event of one run; setting it also sends the ``cancelling`` line."""

    def __init__(self, id_: str, say: Emit) -> None:
        super().__init__()
        self._id, self._say = id_, say

    def set(self) -> None:
        if not self.is_set():
            super().set()
            self._say({"type": "cancelling", "id": self._id})


async def _play(adapter: Adapter, run: Message, say: Emit, cancel: asyncio.Event) -> None:
    n = 0

    def emit(part: Message) -> None:
        nonlocal n
        say({"type": "part", "id": run["id"], "n": n, "part": part})
        n += 1

    try:
        say(await adapter.run(run, emit, cancel))
    except Exception as error:
        told = f"{raised_by(error)} {type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(error))[-4000:]
        say({"type": "error", "id": run["id"], "message": told, "traceback": trace})


def raised_by(error: Exception) -> str:
    """Whose lines raised an exception: those of an installed package, or the binding's own.

    Frames of Python's own modules are skipped, since either may have called them.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        folder = Path(frame.filename).parent
        if "site-packages" in folder.parts:
            return "the library raised"
        if folder in (Path.cwd(), Path(__file__).parent):
            break
    return "the binding raised"


async def serve(adapter: Adapter, out: TextIO) -> None:
    """Answer the kit's lines until it sends bye or closes stdin."""

    def say(message: Message) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    running: set[asyncio.Task[None]] = set()
    cancels: dict[str, asyncio.Event] = {}
    lines = await _stdin()
    while line := await lines.readline():
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say(adapter.hello())
            case "run":
                cancel = cancels[message["id"]] = _Line(message["id"], say)
                task = asyncio.ensure_future(_play(adapter, message, say, cancel))
                running.add(task)
                task.add_done_callback(running.discard)
            case "cancel":
                cancels[message["id"]].set()
            case "bye":
                return


async def _stdin() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=1 << 21)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def main() -> None:
    """Serve the binding named on the command line; output printed by libraries goes to stderr."""
    sys.path.insert(0, str(Path.cwd()))
    out, sys.stdout = sys.stdout, sys.stderr
    asyncio.run(serve(Adapter(importlib.import_module(sys.argv[1])), out))


if __name__ == "__main__":
    main()
