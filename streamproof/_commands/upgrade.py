"""``streamproof upgrade``: rewrites scenario files of format 1 in format 2."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from mockserver.atomic_files import write_file
from mockserver.dialects import DIALECTS
from mockserver.faults import Fault, KitError, Problem, ScenarioError
from mockserver.scenario.catalogue import read_file
from mockserver.scenario.load import load, scripts
from mockserver.scenario.source import read
from mockserver.scenario.upgrade import Change, changes, in_format_1, is_format_2, upgraded
from mockserver.visible import say
from streamproof._commands.lint import files
from streamproof._commands.yaml_edits import Document, Edit, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.faults import Place
    from mockserver.scenario.model import Scenario
    from mockserver.scenario.source import Tree

_BOM = "\ufeff"


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
def upgrade(paths: tuple[Path, ...]) -> None:
    """Rewrite scenario files from before format 2: what they send stays the same.

    A null in 'sends' that removed a field goes, and 'absent' names the field. A file without
    'format' is taken for one of format 1; files that say 'format: 2' or have 'absent' are left
    alone. Comments and layout stay. A file is replaced as a whole or not at all.
    """
    count = rewritten = failed = 0
    for file, id_ in files(paths):
        count += 1
        try:
            fields = _upgrade(file, id_)
        except Fault as fault:
            failed += 1
            say(str(fault))
            continue
        if fields is not None:
            rewritten += 1
            say(f"{file}: rewritten, {_counted(fields, 'field')} absent")
    failures = f", {failed} failed" if failed else ""
    say(f"{_counted(count, 'scenario')}, {rewritten or 'none'} rewritten{failures}")
    if failed:
        raise click.exceptions.Exit(ScenarioError.exit_code)


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _upgrade(file: Path, id_: str) -> int | None:
    """Rewrite a file; returns how many fields became absent, or None if it needs no change.

    Raises Fault.
    """
    scenario = read_file(file, id_)
    data = file.read_bytes()
    tree = read(data, str(file))
    if is_format_2(scenario, tree):
        return None
    made = list(changes(scenario, tree))
    if not made and "format" not in tree.value:
        return None
    text = data.decode("utf-8")
    bom = _BOM if text.startswith(_BOM) else ""
    document = Document.of(text.removeprefix(_BOM))
    new = (bom + edited(document.text, _edits(document, tree, made))).encode("utf-8")
    _check(new, scenario, tree, made)
    write_file(file, new)
    return sum(len(change.absent) for change in made)


def _edits(document: Document, tree: Tree, made: list[Change]) -> Iterator[Edit]:
    """The edits of the text for these changes. Raises ScenarioError if an alias prevents one."""
    if "format" in tree.value:
        yield document.replaced(("format",), "2")
    else:
        yield document.added_first("format: 2")
    for change in made:
        by_parent: dict[tuple[str, ...], list[str]] = {}
        for *parent, name in change.removed:
            by_parent.setdefault(tuple(parent), []).append(name)
        for around, names in by_parent.items():
            path = (*change.step, change.verb, *around)
            if document.is_shared(path):
                _by_hand(tree.place(path), "an alias also stands for this")
            yield from document.removed(path, names)
        if change.entry:
            if document.is_shared(change.step):
                _by_hand(tree.place(change.step), "an alias also stands for this")
            yield from document.added(change.step, change.entry)


def _check(new: bytes, scenario: Scenario, tree: Tree, made: list[Change]) -> None:
    """Raise a Fault unless the new text differs only by the changes, and sends the same events."""
    try:
        as_meant = read(new, tree.file).value == upgraded(tree.value, made)
    except ScenarioError:
        as_meant = False
    if not as_meant:
        _by_hand(tree.place(()), "its layout is beyond this command")
    if _sent(load(new, tree.file, scenario.id)) != _sent(in_format_1(scenario, tree)):
        raise KitError(f"{tree.file}: the rewritten file would send something else")


def _sent(scenario: Scenario) -> list[object]:
    """Every event that a scenario sends, in each of its dialects."""
    return [
        DIALECTS[name].steps(script, n)
        for n, turn in enumerate(scenario.turns)
        for _, script in scripts((turn,))
        for name in scenario.dialects
    ]


def _by_hand(place: Place, why: str) -> NoReturn:
    hint = "write 'absent' and 'format: 2' by hand; docs/scenarios.md says how"
    raise ScenarioError(Problem(f"not rewritten: {why}", place, hint))
