"""Mutants that are declared equivalent: no upstream can show what they change, or it is no mistake.

The file has groups, each with the reason that its mutants share. A mutant is found by its file,
its function, its operator and the text of its line, so that edits elsewhere do not matter;
``becomes`` is the text of the changed line, where one operator changes a line in several ways.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from mockserver.foundation.faults import Place, Problem, UserError
from tests.mutation.mutant import ROOT, Mutant

PATH = ROOT / "benchmarks" / "equivalents.yaml"
_FIELDS = ("file", "function", "operator", "line", "becomes")


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A declared equivalent; an empty ``becomes`` stands for every change of the line."""

    file: str
    function: str
    operator: str
    line: str
    becomes: str
    because: str

    def is_of(self, mutant: Mutant) -> bool:
        """Whether a mutant is meant."""
        same = all(getattr(mutant, name) == getattr(self, name) for name in _FIELDS[:-1])
        return same and self.becomes in ("", mutant.becomes)


def read(path: Path = PATH) -> tuple[Equivalent, ...]:
    """Read the file of equivalents. Raises UserError."""
    groups = yaml.safe_load(path.read_text("utf-8")) or []
    return tuple(
        _equivalent(path, mutant, group["because"])
        for group in groups
        for mutant in group["mutants"]
    )


def _equivalent(path: Path, mutant: Mapping[str, Any], because: str) -> Equivalent:
    known = {"function": "", "becomes": "", **mutant}
    if set(known) != set(_FIELDS) or not because.strip():
        hint = f"each has file, function, operator, line, perhaps becomes, and a reason: {because}"
        raise UserError(Problem(f"not an equivalent: {dict(mutant)}", Place(str(path)), hint))
    return Equivalent(**known, because=" ".join(because.split()))


def reason(mutant: Mutant, declared: Iterable[Equivalent]) -> str:
    """Why a mutant is equivalent; empty if it is not declared so."""
    return next((each.because for each in declared if each.is_of(mutant)), "")
