"""The declared equivalents are mutants of the code as it is, each with a reason."""

from pathlib import Path

import pytest

from mockserver.foundation.faults import UserError
from tests.mutation.equivalents import Equivalent, read, reason
from tests.mutation.making import mutants_of
from tests.mutation.mutant import ROOT, Mutant

DECLARED = read()
FILES = sorted({each.file for each in DECLARED})


@pytest.mark.parametrize("file", FILES)
def test_each_equivalent_is_a_mutant_of_the_code_as_it_is(file: str) -> None:
    mutants = mutants_of(file, (ROOT / file).read_bytes())
    mine = [each for each in DECLARED if each.file == file]
    assert [each for each in mine if not any(map(each.is_of, mutants))] == []


def _mutants(source: str) -> list[Mutant]:
    return mutants_of("a.py", source.encode())


FIRST = Equivalent("a.py", "f", "return x[1]", "return x[2]", "it is so")


def test_an_equivalent_is_found_where_its_line_has_moved_to() -> None:
    moved = _mutants("import json\n\n\ndef f(x):\n    y = 1\n    return x[1]\n")
    assert [each.becomes for each in moved if reason(each, [FIRST])] == ["return x[2]"]


def test_a_line_that_was_edited_is_no_longer_equivalent() -> None:
    assert not [each for each in _mutants("def f(x):\n    return x[1] or 0\n") if FIRST.is_of(each)]


def test_an_equivalent_without_a_reason_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "equivalents.yaml"
    path.write_text("- because: ' '\n  mutants: {a.py f: [[return x]]}\n")
    with pytest.raises(UserError, match="not an equivalent: return x"):
        read(path)
