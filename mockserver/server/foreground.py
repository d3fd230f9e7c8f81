"""A server in the foreground: it says where it is, and plays until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click
from aiohttp import web

from mockserver.faults import UserError
from mockserver.scenario.catalogue import Catalogue
from mockserver.server.banner import banner
from mockserver.server.serving import Server
from mockserver.server.state import State


def serve(
    host: str,
    port: int,
    folders: Iterable[Path] = (),
    ready_file: Path | None = None,
    extra_routes: Iterable[web.AbstractRouteDef] = (),
) -> None:
    """Serve the catalogue and one's own folders until SIGINT or SIGTERM.

    ``ready_file`` gets the URL once requests are answered. Raises UserError where the address
    cannot be had.
    """
    server = Server(State(Catalogue.shipped(*folders)), host, port, extra_routes)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(server, host, ready_file))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's loop where uvloop is installed, else asyncio's own."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = importlib.import_module(
            "uvloop"
        ).new_event_loop
    except ImportError:
        return None
    return factory


async def _serve(server: Server, host: str, ready_file: Path | None) -> None:
    with _told_to_stop() as stop:
        async with server:
            if ready_file is not None:
                _write_ready(ready_file, server.url)
            click.echo(banner(server.url, server.state.catalogue.ids(), host))
            sys.stdout.flush()
            await stop.wait()


def _write_ready(path: Path, url: str) -> None:
    """All at once: whoever waits for the file never reads half of it."""
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_text(f"{url}\n", "utf-8")
        beside.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from error


@contextlib.contextmanager
def _told_to_stop() -> Iterator[asyncio.Event]:
    """Set by the first SIGINT or SIGTERM; a second one ends the process as usual."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def told(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(stop.set)

    for number in before:
        signal.signal(number, told)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
