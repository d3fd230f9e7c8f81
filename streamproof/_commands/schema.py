"""``streamproof schema``: gives editors the JSON Schema of scenario files.

There is one for all scenarios, and one for each folder that is named after a dialect, which has
only the events of that one. So an editor completes the events that can be sent there.
"""

import json
import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import click

from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import say
from streamproof._commands.options import PATH

_SETTINGS = ".vscode/settings.json"
_KEY = "yaml.schemas"
# A schema of an installation, which may have been another one when the settings were written.
_INSTALLED = re.compile(r"^file:.*/schemas/(scenario\.json|scenarios/\w+\.json)$")
_FOLDER = "my-scenarios"
_ALL = ""


@click.command()
@click.argument("folders", nargs=-1)
@click.option("--dialect", help="The schema with the events of this dialect only.")
@click.option("--out", type=PATH, help="Write the schema to this file.")
@click.option("--vscode", is_flag=True, help=f"Name the schemas in {_SETTINGS}.")
def schema(folders: tuple[str, ...], dialect: str | None, out: Path | None, vscode: bool) -> None:
    """Print the JSON Schema of scenario files, with which an editor completes and explains them.

    With --vscode nothing is printed: the settings of the editor's project in the current folder
    then name the installed schemas for the scenarios in FOLDERS (default: my-scenarios). In
    folders such as my-scenarios/chat only the events of that dialect are completed. VS Code reads
    them with the extension redhat.vscode-yaml. Settings with comments are not rewritten.

    With --vscode and --out they name files that are written, such as .vscode/scenario.json and
    .vscode/scenario-chat.json: so the settings hold on other machines, too, once the files are
    committed.
    """
    if folders and not vscode:
        hint = f"streamproof schema --vscode {folders[0]}"
        raise UserError(Problem("FOLDERS are for the settings of an editor", hint=hint))
    if dialect and vscode:
        raise UserError("--vscode names the schemas of all dialects: leave out --dialect")
    if vscode:
        _write_settings(_addresses(out), folders or (_FOLDER,))
        return
    if dialect and dialect not in _names():
        hint = did_you_mean(dialect, _names())
        raise UserError(Problem(f"no dialect is called {dialect!r:.80}", hint=hint))
    place = _place(dialect or _ALL)
    if out:
        write_file(out, place.read_bytes())
        say(f"wrote {out}")
    else:
        say(place.read_text("utf-8"), nl=False)


def _names() -> list[str]:
    """The folders of scenarios that have a schema of their own, such as ``chat``."""
    return sorted(each.stem for each in (folder("schemas") / "scenarios").glob("*.json"))


def _place(name: str) -> Path:
    """The installed schema for a folder of scenarios, or the one for all scenarios."""
    schemas = folder("schemas")
    return schemas / "scenarios" / f"{name}.json" if name else schemas / "scenario.json"


def _addresses(out: Path | None) -> dict[str, str]:
    """How settings name each schema, by its folder. With ``out`` these are copies, written here."""
    place = Path(_SETTINGS).parent
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{place} cannot be made: {error}") from error
    if not out:
        return {name: _place(name).as_uri() for name in (_ALL, *_names())}
    copies = {name: out.with_stem(f"{out.stem}-{name}") for name in _names()}
    for name, copy in {_ALL: out, **copies}.items():
        write_file(copy, _place(name).read_bytes())
    say(f"wrote {out}, and beside it {', '.join(each.name for each in copies.values())}")
    return {name: _address(copy) for name, copy in {_ALL: out, **copies}.items()}


def _address(out: Path) -> str:
    """How settings name a file: from the project on if it is in it."""
    path = out.resolve()
    if path.is_relative_to(Path.cwd()):
        return f"./{path.relative_to(Path.cwd()).as_posix()}"
    return path.as_uri()


def _write_settings(addresses: dict[str, str], folders: tuple[str, ...]) -> None:
    schemas = {
        address: [glob for each in folders for glob in _globs(each, name)]
        for name, address in addresses.items()
    }
    file = Path(_SETTINGS)
    try:
        before = file.read_text("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    after = _with_schemas(before, schemas)
    if after is None:
        hint = f"paste into it: {json.dumps(_KEY)}: {json.dumps(_entries(schemas))}"
        raise UserError(Problem(f"{file} is not plain JSON, so it is left as it is", hint=hint))
    write_file(file, after.encode())
    named = ", ".join(_glob(each, "**") for each in folders)
    say(f"wrote {file}: {addresses[_ALL]} is the schema of {named}")
    say("in folders named after a dialect, only its events are completed")
    say("VS Code reads it with the extension redhat.vscode-yaml")


def _globs(folder_: str, name: str) -> list[str]:
    """The patterns of the files that have a schema: that of all scenarios is for the others."""
    if name:
        return [_glob(folder_, name, "**")]
    return [_glob(folder_, "**"), *(f"!{_glob(folder_, each, '**')}" for each in _names())]


def _glob(folder_: str, *words: str) -> str:
    """The pattern of scenarios in a folder; relative to the project if the folder is in it."""
    path = Path(folder_).resolve()
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.joinpath(*words, "*.yaml").as_posix()


def _with_schemas(settings: str, schemas: Mapping[str, Sequence[str]]) -> str | None:
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
    indented = re.search(r"^([ \t]+)\S", settings, re.MULTILINE)
    return json.dumps(read, indent=indented[1] if indented else 2, ensure_ascii=False) + "\n"


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


def _entries(schemas: Mapping[str, Sequence[str]]) -> dict[str, str | list[str]]:
    once = {address: [*dict.fromkeys(globs)] for address, globs in schemas.items()}
    return {address: globs[0] if len(globs) == 1 else globs for address, globs in once.items()}


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
