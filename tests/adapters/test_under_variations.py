"""What only a variation shows about a binding is told from what it always does."""

import pytest

from tests.adapters.under_variations import exposed, lines, main


def result(case: str, *rules: str, level: str = "must") -> dict[str, object]:
    return {"case": case, "findings": [{"rule": rule, "level": level} for rule in rules]}


def test_a_rule_counts_that_the_same_case_does_not_break_without_the_variation() -> None:
    found = exposed(
        [
            result("any/a@chat", "text-exact"),
            result("any/a@chat+crlf", "text-exact", "end-honest"),
            result("any/b@chat"),
            result("any/b@chat+crlf", "end-honest"),
            result("any/b@chat+cut:1", "error-told", level="should"),
        ]
    )
    assert found == {("crlf", "end-honest"): ["any/a@chat+crlf", "any/b@chat+crlf"]}
    assert lines(found) == ["crlf: end-honest ×2, as in any/a@chat+crlf"]


def test_variations_that_are_always_played_are_part_of_the_case() -> None:
    results = [
        result("any/a@chat+no-done", "text-exact"),
        result("any/a@chat+no-done+bom+cut:1", "text-exact", "end-once"),
    ]
    assert exposed(results, own=("no-done",)) == {
        ("bom+cut:1", "end-once"): ["any/a@chat+no-done+bom+cut:1"]
    }


def test_an_unplayable_adapter_ends_as_the_suite_does(capfd: pytest.CaptureFixture[str]) -> None:
    assert main("no/such/adapter.yaml") == 3
    assert "no/such/adapter.yaml" in capfd.readouterr().err
