"""Makes ``docs/mutants.md`` from the operators and the declared equivalents."""

from collections.abc import Iterator
from itertools import groupby

from tests.docs.pages import ROOT
from tests.mutation.equivalents import Equivalent, read
from tests.mutation.operators import OPERATORS
from tests.mutation.table import LEAST_KILLED, MOST_EQUIVALENT

PLACE = ROOT / "docs" / "mutants.md"

_HEAD = """\
# Mutants

A suite is as good as the mistakes that it finds. So small mistakes are made in adapters that have
none, and the suite judges each, by the command `python benchmarks/mutants.py`.

The mistakes are made in the reference adapters (`conformance/dialects/*/reference/`), in what they
share, and in their decoder of event streams (`conformance/dialects/client/`), by {count} operators:
{operators}. The seed decides which mutants are drawn. `--only FILE` draws them from files with this
in their path; `--mutants N` and `--jobs N` say how many are drawn and judged at a time.

First the adapters are played as they are, also under other traits than their descriptions have, and
it is noted which statements each case executes. Then a mutant is played the cases that execute its
changed statement, in a process of its own, until one has a finding that the adapter without the
mistake does not have. What hangs, crashes or takes too much memory is killed, too. Cases are played
without sockets; the claims `live`, `count` and the refusal of unknown dialects with them.

| outcome | what it means |
| --- | --- |
| not viable | the module cannot be imported; the mutant counts no further |
| killed | a case has a finding |
| equivalent | it survived, and is declared below, with a reason |
| survived | the suite does not see the mistake, or no case executes it |

At least {killed:.0%} of the viable mutants that are not equivalent should be killed, and at most
{equivalent:.0%} of the viable ones declared equivalent. The command ends with a table by file and
by operator, and writes the survivors, with their diffs, to `survivors.diff`. It says of each
whether the adapter does anything else than without the mistake. If it does, a rule is missing, or
the other behaviour is right, too; if it does not, a scenario is missing, or the code is not needed.
`benchmarks/README.md` has the results of one run.

## Equivalents

`benchmarks/equivalents.yaml` declares mutants that are no mistakes, each by its file, function,
operator and line. A mutant that is declared here and killed fails the command.
"""

_GROUP = """
### {because}

| function | operator | line | becomes |
| --- | --- | --- | --- |
"""


def page() -> str:
    head = _HEAD.format(
        count=len(OPERATORS),
        operators=", ".join(OPERATORS),
        killed=LEAST_KILLED,
        equivalent=MOST_EQUIVALENT,
    )
    return head + "".join(_groups())


def write() -> None:
    PLACE.write_text(page(), "utf-8")


def _groups() -> Iterator[str]:
    for because, group in groupby(read(), key=lambda each: each.because):
        yield _GROUP.format(because=because)
        yield from map(_row, group)


def _row(each: Equivalent) -> str:
    module = each.file.removeprefix("conformance/dialects/").removesuffix(".py")
    function = f"{module}: {each.function}" if each.function else module
    cells = (function, each.operator, _code(each.line), _code(each.becomes))
    return f"| {' | '.join(cells)} |\n"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else "any"
