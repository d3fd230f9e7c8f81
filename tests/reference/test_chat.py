"""The chat completions machine: text, reasoning, endings, usage and choices.

Source: OpenAI, "The chat completion chunk object", and what upstreams of Copilot are known to send.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference.chat_streams import (
    READ,
    Json,
    call,
    calls_of,
    choice,
    chunk,
    delta,
    finish,
    read_events,
    text_of,
)

CALL = ("call_1", "read_file", {"path": "a.py"})
ERROR = {"message": "Overloaded.", "code": "server_error"}
FAILED = {"kind": "upstream", **ERROR}

TEXTS: dict[str, tuple[list[Json], str]] = {
    "deltas": ([delta(content="He"), delta(content="llo")], "Hello"),
    "blank deltas": (
        [delta(content=each) for each in ("a", " ", "\n\n", "", None, "b")],
        "a \n\nb",
    ),
    "a role first": ([delta(role="assistant", content=""), delta(content="a")], "a"),
    "no choices": ([chunk(), delta(content="a"), {"type": "message"}, chunk()], "a"),
    "choices that are null": ([{"type": "message", "choices": None}, delta(content="a")], "a"),
    "a choice that is null": ([{"type": "message", "choices": [None]}, delta(content="a")], "a"),
    "a delta that is null": (
        [chunk({"index": 0, "delta": None, "finish_reason": None}), delta(content="a")],
        "a",
    ),
    "an empty list of calls beside it": ([delta(content="a", tool_calls=[])], "a"),
    "no index": ([chunk(choice(None, content="a")), delta(content="b")], "ab"),
    "a message beside the delta": (
        [chunk({**choice(content="a"), "message": {"role": "assistant", "content": "a"}})],
        "a",
    ),
    "other ids and models in every chunk": (
        [{**delta(content=each), "id": each, "model": None} for each in "ab"],
        "ab",
    ),
    "surrogates cut in two": ([delta(content="\ud83d"), delta(content="\ude00!")], "😀!"),
    "an unknown event": (
        [{"type": "keepalive", "message": "alive", "code": 1}, delta(content="a")],
        "a",
    ),
    "text in the finish chunk": ([chunk(choice(0, "stop", content="a"))], "a"),
    "text after the finish": ([delta(content="a"), finish(), delta(content="b")], "a"),
    "a finish reason that is blank": (
        [chunk(choice(0, "", content="a")), chunk(choice(0, "", content="b"))],
        "ab",
    ),
    "what only Copilot sends": (
        [
            chunk(copilot_references=[{"type": "x"}]),
            chunk(copilot_errors=[{"type": "agent", "code": "x", "message": "Oh."}]),
            chunk(copilot_confirmation={"title": "Sure?", "message": "Really?"}),
            delta(content="a", copilot_annotations={"CodeVulnerability": [{"details": {}}]}),
            chunk(prompt_filter_results=[{"prompt_index": 0}]),
            chunk({**choice(), "content_filter_results": {"hate": {"filtered": False}}}),
            delta(beginToolCalls=[{"name": "search", "id": "call_1"}]),
        ],
        "a",
    ),
}


@pytest.mark.parametrize(("events", "text"), TEXTS.values(), ids=TEXTS.keys())
def test_the_text_is_the_sum_of_the_deltas(events: list[Json], text: str) -> None:
    parts, ending = read_events([*events, finish()])
    assert parts == [{"type": "text", "value": value} for value in map(_value, parts)]
    assert text_of(parts) == text
    assert ending == {"type": "done", "outcome": "completed", "finish": "stop"}


def _value(part: Json) -> Any:
    return part["value"]


def test_text_is_emitted_before_the_next_event() -> None:
    assert read_events([delta(content="a"), delta(content="b")])[0] == [
        {"type": "text", "value": "a"},
        {"type": "text", "value": "b"},
    ]


BESIDE = {
    "in the first fragment": [
        delta(content="Wait.", tool_calls=READ["choices"][0]["delta"]["tool_calls"]),
        finish("tool_calls"),
    ],
    "in the chunk of the finish": [READ, chunk(choice(0, "tool_calls", content="Wait."))],
    "all in one": [
        chunk(
            choice(
                0,
                "tool_calls",
                content="Wait.",
                tool_calls=READ["choices"][0]["delta"]["tool_calls"],
            )
        )
    ],
}


@pytest.mark.parametrize("events", BESIDE.values(), ids=BESIDE.keys())
def test_content_beside_calls_is_kept_and_comes_before_them(events: list[Json]) -> None:
    parts, _ = read_events(events)
    assert [part["type"] for part in parts] == ["text", "toolCall"]
    assert (text_of(parts), calls_of(parts)) == ("Wait.", [CALL])


def test_reasoning_text_and_call_of_one_delta_come_in_this_order() -> None:
    tool_calls = READ["choices"][0]["delta"]["tool_calls"]
    together = delta(tool_calls=tool_calls, content="So.", reasoning_text="Hm.")
    parts, _ = read_events([together, finish("tool_calls")])
    assert [part["type"] for part in parts] == ["thinking", "text", "toolCall"]


# Which finish releases calls


@pytest.mark.parametrize("reason", ["tool_calls", "stop", "function_call"])
def test_a_finish_that_ends_the_answer_releases_its_calls(reason: str) -> None:
    parts, ending = read_events([READ, finish(reason)])
    assert (calls_of(parts), ending["finish"]) == ([CALL], "tool-calls")


@pytest.mark.parametrize(
    ("reason", "finished"), [("length", "length"), ("content_filter", "content-filter")]
)
def test_an_answer_that_was_cut_off_keeps_its_calls(reason: str, finished: str) -> None:
    parts, ending = read_events([delta(content="a"), READ, finish(reason)])
    assert (text_of(parts), calls_of(parts)) == ("a", [])
    assert (ending["outcome"], ending["finish"]) == ("completed", finished)


UNENDED: dict[str, list[Json]] = {
    "nothing": [],
    "no finish": [finish(None)],
    "a blank finish": [finish("")],
    "an error": [{"type": "message", "error": ERROR}],
    "an error in the choice": [chunk({**choice(), "error": ERROR})],
    "finish reason error": [finish("error")],
    "finish reason network_error": [finish("network_error")],
    "an unknown reason": [finish("eos_token")],
}


@pytest.mark.parametrize("rest", UNENDED.values(), ids=UNENDED.keys())
def test_calls_of_an_answer_that_did_not_end_well_are_not_emitted(rest: list[Json]) -> None:
    parts, ending = read_events([delta(content="a"), READ, *rest])
    assert (text_of(parts), calls_of(parts), ending["outcome"]) == ("a", [], "failed")


def test_a_call_is_emitted_once_although_the_answer_finishes_twice() -> None:
    parts, _ = read_events([READ, finish("tool_calls"), finish("tool_calls"), finish("stop")])
    assert calls_of(parts) == [CALL]


def test_the_first_finish_counts() -> None:
    assert read_events([finish("length"), finish("stop")])[1]["finish"] == "length"


def test_a_finish_with_tool_calls_may_have_no_calls() -> None:
    parts, ending = read_events([delta(content="a"), finish("tool_calls")])
    assert (calls_of(parts), ending["finish"]) == ([], "stop")


def test_an_unknown_finish_reason_ends_an_answer_without_calls() -> None:
    ending = read_events([delta(content="a"), finish("end_turn")])[1]
    assert (ending["outcome"], ending["finish"]) == ("completed", "other")


# Failures

SHAPES: dict[str, tuple[Json, Json]] = {
    "nested": ({"error": ERROR}, FAILED),
    "with empty choices": ({"error": ERROR, "choices": []}, FAILED),
    "with a choice": ({"error": ERROR, "choices": [choice(0, "error", content="")]}, FAILED),
    "a text": ({"error": "Overloaded."}, {"kind": "upstream", "message": "Overloaded."}),
    "flat, with a type": ({"type": "error", **ERROR}, FAILED),
    "flat": ({"object": "error", **ERROR}, FAILED),
    "flat, without anything else": ({**ERROR}, FAILED),
    "detail": ({"detail": "Overloaded."}, {"kind": "upstream", "message": "Overloaded."}),
    "a number for a code": (
        {"error": {"message": "Slow down.", "code": 429}},
        {"kind": "upstream", "message": "Slow down.", "code": "429"},
    ),
    "no code": (
        {"error": {"message": "Overloaded.", "code": None}},
        {"kind": "upstream", "message": "Overloaded."},
    ),
    "in a choice": (
        {"choices": [{**choice(0, "error"), "error": ERROR}]},
        FAILED,
    ),
    "without a message": (
        {"choices": [choice(0, "error")]},
        {"kind": "upstream", "message": "the upstream failed and gave no reason"},
    ),
}


@pytest.mark.parametrize("before", ["", "so far"])
@pytest.mark.parametrize("after", [[], [delta(content="late"), finish()]], ids=["last", "middle"])
@pytest.mark.parametrize(("shape", "expected"), SHAPES.values(), ids=SHAPES.keys())
def test_an_error_event_is_reported_and_the_content_before_it_is_kept(
    shape: Json, expected: Json, before: str, after: list[Json]
) -> None:
    parts, ending = read_events([delta(content=before), {"type": "message", **shape}, *after])
    assert text_of(parts) == before
    assert ending == {"type": "done", "outcome": "failed", "error": expected}


def test_content_beside_an_error_is_kept() -> None:
    parts, ending = read_events(
        [{"type": "message", "error": ERROR, "choices": [choice(content="a")]}]
    )
    assert (text_of(parts), ending["error"]) == ("a", FAILED)


def test_an_error_after_the_finish_is_a_failure() -> None:
    ending = read_events([delta(content="a"), finish(), {"type": "message", "error": ERROR}])[1]
    assert (ending["outcome"], ending["error"]) == ("failed", FAILED)


def test_an_error_that_is_null_is_ignored() -> None:
    assert (
        read_events([{**delta(content="a"), "error": None}, finish()])[1]["outcome"] == "completed"
    )


def test_a_failure_may_be_reported_as_text() -> None:
    events = [delta(content="a"), {"type": "message", "error": ERROR}]
    parts, ending = read_events(events, errors="text")
    assert text_of(parts) == "a\n\n**Error:** Overloaded.\n\n"
    assert (ending["outcome"], ending["finish"]) == ("completed", "error")


def test_a_stream_that_ends_without_a_finish_is_truncated() -> None:
    for events in ([], [delta(content="a")], [chunk(usage={"prompt_tokens": 1})]):
        assert read_events(events)[1]["error"]["kind"] == "truncated"


# Reasoning

SPELLINGS = ("cot_summary", "reasoning_text", "reasoning_content", "reasoning", "thinking")
OPAQUE = ("cot_id", "reasoning_opaque", "signature")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_reasoning_is_read_from_each_of_its_fields(spelling: str) -> None:
    parts, _ = read_events([delta(**{spelling: "Hm."}), delta(content="a"), finish()])
    metadata = {"spelling": spelling}
    assert parts[0] == {"type": "thinking", "value": "Hm.", "metadata": metadata}
    assert text_of(parts) == "a"


@pytest.mark.parametrize("mirror", SPELLINGS[1:])
def test_reasoning_that_is_in_two_fields_of_one_delta_is_emitted_once(mirror: str) -> None:
    events = [delta(cot_summary="Hm.", **{mirror: "Hm."}), delta(**{mirror: " So."}), finish()]
    parts, _ = read_events(events)
    assert "".join(part["value"] for part in parts) == "Hm. So."


def test_reasoning_that_is_empty_or_null_is_ignored() -> None:
    blank = delta(reasoning_text="", reasoning_content=None, reasoning_opaque="")
    assert read_events([blank, finish()])[0] == []


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("name", OPAQUE)
def test_encrypted_reasoning_is_kept_also_after_the_finish(name: str, late: bool) -> None:
    sealed = [delta(**{name: "gAAA"})]
    parts, _ = read_events([*sealed, finish()] if not late else [finish(), *sealed])
    assert parts == [{"type": "thinking", "value": "", "metadata": {name: "gAAA"}}]


@pytest.mark.parametrize(("route", "text"), [("text", "Hm.a"), ("hidden", "a")])
def test_reasoning_is_emitted_as_the_trait_says(route: str, text: str) -> None:
    events = [delta(reasoning_text="Hm.", reasoning_opaque="x"), delta(content="a"), finish()]
    parts, _ = read_events(events, reasoning=route)
    assert {part["type"] for part in parts} == {"text"}
    assert text_of(parts) == text


def test_a_refusal_is_emitted_as_the_trait_says() -> None:
    events = [delta(refusal="I can"), delta(refusal="not."), finish()]
    assert text_of(read_events(events)[0]) == "I cannot."
    assert read_events(events, refusal="hidden")[0] == []
    parts, ending = read_events(events, refusal="error")
    assert (parts, ending["error"]["message"]) == ([], "I cannot.")


# Usage

REAL = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}
ZEROS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}

USAGES: dict[str, list[Json]] = {
    "in its own chunk": [finish(), chunk(usage=REAL)],
    "without choices": [finish(), {"type": "message", "usage": REAL}],
    "in the finish chunk": [{**finish(), "usage": REAL}],
    "beside the last text": [{**delta(content="a"), "usage": REAL}, finish()],
    "before the finish": [chunk(usage=REAL), finish()],
    "zeros first": [{**delta(content="a"), "usage": ZEROS}, finish(), chunk(usage=REAL)],
    "zeros last": [finish(), chunk(usage=REAL), chunk(usage=ZEROS)],
    "null last": [finish(), chunk(usage=REAL), chunk(usage=None)],
    "so far, and then all of it": [
        {**delta(content="a"), "usage": {"prompt_tokens": 11, "completion_tokens": 9}},
        finish(),
        chunk(usage=REAL),
    ],
    "in the choice": [chunk({**choice(0, "stop"), "usage": REAL})],
    "without details or a total": [
        finish(),
        chunk(usage={"prompt_tokens": 11, "completion_tokens": 22}),
    ],
}


@pytest.mark.parametrize("events", USAGES.values(), ids=USAGES.keys())
def test_the_last_real_usage_is_reported(events: list[Json]) -> None:
    assert read_events(events)[1]["usage"] == {"input": 11, "output": 22}


@pytest.mark.parametrize("usage", [None, {}, ZEROS, {"prompt_tokens": None}, []])
def test_an_invalid_usage_is_not_reported(usage: Any) -> None:
    assert "usage" not in read_events([finish(), chunk(usage=usage)])[1]


# Choices

SPLIT = [
    delta(content="Let me see."),
    finish("stop"),
    chunk(choice(1, tool_calls=READ["choices"][0]["delta"]["tool_calls"])),
    finish("tool_calls", 1),
]


def test_with_alternatives_the_first_choice_is_the_answer() -> None:
    parts, ending = read_events(SPLIT)
    assert (text_of(parts), calls_of(parts)) == ("Let me see.", [])
    assert ending["finish"] == "stop"


def test_choices_that_are_merged_come_in_order_of_arrival() -> None:
    parts, ending = read_events(SPLIT, choices="merge")
    assert (text_of(parts), calls_of(parts)) == ("Let me see.", [CALL])
    assert ending["finish"] == "tool-calls"


def test_an_answer_of_several_choices_ends_with_the_last_finish() -> None:
    assert read_events(SPLIT[:-1])[1]["outcome"] == "completed"
    assert read_events(SPLIT[:-1], choices="merge")[1]["error"]["kind"] == "truncated"


def test_an_unknown_value_of_a_trait_is_refused() -> None:
    with pytest.raises(ValueError, match="choices"):
        read_events([], choices="first")


def test_call_ids_have_the_prefix() -> None:
    parts, _ = read_events([READ, finish("tool_calls")], call_id_prefix="gw-")
    assert parts[0]["callId"] == "gw-call_1"


def test_a_missing_id_is_made_from_the_response_id() -> None:
    parts, _ = read_events([call("{}", name="a"), finish("tool_calls")])
    assert parts[0]["callId"] == "chatcmpl-1-0"
