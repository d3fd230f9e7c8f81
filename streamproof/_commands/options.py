"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

scenarios_option = click.option(
    "--scenarios",
    multiple=True,
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="A folder of your own scenarios; may be repeated.",
)
"""``--scenarios``: folders beside the shipped catalogue, as a tuple of paths."""

width_option = click.option(
    "--width", type=click.IntRange(40, 400), help="Columns; default: the terminal's."
)
"""``--width``: the columns of what is printed; None for those of the terminal."""
