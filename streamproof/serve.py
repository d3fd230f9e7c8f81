"""``streamproof serve``: the mock upstream, with the kit's own routes beside it."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.routes import routes
from mockserver.__main__ import serve_until_stopped


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to bind.")
@click.option("--port", default=4100, show_default=True, type=click.IntRange(0, 65535))
@click.option("--scenarios", multiple=True, type=click.Path(path_type=Path), help="Own scenarios.")
def serve(host: str, port: int, scenarios: tuple[Path, ...]) -> None:
    """Play scenarios to any SDK: prints the base URL and what to paste."""
    serve_until_stopped(host, port, scenarios, routes())
