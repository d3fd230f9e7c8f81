"""A serving process: its limit of open files, and when its garbage collector visits objects."""

import asyncio
import gc
import signal
import socket
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiohttp import ClientSession

from mockserver.server import process
from mockserver.server.process import collect_when_idle
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import PATIENCE, connection, until
from tests.server.forks import Fork, start, url_of


class Cycle:
    """An object that only the garbage collector frees."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_CHECK_SECONDS", 0.0)


@asynccontextmanager
async def serving(is_idle: Callable[[], bool]) -> AsyncIterator[Callable[[], Cycle | None]]:
    """A block in which there is garbage that has survived a collection of young objects."""
    async with collect_when_idle(is_idle):
        kept = Cycle()
        gc.collect(0)
        gone = weakref.ref(kept)
        del kept
        gc.collect(0)
        yield gone


async def test_old_garbage_is_collected_once_the_server_is_idle() -> None:
    async with serving(lambda: True) as gone:
        await until(lambda: gone() is None)


async def test_nothing_old_is_visited_while_requests_are_answered() -> None:
    asked = 0

    def is_idle() -> bool:
        nonlocal asked
        asked += 1
        return asked % 2 == 0

    async with serving(is_idle) as gone:
        await until(lambda: asked > 20)
        assert gone() is not None


async def test_a_process_that_no_longer_serves_collects_as_before() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    async with collect_when_idle(lambda: True):
        assert (gc.get_threshold(), gc.get_freeze_count()) != before
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


LOW = 48
LIMITED = f"import resource as r, runpy; r.setrlimit(r.RLIMIT_NOFILE, ({LOW}, {{hard}})); "


async def limited(hard: int | str) -> Fork:
    """A server that was started with few files that it may open, and may raise them to ``hard``."""
    code = LIMITED.format(hard=hard) + "runpy.run_module('mockserver', run_name='__main__')"
    return await start("-c", code, "--port", "0")


async def test_a_server_without_free_descriptors_says_so_once_and_goes_on() -> None:
    process = await limited(LOW)
    url = await url_of(process)
    async with AsyncExitStack() as many:
        for _ in range(3 * LOW):
            await many.enter_async_context(connection(url))
        said = [await asyncio.wait_for(process.stderr.readline(), PATIENCE) for _ in range(2)]
    async with (
        asyncio.timeout(PATIENCE),
        ClientSession(url) as client,
        client.get("/_mock/scenarios") as response,
    ):
        assert response.status == 200
    process.send_signal(signal.SIGTERM)
    _, rest = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0
    assert said[0].startswith(b"warning: only 48 files may be open at once")
    assert said[1].endswith(b"  no more files can be opened: new connections wait\n")
    assert rest == b""


async def test_a_server_that_stops_before_it_accepts_again_says_nothing_of_it(
    state: State, caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.get_running_loop()
    async with Server(state):
        waits = {"message": "socket.accept() out of system resource"}
        loop.call_exception_handler(waits)
        loop.call_exception_handler(waits)
    with socket.socket() as closed:
        pass
    # As asyncio does after a second.
    loop.call_soon(loop._start_serving, None, closed)  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert [each.message for each in caplog.records] == [
        "no more files can be opened: new connections wait"
    ]


async def test_a_server_raises_its_soft_limit_of_open_files() -> None:
    process = await limited("r.getrlimit(r.RLIMIT_NOFILE)[1]")
    url = await url_of(process)
    async with AsyncExitStack() as many:
        raws = [await many.enter_async_context(connection(url)) for _ in range(3 * LOW)]
        await raws[-1].send(b"GET /_mock/scenarios HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await raws[-1].read()).startswith(b"HTTP/1.1 200 OK")
    process.send_signal(signal.SIGTERM)
    _, error = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert error == b""
