"""The list of known failures: what fails the suite, and how the list is written."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import pytest
import yaml

from conformance.findings.finding import Finding, Level
from conformance.findings.words import message_of
from conformance.report.results import Result
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
    Ran,
    own_scenarios,
    run,
    run_all,
    spoilt,
)

Entry = dict[str, str]

PASSING_CASE = "own/greeting@openresponses"
TRUE = {"case": DOUBLED_CASE, "rule": "call-once", "because": "the call 'gw-call_only' was emitted"}

# No test fails because of one of these alone.
STALE: dict[str, list[Entry]] = {
    "gone": [TRUE, {**TRUE, "case": "own/gone@openresponses"}],
    "old-pattern": [TRUE, {**TRUE, "case": "own/greet*"}],
}
LISTS: dict[str, list[Entry]] = {
    "listed": [TRUE],
    "other-message": [{**TRUE, "because": "the call was shouted"}],
    "pattern-in-other-words": [{**TRUE, "case": "own/*", "because": "the call was shouted"}],
    "other-rule": [{**TRUE, "rule": "text-exact"}],
    "passing": [TRUE, {**TRUE, "case": PASSING_CASE}],
    "pattern": [{**TRUE, "case": "own/*"}],
    "wide-pattern": [{**TRUE, "case": "**"}],
    "narrow-pattern": [{**TRUE, "case": "*"}],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adapters")


def doubling(folder: Path, name: str, entries: list[Entry]) -> list[str | Path]:
    """The options for an adapter that emits one call twice and has this list."""
    listed = f"{name}-known"
    path = spoilt(folder, name.replace("-", "_"), DOUBLING_ONE, f"known_failures: {listed}.yaml")
    (folder / f"{listed}.yaml").write_text(yaml.safe_dump(entries), "utf-8")
    return ["--adapter", path]


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Ran]:
    suite: list[str | Path] = [*FEW, "-v", "--scenarios", own_scenarios(folder / "scenarios")]
    alone = {**STALE, "listed": LISTS["listed"]}
    of = partial(doubling, folder)
    return run_all(
        {
            **{name: [*suite, *of(name, entries)] for name, entries in alone.items()},
            "reworded": [*suite, "--should", *of("reworded", LISTS["other-message"])],
            "together": [
                *suite,
                "--timelines=all",
                *chain.from_iterable(map(of, LISTS, LISTS.values())),
            ],
        }
    )


def test_a_listed_failure_does_not_fail_the_suite(ran: dict[str, Ran]) -> None:
    assert ran["listed"].code == 0, ran["listed"].text
    assert "1 xfailed" in ran["listed"].text
    assert f"test_case[{DOUBLED_CASE}] XFAIL" in ran["listed"].text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "gone-known.yaml:4:3: no case 'own/gone@openresponses' was run"),
        (
            "old-pattern",
            "-known.yaml:4:3: no case of 'own/greet*' breaks call-once in these words any more",
        ),
    ],
)
def test_an_entry_without_effect_fails_the_suite(
    ran: dict[str, Ran], name: str, message: str
) -> None:
    assert ran[name].code == 1, ran[name].text
    assert message in ran[name].text
    assert " failed" not in ran[name].text


@pytest.mark.parametrize(
    ("name", "case", "outcome"),
    [
        ("listed", DOUBLED_CASE, "XFAIL"),
        ("other-message", DOUBLED_CASE, "XFAIL"),
        ("pattern-in-other-words", DOUBLED_CASE, "FAILED"),
        ("other-rule", DOUBLED_CASE, "FAILED"),
        ("passing", DOUBLED_CASE, "XFAIL"),
        ("passing", PASSING_CASE, "FAILED"),
        ("pattern", DOUBLED_CASE, "XFAIL"),
        ("pattern", PASSING_CASE, "PASSED"),
        ("wide-pattern", DOUBLED_CASE, "XFAIL"),
        ("wide-pattern", PASSING_CASE, "PASSED"),
        ("narrow-pattern", DOUBLED_CASE, "FAILED"),
    ],
)
def test_a_case_fails_if_the_list_is_wrong_about_it(
    ran: dict[str, Ran], name: str, case: str, outcome: str
) -> None:
    assert ran["together"].code == 1
    assert f"test_case[{name.replace('-', '_')}:{case}] {outcome}" in ran["together"].text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("other-rule", "1:3: listed as a known failure of text-exact, but it does not fail so any"),
        ("passing", "4:3: listed as a known failure of call-once, but it does not fail so any"),
    ],
)
def test_a_wrong_entry_is_reported_with_its_place(
    ran: dict[str, Ran], name: str, message: str
) -> None:
    assert f"{name}-known.yaml:{message}" in ran["together"].failures


def test_a_known_failure_in_other_words_is_reported_with_the_command_that_updates_them(
    ran: dict[str, Ran], folder: Path
) -> None:
    """The command has the options that decide which cases are played and which findings fail."""
    assert ran["reworded"].code == 0, ran["reworded"].text
    (line,) = [each for each in ran["reworded"].text.splitlines() if "in other words" in each]
    place, _, said = line.partition(": 1 known failure fails in other words than the list has, ")
    assert place == f"{folder / 'reworded-known.yaml'}:1:3"
    first, _, command = said.partition("; to update the words: ")
    assert first == f"first call-once in {DOUBLED_CASE}"
    assert shlex.split(command) == [
        "pytest", "conformance", "--adapter", str(folder / "reworded.yaml"),
        "--scenarios", str(folder / "scenarios"), "--should", "--write-known-failures",
    ]  # fmt: skip
    assert "in other words" not in ran["listed"].text


def test_a_failure_that_is_not_listed_is_reported(ran: dict[str, Ran]) -> None:
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
    issue = {**TRUE, "because": "the call 'gw-call_only'", "issue": "https://example.org/7"}
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


def entry(case: str, rule: str = "call-once", because: str = "the call") -> KnownFailure:
    return KnownFailure(case, rule, because, Place("known.yaml", 1, 3))


def finding(message: str, rule: str = "call-once", level: Level = "must") -> Finding:
    return found(rule, level, message, "one part", "lm-stream-semantics § 3.2")


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


def test_an_entry_explains_a_finding_of_its_rule_whose_message_begins_with_its_text() -> None:
    assert entry("**", because="the call 'a'").explains(finding("the call 'a' was emitted twice"))
    assert not entry("**", because="the call 'a'").explains(finding("again the call 'a'"))
    assert not entry("**", rule="text-exact").explains(finding("the call 'a' was emitted twice"))


def test_two_entries_that_explain_the_same_failure_are_both_used() -> None:
    both = [entry("any/a@openresponses"), entry("any/a@openresponses", because="the call 'a'")]
    found = classify("any/a@openresponses", [finding("the call 'a' was emitted twice")], both)
    assert (found.unlisted, found.passing) == ((), ())


A, B = "any/a@openresponses", "any/b@openresponses"
ONE, TWO = entry(A, because="one"), entry(A, because="two")
OTHER_RULE = entry(A, rule="text-exact", because="one")


@pytest.mark.parametrize(
    ("listed", "messages", "reworded", "unlisted", "passing"),
    [
        ([ONE], ["new"], [(ONE, "new")], [], []),
        # Findings whose messages began alike have one entry.
        ([ONE], ["new", "newer"], [(ONE, "new"), (ONE, "newer")], [], []),
        ([ONE, TWO], ["new", "newer"], [(ONE, "new"), (TWO, "newer")], [], []),
        ([ONE, TWO], ["two", "new"], [(ONE, "new")], [], []),
        ([ONE, TWO], ["new"], [(ONE, "new")], [], []),
        # The entry is of another finding.
        ([ONE], ["one", "new"], [], ["new"], []),
        ([ONE, TWO], ["one"], [], [], [TWO]),
        ([ONE], [], [], [], [ONE]),
        ([OTHER_RULE], ["new"], [], ["new"], [OTHER_RULE]),
        ([OTHER_RULE, ONE], ["new"], [(ONE, "new")], [], [OTHER_RULE]),
        ([entry(B, because="one")], ["new"], [], ["new"], []),
        ([entry("any/*", because="one")], ["new"], [], ["new"], []),
    ],
)
def test_another_message_is_known_if_an_entry_of_its_case_and_rule_explains_nothing(
    listed: list[KnownFailure],
    messages: list[str],
    reworded: list[tuple[KnownFailure, str]],
    unlisted: list[str],
    passing: list[KnownFailure],
) -> None:
    found = classify(A, list(map(finding, messages)), listed)
    assert [(each.entry, message_of(each.finding)) for each in found.reworded] == reworded
    assert [message_of(each) for each in found.unlisted] == unlisted
    assert list(found.passing) == passing
    covering = {each for each in listed if each.covers(A) and not each.is_pattern}
    assert found.used == covering - set(passing)


def test_a_known_failure_in_other_words_is_an_expected_failure_that_says_so(tmp_path: Path) -> None:
    described = read_description(spoilt(tmp_path, "doubling", DOUBLING_ONE))
    item = Item(A, described, None)
    result = Result(A, "doubling", "failed", (finding("new"),))
    concluded = conclude(item, result, [ONE], ("must",))
    assert concluded.status == "known"
    assert concluded.message == "call-once: new; known.yaml:1:3 has other words for call-once: one"


NOT_PLAYED = [
    ("not-applicable", "the adapter does not claim chat"),
    ("broken", "own/a.yaml:1:1: the file is empty"),
]


@pytest.mark.parametrize(("status", "why"), NOT_PLAYED)
def test_a_listed_case_that_was_not_played_is_reported(
    status: str, why: str, tmp_path: Path
) -> None:
    described = read_description(spoilt(tmp_path, "doubling", DOUBLING_ONE))
    item = Item("any/a", described, None, why, broken=status == "broken")
    result = Result(item.id, "doubling", status, why=why)  # type: ignore[arg-type]
    concluded = conclude(item, result, [entry("any/a")], ("must",))
    assert concluded.status == status
    assert why in concluded.message
    assert stale_messages([entry("any/a")], [], set()) == [
        "known.yaml:1:3: no case 'any/a' was run; remove the entry"
    ]


def test_a_should_finding_may_be_listed_whether_it_fails_the_case_or_not(tmp_path: Path) -> None:
    described = read_description(spoilt(tmp_path, "doubling", DOUBLING_ONE))
    item = Item("any/a@openresponses", described, None)
    result = Result(item.id, "doubling", "passed", (finding("the call came late", level="should"),))
    listed = [entry(item.id)]
    assert conclude(item, result, listed, ("must",)).status == "passed"
    assert conclude(item, result, listed, ("must", "should")).status == "known"
    assert conclude(item, result, [], ("must", "should")).status == "failed"


AWKWARD = [
    "the text is 'NO', not 'no'",
    "a message with a\nline break, a tab\t and a trailing space ",
    "unicode: Zoë 👩‍👩‍👧 \u2028 \x1b[31m",
    "a lone surrogate \ud83d",
    "- : { [ # & * ! | > %",
    "x" * 300,
]


@pytest.mark.parametrize("message", AWKWARD)
def test_a_written_list_explains_any_message(message: str, tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    case = "any/a@openresponses"
    assert write_list(path, [(case, finding(message))], []) == 1
    (read,) = read_list(path)
    assert read.covers(case)
    assert read.explains(finding(message))


RANDOM = [
    ("the run failed with 'resp_1ded60fd24e09a599b7b9a5256dba0f0 failed'", "the run failed with '"),
    ("the id is chatcmpl-5f1a0c9d24e09a59, not call_1", "the id is "),
    (f"{'x' * 75} resp_1ded60fd24e09a599b7b9a5256dba0f0", "x" * 75 + " "),
    ('Value: {"created":1763870191,"id":1}', 'Value: {"created":'),
    ("the input is {'id': 90071992}", "the input is {'id': 90071992}"),
]


@pytest.mark.parametrize(("message", "because"), RANDOM)
def test_a_written_list_has_no_ids_and_times_that_differ_from_run_to_run(
    message: str, because: str, tmp_path: Path
) -> None:
    path = tmp_path / "known.yaml"
    write_list(path, [(A, finding(message))], [])
    assert [read.because for read in read_list(path)] == [because]


def test_two_findings_whose_messages_begin_alike_make_one_entry(tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    long = "the call 'a' was emitted again, and this goes on and on for more than eighty characters"
    failures = [("any/a@openresponses", finding(long + tail)) for tail in ("one", "two")]
    assert write_list(path, failures, []) == 1


def test_a_shorter_because_of_the_author_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    write_list(path, [("any/a", finding("the call 'a' came twice"))], [entry("any/*")])
    assert [read.because for read in read_list(path)] == ["the call"]


def test_cases_with_the_same_failure_share_an_entry_and_its_description_is_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "known.yaml"
    entry = {"case": ["any/a", "any/gone"], "rule": "call-once", "because": "the call"}
    investigation = {"does": "It emits twice.", "clause": "rfc-00022 § Gap 1", "fault": "library"}
    path.write_text(yaml.safe_dump([{**entry, **investigation}]), "utf-8")
    before = read_list(path)
    assert [listed.case for listed in before] == ["any/a", "any/gone"]
    assert {listed.investigation.does for listed in before} == {"It emits twice."}
    failures = [(case, finding("the call 'a' came twice")) for case in ("any/a", "any/b")]
    covering = [*before, replace(before[0], case="any/b")]
    assert write_list(path, failures, covering) == 1
    assert yaml.safe_load(path.read_text("utf-8")) == [
        {**entry, "case": ["any/a", "any/b"], **investigation}
    ]


def test_an_entry_in_other_words_keeps_its_description_when_the_list_is_written(
    tmp_path: Path,
) -> None:
    path = tmp_path / "known.yaml"
    before = {"case": [A, B], "rule": "call-once", "because": "old", "does": "It emits twice."}
    path.write_text(yaml.safe_dump([before]), "utf-8")
    failures = [(case, finding("new")) for case in (A, B)]
    assert write_list(path, failures, read_list(path)) == 1
    assert yaml.safe_load(path.read_text("utf-8")) == [{**before, "because": "new"}]


def test_cases_of_one_description_share_an_entry_with_what_their_new_messages_have_in_common(
    tmp_path: Path,
) -> None:
    path = tmp_path / "known.yaml"
    before = {"case": [A, B], "rule": "call-once", "because": "old", "does": "It emits twice."}
    path.write_text(yaml.safe_dump([before]), "utf-8")
    long = "the run ended as 'completed', but the upstream sent response.failed (event "
    failures = [(A, finding(f"{long}6): a")), (B, finding(f"{long}12): b"))]
    assert write_list(path, failures, read_list(path)) == 1
    (entry,) = yaml.safe_load(path.read_text("utf-8"))
    assert entry == {**before, "because": long.rpartition(" ")[0]}
    # The next time, the words are those of the list.
    assert write_list(path, failures, read_list(path)) == 1
    assert yaml.safe_load(path.read_text("utf-8")) == [entry]


TWICE = {"does": "It emits twice.", "fault": "library"}


@pytest.mark.parametrize(
    ("listed", "messages", "written"),
    [
        # One cause: the entry stays one, however few words its messages share.
        (
            [{"case": [A, B], "because": "old", **TWICE}],
            [(A, "the call 'a'"), (B, "the call 'b'")],
            [{"case": [A, B], "because": "the call", **TWICE}],
        ),
        (
            [{"case": A, "because": "old", **TWICE}, {"case": B, "because": "older", **TWICE}],
            [(A, "the call 'a'"), (B, "the call 'b'")],
            [{"case": [A, B], "because": "the call", **TWICE}],
        ),
        # The message of one case has changed, and that of the other has not.
        (
            [{"case": [A, B], "because": "the call was", **TWICE}],
            [(A, "the call came twice"), (B, "the call was made twice")],
            [{"case": [A, B], "because": "the call", **TWICE}],
        ),
        # Without words in common they are two entries, and each keeps the description.
        (
            [{"case": [A, B], "because": "old", **TWICE}],
            [(A, "one"), (B, "another")],
            [{"case": A, "because": "one", **TWICE}, {"case": B, "because": "another", **TWICE}],
        ),
        # Another cause is another entry.
        (
            [{"case": A, "because": "old", **TWICE}, {"case": B, "because": "old"}],
            [(A, "the call 'a'"), (B, "the call 'b'")],
            [
                {"case": A, "because": "the call 'a'", **TWICE},
                {"case": B, "because": "the call 'b'"},
            ],
        ),
        # Two failures of one case keep their own descriptions.
        (
            [{"case": A, "because": "old", "does": "1"}, {"case": A, "because": "older", **TWICE}],
            [(A, "new"), (A, "newer")],
            [{"case": A, "because": "new", "does": "1"}, {"case": A, "because": "newer", **TWICE}],
        ),
        (
            [{"case": A, "because": "kept", "does": "1"}, {"case": A, "because": "old", **TWICE}],
            [(A, "new"), (A, "kept")],
            [{"case": A, "because": "new", **TWICE}, {"case": A, "because": "kept", "does": "1"}],
        ),
    ],
)
def test_an_entry_in_other_words_stays_with_its_cause(
    listed: list[dict[str, object]],
    messages: list[tuple[str, str]],
    written: list[dict[str, object]],
    tmp_path: Path,
) -> None:
    path = tmp_path / "known.yaml"
    rule = {"rule": "call-once"}
    path.write_text(yaml.safe_dump([{**entry, **rule} for entry in listed]), "utf-8")
    failures = [(case, finding(message)) for case, message in messages]
    write_list(path, failures, read_list(path))
    assert yaml.safe_load(path.read_text("utf-8")) == [{**entry, **rule} for entry in written]


def test_an_empty_list_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    assert write_list(path, [], []) == 0
    assert read_list(path) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {case: a, rule: b}\n", "known.yaml:1:3: the key 'because' is missing here"),
        ("- {case: a, rule: b, becuase: c}\n", "did you mean 'because'?"),
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
