"""The chat completions machine, in the vocabularies of VS Code and of Copilot Chat's parser.

Source: OpenAI, "The chat completion chunk object", and what upstreams of Copilot are known to send.
"""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.to_copilot import CopilotEmitter
from conformance.dialects.chat.reference.to_vscode import VscodeEmitter
from mockserver.foundation.shipped import schema
from tests.data import DATA, needs_data

Json = dict[str, Any]

_EMITTERS: dict[str, Any] = {"vscode": VscodeEmitter, "copilot": CopilotEmitter}
_PARTS = {name: Draft202012Validator(schema(f"parts/{name}")) for name in _EMITTERS}
ANY: Any = object()


# Minimal streams


def chunk(*choices: Json, **fields: Any) -> Json:
    return {"type": "message", "id": "chatcmpl-1", "choices": list(choices), **fields}


def choice(index: int | None = 0, reason: str | None = None, **fields: Any) -> Json:
    place = {} if index is None else {"index": index}
    return {**place, "delta": fields, "finish_reason": reason}


def delta(**fields: Any) -> Json:
    return chunk(choice(**fields))


def finish(reason: str | None = "stop", index: int = 0) -> Json:
    return chunk(choice(index, reason))


def fragment(arguments: Any = "", *, index: int | None = 0, **fields: Any) -> Json:
    """A fragment of a call; `id` and `name` are in `fields`."""
    function = {"arguments": arguments} | ({"name": fields.pop("name")} if "name" in fields else {})
    return {**({} if index is None else {"index": index}), "function": function, **fields}


def call(arguments: Any = "", **fields: Any) -> Json:
    return delta(tool_calls=[fragment(arguments, **fields)])


def read_events(events: list[Json], vocabulary: str = "vscode", **traits: Any) -> tuple[Any, Any]:
    """Convert a stream with the reference machine; returns the validated parts and the ending."""
    machine = Chat(_EMITTERS[vocabulary], traits)
    parts = [part for event in events for part in machine.event(event)] + machine.close()
    for part in parts:
        _PARTS[vocabulary].validate(part)
    return parts, machine.end()


def text_of(parts: list[Json]) -> str:
    return "".join(part["value"] for part in parts if part["type"] == "text")


def calls_of(parts: list[Json]) -> list[tuple[str, str, Any]]:
    calls = [part for part in parts if part["type"] == "toolCall"]
    return [(part["callId"], part["name"], part["input"]) for part in calls]


PIECE = fragment('{"path":"a.py"}', id="call_1", name="read_file")
READ = delta(tool_calls=[PIECE])
CALL = ("call_1", "read_file", {"path": "a.py"})
ERROR = {"message": "Overloaded.", "code": "server_error"}
FAILED = {"kind": "upstream", **ERROR}
BROKEN_OFF = {"type": "message", "error": ERROR}


# Text

TEXTS: dict[str, tuple[list[Json], list[str]]] = {
    "null in place of choices, of a choice and of a delta": (
        [
            *({"type": "message", "choices": None}, {"type": "message", "choices": [None]}),
            *(chunk({"index": 0, "delta": None}), {"type": "message"}, delta(content="a")),
        ],
        ["a"],
    ),
    "an error that is null": ([{**delta(content="a"), "error": None}], ["a"]),
    "what a function of the provider returned": (
        [
            delta(function_call={"name": "bing", "arguments": "{}"}),
            *(delta(role="function", name="bing", content="[]"), delta(content="Found.")),
        ],
        ["Found."],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "expected"), TEXTS.values(), ids=TEXTS)
def test_text_is_emitted_with_each_delta(events: list[Json], expected: list[str]) -> None:
    parts, ending = read_events([*events, finish()])
    assert parts == [{"type": "text", "value": value} for value in expected]
    assert ending == {"type": "done", "outcome": "completed", "finish": "stop"}


# Calls

A, B = ("call_a", "a", {"x": 1}), ("call_b", "b", {"y": 2})
NAMELESS_A, NAMELESS_B = (ANY, *A[1:]), (ANY, *B[1:])
FRAGMENTS: dict[str, tuple[list[Json], list[Any]]] = {
    "name and id in every fragment": (
        [call(each, id="call_a", name="a") for each in ("", '{"x"', ":1", "}")],
        [A],
    ),
    "name in every fragment, and no id": (
        [call(each, name="a") for each in ("", '{"x"', ":1", "}")],
        [NAMELESS_A],
    ),
    "the id comes late, and there is no index": (
        [call(index=None, name="a"), call('{"x":1}', index=None, id="call_a")],
        [A],
    ),
    "the name comes in pieces": (
        [call(id="call_1", name="read_"), call(name="file"), call('{"path":"a.py"}')],
        [CALL],
    ),
    "white space after arguments": (
        [call('{"x":1}', id="call_a", name="a"), call(" "), call("\n", name="a")],
        [A],
    ),
    "the deprecated function": (
        [
            delta(function_call={"name": "a", "arguments": '{"x":'}),
            delta(function_call={"arguments": "1}"}),
        ],
        [NAMELESS_A],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "expected"), FRAGMENTS.values(), ids=FRAGMENTS)
def test_fragments_become_these_calls(events: list[Json], expected: list[Any]) -> None:
    for reason in ("tool_calls", "stop", "function_call"):
        parts, ending = read_events([*events, finish(reason), finish("tool_calls")])
        made = calls_of(parts)
        assert [known[1:] for known in made] == [known[1:] for known in expected]
        assert all(
            id_ == known[0] or known[0] is ANY
            for (id_, *_), known in zip(made, expected, strict=True)
        )
        assert len({id_ for id_, *_ in made}) == len(made)
        assert ending == {"type": "done", "outcome": "completed", "finish": "tool-calls"}


def test_an_id_has_the_prefix_and_is_made_of_that_of_the_response() -> None:
    parts, _ = read_events([READ, call("{}", index=1, name="a"), finish()], call_id_prefix="gw-")
    assert [part["callId"] for part in parts] == ["gw-call_1", "gw-chatcmpl-1-2"]


ARGUMENTS: dict[str, tuple[list[Any], Json]] = {
    "honest, and alike in one piece": (['{"a":', '{"a":{"a":1}}', "}"], {"a": {"a": {"a": 1}}}),
    "a digit twice": (['{"n":1', "1", "1}"], {"n": 111}),
    "an object after an empty text": (["", {"a": 1}], {"a": 1}),
}


@pytest.mark.parametrize(("right", "expected"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_joined_as_they_were_meant(right: list[Any], expected: Json) -> None:
    events = [call(right[0], id="call_1", name="a"), *map(call, right[1:]), finish("tool_calls")]
    assert calls_of(read_events(events)[0]) == [("call_1", "a", expected)]


VALUES = st.recursive(
    st.integers(0, 11) | st.sampled_from(["", "a", "{", "}", '{"a":']) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("a{"), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["a", "{", '"']), VALUES), st.data())
def test_a_correct_stream_is_never_misread(input_: Json, data: st.DataObject) -> None:
    text = json.dumps(input_, separators=(",", ":"))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in pairwise([0, *cuts, len(text)])]
    parts, _ = read_events([call(id="call_1", name="a"), *map(call, pieces), finish("tool_calls")])
    assert calls_of(parts) == [("call_1", "a", input_)]


LOST: dict[str, Json] = {
    "cut off": call('{"a":"b', index=1, id="call_b", name="b"),
    "no number": call('{"a":NaN}', index=1, id="call_b", name="b"),
    "no name": call('{"x":1}', index=1, id="call_b"),
}


@pytest.mark.parametrize("lost", LOST.values(), ids=LOST)
def test_a_broken_call_is_a_failure_and_the_other_call_is_kept(lost: Json) -> None:
    parts, ending = read_events([READ, lost, finish("tool_calls")])
    assert calls_of(parts) == [CALL]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")


def test_a_thousand_calls_with_long_arguments_are_read_fast() -> None:
    pieces = [call("x" * 50, index=n % 128) for n in range(20_000)]
    begun = [call('{"a":"', index=n, id=f"call_{n}", name="a") for n in range(128)]
    ended = [call('"}', index=n) for n in range(128)]
    parts, _ = read_events([*begun, *pieces, *ended, finish("tool_calls")])
    assert len(calls_of(parts)) == 128


# Endings

ENDINGS: dict[str, tuple[list[Json], Json]] = {
    "usage alone": ([chunk(usage={"prompt_tokens": 1})], {"kind": "truncated"}),
    "an unknown reason": ([finish("eos_token")], {"kind": "decode"}),
    "finish reason error": ([finish("error")], {"kind": "upstream"}),
    "an error after the finish": ([finish("length"), BROKEN_OFF], FAILED),
    "an error beside content": ([{**BROKEN_OFF, "choices": [choice(content="")]}], FAILED),
}


@pytest.mark.parametrize(("rest", "expected"), ENDINGS.values(), ids=ENDINGS)
def test_calls_of_an_answer_that_did_not_end_well_are_not_emitted(
    rest: list[Json], expected: Json
) -> None:
    parts, ending = read_events([delta(content="a"), READ, *rest])
    assert (text_of(parts), calls_of(parts)) == ("a", [])
    assert {**ending, **ending.get("error", {})}.items() >= expected.items()
    assert (ending["outcome"] == "failed") == ("kind" in expected)


def test_an_unknown_finish_reason_ends_an_answer_without_calls() -> None:
    ending = read_events([delta(content="a"), finish("end_turn")])[1]
    assert (ending["outcome"], ending["finish"]) == ("completed", "other")


SLOW = {"kind": "upstream", "message": "Slow down."}
SHAPES: dict[str, tuple[Json, Json]] = {
    "nested, with empty choices": ({"error": ERROR, "choices": []}, FAILED),
    "nested, with a choice": ({"error": ERROR, "choices": [choice(0, "error")]}, FAILED),
    "flat, with a type": ({"type": "error", **ERROR}, FAILED),
    "flat, with an object": ({"object": "error", "message": "Slow down."}, SLOW),
    "flat": (ERROR, FAILED),
    "a number for a code": ({"error": {**SLOW, "code": 429}}, {**SLOW, "code": "429"}),
    "without a message": (
        {"choices": [choice(0, "error")]},
        {"kind": "upstream", "message": "the upstream failed and gave no reason"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "expected"), SHAPES.values(), ids=SHAPES)
def test_an_error_is_reported_and_content_before_it_is_kept(shape: Json, expected: Json) -> None:
    events = [delta(content="a"), {"type": "message", **shape}]
    parts, ending = read_events(events)
    assert text_of(parts) == "a"
    assert ending == {"type": "done", "outcome": "failed", "error": expected}
    parts, ending = read_events(events, errors="text")
    assert text_of(parts) == f"a\n\n**Error:** {expected['message']}\n\n"
    assert ending == {"type": "done", "outcome": "completed", "finish": "error"}


# Reasoning and refusals

SPELLINGS = ("cot_summary", "reasoning_text", "reasoning_content", "reasoning", "thinking")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_reasoning_is_read_from_each_of_its_fields_and_once_in_a_delta(spelling: str) -> None:
    blank = delta(reasoning_text="", reasoning_content=None, reasoning_opaque="")
    both = {spelling: "Hm.", "thinking": "Hm."}
    parts, _ = read_events([blank, delta(**both), delta(content="a"), finish()])
    assert parts[0] == {"type": "thinking", "value": "Hm.", "metadata": {spelling: "Hm."}}
    assert len(parts) == 2


@pytest.mark.parametrize("name", ["cot_id", "reasoning_opaque", "signature"])
def test_encrypted_reasoning_is_kept_also_after_the_finish(name: str) -> None:
    encrypted = delta(**{name: "gAAA"})
    for events in ([encrypted, finish()], [finish(), encrypted]):
        parts, _ = read_events(events)
        assert parts == [{"type": "thinking", "value": "", "metadata": {name: "gAAA"}}]


@pytest.mark.parametrize(
    ("route", "text"), [("text", "Hm.a"), ("prefixed", "[Thinking] Hm.a"), ("hidden", "a")]
)
def test_reasoning_is_emitted_as_the_trait_says(route: str, text: str) -> None:
    events = [delta(reasoning_text="Hm.", reasoning_opaque="x"), delta(content="a"), finish()]
    parts, _ = read_events([*events, delta(reasoning_opaque="y")], reasoning=route)
    assert ({part["type"] for part in parts}, text_of(parts)) == ({"text"}, text)


# Usage

REAL = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}
ZEROS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
COUNTED = {"input": 11, "output": 22}
USAGES: dict[str, tuple[list[Json], Any]] = {
    "zeros last": ([finish(), chunk(usage=REAL), chunk(usage=ZEROS), chunk(usage=None)], COUNTED),
    "so far first": ([chunk(usage={"prompt_tokens": 9}), finish(), chunk(usage=REAL)], COUNTED),
    "one side": ([{**finish(), "usage": {"completion_tokens": 22}}], {"output": 22}),
    "none": ([finish(), chunk(usage=[]), chunk(usage={"prompt_tokens": None})], None),
}  # fmt: skip


@pytest.mark.parametrize(("events", "usage"), USAGES.values(), ids=USAGES)
def test_the_last_real_usage_is_reported(events: list[Json], usage: Any) -> None:
    assert read_events(events)[1].get("usage") == usage


# Choices

SPLIT = [
    *(delta(content="Let me see."), finish("stop")),
    *(chunk(choice(1, tool_calls=[PIECE])), finish("tool_calls", 1)),
]


def test_choices_are_alternatives_or_merged_in_order_of_arrival() -> None:
    parts, ending = read_events(SPLIT)
    assert (text_of(parts), calls_of(parts), ending["finish"]) == ("Let me see.", [], "stop")
    parts, ending = read_events(SPLIT, choices="merge")
    assert (text_of(parts), calls_of(parts)) == ("Let me see.", [CALL])
    assert ending["finish"] == "tool-calls"


# The vocabulary of Copilot Chat's parser


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
    assert emitted([delta(content="Hello"), finish(), chunk(usage=REAL)]) == [
        {"type": "delta", "index": 0, "delta": {"text": "Hello"}},
        {"type": "completion", "index": 0, "reason": "stop", "usage": REAL},
    ]


def test_a_call_begins_once_and_is_released_with_its_finish() -> None:
    pieces = [call(each, id="call_1", name="a") for each in ("", '{"x":"', "\ud83d", '\ude80"}')]
    parts = emitted([*pieces, call("{}", index=1, name="b"), finish("tool_calls")])
    made = {"id": "chatcmpl-1-2", "name": "b", "arguments": "{}"}
    assert deltas(parts, "beginToolCalls") == [
        [{"name": "a", "id": "call_1"}],
        [{"name": "b", "id": made["id"]}],
    ]
    first = {"id": "call_1", "name": "a", "arguments": '{"x":"🚀"}'}
    assert deltas(parts, "copilotToolCalls") == [[first, made]]
    assert completions(parts) == [(0, "tool_calls")]


OWN: dict[str, tuple[Json, str, Any]] = {
    "reasoning": (
        delta(reasoning_text="Hm.", tool_calls=[PIECE]),
        "thinking",
        {"text": "Hm.", "metadata": {"reasoning_text": "Hm."}},
    ),
    "encrypted reasoning": (
        delta(reasoning_opaque="gA"),
        "thinking",
        {"metadata": {"reasoning_opaque": "gA"}},
    ),
    **{
        theirs: (chunk(**{theirs: [{"type": "x"}]}), ours, [{"type": "x"}])
        for theirs, ours in (
            ("copilot_references", "copilotReferences"),
            ("copilot_errors", "copilotErrors"),
        )
    },
    "a question": (chunk(copilot_confirmation={"x": "?"}), "copilotConfirmation", {"x": "?"}),
    **{
        theirs: (delta(copilot_annotations={theirs: [{"a": {}}]}), ours, [{"a": {}}])
        for theirs, ours in (
            ("CodeVulnerability", "codeVulnAnnotations"),
            ("IPCodeCitations", "ipCitations"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize(("event", "field", "value"), OWN.values(), ids=OWN)
def test_content_with_its_own_field_is_emitted_once(event: Json, field: str, value: Any) -> None:
    parts, _ = read_events([event, delta(content="a"), finish()], "copilot")
    assert deltas(parts, field) == [value]
    assert deltas(parts, "text") == ["a"]
    assert text_of(read_events([event, delta(content="a"), finish()], reasoning="hidden")[0]) == "a"


@pytest.mark.parametrize("rest", [[BROKEN_OFF], [finish(), BROKEN_OFF]])
def test_an_error_ends_the_answer_and_is_reported_once(rest: list[Json]) -> None:
    parts, ending = read_events([delta(content="a"), *rest], "copilot", errors="part")
    assert parts == [
        {"type": "delta", "index": 0, "delta": {"text": "a"}},
        {"type": "completion", "index": 0, "reason": "error", "error": ERROR},
    ]
    assert ending == {"type": "done", "outcome": "completed"}
    parts, ending = read_events([delta(content="a"), *rest], "copilot")
    assert (completions(parts), ending["error"]) == ([], FAILED)


def test_a_choice_without_a_finish_fails_alone() -> None:
    events = [delta(content="a"), chunk(choice(1, content="b")), finish()]
    assert completions(emitted(events, errors="part")) == [(0, "stop"), (1, "error")]
    assert read_events(events, "copilot")[1]["outcome"] == "failed"
    assert completions(emitted([], errors="part")) == [(0, "error")]


def _text_in(delta: dict[str, Any]) -> str:
    """The text of a delta, whose content is text, or pieces of which some are thinking."""
    content = delta.get("content")
    if isinstance(content, list):
        return "".join(each["text"] for each in content if each["type"] == "text")
    return content if isinstance(content, str) else ""


RECORDINGS = sorted(DATA.glob("recordings/*.chat.jsonl"))


@needs_data
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
@pytest.mark.parametrize("vocabulary", _EMITTERS)
def test_a_recorded_stream_is_read_to_its_end(path: Any, vocabulary: str) -> None:
    events = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    parts, ending = read_events(events, vocabulary)
    assert ending["outcome"] == "completed"
    if vocabulary == "vscode":
        deltas = [c.get("delta") or {} for event in events for c in event.get("choices") or []]
        assert text_of(parts) == "".join(map(_text_in, deltas))
