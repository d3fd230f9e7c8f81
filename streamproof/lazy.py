"""A group of commands that imports the module of a command when the command is run.

Help on the group is written from the table alone, so no command pays for the imports of another.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class Command(NamedTuple):
    """Where a command is, as ``module:name``, and what it does in one line."""

    place: str
    does: str


class Commands(click.Group):
    """The commands of a table, by name."""

    def __init__(self, *args: Any, table: Mapping[str, Command], **options: Any) -> None:
        super().__init__(*args, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported at its first use."""
        if cmd_name not in self._table:
            return None
        if cmd_name not in self.commands:
            module, _, name = self._table[cmd_name].place.partition(":")
            self.add_command(getattr(import_module(module), name), cmd_name)
        return self.commands[cmd_name]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._table[name].does) for name in sorted(self._table)])
