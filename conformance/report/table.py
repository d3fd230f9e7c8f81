"""The table of cases by adapters: its rows, in groups of which all but the first are folded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.report.case_section import rules, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.contract.results import Result, Status
    from conformance.report.by_adapter import AdapterResults, Cell


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: a result in one word, the rules that it breaks, and the id of the run it opens."""

    status: Status
    run: str
    word: str
    rules: Sequence[str]


@dataclass(frozen=True, slots=True)
class Row:
    """A row: the case id, which may wrap between ``pieces``, and a cell for each adapter.

    A cell is None if the adapter has no result for the case.
    """

    n: int
    pieces: Sequence[str]
    cells: Sequence[TableCell | None]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that are shown together under a heading."""

    heading: str
    rows: Sequence[Row]


def _fails(result: Result) -> bool:
    return result.status in ("failed", "known", "broken")


def _has_findings(result: Result) -> bool:
    return bool(result.findings)


def _passes(result: Result) -> bool:
    return result.status == "passed"


def _any_result(_: Result) -> bool:
    return True


# A row belongs to the first group for which any of its results qualifies.
_GROUPS: dict[str, Callable[[Result], bool]] = {
    "Failing cases": _fails,
    "Passing cases, with findings that fail nothing": _has_findings,
    "Passing cases": _passes,
    "Cases that do not apply": _any_result,
}


def groups_of_rows(cases: Sequence[str], adapters: Sequence[AdapterResults]) -> list[Group]:
    """The rows of all cases in groups: those that fail first, then those that are folded."""
    by_heading: dict[str, list[Row]] = {heading: [] for heading in _GROUPS}
    for n, case in enumerate(cases):
        cells = [each.cases.get(case) for each in adapters]
        by_heading[_heading(cells)].append(_row(n, case, cells))
    return [Group(heading, rows) for heading, rows in by_heading.items()]


def _heading(cells: Sequence[Cell | None]) -> str:
    results = [cell.result for cell in cells if cell]
    return next(heading for heading, qualifies in _GROUPS.items() if any(map(qualifies, results)))


def _row(n: int, case: str, cells: Sequence[Cell | None]) -> Row:
    return Row(n, pieces_of(case), list(_cells(n, cells)))


def _cells(n: int, cells: Sequence[Cell | None]) -> Iterator[TableCell | None]:
    for m, cell in enumerate(cells):
        if cell is None:
            yield None
        else:
            result = cell.result
            yield TableCell(result.status, f"run-{n}-{m}", word(result), rules(result))


def pieces_of(case: str) -> list[str]:
    """A case id in pieces between which a line may break."""
    return re.split(r"(?<=[/-])|(?=[@+])", case)
