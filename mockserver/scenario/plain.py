"""Scenarios that are not files: the value of a JSON document, as a test writes it in its own code.

The same limits hold as for files. A position in one is the path of a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.foundation.faults import Place, Problem, ScenarioError
from mockserver.scenario.source import Tree
from mockserver.scenario.yaml_nodes import MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES

if TYPE_CHECKING:
    from mockserver.scenario.source import Path

_FORMS = ("says", "sends", "status", "attempts")
_OF_A_TURN = (*_FORMS, "headers", "body", "expect", "cancel", "request", "then")


def plain_tree(value: Any, name: str) -> Tree:
    """A document of the value of a JSON text, in which a place is ``name`` and a path.

    A scenario without a title is called ``name``, and one of a single turn may have the keys of
    that turn in place of ``turns``. Raises ScenarioError if the value exceeds a limit.
    """
    places: dict[Path, Place] = {}
    whole = _whole(value, name)
    _place(whole, name, (), places, [MAX_VALUES, MAX_CHARACTERS])
    return Tree(name, whole, places, places)


def _whole(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        return value
    turn = {key: value[key] for key in _OF_A_TURN if key in value}
    if "turns" not in value and any(form in turn for form in _FORMS):
        value = {key: value[key] for key in value if key not in turn} | {"turns": [turn]}
    return {"title": name, **value}


def _place(value: Any, place: str, path: Path, places: dict[Path, Place], left: list[int]) -> None:
    """Note the place of a value and of those inside it; ``left`` is how many may follow."""
    left[0] -= 1
    left[1] -= len(value) if isinstance(value, str) else 0
    if len(path) > MAX_DEPTH or min(left) < 0:
        limits = f"{MAX_DEPTH} levels, {MAX_VALUES:,} values, {MAX_CHARACTERS:,} characters"
        raise ScenarioError(
            Problem("the scenario is too large", Place(place), f"the limits are {limits}")
        )
    places[path] = Place(place)
    if isinstance(value, dict):
        for key, inner in value.items():
            left[1] -= len(key)
            _place(inner, f"{place}.{key[:80]}", (*path, key), places, left)
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            _place(inner, f"{place}[{n}]", (*path, n), places, left)
