"""The chat completions adapter in the vocabulary of Copilot Chat's parser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference.chat_streams import READ, Json, call, choice, chunk, delta, finish, read_events

ERROR = {"message": "Overloaded.", "code": "server_error"}
TOOL_CALLS = READ["choices"][0]["delta"]["tool_calls"]
COMPLETE = {"id": "call_1", "name": "read_file", "arguments": '{"path":"a.py"}'}


def emitted(events: list[Json], **traits: Any) -> list[Json]:
    parts: list[Json] = read_events(events, "copilot", **traits)[0]
    return parts


def deltas(parts: list[Json], name: str) -> list[Any]:
    """The values of one field of the deltas, in order."""
    found = [part["delta"] for part in parts if part["type"] == "delta"]
    return [value for each in found if name in each and (value := each[name]) != ""]


def completions(parts: list[Json]) -> list[tuple[int, str]]:
    return [(part["index"], part["reason"]) for part in parts if part["type"] == "completion"]


def test_an_answer_is_its_text_and_a_completion() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    assert emitted([delta(content="Hello"), finish(), chunk(usage=usage)]) == [
        {"type": "delta", "index": 0, "delta": {"text": "Hello"}},
        {"type": "completion", "index": 0, "reason": "stop", "usage": usage},
    ]


def test_a_call_begins_grows_and_is_released_with_its_finish() -> None:
    pieces = [call(id="call_1", name="read_file"), call('{"path":'), call('"a.py"}')]
    parts = emitted([*pieces, finish("tool_calls")])
    assert [next(iter(part["delta"].keys() - {"text"})) for part in parts[:-1]] == [
        "beginToolCalls",
        "copilotToolCallStreamUpdates",
        "copilotToolCallStreamUpdates",
        "copilotToolCalls",
    ]
    assert deltas(parts, "beginToolCalls") == [[{"name": "read_file", "id": "call_1"}]]
    updates = deltas(parts, "copilotToolCallStreamUpdates")
    assert [update["arguments"] for (update,) in updates] == ['{"path":', '{"path":"a.py"}']
    assert deltas(parts, "copilotToolCalls") == [[COMPLETE]]
    assert completions(parts) == [(0, "tool_calls")]


def test_every_call_begins_once_although_it_is_named_several_times() -> None:
    pieces = [call(each, id="call_1", name="a") for each in ("", '{"x"', ":1}")]
    more = [call(each, index=1, id="call_2", name="b") for each in ("{", "}")]
    begun = deltas(emitted([*pieces, *more, finish("tool_calls")]), "beginToolCalls")
    assert begun == [[{"name": "a", "id": "call_1"}], [{"name": "b", "id": "call_2"}]]


@pytest.mark.parametrize(
    "pieces", [['{"a"', '{"a":1', '{"a":1}'], ["{}", '{"a":1}'], [{"a": 1}], ['{"a":1}'] * 2]
)
def test_an_update_never_shortens_the_arguments(pieces: list[Any]) -> None:
    fragments = [call(each, id="call_1", name="a") for each in pieces]
    parts = emitted([*fragments, finish("tool_calls")])
    updates = [each["arguments"] for (each,) in deltas(parts, "copilotToolCallStreamUpdates")]
    (((made,)),) = deltas(parts, "copilotToolCalls")
    assert made["arguments"].replace(" ", "") == '{"a":1}'
    assert all(made["arguments"].startswith(update) for update in updates)


def test_no_update_ends_inside_a_character() -> None:
    pieces = [call(each, id="call_1", name="a") for each in ('{"a":"', "\ud83d", '\ude80"}')]
    parts = emitted([*pieces, finish("tool_calls")])
    updates = [each["arguments"] for (each,) in deltas(parts, "copilotToolCallStreamUpdates")]
    assert updates[-1] == '{"a":"🚀"}'
    assert set(updates[:-1]) == {'{"a":"'}


def test_a_call_without_an_id_begins_when_it_is_released() -> None:
    parts = emitted([call("{}", name="a"), finish("tool_calls")])
    ((begun,),) = deltas(parts, "beginToolCalls")
    ((made,),) = deltas(parts, "copilotToolCalls")
    assert begun["id"] == made["id"] != ""


@pytest.mark.parametrize(("declared", "text"), [(False, ["Hi"]), (True, ["Hi", " "])])
def test_a_blank_comes_before_the_first_call_of_an_answer_with_text(
    declared: bool, text: list[str]
) -> None:
    two = [READ, call("{}", index=1, id="call_2", name="b"), finish("tool_calls")]
    assert deltas(emitted([delta(content="Hi"), *two], blank_before_call=declared), "text") == text
    assert deltas(emitted(two, blank_before_call=declared), "text") == []


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_was_cut_off_keeps_its_calls(reason: str) -> None:
    parts = emitted([READ, finish(reason)])
    assert deltas(parts, "copilotToolCalls") == []
    assert completions(parts) == [(0, reason)]


def test_choices_are_kept_apart() -> None:
    parts = emitted(
        [
            chunk(choice(0, content="a"), choice(1, content="b")),
            chunk(choice(1, tool_calls=TOOL_CALLS)),
            *(finish("tool_calls", 1), finish("stop")),
        ]
    )
    assert [(p["index"], p["delta"]["text"]) for p in parts[:2]] == [(0, "a"), (1, "b")]
    calls = [p["index"] for p in parts if "copilotToolCalls" in p.get("delta", {})]
    assert calls == [1]
    assert completions(parts) == [(0, "stop"), (1, "tool_calls")]


def test_a_deprecated_function_call_has_a_field_of_its_own() -> None:
    pieces = [{"name": "a", "arguments": ""}, {"arguments": "{}"}]
    parts = emitted([*(delta(function_call=each) for each in pieces), finish("function_call")])
    functions = [[{"name": "a", "arguments": "{}"}]]
    assert deltas(parts, "_deprecatedCopilotFunctionCalls") == functions
    assert deltas(parts, "copilotToolCalls") == []


THOUGHTS: dict[str, tuple[Json, Json]] = {
    "text": (
        {"reasoning_text": "Hm."},
        {"text": "Hm.", "metadata": {"spelling": "reasoning_text"}},
    ),
    "an id": (
        {"cot_summary": "Hm.", "cot_id": "x"},
        {"text": "Hm.", "id": "x", "metadata": {"spelling": "cot_summary", "cot_id": "x"}},
    ),
    "sealed": (
        {"reasoning_opaque": "gAAA"},
        {
            "id": "reasoning_opaque",
            "encrypted": "gAAA",
            "metadata": {"reasoning_opaque": "gAAA"},
        },
    ),
}


@pytest.mark.parametrize(("fields", "thinking"), THOUGHTS.values(), ids=THOUGHTS.keys())
def test_reasoning_is_emitted_once_also_beside_a_call(fields: Json, thinking: Json) -> None:
    parts = emitted([delta(**fields, tool_calls=TOOL_CALLS), finish("tool_calls")])
    assert deltas(parts, "thinking") == [thinking]


def test_fields_of_copilot_alone_are_passed_on() -> None:
    annotations: Json = {
        "CodeVulnerability": [{"details": {}}],
        "IPCodeCitations": [{"citations": {}}],
    }
    parts = emitted(
        [
            {"type": "message", "choices": None, "copilot_references": [{"type": "x"}]},
            chunk(copilot_errors=[{"type": "agent", "code": "x", "message": "Oh."}]),
            chunk(copilot_confirmation={"title": "Sure?", "message": "Really?"}),
            delta(content="a", copilot_annotations=annotations),
            finish(),
        ]
    )
    assert deltas(parts, "copilotReferences") == [[{"type": "x"}]]
    assert deltas(parts, "copilotErrors") == [[{"type": "agent", "code": "x", "message": "Oh."}]]
    assert deltas(parts, "copilotConfirmation") == [{"title": "Sure?", "message": "Really?"}]
    assert deltas(parts, "codeVulnAnnotations") == [annotations["CodeVulnerability"]]
    assert deltas(parts, "ipCitations") == [annotations["IPCodeCitations"]]
    assert deltas(parts, "text") == ["a"]


ENDINGS: dict[str, list[Json]] = {
    "an error": [delta(content="a"), {"type": "message", "error": ERROR}],
    "an error after the finish": [
        delta(content="a"),
        finish(),
        {"type": "message", "error": ERROR},
    ],
}


@pytest.mark.parametrize("events", ENDINGS.values(), ids=ENDINGS.keys())
def test_an_error_ends_the_answer_and_is_reported_once(events: list[Json]) -> None:
    parts, ending = read_events(events, "copilot", errors="part")
    assert parts == [
        {"type": "delta", "index": 0, "delta": {"text": "a"}},
        {"type": "completion", "index": 0, "reason": "error", "error": {**ERROR}},
    ]
    assert ending == {"type": "done", "outcome": "completed"}
    parts, ending = read_events(events, "copilot")
    assert completions(parts) == []
    assert ending["error"] == {"kind": "upstream", **ERROR}


def test_a_choice_without_a_finish_fails_alone() -> None:
    events = [delta(content="a"), chunk(choice(1, content="b")), finish()]
    parts, _ = read_events(events, "copilot", errors="part")
    assert completions(parts) == [(0, "stop"), (1, "error")]
    assert read_events(events, "copilot")[1]["outcome"] == "completed"
    assert read_events(events, "copilot", choices="merge")[1]["outcome"] == "failed"


def test_an_empty_stream_has_a_completion_that_says_so() -> None:
    parts, _ = read_events([], "copilot", errors="part")
    assert completions(parts) == [(0, "error")]
