"""The table counts what became of mutants, and a score is good only if few survive."""

from collections import Counter

import pytest

from tests.mutation.equivalents import Equivalent
from tests.mutation.judging import Fate, Verdict
from tests.mutation.making import mutants_of
from tests.mutation.table import Score, counted, stale, survivors, table

FILE = "conformance/dialects/chat/reference/file.py"
FIRST, SECOND, *_ = (
    each for each in mutants_of(FILE, b"def f(x):\n    return x[1], x[2]\n") if "x[" in each.becomes
)
EQUIVALENT = Equivalent(FILE, "f", FIRST.line, FIRST.becomes, "it is so")


def verdict(fate: Fate, items: int = 3, otherwise: str = "") -> Verdict:
    return Verdict(FIRST, fate, "a:b: text-exact", items, otherwise)


def test_a_survivor_that_is_declared_counts_as_equivalent() -> None:
    verdicts = [verdict("survived"), Verdict(SECOND, "survived", "", 3), verdict("unviable")]
    assert counted(verdicts, [EQUIVALENT]) == Counter(
        mutants=3, viable=2, equivalent=1, survived=1, unviable=1
    )


def test_the_table_has_a_row_for_each_file_and_operator() -> None:
    rows = list(table([verdict("killed"), verdict("survived")], []))
    assert "| chat/reference/file.py | 2 | 2 | 1 | 0 | 1 |" in rows
    assert f"| {FIRST.operator} | 2 | 2 | 1 | 0 | 1 |" in rows
    assert rows.count("| all | 2 | 2 | 1 | 0 | 1 |") == 2


@pytest.mark.parametrize(
    ("killed", "equivalent", "survived", "good"),
    [(93, 0, 7, True), (92, 0, 8, False), (85, 15, 0, True), (84, 16, 0, False)],
)
def test_a_score_is_good_if_few_survive_and_few_are_declared_equivalent(
    killed: int, equivalent: int, survived: int, good: bool
) -> None:
    counts = Counter(viable=100, killed=killed, equivalent=equivalent, survived=survived)
    assert Score(counts).is_good is good


@pytest.mark.parametrize(
    ("left", "seen"),
    [
        (verdict("survived", items=0), "# no item executes this"),
        (verdict("survived"), "# 3 items execute this and pass; all is the same"),
        (
            verdict("survived", otherwise="a:b"),
            "# 3 items execute this and pass; it does otherwise in a:b",
        ),
    ],
)
def test_a_survivor_is_shown_with_its_diff_and_what_the_items_saw(left: Verdict, seen: str) -> None:
    (shown,) = survivors([left], [])
    assert shown.splitlines()[0] == seen
    assert f"-    {FIRST.line}" in shown.splitlines()
    assert f"+    {FIRST.becomes}" in shown.splitlines()


def test_an_equivalent_that_was_killed_is_named() -> None:
    (line,) = stale([verdict("killed")], [EQUIVALENT])
    assert line.endswith("is declared equivalent, killed: a:b: text-exact")
    assert not list(stale([verdict("survived")], [EQUIVALENT]))
