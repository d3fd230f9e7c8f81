"""A group of commands that imports the module of a command when the command is run.

Help on the group is written from the table alone, so no command pays for the imports of another.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import click


class Command(NamedTuple):
    """Where a command is beside this file, as ``module:name``, and what it does in one line."""

    place: str
    does: str


@contextmanager
def _without_collections() -> Iterator[None]:
    """Keep what is imported out of garbage collection: all of it stays until the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class Commands(click.Group):
    """A click group of the commands in a table; each is imported when it is called."""

    def __init__(self, *args: Any, table: Mapping[str, Command], **options: Any) -> None:
        # click lists these names, and suggests one of them in place of a name that is unknown.
        super().__init__(*args, **options)
        self.commands = {
            name: click.Command(name, short_help=row.does) for name, row in table.items()
        }
        self._table = table

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command; None if the table has no such name."""
        if cmd_name not in self._table:
            return None
        module, _, name = self._table[cmd_name].place.partition(":")
        with _without_collections():
            command: click.Command = getattr(import_module(f"{__package__}.{module}"), name)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._table[name].does) for name in sorted(self._table)])
