"""Names a schema in the settings of VS Code, where its extension for YAML looks for it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

SETTINGS = ".vscode/settings.json"

_KEY = "yaml.schemas"

# The schema of an installation, which may have been another one when the settings were written.
_INSTALLED = re.compile(r"^file:.*/schemas/scenario\.json$")


def with_schema(settings: str, address: str, globs: Sequence[str]) -> str | None:
    """Settings in which the files of these patterns have the schema at an address.

    What else they say is kept, and so is their indentation. An entry for the schema of another
    installation is replaced, with its files. An entry that names one of these patterns loses it,
    since the files would have two schemas. None if the settings are not plain JSON, since their
    comments would be lost, or are not those of an editor.
    """
    if not settings.strip():
        return json.dumps({_KEY: {address: _patterns(globs)}}, indent=2) + "\n"
    try:
        read = json.loads(settings, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    named = read.get(_KEY, {}) if isinstance(read, dict) else None
    if not isinstance(named, dict):
        return None
    ours = [each for each in named if each == address or _INSTALLED.search(each)]
    before = [glob for each in ours for glob in _listed(named.pop(each))]
    others = {each: _other(files, globs) for each, files in named.items()}
    mine = _patterns([*dict.fromkeys([*before, *globs])])
    read[_KEY] = {**{each: files for each, files in others.items() if files}, address: mine}
    return json.dumps(read, indent=_indent(settings), ensure_ascii=False) + "\n"


def pasted(address: str, globs: Sequence[str]) -> str:
    """The entry for a person to paste into settings."""
    return f"{json.dumps(_KEY)}: {json.dumps({address: _patterns(globs)})}"


def _patterns(globs: Sequence[str]) -> str | list[str]:
    return globs[0] if len(globs) == 1 else list(globs)


def _listed(files: Any) -> list[str]:
    return [glob for glob in (files if isinstance(files, list) else [files]) if glob]


def _other(files: Any, globs: Sequence[str]) -> Any:
    """The files of another schema without these patterns, as they are if it has none of them."""
    left = [glob for glob in _listed(files) if glob not in globs]
    return files if left == _listed(files) else left


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Raises ValueError if a name is repeated, since only one value would be kept."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is repeated")
    return found


def _indent(text: str) -> str | int:
    """The indentation of the first indented line."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else 2
