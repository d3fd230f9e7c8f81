"""Lists the scenario files below a folder, and says what there is not read.

A folder of scenarios is untrusted: what a link leads to outside of it is not read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_SUFFIXES = (".yaml", ".yml")
# A link without a suffix that leads nowhere was probably a folder of scenarios.
_LINK_SUFFIXES = (*_SUFFIXES, "")
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Found:
    """The scenario files below a folder, sorted, and the links that are skipped."""

    files: tuple[Path, ...]
    skipped: tuple[Path, ...]


def scenario_files(root: Path) -> Found:
    """The YAML files below a folder; hidden files and folders are ignored."""
    files, skipped = [], []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        # The walk does not follow links to folders.
        skipped += [path for name in folders if (path := Path(folder, name)).is_symlink()]
        for path in (Path(folder, name) for name in names if not name.startswith(".")):
            if path.is_symlink() and not is_file_inside(path, root):
                if path.suffix in _LINK_SUFFIXES:
                    skipped.append(path)
            elif path.suffix in _SUFFIXES and path.is_file():
                files.append(path)
    return Found(tuple(sorted(files)), tuple(sorted(skipped)))


def is_file_inside(path: Path, root: Path) -> bool:
    """Whether a path is a file inside of the folder once symbolic links are resolved."""
    return path.is_file() and path.resolve().is_relative_to(root.resolve())


def warnings(root: Path) -> list[str]:
    """What a user has to know about a folder: links that are skipped (20, and a count), or nothing.

    A folder without scenarios is one line, with the name of a file that looks like one.
    """
    found = scenario_files(root)
    if not found.files and not found.skipped:
        return [f"{root} has no scenarios: no file in it or below ends in .yaml{_like(root)}"]
    skipped = found.skipped
    lines = [f"{path} is skipped: {_reason(path, root)}" for path in skipped[:_MOST_NAMED]]
    if (more := len(skipped) - _MOST_NAMED) > 0:
        lines.append(f"{more} more links in {root} are skipped")
    return lines


def _like(root: Path) -> str:
    """The clause that names a file which may be meant as a scenario."""
    files = (Path(folder, name) for folder, _, names in os.walk(root) for name in sorted(names))
    like = next((path for path in files if ".y" in path.name.lower()), None)
    return f", but there is {like.relative_to(root)}" if like else ""


def _reason(path: Path, root: Path) -> str:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return "the link leads nowhere"
    if not target.is_relative_to(root.resolve()):
        return f"the link leads out of {root}"
    return "links to folders are not followed"
