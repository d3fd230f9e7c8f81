"""The scenarios in some folders; files are read when they are first used, and when they change.

The id of a scenario is the path of its file below its folder. If an edited file is invalid, its
last valid version stays in use, and its problems are reported. A folder of scenarios is untrusted:
what a link leads to outside of it is not read.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mockserver.cases.case import CaseId, parse
from mockserver.cases.load import load
from mockserver.foundation.faults import Place, Problem, ScenarioError, UserError
from mockserver.foundation.shipped import folder
from mockserver.scenario.model import Scenario
from mockserver.scenario.source import MAX_BYTES

_log = logging.getLogger("streamproof.scenarios")

_Stamp = tuple[int, int]

# Scenarios are immutable, so all catalogues can share them. The shipped ones have room under
# several paths, since a path is shown as seen from the working directory.
_MAX_LOADED = 4096
_loaded = lru_cache(_MAX_LOADED)(load)


_SUFFIXES = (".yaml", ".yml")
# A link without a suffix that leads nowhere was probably a folder of scenarios.
_LINK_SUFFIXES = (*_SUFFIXES, "")
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A scenario file: its newest valid version, and the problems of its contents, if any."""

    id: str
    path: Path
    stamp: _Stamp
    scenario: Scenario | None
    broken: ScenarioError | None = None


class Catalogue:
    """The scenarios in some folders, by id. Raises UserError if a folder does not exist."""

    def __init__(self, folders: Sequence[Path]) -> None:
        for root in folders:
            if not root.is_dir():
                raise UserError(f"{root} is not a folder of scenarios")
        self._folders = tuple(folders)
        self._entries: dict[str, Entry] = {}
        self._listed: dict[str, Path] = {}

    @classmethod
    def shipped(cls, *more: Path) -> Catalogue:
        """The catalogue of the shipped scenarios and those in more folders."""
        return cls([folder("scenarios"), *more])

    def ids(self) -> list[str]:
        """The ids of all scenario files, sorted, invalid files included."""
        return sorted(self._paths())

    def files(self) -> list[tuple[str, Path]]:
        """The id and the path of every scenario file, sorted by id."""
        return sorted(self._paths().items())

    def warnings(self) -> list[str]:
        """What a user has to know about the folders: links that are not followed, empty folders."""
        return [line for root in self._folders for line in _warnings(root)]

    def entry(self, id_: str) -> Entry | None:
        """The entry of a scenario, read again if its file has changed; None if there is no file."""
        known = self._entries.get(id_)
        if known and known.stamp == _stamp(known.path):
            return known
        return self._read(id_, self._path(id_))

    def is_current(self, entry: Entry | None) -> bool:
        """Whether the file of an entry is as it was when it was read; true if there is none."""
        if entry is None:
            return True
        return self._entries.get(entry.id) is entry and entry.stamp == _stamp(entry.path)

    def _read(self, id_: str, path: Path | None) -> Entry | None:
        known = self._entries.get(id_)
        stamp = _stamp(path) if path else None
        if path is None or stamp is None:
            self._entries.pop(id_, None)
            return None
        if known and (known.path, known.stamp) == (path, stamp):
            return known
        try:
            entry = Entry(id_, path, stamp, read_file(path, id_))
        except ScenarioError as error:
            kept = known.scenario if known else None
            how = "the last good version stays in play" if kept else "not played"
            _log.error("%s\n%s", how, error)
            entry = Entry(id_, path, stamp, kept, error)
            if isinstance(error.__cause__, OSError):
                return entry
        self._entries[id_] = entry
        return entry

    def get(self, id_: str) -> Scenario | None:
        """The newest valid version of a scenario; None if there is none."""
        entry = self.entry(id_)
        return entry.scenario if entry else None

    def entries(self) -> Iterator[Entry]:
        """The entries of all files; the folders are listed once, and files are read one by one."""
        for id_, path in self.files():
            if entry := self._read(id_, path):
                yield entry

    def playable_ids(self, folders: Sequence[Path]) -> list[str]:
        """The ids of all scenarios, without the broken files of these folders, which are logged."""
        own = {
            id_ for id_, path in self.files() if any(path.is_relative_to(each) for each in folders)
        }
        return [id_ for id_ in sorted(self._listed) if id_ not in own or self.get(id_)]

    def _path(self, id_: str) -> Path | None:
        """The file of a scenario; the folders are listed again if it is not at its known path."""
        known = self._listed.get(id_)
        if known and any(is_file_inside(known, root) for root in self._folders):
            return known
        return self._paths().get(id_)

    def _paths(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for root in self._folders:
            for path in scenario_files(root).files:
                id_ = path.relative_to(root).with_suffix("").as_posix()
                if id_ in found:
                    raise UserError(f"{path} and {found[id_]} have the same id {id_!r}")
                found[id_] = path
        self._listed = found
        return found


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def read_file(path: Path, id_: str) -> Scenario:
    """Read and parse a scenario file. Raises ScenarioError."""
    shown, id_ = _shown(path), check_id(path, id_)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScenarioError(Problem(f"cannot be read: {error.strerror}", Place(shown))) from error
    return _loaded(data, shown, id_)


def check_id(path: Path, id_: str) -> str:
    """The id of a scenario in a file. Raises ScenarioError if it is none."""
    try:
        is_id = parse(id_) == CaseId(id_)
    except UserError:
        is_id = False
    if not is_id:
        hint = "name files and folders in small letters, digits, '-', '_' and '.'"
        message = f"the path {id_!r} makes no scenario id"
        raise ScenarioError(Problem(message, Place(_shown(path)), hint))
    return id_


def _shown(path: Path) -> str:
    """The path for messages: relative to the working directory if it is below that."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


@dataclass(frozen=True, slots=True)
class Found:
    """The scenario files below a folder, sorted, and the links that are skipped."""

    files: tuple[Path, ...]
    skipped: tuple[Path, ...]


def scenario_files(root: Path) -> Found:
    """The YAML files below a folder; hidden files and folders are ignored."""
    files, skipped = [], []
    for inside, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        # The walk does not follow links to folders.
        skipped += [path for name in folders if (path := Path(inside, name)).is_symlink()]
        for path in (Path(inside, name) for name in names if not name.startswith(".")):
            if path.is_symlink() and not is_file_inside(path, root):
                if path.suffix in _LINK_SUFFIXES:
                    skipped.append(path)
            elif path.suffix in _SUFFIXES and path.is_file():
                files.append(path)
    return Found(tuple(sorted(files)), tuple(sorted(skipped)))


def is_file_inside(path: Path, root: Path) -> bool:
    """Whether a path is a file inside of the folder once symbolic links are resolved."""
    return path.is_file() and path.resolve().is_relative_to(root.resolve())


def _warnings(root: Path) -> list[str]:
    """What a user has to know about a folder: links that are skipped (20, and a count), or nothing.

    A folder without scenarios is one line, with the name of a file that looks like one.
    """
    found = scenario_files(root)
    if not found.files and not found.skipped:
        files = (Path(inside, name) for inside, _, names in os.walk(root) for name in sorted(names))
        like = next((path for path in files if ".y" in path.name.lower()), None)
        clause = f", but there is {like.relative_to(root)}" if like else ""
        return [f"{root} has no scenarios: no file in it or below ends in .yaml{clause}"]
    skipped = found.skipped
    lines = [f"{path} is skipped: {_reason(path, root)}" for path in skipped[:_MOST_NAMED]]
    if (more := len(skipped) - _MOST_NAMED) > 0:
        lines.append(f"{more} more links in {root} are skipped")
    return lines


def _reason(path: Path, root: Path) -> str:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return "the link leads nowhere"
    if not target.is_relative_to(root.resolve()):
        return f"the link leads out of {root}"
    return "links to folders are not followed"
