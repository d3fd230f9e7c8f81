"""Parses the turns of a scenario file: their answers, expectations and requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mockserver.scenario.answer import answer
from mockserver.scenario.cancel import cancel
from mockserver.scenario.expect import expectations
from mockserver.scenario.host import request, then
from mockserver.scenario.model import Turn
from mockserver.scenario.says import says
from mockserver.scenario.script import Answer, Checkpoint
from mockserver.scenario.sends import sends
from mockserver.scenario.steps import MAX_FILE_STEPS, add_checkpoint, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockserver.scenario.script import Says, Sends
    from mockserver.scenario.source import Path, Tree

_FORMS: dict[str, Callable[[Tree, Path], Says | Sends | Answer]] = {
    "says": lambda tree, path: says(tree, (*path, "says")),
    "sends": lambda tree, path: sends(tree, (*path, "sends")),
    "status": answer,
}


def turns_of(tree: Tree, specified: bool) -> Iterator[Turn]:
    """The turns of the file. Raises ScenarioError if all scripts together are too long."""
    count = 0
    for n in range(len(tree.value["turns"])):
        turn = _turn(tree, ("turns", n), specified)
        count += sum(len(attempt.script.steps) for attempt in turn.attempts)
        if count > MAX_FILE_STEPS:
            place = tree.place(("turns", n))
            refuse(place, f"more than {MAX_FILE_STEPS:,} events in one file", "make it two files")
        yield turn


def _turn(tree: Tree, path: Path, specified: bool) -> Turn:
    value = tree.at(path)
    if "attempts" not in value:
        return _attempt(tree, path, specified)
    for key in value:
        if key not in ("attempts", "then"):
            place = tree.key_place((*path, key))
            refuse(place, f"{key!r} stands beside 'attempts'", "each attempt has its own")
    paths: list[Path] = [(*path, "attempts", n) for n in range(len(value["attempts"]))]
    *earlier, last = (_attempt(tree, each, specified) for each in paths)
    _check_checkpoints(tree, paths, (*earlier, last))
    return replace(last, earlier=tuple(earlier), then=then(tree, path, last.script))


def _check_checkpoints(tree: Tree, paths: list[Path], attempts: tuple[Turn, ...]) -> None:
    """Raise ScenarioError if two attempts have a checkpoint of the same name."""
    before: set[str] = set()
    for path, attempt in zip(paths, attempts, strict=True):
        for step in attempt.script.steps:
            if isinstance(step, Checkpoint):
                add_checkpoint(step, before, tree.place(path))


def _attempt(tree: Tree, path: Path, specified: bool) -> Turn:
    value = tree.at(path)
    forms = [form for form in _FORMS if form in value]
    if len(forms) != 1:
        refuse(
            tree.place(path),
            "a turn has either 'says' (a neutral script), 'sends' (a dialect's own events) or "
            "'status' (a plain HTTP answer)",
        )
    for key in ("headers", "body"):
        if key in value and "status" not in value:
            place = tree.key_place((*path, key))
            refuse(place, f"{key!r} belongs to a plain answer, which has a 'status'")
    script = _FORMS[forms[0]](tree, path)
    expect = expectations(tree, path, value.get("expect"), script, specified)
    return Turn(
        script,
        expect,
        cancel(tree, path, script, expect),
        request=request(tree, path),
        then=then(tree, path, script),
    )


def scripts(turns: tuple[Turn, ...]) -> Iterator[tuple[Path, Says | Sends]]:
    """The scripts of all attempts that are streams, with their paths in the file."""
    for n, turn in enumerate(turns):
        for m, attempt in enumerate(turn.attempts):
            path: Path = ("turns", n, "attempts", m) if turn.earlier else ("turns", n)
            if not isinstance(attempt.script, Answer):
                yield path, attempt.script
