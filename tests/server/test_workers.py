"""``python -m mockserver --workers 2`` as a child process, with workers of its own."""

import asyncio
import gc
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import ClientSession

from mockserver.cases.catalogue import Catalogue
from mockserver.server.foreground import banner
from mockserver.server.serving import Server
from mockserver.server.shared.connection import SharedRedis
from mockserver.server.state import State
from tests.server import PATIENCE, REQUEST, answer_text, connection, is_log, text, until
from tests.server.forks import Fork, refused, running
from tests.server.redis_server import needs_redis, redis_server
from tests.suite import run

CASE = "/s/any/hello/v1/responses"


def children(process: Fork) -> list[int]:
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in listed.split()]


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@asynccontextmanager
async def two_workers(folder: Path, *options: str) -> AsyncIterator[tuple[Fork, str]]:
    async with running("--workers", "2", "--scenarios", str(folder), *options) as (process, url):
        assert len(children(process)) == 2
        yield process, url


async def test_the_workers_play_and_a_signal_ends_them_all(folder: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    async with two_workers(folder, "--ready-file", str(ready)) as (process, url):
        assert ready.read_text("utf-8") == f"{url}\n"
        assert sorted(names(tmp_path)) == ["ready", "scenarios"]
        workers = children(process)
        async with ClientSession(url) as client:
            assert await text(client, CASE) == "Hello there"
            async with client.get("/_mock/journal") as response:
                assert response.status == 501
        async with connection(url) as raw:
            await raw.post("/s/openresponses/stall/v1/responses")
            await raw.read_until(b"}\n\n\r\n")
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
            assert await raw.read_to_end() == b""
        assert is_log(await process.stderr.read())
        assert not any(map(is_there, workers))


async def test_a_dead_worker_is_replaced_and_the_banner_is_not_printed_again(folder: Path) -> None:
    async with two_workers(folder) as (process, url):
        first, second = children(process)
        os.kill(first, signal.SIGKILL)
        await until(lambda: len({*children(process)} - {first}) == 2)
        assert second in children(process)
        async with ClientSession(url) as client:
            for _ in range(4):
                async with client.post(
                    CASE, json=REQUEST, headers={"Connection": "close"}
                ) as response:
                    assert answer_text(await response.read()) == "Hello there"
        workers = children(process)
        process.send_signal(signal.SIGINT)
        out, error = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0
    assert not any(map(is_there, workers))
    assert b"plays" not in out
    assert b"SIGKILL" in error


async def test_workers_end_when_their_parent_is_killed(folder: Path) -> None:
    async with two_workers(folder) as (process, _):
        workers = children(process)
        process.kill()
        await until(lambda: not any(map(is_there, workers)))


async def test_a_port_in_use_is_reported_as_by_one_process(state: State) -> None:
    async with Server(state) as server:
        port = server.url.rpartition(":")[2]
        error = await refused("--port", port, "--workers", "2")
    assert f"port {port}: the port is in use" in error
    assert "--port 0" in error


async def test_a_ready_file_that_cannot_be_written_ends_the_workers(tmp_path: Path) -> None:
    ready = str(tmp_path / "nowhere" / "ready")
    error = await refused("--port", "0", "--workers", "2", "--ready-file", ready)
    assert "cannot be written" in error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", "0"), "0 is not in the range 1<=x<=64"),
        (("--shared", "http://127.0.0.1"), "--shared is the URL of a Redis, not one of 'http'"),
        (("--shared", "redis://127.0.0.1:x"), "--shared is no URL"),
        (("--shared", "redis://me:word@127.0.0.1:1/0"), "redis://127.0.0.1:1/0 cannot be used"),
    ],
)
async def test_wrong_options_are_reported_without_passwords(
    options: tuple[str, ...], message: str
) -> None:
    error = await refused("--port", "0", *options)
    assert message in error
    assert "word" not in error


async def test_a_worker_collects_garbage_as_a_server_of_one_process_does() -> None:
    from mockserver.server.workers import _Worker  # needs gunicorn

    thresholds = gc.get_threshold()
    seen: list[tuple[int, int, int]] = []

    class OneRound(_Worker):
        """A worker that ends with its first sign of life; gunicorn makes the rest of it."""

        alive, ppid = True, os.getppid()

        def __init__(self, server: Server) -> None:
            async def start(_accepting: object) -> Server:
                await server.start()
                return server

            inherited: Any = SimpleNamespace(sock=None)
            self.sockets, self.wsgi = [inherited], cast("Any", start)

        def notify(self) -> None:
            seen.append(gc.get_threshold())
            self.alive = False

        def _wait_next_notify(self) -> asyncio.Future[bool]:
            return asyncio.ensure_future(asyncio.sleep(0, True))

    await OneRound(Server(State(Catalogue([]))))._run()
    assert seen
    assert seen != [thresholds]
    assert gc.get_threshold() == thresholds


async def test_without_gunicorn_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gunicorn.py").write_text("raise ImportError('no gunicorn here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    error = await refused("--port", "0", "--workers", "2")
    assert "--workers needs the package gunicorn" in error
    assert "pip install 'streamproof[workers]'" in error


@needs_redis
async def test_workers_with_a_redis_share_the_journal_and_leave_nothing_in_it(folder: Path) -> None:
    with redis_server() as shared:
        async with two_workers(folder, "--shared", shared.url) as (process, url):
            async with ClientSession(url) as client:
                for n in range(1, 6):
                    head = {"Connection": "close"}
                    assert await text(client, CASE, **head) == "Hello there"
                    async with client.get("/_mock/journal", headers=head) as response:
                        assert len((await response.json())["exchanges"]) == n
            # As when its terminal is closed.
            process.send_signal(signal.SIGHUP)
            out, error = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert process.returncode == 0
        assert f"2 workers answer. Runs and the journal are in the Redis at {shared.url}." in (
            out.decode()
        )
        assert is_log(error)
        redis = SharedRedis(shared.url).connect()
        assert [key async for key in redis.scan_iter()] == []
        await redis.aclose()


@needs_redis
async def test_a_redis_that_forgets_keys_when_it_is_full_is_refused(folder: Path) -> None:
    with redis_server() as shared:
        client = SharedRedis(shared.url).connect()
        await client.config_set("maxmemory", "10mb")
        await client.config_set("maxmemory-policy", "allkeys-lru")
        error = await refused("--port", "0", "--workers", "2", "--shared", shared.url)
        await client.aclose()
    assert "forgets keys when it is full (maxmemory-policy allkeys-lru)" in error
    assert "CONFIG SET maxmemory-policy noeviction" in error


def test_one_worker_needs_neither_gunicorn_nor_redis() -> None:
    code = (
        "import sys; from mockserver.server import foreground\n"
        "print({'gunicorn', 'redis'} & {*sys.modules})"
    )
    assert run("-c", code).text == "set()\n"


def test_the_banner_says_what_workers_share_and_where() -> None:
    def of(workers: int, redis: str = "") -> str:
        return banner("http://x:1", [], "127.0.0.1", workers, SharedRedis(redis) if redis else None)

    assert "workers" not in of(1)
    assert "2 workers answer. They share nothing, so there is no journal" in of(2)
    near = of(2, "redis://me:word@localhost:6379/0")
    assert "in the Redis at redis://localhost:6379/0." in near
    assert "word" not in near
    assert "Requests go there" not in near
    assert "Requests go there, without their credentials." in of(2, "redis://elsewhere:6379")
