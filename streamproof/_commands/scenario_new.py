"""``streamproof new``: writes a scenario that can be played, to start from."""

from pathlib import Path
from shlex import join

import click

from mockserver.cases.catalogue import read_file
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Problem, ScenarioError, UserError
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import say
from streamproof._commands.cases import make_id
from streamproof._commands.options import PATH

_SKELETONS = Path(__file__).resolve().parent / "scenario_skeletons"
_EXAMPLE = "my-scenarios/any/my-bug.yaml"
_LEAST_PARTS = len(Path(_EXAMPLE).parts)

_HELP = f"""Write a scenario that can be played into a new file.

FILE is a path such as {_EXAMPLE}. Its id is its last folder and its name:
any/my-bug. Scenarios in any/ are played in every dialect that can express them, those in
openresponses/ or chat/ in that dialect only, and begin with its own events. Nothing is overwritten.

Exit codes: 0 it was written, 4 wrong usage.
"""


@click.command(help=_HELP)
@click.argument("file", type=PATH)
def new(file: Path) -> None:
    id_ = _id(file)
    if file.exists() and (not file.is_file() or file.stat().st_size):
        raise UserError(f"{file} is there already, and is not overwritten")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        skeleton = _skeleton(file).read_bytes()
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}") from error
    write_file(file, skeleton)
    say(f"wrote {file}")
    say(f"in VS Code:      {join(['streamproof', 'schema', '--vscode', str(file.parent.parent)])}")
    say(f"after each edit: {join(['streamproof', 'lint', str(file)])}")
    say(f"what is right:   {join(['streamproof', 'show', str(file)])}")
    say(f"play it:         {join(['streamproof', 'run', *where(file), '-k', id_])}")


def _skeleton(file: Path) -> Path:
    """The scenario to begin with: with the events of the folder's dialect, or for all dialects."""
    own = _SKELETONS / f"{file.resolve().parent.name}.yaml"
    return own if own.exists() else _SKELETONS / "any.yaml"


def _id(file: Path) -> str:
    """The id that a scenario in this file has. Raises UserError if it cannot be played there."""
    if file.suffix != ".yaml" or len(file.parts) < _LEAST_PARTS:
        hint = f"streamproof new {_EXAMPLE}"
        raise UserError(Problem(f"{file} is not of the form FOLDER/any/NAME.yaml", hint=hint))
    try:
        return read_file(_skeleton(file), make_id(file)).id
    except ScenarioError as error:
        # They are about the path of the file, not about a place in the skeleton.
        problems = [Problem(each.message, hint=each.hint) for each in error.problems]
        raise UserError(*problems) from error


def where(file: Path) -> list[str]:
    """The option that adds a file's folder of scenarios; none for the shipped catalogue."""
    root = file.parent.parent
    return [] if root.resolve() == folder("scenarios").resolve() else ["--scenarios", str(root)]
