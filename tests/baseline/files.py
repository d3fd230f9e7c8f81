"""The files of the baseline, and differences from them."""

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
    """Lines that are gone, lines that are new, and how many were ignored as unstable."""

    removed: tuple[str, ...]
    added: tuple[str, ...]
    ignored: int

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)

    def __str__(self) -> str:
        return "\n".join([f"- {line}" for line in self.removed] + [f"+ {x}" for x in self.added])


def place(group: str, name: str) -> Path:
    """The file of a member."""
    return FOLDER / group / f"{name}.txt"


def kept(group: str) -> list[str]:
    """The members of a group that have a file."""
    return sorted(path.stem for path in (FOLDER / group).glob("*.txt"))


def write(group: str, name: str, lines: Sequence[str]) -> None:
    """Write the lines of a member to its file."""
    path = place(group, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def read(group: str, name: str) -> list[str]:
    """The lines of a member's file; empty without a file."""
    path = place(group, name)
    return path.read_text("utf-8").splitlines() if path.exists() else []


def difference(
    name: str, before: Sequence[str], after: Sequence[str], unstable: Sequence[Pattern]
) -> Difference:
    """What differs for a member, without findings that are known as unstable."""
    old, new = Counter(before), Counter(after)
    removed, added = sorted((old - new).elements()), sorted((new - old).elements())

    def counts(line: str) -> bool:
        return not any(pattern.covers(name, line) for pattern in unstable)

    stays = tuple(filter(counts, removed)), tuple(filter(counts, added))
    ignored = len(removed) + len(added) - len(stays[0]) - len(stays[1])
    return Difference(*stays, ignored)


def common(first: Difference, second: Difference) -> Difference:
    """The lines that are in both differences."""
    removed = Counter(first.removed) & Counter(second.removed)
    added = Counter(first.added) & Counter(second.added)
    return Difference(tuple(removed.elements()), tuple(added.elements()), second.ignored)
