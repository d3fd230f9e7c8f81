"""Patterns of findings that vary from run to run."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.baseline.line import case_and_rule

FILE = Path(__file__).parent / "unstable.txt"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Findings to ignore: ``fnmatch`` patterns of the member's name, the case and the rule."""

    name: str
    case: str
    rule: str

    def covers(self, name: str, line: str) -> bool:
        """Whether a finding of the member ``name``, as a line, is to be ignored."""
        case, rule = case_and_rule(line)
        return (
            fnmatchcase(name, self.name)
            and fnmatchcase(case, self.case)
            and fnmatchcase(rule, self.rule)
        )


def read(file: Path = FILE) -> list[Pattern]:
    """The patterns of a file: one per line, separated by tabs; lines with ``#`` are comments."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [Pattern(*line.split("\t")) for line in lines if line and not line.startswith("#")]
