"""Where a server listens, and the options of ``python -m mockserver`` and ``streamproof serve``.

Commands import this without the server itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 4100

MOST_WORKERS = 64

Command = TypeVar("Command", bound="Callable[..., Any]")

_ANY = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104 (shown, not bound to)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

_OPTIONS = (
    click.option("--host", default=LOOPBACK, show_default=True, help="Where to listen."),
    click.option(
        "--port",
        default=DEFAULT_PORT,
        show_default=True,
        type=click.IntRange(0, 65535),
        help="0 takes any port that is free.",
    ),
    click.option(
        "--scenarios",
        "folders",
        multiple=True,
        type=_FOLDER,
        help="A folder of your own scenarios, beside the shipped ones; may be repeated.",
    ),
    click.option(
        "--ready-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the URL to this file once requests are answered.",
    ),
    click.option(
        "--workers",
        default=1,
        show_default=True,
        type=click.IntRange(1, MOST_WORKERS),
        help="How many processes answer.",
    ),
    click.option(
        "--shared",
        metavar="URL",
        help="The Redis in which workers share runs and the journal: redis://127.0.0.1:6379/0.",
    ),
    click.option(
        "--until-stdin-ends",
        is_flag=True,
        help="Stop when standard input ends, which it does when the process that holds it dies.",
    ),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Log the reason for each answer, and mistakes in requests.",
    ),
)


def url_of(host: str, port: int) -> str:
    """The URL of a server that is bound to an address, for clients on this machine."""
    host = _ANY.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(frozen=True, slots=True)
class Options:
    """The values of the options of a server."""

    host: str = LOOPBACK
    port: int = DEFAULT_PORT
    folders: tuple[Path, ...] = ()
    ready_file: Path | None = None
    workers: int = 1
    shared: str | None = None
    until_stdin_ends: bool = False
    verbose: bool = False


def serving_options(command: Command) -> Command:
    """Give a command the options of a server; they are the fields of ``Options``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
