"""The command ``python -m mockserver``: runs the mock upstream without the conformance kit."""

import sys
from typing import Any

import click

from mockserver import __version__
from mockserver.foundation.faults import Fault
from mockserver.foundation.visible import log_to_stderr, say, say_usage_error
from mockserver.server.foreground import serve
from mockserver.server.options import Options, serving_options

_USAGE_EXIT = 4
_INTERRUPTED_EXIT = 2


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@serving_options
@click.version_option(__version__, prog_name="mockserver")
def command(**options: Any) -> None:
    """Play model upstreams from scenarios."""
    log_to_stderr()
    serve(Options(**options))


def main() -> int:
    """Run the command, print faults without a traceback, and return the exit code."""
    try:
        command.main(prog_name="python -m mockserver", standalone_mode=False)
    except click.ClickException as error:
        say_usage_error(error)
        return _USAGE_EXIT
    except click.Abort:
        return _INTERRUPTED_EXIT
    except Fault as fault:
        say(f"{fault.culprit}: {fault}", err=True)
        return fault.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
