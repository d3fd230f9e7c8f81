"""Results as one HTML page: a table of cases by adapters, where each cell links to its details.

The page is self-contained: no script and no external resources. Details are shown while they are
the target of a link. Contents come from adapters and scenario files, so all text is HTML-escaped,
unprintable characters are written as escapes, and a policy in the page forbids scripts and loading.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from importlib.resources import files
from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.report.by_adapter import AdapterResults, gather_by_adapter, unfinished
from conformance.report.cell import WORDS, case_html, safe, status_word
from mockserver import __version__
from mockserver.render import Renderings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.contract.recorded import Recording
    from conformance.report.by_adapter import Cell
    from mockserver.render import Case

_NO_RESULT = "–"


def matrix(recordings: Sequence[Recording], find_case: Callable[[str], Case]) -> str:
    """The page as HTML; ``find_case`` finds a case by its id, or raises a Fault.

    Raises UserError if two files contradict each other.
    """
    adapters = gather_by_adapter(recordings)
    cases = list(dict.fromkeys(case for each in adapters for case in each.cases))
    lacking = unfinished(recordings).values()
    renderings = Renderings()
    pieces = {
        "style": _template("matrix.css"),
        "summary": "".join(map(_summary, adapters)),
        "lacking": "".join(f"<p class=lacking>{safe(why)}</p>" for why in lacking),
        "heads": "".join(f"<th scope=col>{safe(each.adapter)}</th>" for each in adapters),
        "rows": "".join(_rows(cases, adapters)),
        "opened": "".join(
            case_html(n, case, adapters, find_case, renderings) for n, case in enumerate(cases)
        ),
        "version": safe(__version__),
    }
    # In one pass, so that braces in a piece are not taken for a placeholder.
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: pieces[slot[1]], _template("matrix.html"))


def _template(name: str) -> str:
    return files("conformance.report").joinpath("templates", name).read_text("utf-8")


def badge(recordings: Sequence[Recording]) -> dict[str, object]:
    """A badge in the JSON form of shields.io: how many applicable cases pass.

    Green if all pass and the run is complete, red if any fails, yellow otherwise.
    """
    counts = Counter(r.status for each in gather_by_adapter(recordings) for r in each.results)
    asked = counts.total() - counts["not-applicable"]
    all_passed = not unfinished(recordings) and 0 < asked == counts["passed"]
    colour = (
        "brightgreen" if all_passed else "red" if counts["failed"] + counts["broken"] else "yellow"
    )
    message = f"{counts['passed']} of {asked}" if asked else "nothing was played"
    return {"schemaVersion": 1, "label": "streamproof", "message": message, "color": colour}


def _summary(each: AdapterResults) -> str:
    counts: Counter[str] = Counter(result.status for result in each.results)
    cells = "".join(_count(status, counts[status]) for status in WORDS)
    known = safe(each.implementation or "unknown")
    heading = f"<th scope=row>{safe(each.adapter)}</th><td>{known}</td>"
    return f"<tr>{heading}{cells}<td class=traits>{safe(_traits(each.traits))}</td></tr>\n"


def _count(status: str, count: int) -> str:
    return f"<td class={status}>{count}</td>" if count else "<td>0</td>"


def _traits(traits: Traits) -> str:
    """The traits that differ from the defaults, in words."""
    usual = asdict(Traits())
    values = asdict(traits).items()
    return ", ".join(f"{name}: {value}" for name, value in values if value != usual[name])


def _rows(cases: Sequence[str], adapters: Sequence[AdapterResults]) -> Iterator[str]:
    for n, case in enumerate(cases):
        cells = "".join(_cell(n, m, each.cases.get(case)) for m, each in enumerate(adapters))
        yield f'<tr id="case-{n}"><th scope=row>{_case(case)}</th>{cells}</tr>\n'


def _case(id_: str) -> str:
    """A case id as HTML, with line breaks allowed between its words."""
    return re.sub(r"(?<=[/-])|(?=[@+])", "<wbr>", safe(id_))


def _cell(n: int, m: int, cell: Cell | None) -> str:
    if cell is None:
        return f"<td>{_NO_RESULT}</td>"
    return (
        f'<td class={cell.result.status}><a href="#run-{n}-{m}">{status_word(cell.result)}</a></td>'
    )
