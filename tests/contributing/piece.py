"""Checks for what CONTRIBUTING.md requires of an addition: files, texts in files, entries."""

import re
import shutil
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.docs.pages import ROOT


class Needed(Protocol):
    """A requirement of CONTRIBUTING.md on something that is added, such as a dialect."""

    def lack(self, root: Path) -> str:
        """The file and what is missing in it, as a message; empty if the requirement is met."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The requirement that a file exists, or that it has a text.

    ``file`` is relative to the root of the project. It may be a pattern; then one of the files that
    match must have the piece. ``text`` is a regular expression for it; if it is empty, the file
    need only exist. ``missing`` says what is missing where the text is not found.
    """

    file: str
    text: str = ""
    missing: str = ""

    def lack(self, root: Path) -> str:
        written = (path.read_text("utf-8") for path in self._files(root))
        if any(re.search(self.text, each, re.MULTILINE) for each in written):
            return ""
        return f"{self.file}: {self.missing}" if self.missing else self.file

    def copy(self, root: Path) -> None:
        """Copy the files that match from the project to another root."""
        for path in self._files(ROOT):
            copied = root / path.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copied)

    def take_away(self, root: Path) -> None:
        """Delete the text from the files, or the files if no text is required."""
        for path in self._files(root):
            if self.text:
                written = path.read_text("utf-8")
                path.write_text(re.sub(self.text, "", written, flags=re.MULTILINE), "utf-8")
            else:
                path.unlink()

    def _files(self, root: Path) -> list[Path]:
        return sorted(path for path in root.glob(self.file) if path.is_file())


@dataclass(frozen=True, slots=True)
class Entry:
    """The requirement that a registry has an entry; ``file`` is where the registry is defined."""

    file: str
    registry: Container[str]
    name: str

    def lack(self, root: Path) -> str:
        del root
        return "" if self.name in self.registry else f"{self.file}: no entry"


@dataclass(frozen=True, slots=True)
class Condition:
    """A requirement that was checked already: ``holds`` is the result, ``missing`` the message."""

    file: str
    holds: bool
    missing: str

    def lack(self, root: Path) -> str:
        del root
        return "" if self.holds else f"{self.file}: {self.missing}"


def lacks(pieces: Iterable[Needed], root: Path = ROOT) -> list[str]:
    """The messages of all requirements that are not met."""
    return [lack for each in pieces if (lack := each.lack(root))]
