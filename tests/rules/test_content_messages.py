"""What the messages about content say: what came, what was sent, and which of the cases it is."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.notes import exception_in, first_seen, stderr_note
from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, End, ReportedError
from conformance.expectation.turn_content import expected_contents
from conformance.rules.differences import around, difference
from conformance.rules.judge import judge_case
from tests.rules.test_ending_messages import IN_PARTS, case_of, ended, messages

COMPLETED = End(9.0, "completed", finish="stop")


def parts(*emitted: dict[str, Any]) -> tuple[Emitted, ...]:
    return tuple(Emitted(n, 1.0, part) for n, part in enumerate(emitted))


@pytest.mark.parametrize(
    ("expected", "got", "message"),
    [
        ("Hello", "", "the text never came out: 'Hello' was sent"),
        ("", "Hello", "the text came out, and none was sent: 'Hello'"),
        ("Hello", "HelloHello", "the text came twice: 'HelloHello'"),
        ("Hello", "Hel", "the text stops after 3 of 5 characters: 'Hel'"),
        ("Hello", "Hello!", "1 character(s) were added after the text: '!'"),
        ("Hello", "lo", "the text lacks its first 3 characters: 'Hel'"),
        ("Hello", "Hallo", "the text differs from character 1 on: 'allo' where 'ello' was sent"),
    ],
)
def test_a_text_is_lost_added_repeated_cut_or_changed(
    expected: str, got: str, message: str
) -> None:
    assert difference("the text", expected, got) == message


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
def test_of_a_long_text_the_right_characters_are_shown_at_the_place_that_differs(
    text: str, at: int, shown: str
) -> None:
    assert around(text, at) == shown


def test_a_long_text_is_cut_in_a_message() -> None:
    assert len(difference("the thinking", "a" * 1000, "b" * 1000)) < 140


def _call(id_: str, input_: str = "{}") -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": id_, "toolName": "rm", "input": input_}


_NEVER_WHOLE = "which the upstream never sent in a way that can be executed"
INVENTED = [
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
def test_an_invented_call_is_one_that_was_announced_or_one_that_was_never_made(
    case: str, id_: str, why: str
) -> None:
    found = messages(ended(case, COMPLETED, parts=parts(_call(id_))), "call-none-invented")
    assert found == [f"a call 'rm' with id {id_!r} came out, {why}; its input is {{}}"]


def _grep(id_: str, what: str) -> dict[str, Any]:
    return {**_call(id_, json.dumps({"for": what})), "toolName": "grep"}


TODO, FIXME = "grep({'for': 'TODO'})", "grep({'for': 'FIXME'})"
ONE_ID = "openresponses/one-call-id-for-two-calls"
TWO_CALLS = [
    (
        "call_grep",
        "FIXME",
        f"the calls {TODO} and {FIXME} have one id, 'call_grep'",
        f"an id of its own for {FIXME}, or a failure",
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
def test_two_calls_under_one_id_are_told_from_one_call_that_comes_twice(
    id_: str, what: str, message: str, right: str
) -> None:
    run = ended(
        ONE_ID,
        End(9.0, "completed", finish="tool-calls"),
        parts=parts(_grep("call_grep", "TODO"), _grep(id_, what)),
    )
    first, *others = judge_case(case_of(ONE_ID), run, IN_PARTS)
    assert (first.rule, first.message, first.right) == ("call-once", message, right)
    # A call under another's id is not lost as well.
    assert ("call-none-lost" in {each.rule for each in others}) == (what == "TODO")


REASONING = "any/reasoning@openresponses"
TRAITS = [
    (IN_PARTS, "the default is reasoning: thinking", "the reasoning into thinking parts"),
    (
        replace(IN_PARTS, reasoning="text"),
        "adapter.yaml says reasoning: text",
        "the reasoning into the answer text",
    ),
]


@pytest.mark.parametrize(("traits", "where", "due"), TRAITS)
def test_reasoning_that_went_elsewhere_is_told_with_where_that_is_set(
    traits: Traits, where: str, due: str
) -> None:
    text = {"type": "text-delta", "id": "1", "delta": "It is 4."}
    found = judge_case(case_of(REASONING), ended(REASONING, COMPLETED, parts=parts(text)), traits)
    (finding,) = (each for each in found if each.rule == "thinking-routed")
    assert finding.message == f"the reasoning went nowhere; {where}"
    assert finding.right == f"{due}; if it is meant so, reasoning: hidden in adapter.yaml"


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
    (
        [("image/png", OTHER)],
        f"a part holds image/png {OTHER}, and {SENT.data[:24]}… was sent",
    ),
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


IGNORED = "openresponses/unknown-events"
BROKE = [
    (COMPLETED, "and lost what follows"),
    (
        End(9.0, "failed", error=ReportedError(message="what is it?")),
        "and ended as 'failed': 'what",
    ),
    (End(9.0, "error", error=ReportedError(message="KeyError: 1")), "and crashed: KeyError: 1"),
]


@pytest.mark.parametrize(("end", "how"), BROKE)
def test_an_adapter_that_breaks_at_an_ignorable_event_is_told_which_and_how(
    end: End, how: str
) -> None:
    (message,) = messages(ended(IGNORED, end), "ignored-silently")
    event, _, broke = message.partition(", which is to be ignored, ")
    assert event.startswith("the run went well up to event ")
    assert event.endswith(")")
    assert broke.startswith(how)


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
