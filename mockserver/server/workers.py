"""Serves with several worker processes, which gunicorn starts, replaces and stops.

The parent process opens the socket and the catalogue; each worker inherits both, and accepts
connections by itself. Once all workers are ready to answer, the parent says so.
"""

import importlib.util
import os
import signal
import socket
from collections.abc import Callable
from typing import Any, NoReturn

from aiohttp.worker import GunicornUVLoopWebWorker, GunicornWebWorker
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from mockserver.foundation.faults import Fault, KitError
from mockserver.server.process import collect_when_idle
from mockserver.server.serving import Server

_SETTINGS: dict[str, Any] = {
    # Seconds for a worker to stop, and without a sign of life until it is replaced.
    "graceful_timeout": 3,
    "timeout": 30,
    "loglevel": "warning",
    "proc_name": "streamproof",
    # Where there is one: a socket in the working directory for gunicorn's own commands.
    "control_socket_disable": True,
}


def serve(
    accepting: socket.socket, workers: int, server: Callable[[], Server], ready: Callable[[], None]
) -> None:
    """Serve at a socket with so many workers until SIGINT, SIGTERM or SIGHUP.

    ``server`` is called in each worker, inside its event loop; ``ready`` in this process, once all
    workers answer. A Fault that it raises stops the server, and is raised here.
    """
    # One byte for each worker that is ready.
    reading, writing = os.pipe()
    os.set_blocking(reading, False)

    async def in_worker(accepting: socket.socket) -> Server:
        started = server()
        await started.start(accepting)
        os.write(writing, b".")
        os.kill(os.getppid(), signal.SIGUSR1)
        return started

    worker = _UvloopWorker if importlib.util.find_spec("uvloop") else _Worker
    # Older gunicorns take the name of a class only.
    kind = f"{__name__}.{worker.__name__}"
    bound = {"bind": f"fd://{accepting.detach()}", "workers": workers, "worker_class": kind}
    parent = _Parent(_Application({**_SETTINGS, **bound}, in_worker), reading, workers, ready)
    try:
        parent.run()
    except SystemExit as ended:
        if parent.fault is not None:
            raise parent.fault from None
        if ended.code:
            raise KitError("the workers could not start; the log above says why") from None
    finally:
        os.close(reading)
        os.close(writing)


class _Worker(GunicornWebWorker):
    """A worker whose server is the same as that of one process, at the socket of its parent."""

    async def _run(self) -> None:
        start: Any = self.wsgi
        inherited: Any = self.sockets[0]
        server: Server = await start(inherited.sock)
        self.booted = True
        try:
            async with collect_when_idle(lambda: server.is_idle):
                # A worker whose parent was killed ends, too.
                while self.alive and self.ppid == os.getppid():
                    self.notify()
                    await self._wait_next_notify()
        finally:
            await server.stop()


class _UvloopWorker(_Worker, GunicornUVLoopWebWorker):
    """A worker on an event loop of uvloop."""


class _Application(BaseApplication):
    """What gunicorn serves, with settings of our own and none from its files and environment."""

    def __init__(self, settings: dict[str, Any], in_worker: Callable[..., Any]) -> None:
        self._settings = settings
        self._in_worker = in_worker
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Any:
        return self._in_worker


class _Parent(Arbiter):
    """The parent of the workers; a signal that ends a server of one process ends it at once."""

    def __init__(
        self, app: _Application, reading: int, workers: int, ready: Callable[[], None]
    ) -> None:
        super().__init__(app)
        self._reading = reading
        self._awaited = workers
        self._ready = ready
        self.fault: Fault | None = None

    def handle_usr1(self) -> None:
        """Count the workers that have become ready; those that replace others do not count."""
        try:
            came = len(os.read(self._reading, 1024))
        except BlockingIOError:
            return
        before, self._awaited = self._awaited, self._awaited - came
        try:
            if before > 0 >= self._awaited:
                self._ready()
        except Fault as fault:
            self.fault = fault
            self.handle_int()

    def _stop_at_once(self) -> NoReturn:
        self.stop(graceful=False)
        raise StopIteration

    handle_int = handle_term = handle_quit = handle_hup = _stop_at_once

    def _ignore(self) -> None:
        """What gunicorn offers to whoever operates it, and this server does not."""

    handle_usr2 = handle_ttin = handle_ttou = handle_winch = _ignore
