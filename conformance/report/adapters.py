"""Groups the results of several files by adapter and by cause, and compares those of two runs.

The files may be parts of one run, such as the parts that several hosts have played. A case that two
files agree on counts once. Where they differ, nothing is dropped: what the later file says is shown
beside the other adapters, under the adapter's name and that of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from conformance.contract.traits import Traits
from conformance.findings.causes import Cause, Found, group_by_cause
from conformance.findings.finding import Level
from conformance.findings.words import message_of
from conformance.report.recorded import Recording
from conformance.report.results import Result
from conformance.rules.tables import TABLES
from mockserver.foundation.faults import Problem, UserError

# Exit statuses of a run that was not complete, and what they mean.
_EXITS = {
    2: "it was interrupted",
    3: "the adapter could not be driven",
    4: "it was used wrongly, or streamproof is at fault",
    5: "nothing was selected",
}


# The cases that a message names, and the runs that show a cause.
_SHOWN = 3
_MOST_FIRST = 3


@dataclass(frozen=True, slots=True)
class Cell:
    """A result, the file that holds it, and the ``streamproof show`` options for its adapter."""

    result: Result
    file: str
    options: tuple[str, ...]


@dataclass
class AdapterResults:
    """The results of one adapter from all files.

    ``cases`` are by case id, ``versions`` the versions of the kit (a set that keeps its order). If
    these are the results that differ from those of an earlier file, ``differs_from`` has those.
    """

    adapter: str
    traits: Traits
    versions: dict[str, None] = field(default_factory=dict)
    cases: dict[str, Cell] = field(default_factory=dict)
    differs_from: AdapterResults | None = None

    def add(self, cell: Cell) -> bool:
        """Add a result. Returns whether that was possible: no file says otherwise about the case.

        Raises UserError if the same file has two results of the case.
        """
        known = self.cases.setdefault(cell.result.case, cell)
        if known is not cell and known.file == cell.file:
            message = f"{cell.file} has two results of {self.adapter} for {cell.result.case}"
            raise UserError(Problem(message, hint="name each file once"))
        return verdict_of(known.result) == verdict_of(cell.result)

    def apart(self, recording: Recording) -> AdapterResults:
        """Where the results of a file go that differ from these."""
        name = f"{self.adapter} ({recording.file})"
        return AdapterResults(name, self.traits, {recording.version: None}, differs_from=self)

    @property
    def results(self) -> list[Result]:
        """All results, in the order in which they were added."""
        return [cell.result for cell in self.cases.values()]

    @property
    def implementation(self) -> str:
        """The implementation's name and version from its hello; empty if it was never started."""
        return next((r.implementation for r in self.results if r.implementation), "")


def gather_by_adapter(recordings: Sequence[Recording]) -> list[AdapterResults]:
    """The results of each adapter in the files.

    Those that differ from an earlier file's come last. Raises UserError if two files disagree on an
    adapter's traits.
    """
    found: dict[str, AdapterResults] = {}
    apart: dict[tuple[str, str], AdapterResults] = {}
    for recording in recordings:
        for name, traits in recording.traits.items():
            adapter_results = found.setdefault(name, AdapterResults(name, traits))
            if adapter_results.traits != traits:
                message = f"{recording.file} has other traits for {name} than the files before it"
                raise UserError(Problem(message, hint="give each adapter a name of its own"))
            adapter_results.versions[recording.version] = None
        for result in recording.results.values():
            file = recording.file
            adapter = found[result.adapter]
            options = recording.options[result.adapter]
            if not adapter.add(Cell(result, file, options)):
                other = apart.setdefault((result.adapter, file), adapter.apart(recording))
                other.add(Cell(replace(result, adapter=other.adapter), file, options))
    return [*found.values(), *apart.values()]


def verdict_of(result: Result) -> tuple[str, list[str]]:
    """What two results of a case have in common if they agree: the status, and the broken rules."""
    return result.status, sorted({finding.rule for finding in result.findings})


def differences(recordings: Sequence[Recording]) -> list[str]:
    """Messages about files that differ: in verdicts, or in the version of the kit."""
    messages = [*_of_verdicts(gather_by_adapter(recordings))]
    first = {each.version: each.file for each in reversed(recordings)}
    if len(first) > 1:
        named = " and ".join(f"{version} ({first[version]})" for version in sorted(first))
        messages.append(f"the results are of different versions of streamproof: {named}")
    return messages


def _of_verdicts(adapters: Sequence[AdapterResults]) -> Iterator[str]:
    for each in adapters:
        if (before := each.differs_from) is None:
            continue
        named = [_difference(before.cases[case], cell) for case, cell in each.cases.items()]
        more = [f"and {len(named) - _SHOWN} more"] if len(named) > _SHOWN else []
        cases = "a case" if len(named) == 1 else f"{len(named)} cases"
        yield (
            f"the files differ in {cases} of {before.adapter}, so both results are shown: "
            + "; ".join(named[:_SHOWN] + more)
        )


def _difference(before: Cell, after: Cell) -> str:
    said = []
    for each in (before, after):
        status, rules = verdict_of(each.result)
        broken = f" ({', '.join(rules)})" if rules else ""
        said.append(f"{status}{broken} in {each.file}")
    return f"{after.result.case}: {', '.join(said)}"


def unfinished(recordings: Sequence[Recording]) -> dict[str, str]:
    """Why files hold an incomplete run, by file name; complete files are left out."""
    return {r.file: why for r in recordings if (why := _unfinished(r))}


def _unfinished(recording: Recording) -> str:
    if recording.incomplete:
        return recording.incomplete
    explained = any(result.status == "broken" for result in recording.results.values())
    if recording.exit not in _EXITS or explained:
        return ""
    return f"{recording.file}: the run ended with {recording.exit}: {_EXITS[recording.exit]}"


@dataclass(frozen=True, slots=True)
class CauseTotal:
    """A cause in the results: how many show it, and the first of them with the ids of their runs.

    ``holds`` is the rule in words, empty if the kit does not know it. Known failures are counted
    apart, as ``known``. ``adapters`` is by how many adapters all of these are.
    """

    cause: Cause
    holds: str
    count: int
    known: int
    adapters: int
    first: Sequence[tuple[str, Result]]


def totals_by_cause(results: Sequence[tuple[str, Result]], level: Level) -> list[CauseTotal]:
    """A total for each cause of this level, those on legal streams first.

    ``results`` come with the ids of their runs. A result counts once for a cause; what another
    finding explains does not count.
    """
    found = (
        Found(run, result.conduct, finding, result.size)
        for run, result in results
        for finding in result.findings
        if finding.level == level
    )
    by_run = dict(results)
    return [_total(cause, by_run) for cause in group_by_cause(found)]


def _total(cause: Cause, by_run: Mapping[str, Result]) -> CauseTotal:
    broken = [(run, by_run[run]) for run in cause.cases]
    known = [each for each in broken if each[1].status == "known"]
    others = [each for each in broken if each[1].status != "known"]
    adapters = len({result.adapter for _, result in broken})
    first = [*others, *known][:_MOST_FIRST]
    holds = _holds().get(cause.rule, "")
    return CauseTotal(cause, holds, len(others), len(known), adapters, first)


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

    what: _What
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


_What = Literal["came", "went", "changed"]
_WHAT: dict[tuple[bool, bool], _What] = {
    (False, True): "came",
    (True, False): "went",
    (True, True): "changed",
}


def compare(before: Sequence[Recording], after: Sequence[Recording]) -> list[Change]:
    """What differs in the causes of all findings, known ones included: those that came first.

    Raises UserError if a file has two results of a case.
    """
    old, new = (dict(_by_adapter(recordings)) for recordings in (before, after))
    changes = []
    for key in {**new, **old}:
        first, then = (set(causes[key].cases if key in causes else ()) for causes in (old, new))
        if first != then:
            what = _WHAT[bool(first), bool(then)]
            cause = new.get(key) or old[key]
            changes.append(Change(what, key[0], cause, sorted(then - first), sorted(first - then)))
    return sorted(changes, key=lambda each: list(_WHAT.values()).index(each.what))


def _by_adapter(recordings: Sequence[Recording]) -> Iterator[tuple[tuple[str, object], Cause]]:
    for each in gather_by_adapter(recordings):
        for cause in group_by_cause(_found_in(each.results)):
            yield (each.adapter, cause.id), cause
