"""The first line of a failing test: the rule, what happened, and where, in under 100 characters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.report.failure import alike, context, headline
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
    (
        altered(FINDING, message=f"the id {'x' * 200!r} is not {'call_1'!r}", event=4),
        f"✗ call-complete: the id '{'x' * 31}…{'x' * 15}' is not 'call_1' (event 4)",
    ),
    (
        altered(
            FINDING,
            message=f"the run failed with {'x' * 90!r}, but the upstream sent end (event 9)",
        ),
        f"✗ call-complete: failed with '{'x' * 45}…{'x' * 22}'",
    ),
    (
        altered(
            FINDING, message=f"the run failed with {'x' * 9!r}, but the upstream sent end (event 9)"
        ),
        f"✗ call-complete: the run failed with '{'x' * 9}', but the upstream sent end (event 9)",
    ),
    (
        altered(
            FINDING,
            message="a toolCall 'call_1' came out with input \"what\", not an object",
            part=0,
        ),
        "✗ call-complete: a toolCall 'call_1' came out with input \"what\", not an object (part 0)",
    ),
    (
        altered(
            FINDING,
            rule="end-honest",
            message="the run ended as 'completed', but the upstream ended the stream after "
            "response.output_item.done (event 12), without response.completed, "
            "response.incomplete or response.failed",
        ),
        "✗ end-honest: ended as 'completed', but the upstream ended the stream (event 12) without "
        "an ending",
    ),
    (
        altered(
            FINDING,
            message="a call 'format_disk' with id 'call_never' came out, which the upstream never "
            "sent in a way that can be executed; its input is {}",
            part=0,
        ),
        "✗ call-complete: the call 'call_never' came out, but cannot be executed (part 0)",
    ),
    (
        altered(FINDING, message="the call was late " * 9, event=4),
        f"✗ call-complete: {('the call was late ' * 9)[:71]}… (event 4)",
    ),
    (
        altered(
            FINDING,
            message="the adapter crashed: urllib.error.HTTPError: HTTP Error 401: Unauthorized; it "
            "exited with 1 in the middle of a run",
        ),
        "✗ call-complete: the adapter crashed: urllib.error.HTTPError: HTTP Error 401: "
        "Unauthorized…",
    ),
    (
        altered(
            FINDING,
            rule="turn-pairs",
            message="a call went back upstream with the id 'fc_01'; the upstream called it "
            "'call_oslo'",
            turn=1,
        ),
        "✗ turn-pairs: the call 'call_oslo' went back upstream as 'fc_01' (turn 1)",
    ),
    (
        altered(
            FINDING,
            rule="thinking-routed",
            message="the reasoning went into the answer text; no trait reasoning is declared, "
            "so reasoning: thinking holds",
            event=4,
        ),
        "✗ thinking-routed: the reasoning went into the answer text; default: reasoning: thinking "
        "(event 4)",
    ),
    (
        altered(
            FINDING,
            message="a call 'move_file' with id 'call_x2' came out, whose arguments do not parse "
            "as JSON; its input is {'path': 'c.txt'}",
            part=1,
        ),
        "✗ call-complete: the call 'call_x2' came out; its arguments are not JSON (part 1)",
    ),
    (
        altered(
            FINDING,
            message="no host can run the call 'call_2': its arguments are not JSON: "
            '{"path":"a.py"}"b"}',
        ),
        "✗ call-complete: no host can run the call 'call_2': its arguments are not JSON: "
        '{"path":"a.py"}"b"}',
    ),
    (
        altered(
            FINDING,
            message="the adapter crashed with AttributeError: 'NoneType' object has no attribute "
            "'type'; the upstream sent response.completed (event 11)",
        ),
        "✗ call-complete: crashed with AttributeError: 'NoneType' object has no attribute 'type'",
    ),
    (
        altered(
            FINDING,
            message="the run failed with 'It ended without an event that said so.' instead of "
            "ending as incomplete (length), although the upstream sent end (event 9)",
        ),
        "✗ call-complete: failed with 'It ended without an event that said so.', not incomplete "
        "(length)",
    ),
    (
        altered(
            FINDING,
            rule="end-honest",
            message='the adapter crashed with "TypeError: Cannot read properties of undefined '
            "(reading 'code')\"; the upstream sent error (event 5): context_length_exceeded",
        ),
        '✗ end-honest: crashed with "TypeError: Cannot read properties of undefined (reading '
        "'code')\"",
    ),
    (
        altered(
            FINDING,
            rule="end-honest",
            message="the run failed with 'the final response lacks the call call_find: "
            'find_file({"name":"*.bak"}) of the events\', but the upstream sent end (event 19)',
        ),
        "✗ end-honest: failed with 'the final response lacks the call call_find: find_file("
        '{"name":"*.bak"}…',
    ),
    (
        altered(
            FINDING,
            rule="end-honest",
            message="the run ended as 'completed', but the upstream sent text that did not come "
            "out, up to response.completed (event 14)",
        ),
        "✗ end-honest: the run ended as 'completed' despite text that did not come out",
    ),
    (
        altered(
            FINDING,
            rule="end-honest",
            message="the run ended as 'completed', but the upstream sent an error in chunk (event "
            "1): 502 The provider returned an error.",
        ),
        "✗ end-honest: ended as 'completed' despite an error in chunk (event 1): 502 The provider "
        "returned …",
    ),
    (
        altered(
            FINDING,
            rule="block-framing",
            message="reasoning-delta comes when the block of reasoning 'rs_1' has not started",
            event=4,
            part=2,
        ),
        "✗ block-framing: reasoning-delta before its block 'rs_1' starts (event 4, part 2)",
    ),
    (
        altered(
            FINDING,
            message="the run went well up to event 8 (response.future_thing.done), which is to be "
            "ignored, and crashed: the library raised TypeError: 'NoneType' is not iterable",
            event=8,
        ),
        "✗ call-complete: crashed: the library raised TypeError: 'NoneType' is not iterable "
        "(event 8)",
    ),
    (
        altered(
            FINDING,
            message="a call 'reopen' with id 'call_more' came out, which the upstream never made; "
            "its input is {'at': 'once'}",
            part=9,
        ),
        "✗ call-complete: the call 'call_more' came out, which the upstream never made (part 9)",
    ),
    (
        altered(
            FINDING,
            message="the run went well up to event 7 (response.output_text.delta), and crashed: "
            "the library raised TypeError: 'NoneType' object is not iterable; to be ignored after "
            "that: events 8, 12 and 13",
        ),
        "✗ call-complete: the library raised TypeError: 'NoneType' object is not iterable",
    ),
    (
        altered(
            FINDING,
            message="the run went well up to event 7 (response.output_text.delta), and ended as "
            "'failed': 'It is not a part of the stream.'; to be ignored after that: event 8",
        ),
        "✗ call-complete: ended as 'failed' after event 7: 'It is not a part of the stream.'",
    ),
    (
        altered(
            FINDING,
            rule="text-exact",
            message="text that was sent after response.completed (event 8) came out: ' One more "
            "thing:'",
            event=11,
            part=1,
        ),
        "✗ text-exact: text sent after response.completed came out: ' One more thing:' (event 11, "
        "part 1)",
    ),
    # A place that the message has already.
    (
        altered(FINDING, message="the call came out in the middle of event 12; " * 2, event=12),
        "✗ call-complete: the call came out in the middle of event 12…",
    ),
    # A clause within a value.
    (
        altered(FINDING, message=f"the text is {'here; and there; ' * 9!r} and no more", event=4),
        "✗ call-complete: the text is 'here; and there; here; and there; here; and t…' and no more "
        "(event 4)",
    ),
    (
        altered(
            FINDING,
            rule="ignored-silently",
            message="the run went well up to event 7 (response.output_text.delta), and crashed: "
            "the library raised TypeError: 'NoneType' object is not iterable; to be ignored after "
            "that: events 8, 12 and 13",
            event=7,
        ),
        "✗ ignored-silently: the library raised TypeError: 'NoneType' object is not iterable "
        "(event 7)",
    ),
    (
        altered(
            FINDING,
            rule="call-none-invented",
            message="a call 'reopen' with id 'call_more' came out, which was sent after the end "
            '(event 8); its input is {"at":"once"}',
            event=13,
            part=2,
        ),
        "✗ call-none-invented: the call 'call_more' came out, sent after the end (event 13, part "
        "2)",
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


def test_findings_of_parts_that_say_the_same_to_be_right_are_one_line() -> None:
    parts = [altered(FINDING, part=n, message=f"part {n}") for n in range(3)]
    others = [
        altered(FINDING, part=3, right="another input"),
        replace(FINDING, part=4, level="should"),
        replace(FINDING, part=5, turn=1),
        replace(FINDING, rule="call-once", part=6),
        FINDING,
        FINDING,
    ]
    assert alike([*parts[:2], *others, parts[2]]) == [parts, *([each] for each in others)]
    assert headline(parts[0], more=2) == "✗ call-complete: part 0 (part 0) and 2 more such parts"
    late = altered(
        FINDING, message="text-delta comes when the block of text 'msg_1' has not started"
    )
    assert headline(late, "event 4, part 2", 5) == (
        "✗ call-complete: text-delta before its block 'msg_1' starts (event 4) and 5 more "
        "such parts"
    )


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
        (("rotating-ids", "stop:end:cut"), "fault (stop:end:cut): the upstream's answer breaks"),
    ],
)
def test_what_variations_do_to_a_legal_stream_is_said(
    variations: tuple[str, ...], conduct: str
) -> None:
    legal = load(SCENARIO.replace(b"deviation", b"legal"), "own/greeting.yaml", "own/greeting")
    *_, last = context(Case(legal, "openresponses", variations), [FINDING], 400)
    assert last.strip().startswith(conduct)


def test_a_claim_has_no_scenario_to_describe() -> None:
    assert len(list(context(None, [FINDING]))) == 1


DUTIES = [
    (
        "end-honest",
        "the run ended as 'completed', but the upstream cut it",
        "; here it hid a failure",
    ),
    ("call-none-invented", "a call 'rm' with id 'call_1' came out", "; here it invented a call"),
    ("text-exact", "2 characters were added after the text: '##'", "; here it added to the text"),
    ("text-exact", "the text stops after 2 of 5 characters: 'He'", "or hang"),
]


@pytest.mark.parametrize(("rule", "message", "ending"), DUTIES)
def test_where_the_upstream_breaks_its_specification_the_duty_that_was_broken_is_named(
    rule: str, message: str, ending: str
) -> None:
    breaks = load(SCENARIO.replace(b"deviation", b"violation"), "own/greeting.yaml", "own/greeting")
    finding = altered(FINDING, rule=rule, message=message)
    *_, last = context(Case(breaks, "openresponses"), [finding], 400)
    assert last.endswith(ending)
