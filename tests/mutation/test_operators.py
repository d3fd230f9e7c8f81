"""The operators change what they are named after, and nothing that has no behaviour."""

from __future__ import annotations

import pytest

from tests.mutation.making import is_other_program, mutants_of
from tests.mutation.mutant import Mutant

CHANGES: dict[str, tuple[str, set[str]]] = {
    "comparison swapped": ("return n < 3", {"return (n <= 3)"}),
    "condition negated": ("if n: go()", {"if (not (n)): go()"}),
    "branch dropped": ("if n: go()", {"if False: go()"}),
    "boolean negated": (
        "return n and not bad",
        {"return ((n) or (not bad))", "return n and bool(bad)"},
    ),
    "number changed": ("return n[1:]", {"return n[2:]"}),
    "arithmetic swapped": ("return n + m", {"return (n - m)"}),
    "key spoilt": (
        "return string(n, 'a'), n.get('b'), n['c'], {'d': 'e'}",
        {
            "return string(n, 'a~'), n.get('b'), n['c'], {'d': 'e'}",
            "return string(n, 'a'), n.get('b~'), n['c'], {'d': 'e'}",
            "return string(n, 'a'), n.get('b'), n['c~'], {'d': 'e'}",
            "return string(n, 'a'), n.get('b'), n['c'], {'d~': 'e'}",
        },
    ),
    "string spoilt": ("return n == 'stop'", {"return n == 'stop~'"}),
    "statement deleted": ("n.append(m)", {"pass"}),
    "return emptied": ("return n", {"return None"}),
    "argument dropped": ("go(n, by=m)", {"go(*(), by=m)", "go(n, **{})"}),
    "entry dropped": ("return [n, *m]", {"return [*(), *m]", "return [n, *()]"}),
}
"""By operator, a line and what the operator makes of it."""


def mutants(line: str) -> list[Mutant]:
    source = f"def function(n, m, bad):\n    {line}\n"
    return [each for each in mutants_of("file.py", source.encode()) if is_other_program(each)]


@pytest.mark.parametrize(("operator", "line", "becomes"), [(o, *c) for o, c in CHANGES.items()])
def test_an_operator_makes_all_its_changes(operator: str, line: str, becomes: set[str]) -> None:
    found = [each for each in mutants(line) if each.operator == operator]
    assert {each.becomes for each in found} == becomes
    assert {(each.function, each.line) for each in found} == {("function", line)}


@pytest.mark.parametrize(
    "source",
    [
        "import json",
        "Emit = Callable[[str], None]",
        "__all__ = ['go']",
        "if TYPE_CHECKING:\n    from elsewhere import Name",
        'def go(n: dict[str, "Part"]) -> "Part":\n    """Say what it does."""',
        "@dataclass(frozen=True)\nclass Value:\n    name: str",
        "class Sink(Protocol):\n    limit: int = 3",
    ],
)
def test_code_without_behaviour_has_no_mutants(source: str) -> None:
    assert mutants_of("file.py", source.encode()) == []


def test_messages_for_people_are_not_spoilt() -> None:
    assert not [each for each in mutants("fail('it ended early')") if "~" in each.becomes]
