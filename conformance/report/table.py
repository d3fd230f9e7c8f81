"""The tables of the results page: cases by adapters, and the failing results of each adapter.

The cases are in groups of which all but the first are folded. A group has a table for each dialect,
whose columns are the adapters that have results in it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.findings.words import message_of
from conformance.report import summary
from conformance.report.by_adapter import AdapterResults
from conformance.report.case_section import Situation, rules, word
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


_MAX_MESSAGE = 400
# A row belongs to the first group for which any of its results qualifies.
_GROUPS: dict[str, Callable[[Result], bool]] = {
    "Failing cases": _fails,
    "Passing cases, with findings that fail nothing": lambda result: bool(result.findings),
    "Passing cases": lambda result: result.status == "passed",
    "Cases that do not apply": lambda _result: True,
}


def groups_of_cases(cases: Sequence[str], adapters: Sequence[AdapterResults]) -> list[Group]:
    """All cases in groups, those that fail first; every group is there, if only without cases."""
    by_place: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for n, case in enumerate(cases):
        results = [each.cases[case].result for each in adapters if case in each.cases]
        heading = next(each for each, holds in _GROUPS.items() if any(map(holds, results)))
        by_place[heading, dialect_of(case)].append((n, case))
    columns: dict[str, dict[int, AdapterResults]] = defaultdict(dict)
    for m, each in enumerate(adapters):
        for dialect in dict.fromkeys(map(dialect_of, each.cases)):
            columns[dialect][m] = each
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


def dialect_of(case: str) -> str:
    """The dialect in a case id; empty if it has none."""
    return case.partition("@")[2].partition("+")[0]


_Columns = Mapping[int, AdapterResults]
"""The adapters of a table by their numbers."""


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


@dataclass(frozen=True, slots=True)
class Failure:
    """A failing result: its case, what it breaks, the first finding's message, its run's id.

    ``title`` and ``conduct`` are the scenario's; empty if there is none.
    """

    run: str
    pieces: Sequence[str]
    title: str
    conduct: str
    status: Status
    word: str
    rules: Sequence[str]
    message: str


@dataclass(frozen=True, slots=True)
class Failures:
    """The failing results of one adapter; ``known`` are the known failures among them."""

    adapter: str
    unexpected: Sequence[Failure]
    known: Sequence[Failure]


def failures_of(
    results: Iterable[tuple[str, Result]], situations: Mapping[str, Situation]
) -> Iterator[Failures]:
    """The failures of each adapter that has any.

    ``results`` come with the ids of their runs, ``situations`` are by case.
    """
    by_adapter: dict[str, list[Failure]] = {}
    for run, result in results:
        if _fails(result):
            by_adapter.setdefault(result.adapter, []).append(
                _failure(run, result, situations[result.case])
            )
    for adapter, failures in by_adapter.items():
        known = [each for each in failures if each.status == "known"]
        yield Failures(adapter, [each for each in failures if each.status != "known"], known)


def _failure(run: str, result: Result, situation: Situation) -> Failure:
    """A failing result; its message is that of the finding that is named first, or the reason."""
    first = min(result.findings, key=lambda finding: finding.level != "must", default=None)
    return Failure(
        run=run,
        pieces=pieces_of(result.case),
        title="" if situation.unknown else situation.title,
        conduct=situation.conduct,
        status=result.status,
        word=word(result),
        rules=rules(result),
        message=summary.clip(message_of(first) if first else result.why, _MAX_MESSAGE),
    )
