"""``streamproof explain``: a rule's level, what it holds, its sources, why, and the remedy."""

import pytest

from conformance.dialects import KIT
from conformance.dialects.tables import folders
from conformance.report.sources import paragraphs, remedies
from conformance.rules.tables import TABLES
from tests.commands import call
from tests.suite import TRACEBACK


def test_a_rule_is_explained_with_its_links_and_its_paragraph() -> None:
    called = call("explain", "call-once")
    assert called.code == 0
    first, holds, *lines = called.out.splitlines()
    assert (first, holds) == (
        "call-once",
        "exactly one part per call: arguments done, item done, response completed",
    )
    assert "judges: what an adapter emits" in lines
    at = lines.index("source: lm-stream-semantics § 3.2")
    assert lines[at + 1] == "  docs/semantics.md#call-atomicity"
    at = lines.index("emitted-again (harm): A call is emitted more than once.")
    assert lines[at + 1].startswith("  the call «call» was emitted «times» times, again as part")
    words = " ".join(called.out.split())
    why, how = words.split(" how to mend it ")
    assert why.endswith(paragraphs()["call-once"].plain)
    assert how == remedies()["call-once"]


def test_a_rule_of_several_dialects_is_explained_for_each() -> None:
    out = call("explain", "framing").out
    assert out.count("framing (must)") == len(folders())
    assert out.count("\nnot-utf8: The data of an event has bytes that are not UTF-8.\n") == 3
    assert out.count("\nunnamed: Events have no names.\n") == 1
    for dialect in KIT:
        assert f"judges: what an upstream sends in {dialect}\n" in out
    assert "; one JSON object as data; [DONE] at the end; event: equals type" in out


@pytest.mark.parametrize("name", ["errors", "docs/semantics.md#errors", "#errors"])
def test_an_anchor_of_a_finding_is_explained(name: str) -> None:
    called = call("explain", name)
    assert (called.code, called.out.splitlines()[0]) == (0, "docs/semantics.md#errors: Endings")
    assert " ".join(called.out.split()).endswith(paragraphs()["errors"].plain)


def test_an_address_stays_on_one_line() -> None:
    out = call("explain", "delta-sums", "--width", "40").out
    address = "https://www.openresponses.org/openapi/openapi.json#/components/schemas/"
    assert f"  {address}ResponseOutputTextDoneStreamingEvent\n" in out


def test_all_rules_are_listed_without_one() -> None:
    called = call("explain")
    assert called.code == 0
    for about, table in TABLES.items():
        lines = called.out.partition(f"{about}\n")[2].partition("\n\n")[0].splitlines()
        assert [line.split()[0] for line in lines] == [rule.id for rule in table]
        assert all(line.endswith(rule.holds) for line, rule in zip(lines, table, strict=True))
    assert "  call-once  " in call("explain", "--width", "60").out


def test_words_that_are_no_rule_are_answered_with_the_rules_about_them() -> None:
    assert "rules about it: text-unicode" in call("explain", "lone", "surrogate").err
    assert "rules about it: text-unicode" in call("explain", "lone-surrogate").err
    assert "'streamproof explain' lists the rules" in call("explain", "qqqq").err


def test_an_unknown_rule_is_told_the_nearest_one() -> None:
    called = call("explain", "call-onse")
    assert called.code == 4
    assert "no rule is called 'call-onse'" in called.err
    assert "did you mean 'call-once'?" in called.err
    assert TRACEBACK not in called.err
