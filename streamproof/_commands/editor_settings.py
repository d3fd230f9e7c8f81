"""Names a schema in the settings of VS Code, where its extension for YAML looks for it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

SETTINGS = ".vscode/settings.json"

_KEY = "yaml.schemas"

# A schema of an installation, which may have been another one when the settings were written.
_INSTALLED = re.compile(r"^file:.*/schemas/(scenario\.json|scenarios/\w+\.json)$")


def with_schemas(settings: str, schemas: Mapping[str, Sequence[str]]) -> str | None:
    """Settings in which files have schemas: the patterns of files by the addresses of schemas.

    What else they say is kept, and so is their indentation. An entry for the same schema of another
    installation is replaced, with its files. An entry that names one of these patterns loses it,
    since the files would have two schemas. None if the settings are not plain JSON, since their
    comments would be lost, or are not those of an editor.
    """
    if not settings.strip():
        return json.dumps({_KEY: _entries(schemas)}, indent=2) + "\n"
    try:
        read = json.loads(settings, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    named = read.get(_KEY, {}) if isinstance(read, dict) else None
    if not isinstance(named, dict):
        return None
    mine = {address: [*_before(named, address), *globs] for address, globs in schemas.items()}
    taken = {glob for globs in mine.values() for glob in globs}
    ours = {address for address in named if address in schemas or _INSTALLED.search(address)}
    others = {each: _other(files, taken) for each, files in named.items() if each not in ours}
    read[_KEY] = {**{each: files for each, files in others.items() if files}, **_entries(mine)}
    return json.dumps(read, indent=_indent(settings), ensure_ascii=False) + "\n"


def _before(named: Mapping[str, Any], address: str) -> list[str]:
    """The files of entries for the same schema, of this installation or another one."""
    found = _INSTALLED.search(address)
    same = [
        each
        for each in named
        if each == address
        or (found and (other := _INSTALLED.search(each)) and other[1] == found[1])
    ]
    return [glob for each in same for glob in _listed(named[each])]


def pasted(schemas: Mapping[str, Sequence[str]]) -> str:
    """The entries for a person to paste into settings."""
    return f"{json.dumps(_KEY)}: {json.dumps(_entries(schemas))}"


def _entries(schemas: Mapping[str, Sequence[str]]) -> dict[str, str | list[str]]:
    return {address: _patterns([*dict.fromkeys(globs)]) for address, globs in schemas.items()}


def _patterns(globs: Sequence[str]) -> str | list[str]:
    return globs[0] if len(globs) == 1 else list(globs)


def _listed(files: Any) -> list[str]:
    return [glob for glob in (files if isinstance(files, list) else [files]) if glob]


def _other(files: Any, globs: Set[str]) -> Any:
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
