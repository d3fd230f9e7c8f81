"""Renders results as one HTML page: a table of scenarios by adapters, and a section for each case.

The page needs no other file and has no script. A cell is a link to a section, which is shown while
it is the link's target. All values come from adapters and scenario files, so all of them are
escaped (``conformance.report.page``), and a policy in the page forbids scripts and loading.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.report.by_adapter import AdapterResults, gather_by_adapter, unfinished
from conformance.report.case_section import WORDS, opened, word
from conformance.report.page import rendered
from conformance.report.semantics import cited
from mockserver import __version__
from mockserver.render import Renderings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.recorded import Recording
    from conformance.contract.results import Status
    from conformance.report.by_adapter import Cell
    from mockserver.render import Case


@dataclass(frozen=True, slots=True)
class _Summary:
    """The results of one adapter by status, and its traits that are not the defaults."""

    adapter: str
    implementation: str
    counts: Mapping[Status, int]
    traits: str


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of the table: a result, and the id of the section that it links to."""

    status: Status
    run: str
    word: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the table: the case id, which may wrap between ``pieces``, and a cell by adapter.

    A cell is None if the adapter has no result for the case.
    """

    pieces: Sequence[str]
    cells: Sequence[_Cell | None]


def matrix(recordings: Sequence[Recording], named: Callable[[str], Case]) -> str:
    """The page as HTML; ``named`` finds a case by its id, or raises a Fault.

    Raises UserError if two files disagree.
    """
    adapters = gather_by_adapter(recordings)
    cases = list(dict.fromkeys(case for each in adapters for case in each.cases))
    renderings = Renderings()
    return rendered(
        "matrix.html.j2",
        words=WORDS,
        incomplete=list(unfinished(recordings).values()),
        summaries=list(map(_summary, adapters)),
        rows=[_row(n, case, adapters) for n, case in enumerate(cases)],
        # One case at a time: all of them opened take much memory.
        opened=(opened(n, case, adapters, named, renderings) for n, case in enumerate(cases)),
        cited=cited(finding.source for each in adapters for finding in _findings(each)),
        version=__version__,
    )


def _findings(each: AdapterResults) -> Iterator[Finding]:
    return (finding for cell in each.cases.values() for finding in cell.result.findings)


def badge(recordings: Sequence[Recording]) -> dict[str, object]:
    """A badge in the format of shields.io: how many of the applicable cases pass."""
    counts = Counter(r.status for each in gather_by_adapter(recordings) for r in each.results)
    asked = counts.total() - counts["not-applicable"]
    whole = not unfinished(recordings) and 0 < asked == counts["passed"]
    colour = "brightgreen" if whole else "red" if counts["failed"] + counts["broken"] else "yellow"
    message = f"{counts['passed']} of {asked}" if asked else "nothing was played"
    return {"schemaVersion": 1, "label": "streamproof", "message": message, "color": colour}


def _summary(each: AdapterResults) -> _Summary:
    counts = Counter(result.status for result in each.results)
    by_status = {status: counts[status] for status in WORDS}
    return _Summary(each.adapter, each.implementation or "unknown", by_status, _traits(each.traits))


def _traits(traits: Traits) -> str:
    defaults = asdict(Traits())
    declared = asdict(traits).items()
    return ", ".join(f"{name}: {value}" for name, value in declared if value != defaults[name])


def _row(n: int, case: str, adapters: Sequence[AdapterResults]) -> _Row:
    pieces = re.split(r"(?<=[/-])|(?=[@+])", case)
    return _Row(pieces, [_cell(n, m, each.cases.get(case)) for m, each in enumerate(adapters)])


def _cell(n: int, m: int, cell: Cell | None) -> _Cell | None:
    return _Cell(cell.result.status, f"run-{n}-{m}", word(cell.result)) if cell else None
