"""``streamproof adapter``: the commands that create and check an adapter."""

import click

from streamproof._commands.lazy import Command, Commands

TABLE = {
    "check": Command("adapter_check:check", "Check that an adapter can be driven."),
    "new": Command("adapter_new:new", "Write an adapter that works, to begin with."),
}


@click.group(cls=Commands, table=TABLE)
def adapter() -> None:
    """Begin an adapter, and check that it can be driven."""
