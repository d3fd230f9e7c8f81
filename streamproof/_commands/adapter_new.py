"""``streamproof adapter new``: writes a working adapter to start from."""

import shlex
import shutil
from pathlib import Path

import click

from mockserver.foundation.atomic_files import write_folder
from mockserver.foundation.visible import say
from streamproof._commands.options import PATH, check_free

_SKELETONS = Path(__file__).resolve().parent / "skeletons"
# Files that installing or trying out a skeleton leaves in its folder.
_IGNORED = shutil.ignore_patterns("__pycache__", "node_modules", "build")

# The Node package that speaks drive/1, copied into skeletons for Node: in a wheel it is inside
# the package, in a clone beside it.
_SHIPPED = Path(__file__).resolve().parents[1]
_NODE = next(filter(Path.is_dir, (_SHIPPED / "node", _SHIPPED.parent / "node")), None)
_MODULES = {"node": _NODE, "typescript": _NODE}

LANGUAGES = sorted(path.name for path in _SKELETONS.iterdir() if path.is_dir())

_HELP = """Write an adapter that works into a new folder, PATH.

It streams text, emits whole tool calls, tells failures and can be cancelled; its README says what
is left to do. Nothing is overwritten: PATH is a folder that is empty, or not there yet.

Exit codes: 0 it was written, 4 wrong usage.
"""


@click.command(help=_HELP)
@click.argument("path", type=PATH)
@click.option("--lang", required=True, type=click.Choice(LANGUAGES), help="What to write it in.")
def new(path: Path, lang: str) -> None:
    check_free(path)

    def fill(folder: Path) -> None:
        shutil.copytree(_SKELETONS / lang, folder, ignore=_IGNORED, dirs_exist_ok=True)
        if module := _MODULES.get(lang):
            shutil.copytree(module, folder / "streamproof")

    write_folder(path, fill)
    for file in sorted(path.iterdir()):
        say(f"wrote {file}")
    described = shlex.quote(str(path / "adapter.yaml"))
    say(f"next: streamproof adapter check {shlex.quote(str(path))}")
    say(f"then: streamproof run --adapter {described}")
