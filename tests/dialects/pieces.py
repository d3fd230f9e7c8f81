"""The pieces that a dialect needs, and which of them are missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance.dialects import KIT
from mockserver.dialects import DIALECTS
from tests.docs.pages import ROOT

REGISTRIES: Mapping[str, dict[str, Any]] = {
    "mockserver/dialects/__init__.py": DIALECTS,
    "conformance/dialects/__init__.py": KIT,
}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the pieces of a dialect are, relative to the root of the project.

    In ``files`` and ``adapters``, ``{name}`` stands for the dialect's name and ``{folder}`` for its
    folder. ``adapters`` is a pattern of the files that describe its reference adapters. ``page``
    has a row with its route; empty if the dialect is not documented.
    """

    files: tuple[str, ...]
    adapters: str
    page: str = ""


SHIPPED = Layout(
    files=(
        "mockserver/dialects/{folder}/__init__.py",
        "conformance/dialects/{folder}/__init__.py",
        "schemas/events/{name}.json",
        "schemas/requests/{name}.json",
    ),
    adapters="conformance/dialects/{folder}/reference/*.yaml",
    page="docs/server.md",
)


def missing_pieces(name: str, root: Path = ROOT, layout: Layout = SHIPPED) -> list[str]:
    """The pieces of a dialect that are missing, each by the file that should have it."""
    # The dialects of one family share a folder with the family's name.
    places = {"name": name, "folder": name.partition("-")[0]}
    files = [each.format_map(places) for each in layout.files]
    return [
        *(each for each in files if not (root / each).is_file()),
        *(f"{file}: no entry" for file, entries in REGISTRIES.items() if name not in entries),
        *_missing_adapter(name, root, layout.adapters.format_map(places)),
        *_missing_row(name, root, layout.page),
    ]


def _missing_adapter(name: str, root: Path, pattern: str) -> Iterator[str]:
    """The pattern if no file claims the dialect, else the modules that such files name in vain."""
    described = [yaml.safe_load(path.read_text("utf-8")) for path in sorted(root.glob(pattern))]
    claimed = [each for each in described if name in each["dialects"]]
    if not claimed:
        yield f"{pattern}: no adapter claims the dialect"
    for each in claimed:
        module, _, _ = each["drive"]["python"].partition(":")
        if not (root / (file := f"{module.replace('.', '/')}.py")).is_file():
            yield file


def _missing_row(name: str, root: Path, page: str) -> Iterator[str]:
    if page and f"\n| `{name}` " not in (root / page).read_text("utf-8"):
        yield f"{page}: no route"
