"""Reads and writes the baseline files, a line per finding, and compares findings with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.baseline.unstable import Pattern

FOLDER = Path(__file__).parent / "findings"


@dataclass(frozen=True, slots=True)
class Difference:
    """The findings that are missing and new, as lines; ``ignored`` counts unstable ones."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    ignored: int

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)

    def __str__(self) -> str:
        return "\n".join([f"- {line}" for line in self.removed] + [f"+ {x}" for x in self.added])


def place(group: str, name: str) -> Path:
    """The baseline file of a member of a group."""
    return FOLDER / group / f"{name}.txt"


def kept(group: str) -> list[str]:
    """The names of all members of a group that have a baseline file."""
    return sorted(path.stem for path in (FOLDER / group).glob("*.txt"))


def write(group: str, name: str, lines: Sequence[str]) -> None:
    """Write the findings of a member, as lines, to its baseline file."""
    path = place(group, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def read(group: str, name: str) -> list[str]:
    """The findings in a member's baseline file, as lines; empty if it has no file."""
    path = place(group, name)
    return path.read_text("utf-8").splitlines() if path.exists() else []


def difference(
    name: str, before: Sequence[str], after: Sequence[str], unstable: Sequence[Pattern]
) -> Difference:
    """The difference between two lists of a member's findings, without unstable ones."""
    old, new = Counter(before), Counter(after)
    removed, added = sorted((old - new).elements()), sorted((new - old).elements())

    def counts(line: str) -> bool:
        return not any(pattern.covers(name, line) for pattern in unstable)

    stays = tuple(filter(counts, removed)), tuple(filter(counts, added))
    ignored = len(removed) + len(added) - len(stays[0]) - len(stays[1])
    return Difference(*stays, ignored)


def common(first: Difference, second: Difference) -> Difference:
    """The findings that are missing or new in both differences."""
    removed = Counter(first.removed) & Counter(second.removed)
    added = Counter(first.added) & Counter(second.added)
    return Difference(tuple(removed.elements()), tuple(added.elements()), second.ignored)
