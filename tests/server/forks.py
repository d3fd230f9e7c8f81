"""``python -m mockserver`` as a process that has done its imports already: a fork."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from multiprocessing.process import BaseProcess

from tests.server import PATIENCE
from tests.suite import ROOT, environment, fork_server, run

START_PATIENCE = 3 * PATIENCE


class Fork:
    """A fork of the fork server, with the members of asyncio's ``Process`` that tests need."""

    def __init__(self, process: BaseProcess, stdin: int, outputs: list[asyncio.StreamReader]):
        self._process = process
        self._stdin = stdin
        self.stdout, self.stderr = outputs
        assert process.pid is not None
        self.pid = process.pid
        self.returncode: int | None = None

    def write(self, data: bytes) -> None:
        os.write(self._stdin, data)

    def close_stdin(self) -> None:
        if self._stdin >= 0:
            os.close(self._stdin)
        self._stdin = -1

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> int:
        self.returncode = await asyncio.to_thread(fork_server.end, self._process)
        return self.returncode

    async def communicate(self) -> tuple[bytes, bytes]:
        self.close_stdin()
        out, error = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return out, error


async def start(*arguments: str) -> Fork:
    """Start Python with arguments that begin with -m or -c."""
    reading, stdin = os.pipe()
    outs = [os.pipe(), os.pipe()]
    streams = (reading, *(end for _, end in outs))
    process = await asyncio.to_thread(fork_server.start, arguments, ROOT, environment(), streams)
    for each in streams:
        os.close(each)
    return Fork(process, stdin, [await _reader(end) for end, _ in outs])


async def _reader(pipe: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(pipe, "rb"))
    return reader


async def url_of(process: Fork) -> str:
    """The URL from the first line that a server prints."""
    line = await asyncio.wait_for(process.stdout.readline(), START_PATIENCE)
    return line.decode().split(" at ")[-1].strip()


@asynccontextmanager
async def running(*options: str) -> AsyncIterator[tuple[Fork, str]]:
    """A server in a process of its own, and its URL."""
    process = await start("-m", "mockserver", "--port", "0", *options)
    try:
        yield process, await url_of(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def refused(*options: str) -> str:
    """The output of a start that fails."""
    ran = await asyncio.to_thread(run, "-m", "mockserver", *options)
    assert ran.code == 4
    assert "plays" not in ran.text
    assert "Traceback" not in ran.text
    return ran.text
