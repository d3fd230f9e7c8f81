"""``python -m mockserver``: the upstream alone, without the kit."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from mockserver import __version__
from mockserver.faults import Fault, UserError
from mockserver.scenario.catalogue import Catalogue
from mockserver.server.banner import banner
from mockserver.server.serving import LOOPBACK, Server
from mockserver.server.state import State

DEFAULT_PORT = 4100

_USAGE_EXIT = 4
_INTERRUPTED_EXIT = 2

_Folder = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--host", default=LOOPBACK, show_default=True, help="Where to listen.")
@click.option(
    "--port",
    default=DEFAULT_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="0 takes any port that is free.",
)
@click.option(
    "--scenarios",
    "folders",
    multiple=True,
    type=_Folder,
    help="A folder of your own scenarios, beside the shipped ones; may be repeated.",
)
@click.option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the URL to this file once requests are answered.",
)
@click.version_option(__version__, prog_name="mockserver")
def command(host: str, port: int, folders: tuple[Path, ...], ready_file: Path | None) -> None:
    """Play model upstreams from scenarios."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    state = State(Catalogue.shipped(*folders))
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(Server(state, host, port), host, ready_file))


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


def main() -> int:
    """Run the command; faults are shown without a traceback. Returns the exit code."""
    try:
        command.main(prog_name="python -m mockserver", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return _USAGE_EXIT
    except click.Abort:
        return _INTERRUPTED_EXIT
    except Fault as fault:
        click.echo(f"{fault.culprit}: {fault}", err=True)
        return fault.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
