"""Groups the results of several files by adapter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mockserver.faults import Problem, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.recorded import Recording
    from conformance.contract.results import Result
    from conformance.contract.traits import Traits

# Exit statuses of a run that was not complete, and what they mean.
_EXITS = {
    2: "it was interrupted",
    3: "the adapter could not be driven",
    4: "it was used wrongly, or streamproof is at fault",
    5: "nothing was selected",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A result, the file that holds it, and the ``streamproof show`` options for its adapter."""

    result: Result
    file: str
    options: tuple[str, ...]


@dataclass
class AdapterResults:
    """The results of one adapter from all files.

    ``cases`` are by case id, ``versions`` the versions of the kit (a set that keeps its order).
    """

    adapter: str
    traits: Traits
    versions: dict[str, None] = field(default_factory=dict)
    cases: dict[str, Cell] = field(default_factory=dict)

    def add(self, result: Result, recording: Recording) -> None:
        """Add a result from a file. Raises UserError if the case already has one."""
        file = recording.file
        if known := self.cases.get(result.case):
            message = (
                f"{file} has a result of {self.adapter} for {result.case}, as {known.file} has"
            )
            raise UserError(Problem(message, hint="report one run of an adapter at a time"))
        self.cases[result.case] = Cell(result, file, recording.options[self.adapter])

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

    Raises UserError if two files disagree on an adapter's traits or both have a result of a case.
    """
    found: dict[str, AdapterResults] = {}
    for recording in recordings:
        for name, traits in recording.traits.items():
            adapter_results = found.setdefault(name, AdapterResults(name, traits))
            if adapter_results.traits != traits:
                message = f"{recording.file} has other traits for {name} than the files before it"
                raise UserError(Problem(message, hint="give each adapter a name of its own"))
            adapter_results.versions[recording.version] = None
        for recorded in recording.results:
            found[recorded.result.adapter].add(recorded.result, recording)
    return list(found.values())


def unfinished(recordings: Sequence[Recording]) -> dict[str, str]:
    """Why files hold an incomplete run, by file name; complete files are left out."""
    return {r.file: why for r in recordings if (why := _unfinished(r))}


def _unfinished(recording: Recording) -> str:
    if recording.incomplete:
        return recording.incomplete
    explained = any(recorded.result.status == "broken" for recorded in recording.results)
    if recording.exit not in _EXITS or explained:
        return ""
    return f"{recording.file}: the run ended with {recording.exit}: {_EXITS[recording.exit]}"
