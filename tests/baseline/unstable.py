"""Findings that come and go from run to run, by patterns."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.baseline.line import case_and_rule

FILE = Path(__file__).parent / "unstable.txt"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Findings that count for nothing: of members, of cases, by rules; ``*`` stands for any."""

    name: str
    case: str
    rule: str

    def covers(self, name: str, line: str) -> bool:
        """Is this line of that member one of them?"""
        case, rule = case_and_rule(line)
        return (
            fnmatchcase(name, self.name)
            and fnmatchcase(case, self.case)
            and fnmatchcase(rule, self.rule)
        )


def read(file: Path = FILE) -> list[Pattern]:
    """The patterns of a file, one in a line, with tabs; lines that begin with ``#`` say why."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [Pattern(*line.split("\t")) for line in lines if line and not line.startswith("#")]
