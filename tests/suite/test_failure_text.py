"""The text of a failing test: first lines of under 100 characters, and the notes of its run.

Repeated messages of the notes come once, and long notes are cut to their ends.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.notes import STDERR_SHARED
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.report.failure import BROKEN_DUTIES, alike, context, headline, notes_text
from conformance.rules.calls import EmittedAgain
from conformance.rules.tables import KINDS
from mockserver.cases.case import Case
from mockserver.cases.load import load
from tests.findings.made import altered, found

FINDING = found("call-complete", "must", "the input is {}", "the input", "a source")

LINES: list[tuple[Finding, str]] = [
    (FINDING, "✗ call-complete: the input is {}"),
    (replace(FINDING, level="should"), "✗ call-complete (should): the input is {}"),
    (replace(FINDING, event=9), "✗ call-complete: the input is {} (event 9)"),
    (replace(FINDING, event=0, part=0), "✗ call-complete: the input is {} (event 0, part 0)"),
    (replace(FINDING, part=3, turn=1), "✗ call-complete: the input is {} (turn 1, part 3)"),
    (altered(FINDING, message="a\nb\x1b"), "✗ call-complete: a\\nb\\x1b"),
    # Values are cut before words.
    (
        replace(FINDING, kind=EmittedAgain("call_" + "x" * 90, 2, 3), part=3),
        f"✗ call-complete: the call 'call_{'x' * 15}'… was emitted 2 times, again as part 3 "
        "(part 3)",
    ),
]


@pytest.mark.parametrize(("finding", "line"), LINES)
def test_the_first_line_has_the_rule_the_message_and_the_place(finding: Finding, line: str) -> None:
    assert headline(finding) == line


def test_the_place_is_where_the_finding_stands_in_the_timeline() -> None:
    finding = replace(FINDING, event=2, part=3)
    assert headline(finding, "event 3, part 3").endswith(" (event 3, part 3)")
    far = altered(finding, message="the call 'call_late': it has another id: 'EDY7pDnM2azVEL5P'")
    assert headline(far, "event 3, part 5 at event 2") == (
        f"✗ call-complete: {message_of(far)} (event 3, part 5)"
    )
    assert headline(finding, "") == "✗ call-complete: the input is {}"


def test_findings_of_parts_with_one_cause_are_one_line() -> None:
    parts = [altered(FINDING, part=n, message=f"part {n}") for n in range(3)]
    others = [
        replace(FINDING, part=3, kind=EmittedAgain("call_1", 2, 3)),
        replace(FINDING, part=4, level="should"),
        replace(FINDING, part=5, turn=1),
        replace(FINDING, rule="call-once", part=6),
        FINDING,
        FINDING,
    ]
    assert alike([*parts[:2], *others, parts[2]]) == [parts, *([each] for each in others)]
    assert headline(parts[0], more=2) == "✗ call-complete: part 0 (part 0) and 2 more such parts"


MESSAGES = st.lists(
    st.text(max_size=60) | st.sampled_from([f"'{'v' * 80}'", '"', "'", '{"a": [1]}', "w" * 50]),
    max_size=8,
).map(" ".join)


@given(MESSAGES, st.none() | st.integers(0, 9999), st.none() | st.integers(0, 9999))
def test_the_first_line_is_short_and_keeps_the_rule_and_the_place(
    message: str, event: int | None, part: int | None
) -> None:
    line = headline(altered(FINDING, message=message, event=event, part=part))
    assert len(line) < 100
    assert line.isprintable()
    assert line.startswith("✗ call-complete: ")
    for name, n in {"event": event, "part": part}.items():
        assert n is None or f"{name} {n}" in line.rpartition("(")[2]


SCENARIO = b"""
title: A greeting
about: |
  The first line.
  The second one.
conduct: deviation
seen: [{at: acme/app#1, line: "data: 1", upstream: Acme}]
turns:
  - says: [{text: Hello}]
"""


def test_below_it_are_a_link_for_each_rule_and_what_the_case_is_about() -> None:
    case = Case(load(SCENARIO, "own/greeting.yaml", "own/greeting"), "openresponses")
    other = replace(FINDING, rule="end-once")
    assert list(context(case, [FINDING, FINDING, other], 80)) == [
        "why: docs/semantics.md#call-complete, or: streamproof explain call-complete",
        "why: docs/semantics.md#end-once, or: streamproof explain end-once",
        "this case: A greeting",
        "  The first line. The second one.",
        "  deviation: the upstream departs from its specification as real upstreams do,",
        "  so an adapter has to cope with it",
    ]


def test_of_a_binding_a_failure_may_be_the_librarys_or_the_bindings() -> None:
    legal = load(SCENARIO.replace(b"deviation", b"legal"), "own/greeting.yaml", "own/greeting")
    *_, last = context(Case(legal, "openresponses"), [FINDING], 200, "langchain-openai")
    assert last.endswith("so a failure is the fault of langchain-openai, or of its binding here")


@pytest.mark.parametrize(
    ("variations", "conduct"),
    [
        (("crlf",), "legal: the upstream keeps to its specification"),
        (("rotating-ids",), "deviation (by rotating-ids): the upstream departs from its spec"),
        (("reasoning-summary",), "deviation (by reasoning-summary): no upstream is known to send"),
        (("rotating-ids", "stop:end:cut"), "fault (stop:end:cut): the upstream's answer breaks"),
    ],
)
def test_what_variations_do_to_a_stream_is_said(variations: tuple[str, ...], conduct: str) -> None:
    legal = load(SCENARIO.replace(b"deviation", b"legal"), "own/greeting.yaml", "own/greeting")
    *_, last = context(Case(legal, "openresponses", variations), [FINDING], 400)
    assert last.strip().startswith(conduct)


def test_a_claim_has_no_scenario_to_describe() -> None:
    assert len(list(context(None, [FINDING]))) == 1


DUTIES = [
    ("end-honest", "failure-hidden", "; here it hid a failure"),
    ("call-none-invented", "never-made", "; here it invented a call"),
    ("text-exact", "added-around", "; here it added to the text"),
    ("text-exact", "stops-early", "or hang"),
]


@pytest.mark.parametrize(("rule", "kind", "ending"), DUTIES)
def test_where_the_upstream_breaks_its_specification_the_duty_that_was_broken_is_named(
    rule: str, kind: str, ending: str
) -> None:
    breaks = load(SCENARIO.replace(b"deviation", b"violation"), "own/greeting.yaml", "own/greeting")
    finding = found(rule, "must", "", "", "a source", kind=kind)
    *_, last = context(Case(breaks, "openresponses"), [finding], 400)
    assert last.endswith(ending)


def test_duties_name_kinds_that_rules_have() -> None:
    named = {(rule, kind) for rule, kinds in BROKEN_DUTIES.items() for kind in kinds}
    assert named <= set(KINDS)


WARNING = "main.py:520: UserWarning: unexpected\n  value({})\n  return value"
TRACE = "Traceback (most recent call last):\n  File {}\nKeyError: 'usage'"
LOGGED = '[Ext] ignored: {0} {{\n  "type": "{0}",\n  "more": {{\n  }}\n}}\n'
LONG = "\n".join(map("line {} of it".format, "abcdefghij"))

NOTES: list[tuple[list[str], list[str]]] = [
    ([], []),
    (["it exited with 1", "it left a child"], ["it exited with 1", "it left a child"]),
    (
        [
            "on stderr it said:\n"
            + "\n".join(map(WARNING.format, ("8, video", "13, image", "8, video")))
        ],
        [
            "on stderr it said:",
            "main.py:520: UserWarning: unexpected (3 times)",
            "  value(8, video)",
            "  return value",
        ],
    ),
    # Two messages that begin alike are two.
    (
        [f"{TRACE.format('a')}\n{TRACE.format('b')}"],
        [
            "Traceback (most recent call last):",
            "  File a",
            "KeyError: 'usage' (2 times)",
            "Traceback (most recent call last):",
            "  File b",
        ],
    ),
    # A message that is logged twice, once with the name of the logger before it.
    (
        [
            "on stderr it said:\n[12:00:01] [WARN] no such model: m\n"
            "[Log] [12:00:01] [WARN] no such model: m\nI [Log] saw it"
        ],
        ["on stderr it said:", "[12:00:01] [WARN] no such model: m", "I [Log] saw it"],
    ),
    # A value that is logged over several lines.
    (
        ["on stderr it said:\n" + 2 * LOGGED.format("start") + LOGGED.format("end") + "}\nlast"],
        [
            "on stderr it said:",
            '[Ext] ignored: start { "type": "start", "more": { } } (2 times)',
            '[Ext] ignored: end { "type": "end", "more": { } }',
            "}",
            "last",
        ],
    ),
    (
        [f"{STDERR_SHARED}[WARN] one of 2\n[WARN] one of 3\nanother\n  with more"],
        [
            STDERR_SHARED.rstrip(),
            "[WARN] one of 2 (2 times, perhaps of another run)",
            "another (perhaps of another run)",
            "  with more",
        ],
    ),
    ([LONG], LONG.splitlines()),
    (["", "a note"], ["a note"]),
]


@pytest.mark.parametrize(("notes", "lines"), NOTES)
def test_a_message_that_is_repeated_comes_once(notes: list[str], lines: list[str]) -> None:
    assert notes_text(notes) == lines


def test_of_a_long_note_both_ends_are_shown_and_how_to_see_the_rest() -> None:
    assert notes_text([LONG, "short"], most=4) == [
        "line a of it",
        "line b of it",
        "… 6 more lines, which streamproof show prints …",
        "line i of it",
        "line j of it",
        "short",
    ]


def test_a_note_that_a_finding_quotes_is_not_said_again() -> None:
    quoted = "the run did not end; the adapter blocked its event loop"
    assert notes_text(["the adapter blocked its event loop", "more"], [quoted]) == ["more"]
