"""``streamproof serve``: serves the mock upstream, together with the kit's routes."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.suite.routes import routes
from mockserver.server import foreground
from mockserver.server.serving import DEFAULT_PORT, LOOPBACK, MOST_WORKERS

_Folder = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.option("--host", default=LOOPBACK, show_default=True, help="Where to listen.")
@click.option("--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535))
@click.option("--scenarios", "folders", multiple=True, type=_Folder, help="Own scenarios.")
@click.option("--ready-file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, MOST_WORKERS),
    help="How many processes answer.",
)
@click.option(
    "--shared",
    metavar="URL",
    help="The Redis in which workers share runs and the journal: redis://127.0.0.1:6379/0.",
)
def serve(
    host: str,
    port: int,
    folders: tuple[Path, ...],
    ready_file: Path | None,
    workers: int,
    shared: str | None,
) -> None:
    """Play scenarios to any SDK: prints the base URL and what to paste."""
    foreground.serve(host, port, folders, ready_file, routes(), workers, shared)
