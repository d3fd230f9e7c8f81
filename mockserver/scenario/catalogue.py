"""Folders of scenario files, read when a scenario is first asked for and again when it changes.

The path of a file below its folder is the scenario's id. A file that was edited and is broken now
keeps its last good version in play; what is wrong with it is told beside it.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.dialects.aliases import canonical_scenario
from mockserver.faults import Place, Problem, ScenarioError, UserError
from mockserver.scenario.case import CaseId, parse
from mockserver.scenario.load import load
from mockserver.scenario.source import MAX_BYTES
from mockserver.shipped import folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockserver.scenario.model import Scenario

_log = logging.getLogger("streamproof.scenarios")

_Stamp = tuple[int, int]

# Scenarios are never changed, so that every catalogue can have the same ones.
_MOST_LOADED = 1024
_loaded = lru_cache(_MOST_LOADED)(load)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its newest good version, and what is wrong with what stands there now."""

    id: str
    path: Path
    stamp: _Stamp
    scenario: Scenario | None
    broken: ScenarioError | None = None


class Catalogue:
    """All scenarios of some folders, by id."""

    def __init__(self, folders: Sequence[Path]) -> None:
        for root in folders:
            if not root.is_dir():
                raise UserError(f"{root} is not a folder of scenarios")
        self._folders = tuple(folders)
        self._entries: dict[str, Entry] = {}

    @classmethod
    def shipped(cls, *more: Path) -> Catalogue:
        """The catalogue that comes with streamproof, and one's own folders."""
        return cls([folder("scenarios"), *more])

    def ids(self) -> list[str]:
        """Every id there is now, in order; a broken file has one too."""
        return sorted(self._paths())

    def files(self) -> list[tuple[str, Path]]:
        """Every id with its file."""
        return sorted(self._paths().items())

    def entry(self, id_: str) -> Entry | None:
        """The newest version of a scenario, read again if its file has changed."""
        id_ = canonical_scenario(id_)
        known = self._entries.get(id_)
        if known and known.stamp == _stamp(known.path):
            return known
        return self._read(id_, self._paths().get(id_))

    def _read(self, id_: str, path: Path | None) -> Entry | None:
        known = self._entries.get(id_)
        stamp = _stamp(path) if path else None
        if path is None or stamp is None:
            self._entries.pop(id_, None)
            return None
        if known is None or (known.path, known.stamp) != (path, stamp):
            known = self._entries[id_] = _read(id_, path, stamp, known)
        return known

    def get(self, id_: str) -> Scenario | None:
        """The newest good version of a scenario."""
        entry = self.entry(id_)
        return entry.scenario if entry else None

    def entries(self) -> Iterator[Entry]:
        """Every file, read one after the other; the folders are looked through once."""
        for id_, path in self.files():
            if entry := self._read(id_, path):
                yield entry

    def _paths(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for root in self._folders:
            for path in _files(root):
                id_ = canonical_scenario(path.relative_to(root).with_suffix("").as_posix())
                if id_ in found:
                    raise UserError(f"{path} and {found[id_]} have the same id {id_!r}")
                found[id_] = path
        return found


def _files(root: Path) -> list[Path]:
    """The YAML files below a folder; links that lead out of it are passed over."""
    inside = root.resolve()
    return [
        path
        for path in sorted(root.rglob("*.y*ml"))
        if path.suffix in (".yaml", ".yml")
        and not any(part.startswith(".") for part in path.relative_to(root).parts)
        and path.is_file()
        and path.resolve().is_relative_to(inside)
    ]


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _read(id_: str, path: Path, stamp: _Stamp, before: Entry | None) -> Entry:
    try:
        return Entry(id_, path, stamp, read_file(path, id_))
    except ScenarioError as error:
        kept = before.scenario if before else None
        _log.error("%s\n%s", "the last good version stays in play" if kept else "not played", error)
        return Entry(id_, path, stamp, kept, error)


def read_file(path: Path, id_: str) -> Scenario:
    """Read one scenario file. Raises ScenarioError."""
    shown, id_ = _shown(path), canonical_scenario(id_)
    if not _is_id(id_):
        hint = "name files and folders in small letters, digits, '-', '_' and '.'"
        raise ScenarioError(Problem(f"the path {id_!r} makes no scenario id", Place(shown), hint))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScenarioError(Problem(f"cannot be read: {error.strerror}", Place(shown))) from error
    return _loaded(data, shown, id_)


def _is_id(text: str) -> bool:
    try:
        return parse(text) == CaseId(text)
    except UserError:
        return False


def _shown(path: Path) -> str:
    """A path as a person would type it from here."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
