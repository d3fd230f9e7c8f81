"""What the messages about content say: what came, what was sent, and which of the cases it is."""

import json
from base64 import b64encode
from dataclasses import replace
from typing import Any, Literal

import pytest

from conformance.contract.notes import exception_in, first_seen, stderr_note
from conformance.contract.traits import Traits
from conformance.contract.transcript import Cancelled, Emitted, End, ReportedError, SentEvent
from conformance.expectation.turn_content import expected_contents
from conformance.findings.finding import Defect, Kind, topics
from conformance.findings.formats.texts import quote_around
from conformance.findings.values import TextPlace
from conformance.findings.words import message_of, right_of
from conformance.rules.differences import difference
from conformance.rules.judge import judge_case
from mockserver.cases.render import render
from tests.findings.made import words_of
from tests.rules.test_ending_messages import GOOD, IN_PARTS, case_of, ended, messages, transcript_of

COMPLETED = End(9.0, "completed", finish="stop")
DELTA = "response.output_text.delta"


def parts(*emitted: dict[str, Any]) -> tuple[Emitted, ...]:
    return tuple(Emitted(n, 1.0, part) for n, part in enumerate(emitted))


@pytest.mark.parametrize(
    ("expected", "got", "message"),
    [
        ("Hello", "", "the text never came out: 'Hello' was sent"),
        ("", "Hello", "the text came out, and none was sent: 'Hello'"),
        ("Hello", "HelloHello", "the text came twice: 'HelloHello'"),
        ("Hello", "Hel", "the text stops after 3 of 5 characters: 'Hel'"),
        ("Hello", "Hello!", "1 character was added after the text: '!'"),
        ("Hello", "  Hello", "2 characters were added before the text: '  '"),
        (
            "Hello",
            "  Hello ",
            "3 characters were added to the text: '  ' before it and ' ' after it",
        ),
        ("Hello", "lo", "the text lacks its first 3 characters: 'Hel'"),
        ("Hello", "Hallo", "the text differs from character 1 on: 'allo' where 'ello' was sent"),
    ],
)
def test_text_is_lost_added_repeated_cut_or_changed(expected: str, got: str, message: str) -> None:
    assert _words(difference("text", expected, got)) == message


RIGHT_TEXTS = [
    ("short", 3, "'short'"),
    ("a" * 100, 0, f"'{'a' * 24}…'"),
    (
        "a" * 50 + "b" * 50,
        50,
        f"'…{'a' * 20}{'b' * 20}…' ('b' is character 50 of the whole, counted from 0)",
    ),
    ("a" * 50, 50, f"'…{'a' * 20}'"),
]


@pytest.mark.parametrize(("text", "at", "shown"), RIGHT_TEXTS)
def test_a_long_text_shows_the_characters_that_differ(text: str, at: int, shown: str) -> None:
    assert quote_around(TextPlace(text, at)) == shown


def test_a_long_text_is_cut_in_a_message() -> None:
    assert len(_words(difference("thinking", "a" * 1000, "b" * 1000))) < 140


def _words(kind: Kind) -> str:
    return words_of(Defect(kind, topics("text")))


def _call(id_: str, input_: str = "{}") -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": id_, "toolName": "rm", "input": input_}


AFTER = "after the end (event 8)"
_NEVER_WHOLE = "which the upstream never sent in a way that can be executed"
INVENTED = [
    ("openresponses/events-after-the-end", "call_more", f"which was sent {AFTER}"),
    ("chat/chunks-behind-done@chat", "call_more", "which was sent after the end (event 2)"),
    ("chat/half-a-call-at-stop", "call_rm", _NEVER_WHOLE),
    ("chat/half-a-call-at-stop", "call_other", "which the upstream never made"),
    ("openresponses/cut-without-terminal-event", "call_rm", _NEVER_WHOLE),
    (
        "any/arguments-that-do-not-parse@openresponses",
        "call_x1",
        "whose arguments do not parse as JSON",
    ),
]


@pytest.mark.parametrize(("case", "id_", "why"), INVENTED)
def test_an_invented_call_was_announced_or_never_made(case: str, id_: str, why: str) -> None:
    found = messages(ended(case, COMPLETED, parts=parts(_call(id_))), "call-none-invented")
    assert found == [f"a call 'rm' with id {id_!r} came out, {why}; its input is {{}}"]


def _grep(id_: str, what: str) -> dict[str, Any]:
    return {**_call(id_, json.dumps({"for": what})), "toolName": "grep"}


TODO, FIXME = 'grep({"for":"TODO"})', 'grep({"for":"FIXME"})'
ONE_ID = "openresponses/one-call-id-for-two-calls"
TWO_CALLS = [
    (
        "call_grep",
        "FIXME",
        f"the calls {TODO} and {FIXME} have one id, 'call_grep'",
        f"an id of its own for {FIXME}, or an ending that says failed",
    ),
    (
        "call_grep",
        "TODO",
        "the call 'call_grep' was emitted 2 times, again as part 1",
        "one part for the call 'call_grep', however many events complete it",
    ),
    (
        "call_2",
        "TODO",
        "the call 'call_grep' was emitted 2 times, again as part 1 with the id 'call_2'",
        "one part for the call 'call_grep', however many events complete it",
    ),
]


@pytest.mark.parametrize(("id_", "what", "message", "right"), TWO_CALLS)
def test_two_calls_under_one_id_are_distinguished_from_a_repeated_call(
    id_: str, what: str, message: str, right: str
) -> None:
    run = ended(
        ONE_ID,
        End(9.0, "completed", finish="tool-calls"),
        parts=parts(_grep("call_grep", "TODO"), _grep(id_, what)),
    )
    first, *others = judge_case(case_of(ONE_ID), run, IN_PARTS)
    assert (first.rule, message_of(first), right_of(first)) == ("call-once", message, right)
    # A call under another's id is not lost as well.
    assert ("call-none-lost" in {each.rule for each in others}) == (what == "TODO")


REASONING = "any/reasoning@openresponses"
TRAITS = [
    (
        IN_PARTS,
        "no trait reasoning is declared, so reasoning: thinking holds",
        "the reasoning into thinking parts",
    ),
    (
        replace(IN_PARTS, reasoning="text"),
        "the trait reasoning: text is declared",
        "the reasoning into the answer text",
    ),
]


@pytest.mark.parametrize(("traits", "where", "due"), TRAITS)
def test_lost_reasoning_is_reported_with_its_trait(traits: Traits, where: str, due: str) -> None:
    text = {"type": "text-delta", "id": "1", "delta": "It is 4."}
    found = judge_case(case_of(REASONING), ended(REASONING, COMPLETED, parts=parts(text)), traits)
    (finding,) = (each for each in found if each.rule == "thinking-routed")
    assert message_of(finding) == f"the reasoning went nowhere; {where}"
    assert right_of(finding) == f"{due}; if it is meant so, declare the trait reasoning: hidden"


def test_reasoning_in_prefixed_text_is_told_with_the_trait_that_declares_it() -> None:
    words = [
        {"type": "text", "value": "[Thinking] The user wants the sum. 2 + 2 is 4."},
        {"type": "text", "value": "It is 4."},
    ]
    run = replace(ended(REASONING, COMPLETED, parts=parts(*words)), vocabulary="vscode")
    (finding,) = judge_case(case_of(REASONING), run, Traits())
    assert finding.rule == "thinking-routed"
    assert message_of(finding).startswith(
        "the reasoning went into text parts that begin with '[Thinking] '; "
    )
    assert right_of(finding).endswith("if it is meant so, declare the trait reasoning: prefixed")
    assert judge_case(case_of(REASONING), run, Traits(reasoning="prefixed")) == []


SPELLINGS = "chat/every-spelling-of-reasoning@chat"
ONLY_TEXT = {"type": "text-delta", "id": "1", "delta": "2"}
UNDECLARED = [("hidden", "no reasoning"), ("text", "the reasoning into the answer text")]


@pytest.mark.parametrize(("declared", "due"), UNDECLARED)
def test_some_of_the_reasoning_in_thinking_parts_is_named_with_the_trait_that_forbids_it(
    declared: Literal["hidden", "text"], due: str
) -> None:
    thought = {"type": "reasoning-delta", "id": "0", "delta": "one is "}
    run = ended(SPELLINGS, COMPLETED, parts=parts(thought, ONLY_TEXT))
    found = judge_case(case_of(SPELLINGS), run, replace(IN_PARTS, reasoning=declared))
    (finding,) = (each for each in found if each.rule == "thinking-routed")
    assert message_of(finding) == (
        f"the trait reasoning: {declared} is declared, but thinking came out: 'one is '"
    )
    assert right_of(finding) == f"{due}; if it is meant so, declare the trait reasoning: thinking"
    assert finding.event == 3


IMAGE = "openresponses/image-only-in-item"
(SENT,) = expected_contents(case_of(IMAGE).scenario)[0].data
OTHER = b64encode(b"GIF89a").decode()
DATA = [
    ([], f"data of image/png was lost: {SENT.data[:24]}…"),
    ([("image/png", SENT.data)] * 2, f"a part holds image/png {SENT.data[:24]}… again"),
    (
        [("image/gif", SENT.data)],
        f"a part holds image/gif {SENT.data[:24]}…, which was sent as image/png",
    ),
    ([("image/png", OTHER)], f"a part holds image/png {OTHER}, and {SENT.data[:24]}… was sent"),
]


@pytest.mark.parametrize(("emitted", "message"), DATA)
def test_data_is_lost_repeated_mislabelled_or_changed(
    emitted: list[tuple[str, str]], message: str
) -> None:
    made = parts(*({"type": "file", "mediaType": kind, "data": data} for kind, data in emitted))
    assert messages(ended(IMAGE, COMPLETED, parts=made), "data-exact") == [message]


def test_the_exception_of_a_crash_is_the_last_one_that_the_notes_name() -> None:
    python = "Traceback (most recent call last):\n  File x\nhttpx.ReadError: gone\n"
    assert exception_in(stderr_note(f"ValueError: first\n{python}")) == "httpx.ReadError: gone"
    node = "Uncaught TypeError: x is null\n    at f (a.js:1)\n\nNode.js v20"
    assert exception_in(stderr_note(node)) == "TypeError: x is null"
    module = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'a'\n    at b"
    assert (
        exception_in(stderr_note(module)) == "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'a'"
    )
    assert exception_in(stderr_note("listening on 80\nall is well")) == ""
    assert exception_in(()) == ""


def test_what_the_driver_saw_is_no_stderr_and_no_traceback() -> None:
    notes = ("Traceback (most recent call last):\nKeyError", *stderr_note("hello"), "it exited\nx")
    assert first_seen(notes) == "it exited"
    assert first_seen(notes[:2]) == ""


MANY, ONE = "openresponses/unknown-events-without-prefix", "openresponses/file-event"
WELL = "the run went well up to event"
AFTER_7 = "; to be ignored after that: events 8, 12 and 13"
BROKE = [
    (MANY, 2, COMPLETED, f"{WELL} 7 ({DELTA}), and lost what follows{AFTER_7}"),
    (
        MANY,
        2,
        End(9.0, "failed", error=ReportedError(message="what is it?")),
        f"{WELL} 7 ({DELTA}), and ended as 'failed': 'what is it?'{AFTER_7}",
    ),
    (
        MANY,
        2,
        End(9.0, "error", error=ReportedError(message="KeyError: 1")),
        f"{WELL} 7 ({DELTA}), and crashed: KeyError: 1{AFTER_7}",
    ),
    (ONE, 1, COMPLETED, f"{WELL} 5 (response.file), which is to be ignored, and lost what follows"),
    (
        "openresponses/unknown-events",
        0,
        COMPLETED,
        "the run brought nothing, and lost what follows; to be ignored at its beginning: events 0 "
        "and 3",
    ),
]


def _texts(*values: str) -> tuple[Emitted, ...]:
    return parts(*({"type": "text-delta", "id": "1", "delta": value} for value in values))


@pytest.mark.parametrize(("case", "came", "end", "message"), BROKE)
def test_a_break_is_blamed_on_an_ignorable_event_only_if_no_other_may_be_the_cause(
    case: str, came: int, end: End, message: str
) -> None:
    deltas = [event.data["delta"] for event in transcript_of(case).sent if event.type == DELTA]
    emitted = _texts(*deltas[:came])
    assert messages(ended(case, end, parts=emitted), "ignored-silently") == [message]


COMMENTS = "any/comments-everywhere@openresponses"
ADDED = [
    (
        (" ", "Still ", " ", "here", " ", ".", " "),
        [
            "' ' was added to the text at events 0 and 5, which are to be ignored, and 3 more "
            "characters elsewhere"
        ],
        "the text differs from character 0 on: ' Still  here . ' where 'Still here.' was sent",
    ),
    (
        (" ", " ", "Still ", "here", ".", " "),
        [],
        "3 characters were added to the text: '  ' before it and ' ' after it",
    ),
    (
        ("Still ", " ", "here", "."),
        [],
        "the text differs from character 6 on: ' here.' where 'here.' was sent",
    ),
]


@pytest.mark.parametrize(("emitted", "ignored", "exact"), ADDED)
def test_blanks_that_some_comments_do_not_bring_are_not_blamed_on_comments(
    emitted: tuple[str, ...], ignored: list[str], exact: str
) -> None:
    run = ended(COMMENTS, COMPLETED, parts=_texts(*emitted))
    assert messages(run, "ignored-silently") == ignored
    assert messages(run, "text-exact") == [exact]


LATE = [
    (
        " One more thing:",
        f"text that was sent {AFTER} came out: ' One more thing:'",
        "the text 'The end.', and nothing after the end",
    ),
    (" Bye.", "5 characters were added after the text: ' Bye.'", "the text 'The end.'"),
]


@pytest.mark.parametrize(("added", "message", "right"), LATE)
def test_late_text_is_not_taken_for_invented_text(added: str, message: str, right: str) -> None:
    case = "openresponses/events-after-the-end"
    found = judge_case(
        case_of(case), ended(case, COMPLETED, parts=_texts("The end.", added)), IN_PARTS
    )
    assert [(message_of(f), right_of(f)) for f in found if f.rule == "text-exact"] == [
        (message, right)
    ]


BAD_PARTS = [
    ([_call("call_1") | {"toolName": ""}], "a tool-call 'call_1' came out with an empty toolName"),
    (
        [{"type": "text-delta", "id": "1", "delta": None}] * 2,
        "a text-delta came out with delta null, not a string, 2 times",
    ),
    (
        [{"type": "text-delta", "delta": "x"}, _call("call_1") | {"toolName": ""}],
        "a text-delta came out without id, and 1 more part that is not valid",
    ),
    ([{"type": "made-up"}], 'a made-up came out of the unknown type "made-up"'),
]


@pytest.mark.parametrize(("emitted", "message"), BAD_PARTS)
def test_an_invalid_part_is_named_with_what_is_wrong_in_it(
    emitted: list[dict[str, Any]], message: str
) -> None:
    run = ended(IMAGE, COMPLETED, parts=parts(*emitted))
    assert messages(run, "part-known") == [message]


BURST = "any/cancel-in-a-burst@chat"
AFTER_CANCEL = [
    (("a", "b", "c"), ["3 pieces ('a' … 'c') came after the run was cancelled, and one may"] * 2),
    (("a",), []),
]


@pytest.mark.parametrize(("late", "found"), AFTER_CANCEL)
def test_pieces_that_come_after_a_cancellation_are_counted_with_the_one_that_may(
    late: tuple[str, ...], found: list[str]
) -> None:
    cancelled = Cancelled(0.5, 1, "after_parts")
    run = ended(BURST, End(9.0, "cancelled"), parts=_texts("One", *late), cancelled=cancelled)
    assert messages(run, "cancel-stops") == found


OTHER_WAYS = [
    (
        "chat/placeholder-before-the-arguments@chat",
        [_call("call_place") | {"toolName": "delete_file"}],
        "call-complete",
        ", or an ending that says failed",
    ),
    (
        "chat/name-in-pieces@chat",
        [_call("call_split", '{"city":"Lima"}') | {"toolName": "get_"}],
        "call-name",
        ", or an ending that says failed",
    ),
    (
        "openresponses/fields-are-missing",
        [],
        "end-honest",
        ", or completed with the text and the call",
    ),
    (GOOD, [], "text-exact", "'"),
]


@pytest.mark.parametrize(("case", "emitted", "rule", "ends"), OTHER_WAYS)
def test_what_is_right_has_the_other_ways_that_the_case_allows(
    case: str, emitted: list[dict[str, Any]], rule: str, ends: str
) -> None:
    run = ended(case, replace(COMPLETED, finish=None), parts=parts(*emitted))
    found = judge_case(case_of(case), run, IN_PARTS)
    rights = [right_of(f) for each in found for f in (each, *each.explains) if f.rule == rule]
    assert rights
    assert all(ends in right for right in rights)
    assert (ends == "'") == all("failed" not in right for right in rights)


HIDES_BOTH = "any/thinks-then-refuses@chat"


def test_reasoning_and_a_refusal_that_are_both_dropped_are_two_choices() -> None:
    found = judge_case(case_of(HIDES_BOTH), ended(HIDES_BOTH, COMPLETED), IN_PARTS)
    said = [(each.rule, message_of(each), right_of(each).rpartition("; ")[2]) for each in found]
    assert sorted(said, reverse=True) == [
        (
            "thinking-routed",
            "the reasoning went nowhere; no trait reasoning is declared, so reasoning: thinking "
            "holds",
            "if it is meant so, declare the trait reasoning: hidden",
        ),
        (
            "refusal-routed",
            "the refusal went nowhere; no trait refusal is declared, so refusal: text holds",
            "if it is meant so, declare the trait refusal: hidden",
        ),
    ]


@pytest.mark.parametrize("reasoning", ["thinking", "hidden", "text"])
def test_a_dropped_refusal_says_nothing_of_reasoning_that_never_came(reasoning: Any) -> None:
    refused = "any/refusal@chat"
    traits = replace(IN_PARTS, reasoning=reasoning)
    found = judge_case(case_of(refused), ended(refused, COMPLETED), traits)
    assert [each.rule for each in found] == ["refusal-routed"]


FAILED = End(9.0, "failed", error=ReportedError("transport", "Connection error."))


@pytest.mark.parametrize(
    ("faults", "where"), [((), "into a failure"), (("stop:3:cut",), "nowhere")]
)
def test_a_failure_of_the_upstream_is_not_the_place_of_a_refusal(
    faults: tuple[str, ...], where: str
) -> None:
    case = replace(case_of("any/refusal@chat"), variations=faults)
    run = replace(ended("any/refusal@chat", FAILED), case=str(case))
    rendered = render(case, 0)
    sent = tuple(SentEvent(s.n, 0.0, s.kind, s.type, s.data) for s in rendered.plan.sent)
    asked = replace(run.requests[0], events=sent, close=rendered.plan.close)
    found = judge_case(case, replace(run, requests=(asked,)), IN_PARTS)
    (message,) = (message_of(each) for each in found if each.rule == "refusal-routed")
    assert message.startswith(f"the refusal went {where};")


def test_a_call_of_another_choice_is_not_said_to_be_incomplete() -> None:
    id_ = "chat/text-and-call-in-two-choices@chat"
    text = {"type": "text-delta", "id": "text", "delta": "Let me look."}
    call = {"type": "tool-call", "toolCallId": "call_1", "toolName": "read_file"}
    run = ended(id_, COMPLETED, parts=parts(text, {**call, "input": '{"path":"a.py"}'}))
    (found,) = (
        each
        for each in judge_case(case_of(id_), run, IN_PARTS)
        if each.rule == "call-none-invented"
    )
    assert message_of(found) == (
        "a call 'read_file' with id 'call_1' came out, which is of another choice than the first; "
        "no trait choices is declared, so choices: alternatives holds; its input is "
        '{"path":"a.py"}'
    )
    assert right_of(found).endswith("; if it is meant so, declare the trait choices: merge")
    merged = judge_case(case_of(id_), run, replace(IN_PARTS, choices="merge"))
    assert [each for each in merged if each.rule == "call-none-invented"] == []


ROUTED = [
    ("openresponses/hosted-refusal-after-a-search", (), "refusal-routed"),
    (
        "openresponses/hosted-reasoning-twice-around-code",
        tuple(
            {"type": "text-delta", "id": "text", "delta": text}
            for text in ("First count.", "Then compare.", "One.")
        ),
        "thinking-routed",
    ),
]


@pytest.mark.parametrize(("case", "emitted", "rule"), ROUTED)
def test_an_ignorable_event_is_not_blamed_for_what_only_went_elsewhere(
    case: str, emitted: tuple[dict[str, Any], ...], rule: str
) -> None:
    run = ended(case, COMPLETED, parts=parts(*emitted))
    assert messages(run, rule)
    assert messages(run, "ignored-silently") == []
