"""``streamproof serve``: serves the mock upstream, together with the kit's routes."""

from typing import Any

import click

from conformance.suite.routes import routes
from mockserver.server import foreground
from mockserver.server.options import Options, serving_options


@click.command()
@serving_options
def serve(**options: Any) -> None:
    """Play scenarios to any SDK: prints the base URL and what to paste."""
    foreground.serve(Options(**options), routes())
