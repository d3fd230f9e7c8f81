"""``streamproof schema``: gives editors the JSON Schema of scenario files."""

from __future__ import annotations

from pathlib import Path

import click

from mockserver.atomic_files import write_file
from mockserver.faults import Problem, UserError
from mockserver.shipped import folder
from mockserver.visible import say
from streamproof._commands.editor_settings import SETTINGS, pasted, with_schema

_FOLDER = "my-scenarios"


@click.command()
@click.argument("folders", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path), help="Write the schema to this file.")
@click.option("--vscode", is_flag=True, help=f"Name the schema in {SETTINGS}.")
def schema(folders: tuple[str, ...], out: Path | None, vscode: bool) -> None:
    """Print the JSON Schema of scenario files, with which an editor completes and explains them.

    With --vscode nothing is printed: the settings of the editor's project in the current folder
    then name the installed schema for the scenarios in FOLDERS (default: my-scenarios). VS Code
    reads them with the extension redhat.vscode-yaml. Settings with comments are not rewritten.

    With --vscode and --out they name the file that is written, such as .vscode/scenario.json: so
    the settings hold on other machines, too, once both files are committed.
    """
    place = folder("schemas") / "scenario.json"
    if folders and not vscode:
        hint = f"streamproof schema --vscode {folders[0]}"
        raise UserError(Problem("FOLDERS are for the settings of an editor", hint=hint))
    if vscode:
        _make_folder(Path(SETTINGS).parent)
    if out:
        write_file(out, place.read_bytes())
        say(f"wrote {out}")
    if vscode:
        _write_settings(_address(out) if out else place.as_uri(), folders or (_FOLDER,))
    elif not out:
        say(place.read_text("utf-8"), nl=False)


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


def _write_settings(address: str, folders: tuple[str, ...]) -> None:
    globs = [_glob(each) for each in folders]
    file = Path(SETTINGS)
    try:
        before = file.read_text("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    after = with_schema(before, address, globs)
    if after is None:
        hint = f"paste into it: {pasted(address, globs)}"
        raise UserError(Problem(f"{file} is not plain JSON, so it is left as it is", hint=hint))
    write_file(file, after.encode())
    say(f"wrote {file}: {address} is the schema of {', '.join(globs)}")


def _glob(folder_: str) -> str:
    """The pattern of the scenarios in a folder; relative to the project if the folder is in it."""
    path = Path(folder_).resolve()
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return (path / "**" / "*.yaml").as_posix()
