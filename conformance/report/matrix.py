"""Results as one page: scenarios by adapters, each cell opening what happened there.

The page stands alone: no script, nothing from elsewhere. A cell is a link to what is shown while it
is the target. Everything in it came from adapters and scenario files, so all of it
is escaped, what cannot be seen is written as an escape, and a policy in the page forbids scripts
and loading of any kind.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from importlib.resources import files
from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.report.by_adapter import Gathered, gathered, unfinished
from conformance.report.cell import WORDS, opened, safe, word
from mockserver import __version__
from mockserver.render import Renderings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.contract.recorded import Recording
    from conformance.report.by_adapter import Cell
    from mockserver.render import Case

_NO_RESULT = "–"


def matrix(recordings: Sequence[Recording], named: Callable[[str], Case]) -> str:
    """The page as HTML; ``named`` finds a case by its id, or raises a Fault.

    Raises UserError where two files do not go together.
    """
    adapters = gathered(recordings)
    cases = list(dict.fromkeys(case for each in adapters for case in each.cases))
    lacking = unfinished(recordings).values()
    renderings = Renderings()
    pieces = {
        "style": _shipped("matrix.css"),
        "summary": "".join(map(_summary, adapters)),
        "lacking": "".join(f"<p class=lacking>{safe(why)}</p>" for why in lacking),
        "heads": "".join(f"<th scope=col>{safe(each.adapter)}</th>" for each in adapters),
        "rows": "".join(_rows(cases, adapters)),
        "opened": "".join(
            opened(n, case, adapters, named, renderings) for n, case in enumerate(cases)
        ),
        "version": safe(__version__),
    }
    # In one go: what a piece holds is never taken for a slot.
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: pieces[slot[1]], _shipped("matrix.html"))


def _shipped(name: str) -> str:
    return files("conformance.report").joinpath("templates", name).read_text("utf-8")


def badge(recordings: Sequence[Recording]) -> dict[str, object]:
    """A badge as shields.io reads it: how many of the cases that were asked for pass."""
    counts = Counter(r.status for each in gathered(recordings) for r in each.results)
    asked = counts.total() - counts["not-applicable"]
    whole = not unfinished(recordings) and 0 < asked == counts["passed"]
    colour = "brightgreen" if whole else "red" if counts["failed"] + counts["broken"] else "yellow"
    message = f"{counts['passed']} of {asked}" if asked else "nothing was played"
    return {"schemaVersion": 1, "label": "streamproof", "message": message, "color": colour}


def _summary(each: Gathered) -> str:
    counts: Counter[str] = Counter(result.status for result in each.results)
    cells = "".join(_count(status, counts[status]) for status in WORDS)
    known = safe(each.implementation or "unknown")
    named = f"<th scope=row>{safe(each.adapter)}</th><td>{known}</td>"
    return f"<tr>{named}{cells}<td class=traits>{safe(_traits(each.traits))}</td></tr>\n"


def _count(status: str, count: int) -> str:
    return f"<td class={status}>{count}</td>" if count else "<td>0</td>"


def _traits(traits: Traits) -> str:
    """Those that are not as usual."""
    usual = asdict(Traits())
    told = asdict(traits).items()
    return ", ".join(f"{name}: {value}" for name, value in told if value != usual[name])


def _rows(cases: Sequence[str], adapters: Sequence[Gathered]) -> Iterator[str]:
    for n, case in enumerate(cases):
        cells = "".join(_cell(n, m, each.cases.get(case)) for m, each in enumerate(adapters))
        yield f'<tr id="case-{n}"><th scope=row>{_case(case)}</th>{cells}</tr>\n'


def _case(id_: str) -> str:
    """A case id that may be broken where its words are."""
    return re.sub(r"(?<=[/-])|(?=[@+])", "<wbr>", safe(id_))


def _cell(n: int, m: int, cell: Cell | None) -> str:
    if cell is None:
        return f"<td>{_NO_RESULT}</td>"
    return f'<td class={cell.result.status}><a href="#run-{n}-{m}">{word(cell.result)}</a></td>'
