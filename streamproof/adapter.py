"""``streamproof adapter``: the commands that create and check an adapter."""

from __future__ import annotations

import click

from streamproof.adapter_check import check
from streamproof.adapter_new import new


@click.group()
def adapter() -> None:
    """Begin an adapter, and check that it can be driven."""


for command in (new, check):
    adapter.add_command(command)
