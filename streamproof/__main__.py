"""``streamproof``: one command for each file in ``_commands``."""

import errno
import os
import sys

import click

from streamproof import _displaced as displaced
from streamproof._commands.lazy import Command, Commands

try:
    from mockserver import __version__
    from mockserver.foundation.faults import Fault
    from mockserver.foundation.proxies import LOCAL, exempting
    from mockserver.foundation.visible import log_to_stderr, say, say_usage_error
except ImportError as error:
    click.echo(displaced.explain(error), err=True)
    sys.exit(displaced.EXIT)

USAGE = 4
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

TABLE = {
    "adapter": Command("adapter:adapter", "Begin an adapter, or check one."),
    "explain": Command("explain:explain", "Explain a rule: sources and reason."),
    "import": Command("capture_import:import_", "Make a scenario of a captured stream."),
    "judge": Command("judge:judge", "Judge a recorded run, or a recorded stream."),
    "list": Command("list:list_", "List scenarios, by words and by what they are about."),
    "lint": Command("lint:lint", "Check scenario files and folders."),
    "new": Command("scenario_new:new", "Begin a scenario."),
    "record": Command("capture_record:record", "Record a real upstream through a proxy."),
    "report": Command("report:report", "Render results files as HTML, JUnit or badge."),
    "repro": Command("repro:repro", "Write a case as a folder that shows a finding."),
    "run": Command("run:run", "Run the suite against adapters."),
    "schema": Command("schema:schema", "Give an editor the schema of scenarios."),
    "serve": Command("serve:serve", "Play scenarios to any SDK."),
    "show": Command("show:show", "Show a scenario, or a run of it, as a timeline."),
}

START = """\
streamproof plays the upstream of an LLM streaming adapter, and says which
rules the adapter breaks. Three things to do with it:

Point an adapter at the mock: any SDK, any language, any key.
  streamproof serve
  base URL: http://127.0.0.1:4100/s/any/text-and-call-interleave/v1
  (/s/ is followed by the scenario to play)

Run the suite against an implementation: begin with an adapter that works.
  streamproof adapter new --lang python my-adapter
  streamproof run --adapter my-adapter/adapter.yaml

Add a scenario for a bug: begin with one that is played.
  streamproof new my-scenarios/any/my-bug.yaml
  streamproof run --scenarios my-scenarios -k my-bug

streamproof --help lists all commands.
"""


@click.group(
    cls=Commands,
    table=TABLE,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="streamproof")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A mock upstream and a conformance kit for LLM streaming adapters."""
    if ctx.invoked_subcommand is None:
        # As click does without a command: a usage error, whose text is not output.
        click.echo(START, nl=False, err=True)
        ctx.exit(USAGE)


def main() -> None:
    """Run a command. Faults are printed without a traceback, with their place and a hint."""
    log_to_stderr()
    os.environ.update(exempting(os.environ, *LOCAL))
    try:
        # Outside of its standalone mode click returns the code of a command that exits.
        sys.exit(cli.main(prog_name="streamproof", standalone_mode=False) or 0)
    except Fault as fault:
        say(f"{fault.culprit} is at fault:\n{fault}", err=True)
        sys.exit(fault.exit_code)
    except ImportError as error:
        click.echo(displaced.explain(error), err=True)
        sys.exit(displaced.EXIT)
    except click.ClickException as mistake:
        say_usage_error(mistake)
        sys.exit(USAGE)
    except OSError as error:
        if error.filename is not None or error.errno not in _NO_SPACE:
            raise
        say(f"the output cannot be written: {error.strerror}", err=True)
        sys.exit(USAGE)
    except click.Abort:
        sys.exit(2)


if __name__ == "__main__":
    main()
