"""``streamproof import``: makes a scenario of a captured stream."""

import re
from pathlib import Path
from shlex import join
from typing import BinaryIO

import click

from conformance.dialects.recording import MAX_BYTES
from mockserver.cases.catalogue import check_id
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Place, Problem, ScenarioError, UserError
from mockserver.foundation.json_text import encode
from mockserver.foundation.visible import say
from streamproof._captures.conversation import Conversation
from streamproof._captures.importing import read_conversations, remove_secrets
from streamproof._captures.redaction import Redaction
from streamproof._captures.reference import open_reference
from streamproof._captures.scenario import Imported, check_size, make_scenario
from streamproof._commands.cases import make_id
from streamproof._commands.options import PATH
from streamproof._commands.status import counted, status

_HELP = """Make a scenario of a captured stream, on standard output or in a file.

FILE is one of these, and - is standard input; several may be of one conversation, in order:

\b
- an event stream as `curl -N` or `curl -iN` prints it
- one JSON event a line
- a HAR file, as a browser exports it
- a journal (GET /_mock/runs/ID/journal), a transcript or a results file

The scenario plays the same events, with what the protocol derives left out. Its `expect` is what
the reference adapter makes of them; what begins with TODO is for you to decide, and what the stream
breaks of its protocol stands beside its events. Keys, e-mail addresses and the names in paths of
home folders are redacted.

Exit codes: 0 it was written, 4 the file or an option is wrong.
"""


@click.command("import", help=_HELP)
@click.argument("files", nargs=-1, required=True, type=click.File("rb"), metavar="FILE...")
@click.option(
    "--out", type=PATH, help="Write to this file, which ends in .yaml, and replace what is there."
)
@click.option("--dialect", default="", help="The dialect of the events; default: as recognised.")
@click.option(
    "--pick", type=click.IntRange(1), help="The number of the conversation, if there are several."
)
def import_(files: tuple[BinaryIO, ...], out: Path | None, dialect: str, pick: int | None) -> None:
    names = [file.name for file in files]
    to_file = out if out and str(out) != "-" else None
    id_ = _choose_id(to_file) if to_file else ""
    with status(f"reading {', '.join(names)}"):
        captures = ((file.name, file.read(MAX_BYTES + 1)) for file in files)
        found = read_conversations(captures, dialect)
    conversation = _pick(found, pick, names[0])
    stem = re.sub(r"[^a-z0-9._-]+", "-", Path(names[0]).stem.lower()).strip("-.")
    imported = _convert(conversation, names, id_ or f"captured/{stem or 'capture'}")
    if to_file is None:
        say(imported.text, nl=False)
        return
    try:
        to_file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{to_file} cannot be written: {error.strerror}") from error
    write_file(to_file, encode(imported.text))
    say(f"wrote {to_file}: {conversation.size:,} events of {conversation.dialect}", err=True)
    if id_:
        say(f"next: {join(['streamproof', 'show', str(to_file)])}", err=True)


def _choose_id(out: Path) -> str:
    """The id of a scenario in a file; empty for a pipe or a device.

    Raises UserError if no command would find a scenario there.
    """
    if out.exists() and not out.is_file() and not out.is_dir():
        return ""
    if out.suffix != ".yaml":
        named = out / "my-bug.yaml" if out.is_dir() else out.with_suffix(".yaml")
        hint = join(["--out", str(named)])
        raise UserError(
            Problem(f"{out} does not end in .yaml, as files of scenarios do", hint=hint)
        )
    try:
        return check_id(out, make_id(out))
    except ScenarioError as error:
        raise UserError(*error.problems) from error


def _convert(conversation: Conversation, names: list[str], id_: str) -> Imported:
    check_size(conversation)
    redaction = Redaction()
    with status("looking for keys and personal data"):
        clean = remove_secrets(conversation, redaction)
    files = ", ".join(Path(name).name for name in names)
    notes = [f"Imported from {files}. What begins with TODO is for you to decide."]
    if said := str(redaction):
        notes.append(f"Redacted: {said}.")
    doing = f"converting events of {clean.dialect}"
    converting = counted(doing, clean.size, "checking the scenario")
    with open_reference(clean.dialect) as reference, converting as written:
        return make_scenario(clean, notes, id_, reference, written)


def _pick(found: list[Conversation], pick: int | None, name: str) -> Conversation:
    if pick is not None and pick > len(found):
        message = f"there is no conversation {pick}; there are {len(found)}"
        raise UserError(Problem(message, Place(name)))
    if len(found) > 1 and pick is None:
        lines = (
            f"{n}: {each.name} ({each.dialect}), turns: {len(each.turns)}, events: {each.size}"
            for n, each in enumerate(found[:_MAX_LISTED], 1)
        )
        message = f"it has {len(found)} conversations; choose one with --pick"
        raise UserError(Problem(message, Place(name), "\n    ".join(lines)))
    return found[(pick or 1) - 1]


_MAX_LISTED = 40
