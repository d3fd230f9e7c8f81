"""Runs a server in the foreground: prints its banner and serves until a signal stops it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from aiohttp import web

from mockserver.atomic_files import write_file
from mockserver.scenario.catalogue import Catalogue
from mockserver.server.banner import banner
from mockserver.server.open_files import raise_limit
from mockserver.server.serving import Server
from mockserver.server.state import State
from mockserver.visible import say


def serve(
    host: str,
    port: int,
    folders: Iterable[Path] = (),
    ready_file: Path | None = None,
    extra_routes: Iterable[web.AbstractRouteDef] = (),
) -> None:
    """Serve the shipped scenarios and those of ``folders`` until SIGINT or SIGTERM.

    The URL is written to ``ready_file`` once requests are answered. Raises UserError if the
    server cannot listen at the address.
    """
    if low := raise_limit():
        say(f"warning: {low}", err=True)
    server = Server(State(Catalogue.shipped(*folders)), host, port, extra_routes)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(server, host, ready_file))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The event loop factory of uvloop if it is installed; None for that of asyncio."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = importlib.import_module(
            "uvloop"
        ).new_event_loop
    except ImportError:
        return None
    return factory


async def _serve(server: Server, host: str, ready_file: Path | None) -> None:
    with _stop_signal() as stop:
        async with server:
            if ready_file is not None:
                write_file(ready_file, f"{server.url}\n".encode())
            for line in server.state.catalogue.skipped_links():
                say(f"warning: {line}", err=True)
            say(banner(server.url, server.state.catalogue.ids(), host))
            sys.stdout.flush()
            await stop.wait()


@contextlib.contextmanager
def _stop_signal() -> Iterator[asyncio.Event]:
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
