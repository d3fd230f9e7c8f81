"""The tables of cases by adapters, in groups of which all but the first are folded.

A group has a table for each dialect, whose columns are the adapters that have results in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.report.by_adapter import AdapterResults
from conformance.report.case_section import rules, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conformance.report.by_adapter import Cell
    from conformance.report.results import Result, Status


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: a result in one word, the rules that it breaks, and the id of the run it opens."""

    status: Status
    run: str
    word: str
    rules: Sequence[str]


@dataclass(frozen=True, slots=True)
class Row:
    """A row: the case id, which may wrap between ``pieces``, and a cell for each column.

    A cell is None if the adapter has no result for the case.
    """

    pieces: Sequence[str]
    cells: Sequence[TableCell | None]


@dataclass(frozen=True, slots=True)
class Table:
    """The cases of one dialect by adapters; ``dialect`` is empty for cases that need none."""

    dialect: str
    adapters: Sequence[str]
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that are shown together under a heading."""

    heading: str
    tables: Sequence[Table]

    @property
    def count(self) -> int:
        """The number of cases."""
        return sum(len(table.rows) for table in self.tables)


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


def groups_of_cases(cases: Sequence[str], adapters: Sequence[AdapterResults]) -> list[Group]:
    """All cases in groups, those that fail first; every group is there, if only without cases."""
    by_place: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for n, case in enumerate(cases):
        cells = [each.cases[case] for each in adapters if case in each.cases]
        by_place[_heading(cells), dialect_of(case)].append((n, case))
    columns = _columns(adapters)
    return [
        Group(
            heading,
            [
                _table(dialect, numbered, columns[dialect])
                for (at, dialect), numbered in by_place.items()
                if at == heading
            ],
        )
        for heading in _GROUPS
    ]


def _heading(cells: Sequence[Cell]) -> str:
    results = [cell.result for cell in cells]
    return next(heading for heading, qualifies in _GROUPS.items() if any(map(qualifies, results)))


def dialect_of(case: str) -> str:
    """The dialect in a case id; empty if it has none."""
    return case.partition("@")[2].partition("+")[0]


_Columns = Mapping[int, AdapterResults]
"""The adapters of a table by their numbers."""


def _columns(adapters: Sequence[AdapterResults]) -> dict[str, dict[int, AdapterResults]]:
    """The columns of the tables by dialect."""
    columns: dict[str, dict[int, AdapterResults]] = defaultdict(dict)
    for m, each in enumerate(adapters):
        for dialect in dict.fromkeys(map(dialect_of, each.cases)):
            columns[dialect][m] = each
    return columns


def _table(dialect: str, numbered: Iterable[tuple[int, str]], columns: _Columns) -> Table:
    rows = [Row(pieces_of(case), list(_cells(n, case, columns))) for n, case in numbered]
    return Table(dialect, [each.adapter for each in columns.values()], rows)


def _cells(n: int, case: str, columns: _Columns) -> Iterator[TableCell | None]:
    for m, each in columns.items():
        if cell := each.cases.get(case):
            result = cell.result
            yield TableCell(result.status, f"run-{n}-{m}", word(result), rules(result))
        else:
            yield None


def pieces_of(case: str) -> list[str]:
    """A case id in pieces between which a line may break, as it may after a hyphen."""
    return re.split(r"(?<=/)|(?=[@+])", case)
