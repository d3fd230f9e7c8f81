"""Mutants that are declared equivalent: no user can notice what they change, or it is no mistake.

The file has groups, each with the reason that its mutants share. A mutant is found by its file, its
function, the text of its line, and what the line becomes, so that edits elsewhere do not matter. A
line alone stands for every change of it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from mockserver.foundation.faults import Place, Problem, UserError
from tests.mutation.mutant import ROOT, Mutant

PATH = ROOT / "benchmarks" / "equivalents.yaml"
FOLDER = "conformance/dialects/"


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A declared equivalent; an empty ``becomes`` stands for every change of the line."""

    file: str
    function: str
    line: str
    becomes: str
    because: str

    def is_of(self, mutant: Mutant) -> bool:
        """Whether a mutant is meant."""
        place = (mutant.file, mutant.function, mutant.line)
        same = place == (self.file, self.function, self.line)
        return same and self.becomes in ("", mutant.becomes)


def read(path: Path = PATH) -> tuple[Equivalent, ...]:
    """Read the file of equivalents. Raises UserError."""
    groups = yaml.safe_load(path.read_text("utf-8")) or []
    return tuple(each for group in groups for each in _equivalents(path, group))


def _equivalents(path: Path, group: Mapping[str, Any]) -> Iterator[Equivalent]:
    because = " ".join(group["because"].split())
    for where, changes in group["mutants"].items():
        file, _, function = where.partition(" ")
        for line, *becomes in changes:
            if not because or len(becomes) > 1:
                hint = "each has a line, perhaps what it becomes, and its group a reason"
                raise UserError(Problem(f"not an equivalent: {line}", Place(str(path)), hint))
            yield Equivalent(FOLDER + file, function, line, "".join(becomes), because)


def reason(mutant: Mutant, declared: Iterable[Equivalent]) -> str:
    """Why a mutant is equivalent; empty if it is not declared so."""
    return next((each.because for each in declared if each.is_of(mutant)), "")
