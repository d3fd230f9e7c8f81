"""The results of several files, by adapter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mockserver.faults import Problem, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.recorded import Recording
    from conformance.contract.results import Result
    from conformance.contract.traits import Traits

_EXITS = {
    2: "it was interrupted",
    3: "the adapter could not be driven",
    4: "it was used wrongly, or streamproof is at fault",
    5: "nothing was selected",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A result, its file, and the options that name its adapter to ``streamproof show``."""

    result: Result
    file: str
    options: tuple[str, ...]


@dataclass
class Gathered:
    """The results of one adapter, from however many files; ``versions`` are the kit's."""

    adapter: str
    traits: Traits
    versions: dict[str, None] = field(default_factory=dict)
    cases: dict[str, Cell] = field(default_factory=dict)

    def add(self, result: Result, recording: Recording) -> None:
        """Raises UserError where the case has a result already."""
        file = recording.file
        if known := self.cases.get(result.case):
            told = f"{file} has a result of {self.adapter} for {result.case}, as {known.file} has"
            raise UserError(Problem(told, hint="report one run of an adapter at a time"))
        self.cases[result.case] = Cell(result, file, recording.options[self.adapter])

    @property
    def results(self) -> list[Result]:
        return [cell.result for cell in self.cases.values()]

    @property
    def implementation(self) -> str:
        """What the adapter said that it is; empty where it was never asked."""
        return next((r.implementation for r in self.results if r.implementation), "")


def gathered(recordings: Sequence[Recording]) -> list[Gathered]:
    """Every adapter of some files. Raises UserError where two files do not go together."""
    found: dict[str, Gathered] = {}
    for recording in recordings:
        for name, traits in recording.traits.items():
            mine = found.setdefault(name, Gathered(name, traits))
            if mine.traits != traits:
                message = f"{recording.file} has other traits for {name} than the files before it"
                raise UserError(Problem(message, hint="give each adapter a name of its own"))
            mine.versions[recording.version] = None
        for recorded in recording.results:
            found[recorded.result.adapter].add(recorded.result, recording)
    return list(found.values())


def unfinished(recordings: Sequence[Recording]) -> dict[str, str]:
    """Why a file holds less than a whole run, by its name; nothing where none does."""
    return {r.file: why for r in recordings if (why := _unfinished(r))}


def _unfinished(recording: Recording) -> str:
    if recording.incomplete:
        return recording.incomplete
    told = any(recorded.result.status == "broken" for recorded in recording.results)
    if recording.exit not in _EXITS or told:
        return ""
    return f"{recording.file}: the run ended with {recording.exit}: {_EXITS[recording.exit]}"
