"""``streamproof schema``: gives editors the JSON Schema of scenario files.

There is one for all scenarios, and one for each folder that is named after a dialect, which has
only the events of that one. So an editor completes the events that can be sent there.
"""

from __future__ import annotations

from pathlib import Path

import click

from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import say
from streamproof._commands.editor_settings import SETTINGS, pasted, with_schemas

_FOLDER = "my-scenarios"

_ALL = ""


@click.command()
@click.argument("folders", nargs=-1)
@click.option("--dialect", help="The schema with the events of this dialect only.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the schema to this file.")
@click.option("--vscode", is_flag=True, help=f"Name the schemas in {SETTINGS}.")
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
    place = _place(_named(dialect) if dialect else _ALL)
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


def _named(dialect: str) -> str:
    names = _names()
    if dialect not in names:
        hint = did_you_mean(dialect, names)
        raise UserError(Problem(f"no dialect is called {dialect!r:.80}", hint=hint))
    return dialect


def _addresses(out: Path | None) -> dict[str, str]:
    """How settings name each schema, by its folder. With ``out`` these are copies, written here."""
    _make_folder(Path(SETTINGS).parent)
    if not out:
        return {name: _place(name).as_uri() for name in (_ALL, *_names())}
    copies = {name: out.with_stem(f"{out.stem}-{name}") for name in _names()}
    for name, copy in {_ALL: out, **copies}.items():
        write_file(copy, _place(name).read_bytes())
    say(f"wrote {out}, and beside it {', '.join(each.name for each in copies.values())}")
    return {name: _address(copy) for name, copy in {_ALL: out, **copies}.items()}


def _make_folder(place: Path) -> None:
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{place} cannot be made: {error}") from error


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
    file = Path(SETTINGS)
    try:
        before = file.read_text("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    after = with_schemas(before, schemas)
    if after is None:
        hint = f"paste into it: {pasted(schemas)}"
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
