"""Gathers the findings in results by their causes, and compares the causes of two runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from conformance.findings.causes import Cause, Found, group_by_cause
from conformance.findings.finding import Level
from conformance.findings.words import message_of
from conformance.report.by_adapter import gather_by_adapter
from conformance.report.recorded import Recording
from conformance.report.results import Result
from conformance.rules.tables import TABLES

_MOST_FIRST = 3


class Broken(NamedTuple):
    """A result that breaks a rule; ``run`` is the id of the cell's run."""

    run: str
    result: Result


@dataclass(frozen=True, slots=True)
class CauseTotal:
    """A cause in the results: how many show it, and the first of them.

    ``message`` is what happened in its smallest case; ``holds`` is the rule in words, empty if the
    kit does not know it. Known failures are counted apart, as ``known``. ``adapters`` is by how
    many adapters all of these are.
    """

    cause: Cause
    message: str
    holds: str
    count: int
    known: int
    adapters: int
    first: Sequence[Broken]


def totals_by_cause(results: Iterable[tuple[str, Result]], level: Level) -> list[CauseTotal]:
    """A total for each cause of this level, those on legal streams first.

    ``results`` come with the ids of their runs. A result counts once for a cause; what another
    finding explains does not count.
    """
    by_run = dict(results)
    found = (
        Found(run, result.conduct, finding, result.size)
        for run, result in by_run.items()
        for finding in result.findings
        if finding.level == level
    )
    return [_total(cause, by_run) for cause in group_by_cause(found)]


def _total(cause: Cause, by_run: Mapping[str, Result]) -> CauseTotal:
    broken = [Broken(run, by_run[run]) for run in cause.cases]
    known = [each for each in broken if each.result.status == "known"]
    others = [each for each in broken if each.result.status != "known"]
    return CauseTotal(
        cause=cause,
        message=message_of(cause.smallest.finding),
        holds=_holds().get(cause.rule, ""),
        count=len(others),
        known=len(known),
        adapters=len({each.result.adapter for each in broken}),
        first=[*others, *known][:_MOST_FIRST],
    )


@cache
def _holds() -> Mapping[str, str]:
    """What each rule says, by its id; rules about adapters come before those about streams."""
    return {rule.id: rule.holds for table in reversed([*TABLES.values()]) for rule in table}


def causes_of(results: Iterable[Result]) -> list[Cause]:
    """The causes of the failures in results, without known failures."""
    return group_by_cause(_found_in(each for each in results if each.status == "failed"))


def _found_in(results: Iterable[Result]) -> Iterator[Found]:
    """The findings of results; those that another finding explains are left out."""
    for result in results:
        for finding in result.findings:
            yield Found(result.case, result.conduct, finding, result.size)


@dataclass(frozen=True, slots=True)
class Change:
    """A cause that differs between two runs: it came, it went, or other cases show it now.

    ``gained`` are the cases that show it in the second run alone, ``lost`` those in the first.
    """

    what: Literal["came", "went", "changed"]
    adapter: str
    cause: Cause
    gained: Sequence[str]
    lost: Sequence[str]

    def lines(self) -> Iterator[str]:
        """The change in words, for a terminal."""
        cause, smallest = self.cause, self.cause.smallest
        cases = f"{len(cause.cases):,} case{'' if len(cause.cases) == 1 else 's'}"
        yield (
            f"{self.what}: {self.adapter}: {cause.title} ({cause.level}), {cases}, the "
            f"smallest is {smallest.case}: {message_of(smallest.finding)}"
        )
        if self.what == "changed":
            yield from (f"  + {case}" for case in self.gained)
            yield from (f"  - {case}" for case in self.lost)


def compare(before: Sequence[Recording], after: Sequence[Recording]) -> list[Change]:
    """What differs in the causes of all findings, known ones included: those that came first.

    Raises UserError if a file has two results of a case.
    """
    old, new = (dict(_by_adapter(recordings)) for recordings in (before, after))
    changes = []
    for key in {**new, **old}:
        adapter = key[0]
        first, then = old.get(key), new.get(key)
        seen, seen_then = (set(cause.cases) if cause else set() for cause in (first, then))
        if cause := then or first:
            gained, lost = sorted(seen_then - seen), sorted(seen - seen_then)
            if gained or lost:
                what: Literal["came", "went", "changed"] = (
                    "changed" if first and then else "came" if then else "went"
                )
                changes.append(Change(what, adapter, cause, gained, lost))
    return sorted(changes, key=lambda each: ("came", "went", "changed").index(each.what))


def _by_adapter(recordings: Sequence[Recording]) -> Iterator[tuple[tuple[str, object], Cause]]:
    for each in gather_by_adapter(recordings):
        for cause in group_by_cause(_found_in(each.results)):
            yield (each.adapter, cause.id), cause
