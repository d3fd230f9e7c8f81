"""The list of known failures: what fails the suite, and how the list is written."""

from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.findings.finding import Finding, Level
from conformance.report.results import Result
from conformance.rules.single_ending import HangsSometimes
from conformance.suite.adapter_yaml import read_description
from conformance.suite.conclusion import conclude
from conformance.suite.known_failures import (
    KnownFailure,
    classify,
    read_list,
    stale_messages,
    write_list,
)
from conformance.suite.workbench import Item
from mockserver.foundation.faults import AdapterError, Place
from tests.findings.made import found
from tests.suite import (
    DOUBLED_CASE,
    DOUBLING_ONE,
    FEW,
    TRACEBACK,
    Outputs,
    own_scenarios,
    run,
    run_all,
    spoilt,
)

Entry = dict[str, Any]

PASSING_CASE = "own/greeting@openresponses"
TRUE = {"case": DOUBLED_CASE, "rule": "call-once", "kind": "emitted-again"}

# No test fails because of one of these alone.
STALE: dict[str, list[Entry]] = {
    "gone": [TRUE, {**TRUE, "case": "own/gone@openresponses"}],
    "old-pattern": [TRUE, {**TRUE, "case": "own/greet*"}],
}
LISTS: dict[str, list[Entry]] = {
    "listed": [TRUE],
    "its-values": [{**TRUE, "values": {"times": 2}}],
    "other-values": [{**TRUE, "values": {"times": 3}}],
    "other-kind": [{**TRUE, "kind": "shouted"}],
    "other-rule": [{**TRUE, "rule": "text-exact"}],
    "passing": [TRUE, {**TRUE, "case": PASSING_CASE}],
    "pattern": [{**TRUE, "case": "own/*"}],
    "wide-pattern": [{**TRUE, "case": "**"}],
    "narrow-pattern": [{**TRUE, "case": "*"}],
}


def doubling(folder: Path, name: str, entries: list[Entry]) -> list[str | Path]:
    """The options for an adapter that emits one call twice and has this list."""
    listed = f"{name}-known"
    path = spoilt(folder, name.replace("-", "_"), DOUBLING_ONE, f"known_failures: {listed}.yaml")
    (folder / f"{listed}.yaml").write_text(yaml.safe_dump(entries), "utf-8")
    return ["--adapter", path]


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    suite: list[str | Path] = [*FEW, "-v", "--scenarios", own_scenarios(folder / "scenarios")]
    alone = {**STALE, "listed": LISTS["listed"]}
    of = partial(doubling, folder)
    return run_all(
        {
            **{name: [*suite, *of(name, entries)] for name, entries in alone.items()},
            "together": [
                *suite,
                "--timelines=all",
                *chain.from_iterable(map(of, LISTS, LISTS.values())),
            ],
        }
    )


def test_a_listed_failure_does_not_fail_the_suite(ran: Outputs) -> None:
    assert ran["listed"].code == 0, ran["listed"].text
    assert "1 xfailed" in ran["listed"].text
    assert f"test_case[{DOUBLED_CASE}] XFAIL" in ran["listed"].text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "gone-known.yaml:4:3: no case 'own/gone@openresponses' was run"),
        (
            "old-pattern",
            "-known.yaml:4:3: no case of 'own/greet*' breaks call-once (emitted-again) any more",
        ),
    ],
)
def test_an_entry_without_effect_fails_the_suite(ran: Outputs, name: str, message: str) -> None:
    assert ran[name].code == 1, ran[name].text
    assert message in ran[name].text
    assert " failed" not in ran[name].text


@pytest.mark.parametrize(
    ("name", "case", "outcome"),
    [
        ("listed", DOUBLED_CASE, "XFAIL"), ("its-values", DOUBLED_CASE, "XFAIL"),
        ("other-values", DOUBLED_CASE, "FAILED"), ("other-kind", DOUBLED_CASE, "FAILED"),
        ("other-rule", DOUBLED_CASE, "FAILED"), ("passing", DOUBLED_CASE, "XFAIL"),
        ("passing", PASSING_CASE, "FAILED"), ("pattern", DOUBLED_CASE, "XFAIL"),
        ("pattern", PASSING_CASE, "PASSED"), ("wide-pattern", DOUBLED_CASE, "XFAIL"),
        ("wide-pattern", PASSING_CASE, "PASSED"), ("narrow-pattern", DOUBLED_CASE, "FAILED"),
    ],
)  # fmt: skip
def test_a_case_fails_if_the_list_is_wrong_about_it(
    ran: Outputs, name: str, case: str, outcome: str
) -> None:
    assert ran["together"].code == 1
    assert f"test_case[{name.replace('-', '_')}:{case}] {outcome}" in ran["together"].text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "other-rule",
            "1:3: listed as a known failure of text-exact (emitted-again), but it does not",
        ),
        ("passing", "4:3: listed as a known failure of call-once (emitted-again), but it does not"),
    ],
)
def test_a_wrong_entry_is_reported_with_its_place(ran: Outputs, name: str, message: str) -> None:
    assert f"{name}-known.yaml:{message}" in ran["together"].failures


def test_a_failure_that_is_not_listed_is_reported(ran: Outputs) -> None:
    shown = ran["together"].failures.partition(f"test_case[narrow_pattern:{DOUBLED_CASE}]")[2]
    assert "\n✗ call-once: " in shown


WRITE = "--write-known-failures"
FILTERS: dict[str, tuple[str, ...]] = {
    "a name": ("-k", "own"),
    "the first failure": ("-x",),
    "what failed last": ("--lf", "-p", "cacheprovider"),
    "one test": (f"conformance/test_catalogue.py::test_case[{DOUBLED_CASE}]",),
    "no run": ("--collect-only",),
}


def test_the_next_run_passes_with_a_list_that_was_written(folder: Path) -> None:
    issue = {**TRUE, "issue": "https://example.org/7"}
    gone = {**TRUE, "case": "own/gone@openresponses"}
    suite: list[str | Path] = [*FEW, "--scenarios", own_scenarios(folder / "scenarios")]
    suite += doubling(folder, "writing", [issue, gone])
    written = run(*suite, WRITE)
    assert written.code == 0, written.text
    path = folder / "writing-known.yaml"
    assert f"wrote 1 known failures to {path}" in written.text
    assert yaml.safe_load(path.read_text("utf-8")) == [issue]
    again = run(*suite)
    assert again.code == 0, again.text
    assert "1 xfailed" in again.text


def test_a_filtered_run_does_not_write_the_list(folder: Path) -> None:
    suite: list[str | Path] = [*FEW, "--scenarios", own_scenarios(folder / "scenarios")]
    suite += doubling(folder, "filtered", [])
    ran = run_all({name: [*suite, WRITE, *more] for name, more in FILTERS.items()})
    for name, each in ran.items():
        assert each.code == 4, (name, each.text)
        assert TRACEBACK not in each.text
    assert "a filtered run does not see every failure" in ran["a name"].text
    assert (folder / "filtered-known.yaml").read_text("utf-8") == "[]\n"


def test_the_list_of_the_built_in_adapter_is_not_written() -> None:
    ran = run(*FEW, WRITE)
    assert ran.code == 4
    assert "name the adapter with --adapter" in ran.text


# Entries, findings and cases, without a process


def entry(case: str, rule: str = "call-once", kind: str = "made-up", **values: Any) -> KnownFailure:
    return KnownFailure(case, rule, kind, Place("known.yaml", 1, 3), values)


def finding(
    kind: str = "made-up", rule: str = "call-once", level: Level = "must", **values: Any
) -> Finding:
    return found(rule, level, "twice", "one part", "§ 3.2", kind=kind, values=values)


@pytest.mark.parametrize(
    ("pattern", "case", "covered"),
    [
        ("any/a@openresponses", "any/a@openresponses", True),
        ("any/a@openresponses", "any/a@openresponses+crlf", False),
        ("any/a", "any/a@openresponses", False),
        ("any/*", "any/a@openresponses+crlf", True),
        ("any/*", "any/deep/a@openresponses", False),
        ("any/**", "any/deep/a@openresponses", True),
        ("**@openresponses", "any/a@openresponses", True),
        ("*/a@*+crlf", "any/a@openresponses+crlf", True),
        ("any/a.b@*", "any/axb@openresponses", False),
        ("", "any/a@openresponses", False),
    ],
)
def test_one_star_matches_within_a_segment_and_two_match_across(
    pattern: str, case: str, covered: bool
) -> None:
    assert entry(pattern).covers(case) == covered


@pytest.mark.parametrize(
    ("listed", "seen", "explains"),
    [
        (entry("**"), finding(), True),
        (entry("**", rule="text-exact"), finding(), False),
        (entry("**", kind="other"), finding(), False),
        (entry("**", times=2), finding(times=2, part=1), True),
        (entry("**", times=2), finding(times=3), False),
        (entry("**", times=2), finding(), False),
    ],
)
def test_an_entry_explains_findings_of_its_rule_and_kind_with_its_values(
    listed: KnownFailure, seen: Finding, explains: bool
) -> None:
    assert listed.explains(seen) == explains


def test_two_entries_that_explain_the_same_failure_are_both_used() -> None:
    both = [entry("any/a@openresponses"), entry("any/a@openresponses", times=2)]
    found = classify("any/a@openresponses", [finding(times=2)], both)
    assert (found.unlisted, found.passing, found.used) == ((), (), frozenset(both))


A, B = "any/a@openresponses", "any/b@openresponses"
ONE, OTHER = entry(A), entry(A, kind="other")
SOMETIMES = HangsSometimes.name
RARE = entry(A, kind=SOMETIMES)


@pytest.mark.parametrize(
    ("listed", "seen", "unlisted", "passing"),
    [
        ([ONE], ["made-up", "made-up"], [], []),
        ([ONE], ["made-up", "new"], ["new"], []),
        ([ONE, OTHER], ["made-up"], [], [OTHER]),
        ([ONE], [], [], [ONE]),
        ([entry(B)], ["made-up"], ["made-up"], []),
        ([entry("any/*", kind="other")], ["made-up"], ["made-up"], []),
        ([RARE, ONE], [], [], [ONE]),
        ([RARE, ONE], [SOMETIMES], [], []),
    ],
)
def test_findings_that_no_entry_explains_are_new_and_entries_without_one_pass(
    listed: list[KnownFailure], seen: list[str], unlisted: list[str], passing: list[KnownFailure]
) -> None:
    found = classify(A, list(map(finding, seen)), listed)
    assert [each.kind.name for each in found.unlisted] == unlisted
    assert list(found.passing) == passing


NOT_PLAYED = [
    ("not-applicable", "the adapter does not claim chat"),
    ("broken", "own/a.yaml:1:1: the file is empty"),
]


@pytest.mark.parametrize(("status", "why"), NOT_PLAYED)
def test_a_listed_case_left_unplayed_is_reported(status: str, why: str, tmp_path: Path) -> None:
    described = read_description(spoilt(tmp_path, "doubling", DOUBLING_ONE))
    item = Item("any/a", described, None, why, broken=status == "broken")
    result = Result(item.id, "doubling", status, why=why)  # type: ignore[arg-type]
    concluded = conclude(item, result, [entry("any/a")], ("must",))
    assert concluded.status == status
    assert why in concluded.message
    assert stale_messages([entry("any/a")], [], set()) == [
        "known.yaml:1:3: no case 'any/a' was run; remove the entry"
    ]
    assert stale_messages([entry("any/*", kind=SOMETIMES)], ["any/a"], set()) == []


def test_a_should_finding_may_be_listed_whether_it_fails_the_case_or_not(tmp_path: Path) -> None:
    described = read_description(spoilt(tmp_path, "doubling", DOUBLING_ONE))
    item = Item("any/a@openresponses", described, None)
    result = Result(item.id, "doubling", "passed", (finding(level="should"),))
    listed = [entry(item.id)]
    assert conclude(item, result, listed, ("must",)).status == "passed"
    assert conclude(item, result, listed, ("must", "should")).status == "known"
    assert conclude(item, result, [], ("must", "should")).status == "failed"


NOTES = {"does": "It emits twice.", "fault": "library", "issue": "owner/name#1"}


def test_cases_of_the_same_failure_share_an_entry_and_keep_notes_and_values(tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    entry = {"case": ["any/a", "any/gone"], "rule": "call-once", "kind": "made-up"}
    noted = {"values": {"times": 2}, **NOTES}
    path.write_text(yaml.safe_dump([{**entry, **noted}]), "utf-8")
    before = read_list(path)
    assert [listed.case for listed in before] == ["any/a", "any/gone"]
    failures = [(case, finding(times=2)) for case in ("any/a", "any/b")]
    covering = [*before, replace(before[0], case="any/b")]
    assert write_list(path, failures, covering) == 1
    assert yaml.safe_load(path.read_text("utf-8")) == [
        {**entry, "case": ["any/a", "any/b"], **noted}
    ]


@pytest.mark.parametrize(
    ("listed", "seen", "written"),
    [
        ([], [(A, "x"), (B, "x"), (A, "x")], [{"case": [A, B], "kind": "x"}]),
        ([], [(A, "x"), (A, "y")], [{"case": A, "kind": "x"}, {"case": A, "kind": "y"}]),
        (
            [{"case": A, "kind": "x", **NOTES}],
            [(A, "x"), (B, "x")],
            [{"case": A, "kind": "x", **NOTES}, {"case": B, "kind": "x"}],
        ),
        (
            [{"case": A, "kind": "x", "does": "1"}, {"case": A, "kind": "y", **NOTES}],
            [(A, "x"), (A, "y")],
            [{"case": A, "kind": "x", "does": "1"}, {"case": A, "kind": "y", **NOTES}],
        ),
        # An entry of another kind is not about this failure.
        ([{"case": A, "kind": "old", **NOTES}], [(A, "new")], [{"case": A, "kind": "new"}]),
        (
            [{"case": "**", "kind": SOMETIMES, **NOTES}],
            [],
            [{"case": "**", "kind": SOMETIMES, **NOTES}],
        ),
    ],
)
def test_a_list_that_is_written_has_an_entry_for_each_failure_with_its_notes(
    listed: list[dict[str, object]],
    seen: list[tuple[str, str]],
    written: list[dict[str, object]],
    tmp_path: Path,
) -> None:
    path = tmp_path / "known.yaml"
    rule = {"rule": "call-once"}
    path.write_text(yaml.safe_dump([{**entry, **rule} for entry in listed]), "utf-8")
    write_list(path, [(case, finding(kind)) for case, kind in seen], read_list(path))
    assert yaml.safe_load(path.read_text("utf-8")) == [{**entry, **rule} for entry in written]


def test_an_empty_list_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    assert write_list(path, [], []) == 0
    assert read_list(path) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {case: a, rule: b}\n", "known.yaml:1:3: the key 'kind' is missing here"),
        ("- {case: a, rule: b, knid: c}\n", "did you mean 'kind'?"),
        ("case: a\n", "known.yaml:1:1: "),
        ("- [a", "known.yaml:2:1: not YAML: "),
    ],
)
def test_a_mistake_in_a_list_is_reported_with_its_place(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "known.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(AdapterError) as raised:
        read_list(path)
    assert message in str(raised.value)
