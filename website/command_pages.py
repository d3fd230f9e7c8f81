"""Makes the reference page of the command line from the help of its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.testing import CliRunner

from streamproof.__main__ import TABLE, cli

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# The command line

What `streamproof COMMAND --help` prints. The exit codes are [those of the
suite](../adapters.md#exit-codes).
"""
_COMMAND = """
## streamproof {words}

```text
{help}
```
"""
_WIDTH = "90"


def page() -> str:
    """The page with the help of every command."""
    commands = (words for name in TABLE for words in _with_its_commands(name))
    return _HEAD + "".join(
        _COMMAND.format(words=" ".join(words), help=_help(words)) for words in commands
    )


def _with_its_commands(name: str) -> Iterator[tuple[str, ...]]:
    """A command, and those of its group."""
    yield (name,)
    command = cli.get_command(click.Context(cli), name)
    if isinstance(command, click.Group):
        yield from ((name, below) for below in command.commands)


def _help(words: tuple[str, ...]) -> str:
    ran = CliRunner(env={"COLUMNS": _WIDTH}).invoke(
        cli, [*words, "--help"], prog_name="streamproof", terminal_width=int(_WIDTH)
    )
    assert ran.exit_code == 0, ran.output
    return ran.output.strip()
