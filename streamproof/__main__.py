"""``streamproof``: one command for each file beside this one."""

from __future__ import annotations

import logging
import sys

import click

from streamproof import displaced

try:
    from conformance.report.summary import visible
    from mockserver import __version__
    from mockserver.faults import Fault
    from streamproof.adapter import adapter
    from streamproof.judge import judge
    from streamproof.lint import lint
    from streamproof.report import report
    from streamproof.run import run
    from streamproof.serve import serve
    from streamproof.show import show
    from streamproof.upgrade import upgrade
except ImportError as error:
    click.echo(displaced.explained(error), err=True)
    sys.exit(displaced.EXIT)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="streamproof")
def cli() -> None:
    """A mock upstream and a conformance kit for LLM streaming adapters."""


for command in (serve, lint, show, run, judge, report, adapter, upgrade):
    cli.add_command(command)


def main() -> None:
    """Run a command; a mistake is told without a traceback, whose it is and where."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    try:
        # Outside of its standalone mode click returns the code of a command that exits.
        sys.exit(cli.main(prog_name="streamproof", standalone_mode=False) or 0)
    except Fault as fault:
        lines = f"{fault.culprit} is at fault:\n{fault}".split("\n")
        click.echo("\n".join(map(visible, lines)), err=True)
        sys.exit(fault.exit_code)
    except click.ClickException as mistake:
        mistake.show()
        sys.exit(4)
    except click.Abort:
        sys.exit(2)


if __name__ == "__main__":
    main()
