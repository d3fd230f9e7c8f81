"""One small change to one source file, and the source with it."""

import difflib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

Lines = tuple[int, int]

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mutant:
    """A change by one operator: the bytes from ``start`` to ``end`` are replaced.

    ``file`` is relative to the repository, ``function`` is qualified by its classes and is empty at
    the level of the module. ``lines`` are the numbers of the first and the last line of the changed
    code, and ``statement`` those of the statement that it is in, or of the head of that.
    """

    file: str
    function: str
    operator: str
    source: bytes
    start: int
    end: int
    replacement: str
    lines: Lines
    statement: Lines

    @property
    def at_import(self) -> bool:
        """Whether the changed code runs when the module is imported."""
        return not self.function

    @cached_property
    def spoilt(self) -> bytes:
        """The source with the change."""
        return self.source[: self.start] + self.replacement.encode() + self.source[self.end :]

    @property
    def line(self) -> str:
        """The first changed line, as the source has it, without indentation."""
        return self.source.splitlines()[self.lines[0] - 1].decode().strip()

    @property
    def becomes(self) -> str:
        """The first changed line with the change, without indentation."""
        return self.spoilt.splitlines()[self.lines[0] - 1].decode().strip()

    @property
    def diff(self) -> str:
        before, after = (text.decode().splitlines() for text in (self.source, self.spoilt))
        name = f"{self.file} ({self.operator} in {self.function or 'the module'})"
        return "\n".join(difflib.unified_diff(before, after, name, name, lineterm="", n=2))
