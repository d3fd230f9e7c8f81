"""Runs a server in the foreground: prints its banner and serves until a signal stops it.

Several workers have in common the secret that signs the ids of their runs and, if the user names
one, a Redis in which they share the rest.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import Renderings
from mockserver.foundation import __version__
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.proxies import is_local
from mockserver.foundation.visible import say
from mockserver.server.journal import RequestLog
from mockserver.server.options import Options, url_of
from mockserver.server.process import collect_when_idle, raise_limit
from mockserver.server.run_ids import RunIds
from mockserver.server.serving import Server, open_socket
from mockserver.server.state import State, Store

if TYPE_CHECKING:
    from mockserver.server.shared.connection import SharedRedis

_STDIN = 0
_READ_BYTES = 4096
# The scenario in the examples, if there is one of this id; else the first of all.
_PREFERRED = "any/text-and-call-interleave"
_NONE = "FOLDER/SCENARIO"


def serve(options: Options, extra_routes: Iterable[web.AbstractRouteDef] = ()) -> None:
    """Serve the shipped scenarios and those of ``options.folders`` until SIGINT or SIGTERM.

    The URL is written to ``ready_file`` once requests are answered. ``shared`` is the URL of the
    Redis in which several ``workers`` keep what each of them has to know. Raises UserError if the
    server cannot listen at the address, or cannot use the Redis.
    """
    if options.until_stdin_ends:
        threading.Thread(target=_stop_when_stdin_ends, daemon=True).start()
    if low := raise_limit():
        say(f"warning: {low}", err=True)
    catalogue = Catalogue.shipped(*options.folders)
    redis = None
    if options.shared is not None:
        what = "--shared needs the package redis"
        connection = _import("mockserver.server.shared.connection", what, "shared")
        redis = connection.parse_url(options.shared)
    with share_among_workers(redis) as sharing:
        if options.workers > 1:
            _serve_with(sharing, catalogue, options, extra_routes)
            return
        state = sharing.state(catalogue) if redis else State(catalogue)
        log = RequestLog(options.verbose)
        server = Server(state, options.host, options.port, extra_routes, log)
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(server, options, redis))


def _stop_when_stdin_ends() -> None:
    """End this process as SIGTERM does, as soon as its standard input has ended.

    So the server ends with the parent that holds the other end of the pipe, however that dies.
    """
    with contextlib.suppress(OSError):
        while os.read(_STDIN, _READ_BYTES):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def _serve_with(
    sharing: Sharing,
    catalogue: Catalogue,
    options: Options,
    extra_routes: Iterable[web.AbstractRouteDef],
) -> None:
    routes = tuple(extra_routes)
    what = "--workers needs the package gunicorn, and a system that has it"
    several = _import("mockserver.server.workers", what, "workers")
    # The workers inherit what is read before they start.
    catalogue.playable_ids(options.folders)
    accepting = asyncio.run(open_socket(options.host, options.port))
    url = url_of(*accepting.getsockname()[:2])

    def ready() -> None:
        _announce(url, catalogue, options, sharing.redis)

    def server() -> Server:
        log = RequestLog(options.verbose)
        return Server(sharing.state(catalogue), options.host, extra_routes=routes, log=log)

    several.serve(accepting, options.workers, server, ready)


def _import(module: str, what: str, extra: str) -> Any:
    """A module that needs an optional package. Raises UserError without it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        hint = f"pip install 'streamproof[{extra}]'"
        raise UserError(Problem(f"{what} ({error})", hint=hint)) from error


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The event loop factory of uvloop if it is installed; None for that of asyncio."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = importlib.import_module(
            "uvloop"
        ).new_event_loop
    except ImportError:
        return None
    return factory


async def _serve(server: Server, options: Options, redis: SharedRedis | None) -> None:
    with stop_signal() as stop:
        async with server, collect_when_idle(lambda: server.is_idle):
            _announce(server.url, server.state.catalogue, options, redis)
            await stop.wait()


def _announce(url: str, catalogue: Catalogue, options: Options, redis: SharedRedis | None) -> None:
    ids = catalogue.playable_ids(options.folders)
    if options.ready_file is not None:
        write_file(options.ready_file, f"{url}\n".encode())
    for line in catalogue.warnings():
        say(f"warning: {line}", err=True)
    say(banner(url, ids, options.host, options.workers, redis))
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


@dataclass(frozen=True, slots=True)
class Sharing:
    """What the workers of one server have in common."""

    redis: SharedRedis | None
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def state(self, catalogue: Catalogue) -> State:
        """The state of one worker; made in the worker."""
        renderings = Renderings()
        ids = RunIds(self.secret, catalogue)
        if self.redis is None:
            return State(catalogue, renderings, among_workers=Store(ids))
        from mockserver.server.shared.redis_store import RedisStore

        store = RedisStore(self.redis, ids, renderings)
        return State(catalogue, renderings, among_workers=store)


@contextlib.contextmanager
def share_among_workers(redis: SharedRedis | None) -> Iterator[Sharing]:
    """What workers share while they run; their keys are deleted at the end.

    Raises UserError if the Redis cannot be used.
    """
    if redis is not None:
        asyncio.run(redis.prepare())
    try:
        yield Sharing(redis)
    finally:
        if redis is not None:
            asyncio.run(redis.clear())


def banner(
    url: str,
    ids: list[str],
    host: str = "127.0.0.1",
    workers: int = 1,
    redis: SharedRedis | None = None,
) -> str:
    """The text for a server at ``url`` with these scenario ids; ``host`` is that of ``--host``.

    ``redis`` is what its workers share.
    """
    count = "1 scenario" if len(ids) == 1 else f"{len(ids)} scenarios"
    example = _PREFERRED if _PREFERRED in ids else next(iter(ids), _NONE)
    base = f"{url}/s/{example}/v1"
    lines = [
        f"streamproof {__version__} plays {count} at {url}",
        "",
        "openai SDK, the scenario by its URL:",
        f'    OpenAI(base_url="{base}", api_key="any")',
        "the same, by model id:",
        f'    OpenAI(base_url="{url}/v1", api_key="any"), model="mock/{example}"',
        "curl:",
        f"    curl -N {base}/responses -H 'Content-Type: application/json' \\",
        """        -d '{"model": "mock", "input": "Hello", "stream": true}'""",
        "all scenarios:",
        f"    {url}/_mock/scenarios",
        "",
        *_describe_sharing(workers, redis),
        *warn_of_reach(host),
        "Ctrl-C stops it.",
    ]
    return "\n".join(lines)


def _describe_sharing(workers: int, redis: SharedRedis | None) -> list[str]:
    who = f"{workers} workers answer. " if workers > 1 else ""
    if redis is not None:
        away = "" if redis.is_local else " Requests go there, without their credentials."
        return [f"{who}Runs and the journal are in the Redis at {redis}.{away}", ""]
    if workers > 1:
        return [f"{who}They share nothing, so there is no journal: --shared redis://… has it.", ""]
    return []


def warn_of_reach(host: str) -> list[str]:
    """What a user has to know about an address that others can reach, as lines."""
    if is_local(host):
        return []
    return [f"It listens at {host}: whoever can reach this machine can use it.", ""]
