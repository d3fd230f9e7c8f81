"""``Piece``: something that a file must have, such as an entry, a row or a test."""

from __future__ import annotations

import re
import shutil
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.docs.pages import ROOT


class Needed(Protocol):
    """What something that is added needs."""

    def lack(self, root: Path) -> str:
        """The file, and what is missing in it; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or a text in it.

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
        """Delete the text, or the files if there is none."""
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
    """An entry of a registry in memory; ``file`` defines the registry."""

    file: str
    registry: Container[str]
    name: str

    def lack(self, root: Path) -> str:
        del root
        return "" if self.name in self.registry else f"{self.file}: no entry"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was checked before; ``file`` is where something has to be added."""

    file: str
    holds: bool
    missing: str

    def lack(self, root: Path) -> str:
        del root
        return "" if self.holds else f"{self.file}: {self.missing}"


def lacks(pieces: Iterable[Needed], root: Path = ROOT) -> list[str]:
    """What is missing, one line for each piece."""
    return [lack for each in pieces if (lack := each.lack(root))]
