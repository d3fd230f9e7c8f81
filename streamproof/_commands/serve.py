"""``streamproof serve``: serves the mock upstream, together with the kit's routes."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.suite.routes import routes
from mockserver.server import foreground
from mockserver.server.options import serving_options


@click.command()
@serving_options
def serve(
    host: str,
    port: int,
    folders: tuple[Path, ...],
    ready_file: Path | None,
    workers: int,
    shared: str | None,
    until_stdin_ends: bool,
) -> None:
    """Play scenarios to any SDK: prints the base URL and what to paste."""
    if until_stdin_ends:
        foreground.stop_when_stdin_ends()
    foreground.serve(host, port, folders, ready_file, routes(), workers, shared)
