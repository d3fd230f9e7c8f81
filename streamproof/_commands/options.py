"""Options that several commands have, and the paths that they name."""

from pathlib import Path

import click

from mockserver.foundation.faults import Problem, UserError

PATH = click.Path(path_type=Path)
"""The type of an option or argument that is a path."""

scenarios_option = click.option(
    "--scenarios",
    multiple=True,
    metavar="FOLDER",
    type=PATH,
    help="A folder of your own scenarios; may be repeated.",
)
"""``--scenarios``: folders beside the shipped catalogue, as a tuple of paths."""

width_option = click.option(
    "--width", type=click.IntRange(40, 400), help="Columns; default: the terminal's."
)
"""``--width``: the columns of what is printed; None for those of the terminal."""


def check_free(folder: Path) -> None:
    """Raise UserError unless a folder is empty, or not there yet."""
    try:
        is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from error
    if not is_free:
        hint = "name a folder that is not there yet"
        raise UserError(Problem(f"{folder} is there already, and is not overwritten", hint=hint))


def read_bytes(file: Path) -> bytes:
    """The content of a file. Raises UserError."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}") from error
