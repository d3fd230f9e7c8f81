"""Lists the scenario files below a folder, and the links there that are not followed.

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


def skipped_links(root: Path) -> list[str]:
    """A line for each link below a folder that is skipped, with the reason: 20, and a count."""
    skipped = scenario_files(root).skipped
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
