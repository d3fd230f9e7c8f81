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
@click.option("--out", type=click.Path(path_type=Path), help="write the schema to this file")
@click.option("--vscode", is_flag=True, help=f"name the schema in {SETTINGS}")
def schema(folders: tuple[str, ...], out: Path | None, vscode: bool) -> None:
    """Print the JSON Schema of scenario files, with which an editor completes and explains them.

    With --vscode nothing is printed: the settings of the editor's project in the current folder
    then name the installed schema for the scenarios in FOLDERS (default: my-scenarios). VS Code
    reads them with the extension redhat.vscode-yaml. Settings with comments are not rewritten.
    """
    place = folder("schemas") / "scenario.json"
    if vscode and out:
        raise UserError(Problem("--vscode names the installed schema, so there is no --out"))
    if folders and not vscode:
        hint = f"streamproof schema --vscode {folders[0]}"
        raise UserError(Problem("FOLDERS are for the settings of an editor", hint=hint))
    if vscode:
        _write_settings(place, folders or (_FOLDER,))
    elif out:
        write_file(out, place.read_bytes())
        say(f"wrote {out}")
    else:
        say(place.read_text("utf-8"), nl=False)


def _write_settings(place: Path, folders: tuple[str, ...]) -> None:
    globs = [_glob(each) for each in folders]
    file = Path(SETTINGS)
    try:
        file.parent.mkdir(exist_ok=True)
        before = file.read_text("utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    after = with_schema(before, place.as_uri(), globs)
    if after is None:
        hint = f"paste into it: {pasted(place.as_uri(), globs)}"
        raise UserError(Problem(f"{file} is not plain JSON, so it is left as it is", hint=hint))
    write_file(file, after.encode())
    say(f"wrote {file}: {place} is the schema of {', '.join(globs)}")


def _glob(folder_: str) -> str:
    """The pattern of the scenarios in a folder; relative to the project if the folder is in it."""
    path = Path(folder_).resolve()
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return (path / "**" / "*.yaml").as_posix()
