"""Runs a server in the foreground: prints its banner and serves until a signal stops it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from aiohttp import web

from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.visible import say
from mockserver.server.banner import banner
from mockserver.server.collector import collecting_when_idle
from mockserver.server.listen_address import url_of
from mockserver.server.open_files import raise_limit
from mockserver.server.options import Options
from mockserver.server.request_log import RequestLog
from mockserver.server.serving import Server, listening
from mockserver.server.sharing import Sharing, shared_by_workers
from mockserver.server.state import State
from mockserver.server.store.shared_redis import RedisUrl, parse_url

_STDIN = 0
_READ_BYTES = 4096


def serve(options: Options, extra_routes: Iterable[web.AbstractRouteDef] = ()) -> None:
    """Serve the shipped scenarios and those of ``options.folders`` until SIGINT or SIGTERM.

    The URL is written to ``ready_file`` once requests are answered. ``shared`` is the URL of the
    Redis in which several ``workers`` keep what each of them has to know. Raises UserError if the
    server cannot listen at the address, or cannot use the Redis.
    """
    if options.until_stdin_ends:
        _stop_when_stdin_ends()
    if low := raise_limit():
        say(f"warning: {low}", err=True)
    catalogue = Catalogue.shipped(*options.folders)
    routes = tuple(extra_routes)
    if options.workers == 1 and options.shared is None:
        _serve_alone(State(catalogue), options, routes)
        return
    redis = None if options.shared is None else parse_url(options.shared)
    with shared_by_workers(redis) as sharing:
        if options.workers == 1:
            _serve_alone(sharing.state(catalogue), options, routes, redis)
        else:
            _serve_with(sharing, catalogue, options, routes)


def _stop_when_stdin_ends() -> None:
    """End this process as SIGTERM does, as soon as its standard input has ended.

    A parent that holds the other end of a pipe so takes the server with it, however it dies.
    """
    threading.Thread(target=_wait_for_end, name="streamproof-stdin", daemon=True).start()


def _wait_for_end() -> None:
    with contextlib.suppress(OSError):
        while os.read(_STDIN, _READ_BYTES):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def _serve_alone(
    state: State,
    options: Options,
    routes: tuple[web.AbstractRouteDef, ...],
    redis: RedisUrl | None = None,
) -> None:
    server = Server(state, options.host, options.port, routes, RequestLog(options.verbose))
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(server, options, redis))


def _serve_with(
    sharing: Sharing,
    catalogue: Catalogue,
    options: Options,
    routes: tuple[web.AbstractRouteDef, ...],
) -> None:
    try:
        several = importlib.import_module("mockserver.server.workers")
    except ImportError as error:
        hint = "pip install 'streamproof[workers]'"
        why = f"--workers needs the package gunicorn, and a system that has it ({error})"
        raise UserError(Problem(why, hint=hint)) from error
    ids = catalogue.playable_ids(options.folders)
    accepting = asyncio.run(listening(options.host, options.port))
    url = url_of(*accepting.getsockname()[:2])

    def ready() -> None:
        announced = banner(url, ids, options.host, options.workers, sharing.redis)
        _announce(url, announced, catalogue, options.ready_file)

    def server() -> Server:
        log = RequestLog(options.verbose)
        return Server(sharing.state(catalogue), options.host, extra_routes=routes, log=log)

    several.serve(accepting, options.workers, server, ready)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The event loop factory of uvloop if it is installed; None for that of asyncio."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = importlib.import_module(
            "uvloop"
        ).new_event_loop
    except ImportError:
        return None
    return factory


async def _serve(server: Server, options: Options, redis: RedisUrl | None) -> None:
    with stop_signal() as stop:
        async with server, collecting_when_idle(lambda: server.is_idle):
            catalogue = server.state.catalogue
            ids = catalogue.playable_ids(options.folders)
            announced = banner(server.url, ids, options.host, redis=redis)
            _announce(server.url, announced, catalogue, options.ready_file)
            await stop.wait()


def _announce(url: str, announced: str, catalogue: Catalogue, ready_file: Path | None) -> None:
    """Say that requests are answered."""
    if ready_file is not None:
        write_file(ready_file, f"{url}\n".encode())
    for line in catalogue.warnings():
        say(f"warning: {line}", err=True)
    say(announced)
    sys.stdout.flush()


@contextlib.contextmanager
def stop_signal() -> Iterator[asyncio.Event]:
    """An event that the first SIGINT or SIGTERM sets; a second one ends the process as usual."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(stop.set)

    for number in before:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
