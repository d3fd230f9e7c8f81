"""Renders results as one HTML page: totals by rule, failures, and a table of cases by adapters.

The page needs no other file. What a cell opens is in the page as compressed HTML, one piece for
each case, and the page's only script unpacks it when a cell is opened, so that a page with many
results opens quickly. All values come from adapters and scenario files, so all of them are escaped
(``conformance.report.page``). A policy in the page forbids loading, and every script and style but
its own two, which it names by their hashes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.findings.causes import STREAMS
from conformance.report.by_adapter import (
    AdapterResults,
    differences,
    gather_by_adapter,
    unfinished,
)
from conformance.report.case_section import WORDS, opened, situation_of
from conformance.report.causes import totals_by_cause
from conformance.report.failures import failures_of
from conformance.report.page import Inline, packed, rendered
from conformance.report.table import groups_of_cases
from mockserver import __version__
from mockserver.cases.render import Renderings
from mockserver.foundation.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.report.recorded import Recording
    from conformance.report.results import Result, Status
    from mockserver.cases.case import Case


@dataclass(frozen=True, slots=True)
class _Summary:
    """The results of one adapter by status, and its traits that are not the defaults."""

    adapter: str
    implementation: str
    counts: Mapping[Status, int]
    traits: str


def matrix(recordings: Sequence[Recording], named: Callable[[str], Case]) -> str:
    """The page as HTML; ``named`` finds a case by its id, or raises a Fault.

    Raises UserError if two files disagree.
    """
    adapters = gather_by_adapter(recordings)
    cases = list(dict.fromkeys(case for each in adapters for case in each.cases))
    results = list(_by_run(cases, adapters))
    found = {case: _found(case, named) for case in cases}
    situations = {case: situation_of(case, found[case]) for case in cases}
    counts = _counts(result for _, result in results)
    renderings = Renderings()
    return rendered(
        "matrix.html.j2",
        heading=_heading(adapters, counts),
        style=Inline.of("matrix.css"),
        script=Inline.of("matrix.js"),
        words=WORDS,
        lacking=[*unfinished(recordings).values(), *differences(recordings)],
        counts=counts,
        summaries=list(map(_summary, adapters)),
        streams={conduct: f"on {words}" for conduct, words in STREAMS.items()},
        totals={level: totals_by_cause(results, level) for level in ("must", "should")},
        failures=list(failures_of(results, situations)),
        groups=groups_of_cases(cases, adapters),
        # One case at a time: all of them opened take much memory.
        packed=(
            packed("case.html.j2", case=opened(n, case, adapters, found[case], renderings))
            for n, case in enumerate(cases)
        ),
        version=__version__,
    )


def badge(recordings: Sequence[Recording]) -> dict[str, object]:
    """A badge in the format of shields.io: how many of the applicable cases pass."""
    adapters = gather_by_adapter(recordings)
    counts = Counter(r.status for each in adapters for r in each.results)
    asked = counts.total() - counts["not-applicable"]
    same = not any(each.differs_from for each in adapters)
    whole = same and not unfinished(recordings) and 0 < asked == counts["passed"]
    colour = "brightgreen" if whole else "red" if counts["failed"] + counts["broken"] else "yellow"
    message = f"{counts['passed']} of {asked}" if asked else "nothing was played"
    return {"schemaVersion": 1, "label": "streamproof", "message": message, "color": colour}


def _found(case: str, named: Callable[[str], Case]) -> Case | Fault:
    try:
        return named(case)
    except Fault as fault:
        return fault


def _by_run(
    cases: Sequence[str], adapters: Sequence[AdapterResults]
) -> Iterator[tuple[str, Result]]:
    """Every result with the id of its run: the numbers of its case and its adapter."""
    for m, each in enumerate(adapters):
        for n, case in enumerate(cases):
            if cell := each.cases.get(case):
                yield f"run-{n}-{m}", cell.result


def _counts(results: Iterator[Result]) -> dict[Status, int]:
    counts = Counter(result.status for result in results)
    return {status: counts[status] for status in WORDS}


def _heading(adapters: Sequence[AdapterResults], counts: Mapping[Status, int]) -> str:
    """The results in a few words."""
    names = [each.adapter for each in adapters if each.differs_from is None]
    who = names[0] if len(names) == 1 else f"{len(names):,} adapters"
    what = "cases" if len(adapters) == 1 else "results"
    asked = sum(counts.values()) - counts["not-applicable"]
    if not asked:
        return f"{who}: nothing was played"
    if counts["failed"]:
        return f"{who}: {counts['failed']:,} of {asked:,} {what} fail"
    if counts["broken"]:
        return f"{who}: {counts['broken']:,} of {asked:,} {what} could not be played"
    if counts["known"]:
        return f"{who}: no {what} fail but the known ones"
    return f"{who}: all {asked:,} {what} pass"


def _summary(each: AdapterResults) -> _Summary:
    counts = _counts(iter(each.results))
    return _Summary(each.adapter, each.implementation or "unknown", counts, _traits(each.traits))


def _traits(traits: Traits) -> str:
    defaults = asdict(Traits())
    declared = asdict(traits).items()
    return ", ".join(f"{name}: {value}" for name, value in declared if value != defaults[name])
