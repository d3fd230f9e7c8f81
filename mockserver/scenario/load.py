"""One file's bytes in, one scenario out, or every problem that it has with its line and column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockserver.dialects import DIALECTS
from mockserver.faults import Problem, ScenarioError, did_you_mean
from mockserver.scenario.cancel import cancel
from mockserver.scenario.expect import expectations
from mockserver.scenario.model import Says, Scenario, Sends, Turn
from mockserver.scenario.says import says
from mockserver.scenario.sends import sends
from mockserver.scenario.shape import departures
from mockserver.scenario.source import read

if TYPE_CHECKING:
    from mockserver.scenario.source import Path, Tree


def load(data: bytes, file: str, id_: str) -> Scenario:
    """The scenario in a file; its id is its path below the folder, without ``.yaml``.

    Raises ScenarioError, whose problems carry file, line and column.
    """
    tree = read(data, file)
    if problems := departures(tree, "scenario"):
        raise ScenarioError(*problems)
    value = tree.value
    conduct = value.get("conduct", "legal")
    turns = tuple(_turn(tree, ("turns", n), conduct) for n in range(len(value["turns"])))
    dialects = _dialects(tree, id_, turns)
    _can_carry(tree, turns, dialects, conduct)
    return Scenario(
        id=id_,
        title=value["title"],
        dialects=dialects,
        turns=turns,
        source=tuple(value.get("source", ())),
        seen=tuple(value.get("seen", ())),
        conduct=conduct,
        about=value.get("about", ""),
        place=tree.place(()),
    )


def _turn(tree: Tree, path: Path, conduct: str) -> Turn:
    value: dict[str, Any] = tree.value["turns"][path[1]]
    forms = [form for form in ("says", "sends") if form in value]
    if len(forms) != 1:
        raise ScenarioError(
            Problem(
                "a turn has either 'says' (a neutral script) or 'sends' (a dialect's own events)",
                tree.place(path),
            )
        )
    reader = says if forms[0] == "says" else sends
    steps: Says | Sends = reader(tree, (*path, forms[0]))
    expect = expectations(tree, path, value.get("expect"), steps, conduct)
    return Turn(steps, expect, cancel(tree, path, steps, expect))


def _dialects(tree: Tree, id_: str, turns: tuple[Turn, ...]) -> tuple[str, ...]:
    named = tree.value.get("dialects")
    if named:
        for n, name in enumerate(named):
            if name not in DIALECTS:
                raise ScenarioError(
                    Problem(
                        f"no dialect is called {name!r}",
                        tree.place(("dialects", n)),
                        did_you_mean(name, DIALECTS),
                    )
                )
        return tuple(named)
    folder = id_.split("/", 1)[0]
    if folder in DIALECTS:
        return (folder,)
    if all(isinstance(turn.script, Says) for turn in turns):
        return tuple(DIALECTS)
    raise ScenarioError(
        Problem(
            "whose events are these? 'sends' needs a dialect",
            tree.place(()),
            f"add 'dialects: [{next(iter(DIALECTS))}]', or move the file to a dialect's folder",
        )
    )


def _can_carry(
    tree: Tree, turns: tuple[Turn, ...], dialects: tuple[str, ...], conduct: str
) -> None:
    problems = [
        problem if problem.place else replace(problem, place=tree.place(("turns", n)))
        for n, turn in enumerate(turns)
        for name in dialects
        for problem in DIALECTS[name].check(turn.script, conduct)
    ]
    if problems:
        raise ScenarioError(*problems)
