"""Fragments become calls: by OpenAI's protocol, and by what upstreams send in its place."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
)

A, B = ("call_a", "a", {"x": 1}), ("call_b", "b", {"y": 2})
ANY: Any = object()

STREAMS: dict[str, tuple[list[Json], list[Any]]] = {
    "name and id first, arguments in pieces": (
        [call(id="call_a", name="a"), call('{"x"'), call(":1}")],
        [A],
    ),
    "calls interleave by index without ids": (
        [
            call(id="call_a", name="a"),
            call(index=1, id="call_b", name="b"),
            *(call('{"x":'), call('{"y":', index=1), call("1}"), call("2}", index=1)),
        ],
        [A, B],
    ),
    "two calls in one delta": (
        [
            delta(
                tool_calls=[
                    {"index": 0, "id": "call_a", "function": {"name": "a", "arguments": '{"x":1}'}},
                    {"index": 1, "id": "call_b", "function": {"name": "b", "arguments": '{"y":2}'}},
                ]
            )
        ],
        [A, B],
    ),
    "indexes begin at one and have gaps": (
        [
            call('{"x":1}', index=1, id="call_a", name="a"),
            call('{"y":2}', index=4, id="call_b", name="b"),
        ],
        [A, B],
    ),
    "the second index comes first": (
        [call('{"y":2}', index=1, id="call_b", name="b"), call('{"x":1}', id="call_a", name="a")],
        [A, B],
    ),
    "every call has index 0": (
        [call('{"x":1}', id="call_a", name="a"), call('{"y":', id="call_b", name="b"), call("2}")],
        [A, B],
    ),
    "every call has index 0, fragments interleave by id": (
        [
            *(call('{"x":', id="call_a", name="a"), call('{"y":', id="call_b", name="b")),
            *(call("1}", id="call_a"), call("2}", id="call_b")),
        ],
        [A, B],
    ),
    "no index, ids on every fragment": (
        [
            *(call('{"x":', index=None, id="call_a", name="a"),),
            *(call('{"y":', index=None, id="call_b", name="b"),),
            *(call("1}", index=None, id="call_a"), call("2}", index=None, id="call_b")),
        ],
        [A, B],
    ),
    "no index, ids at the start": (
        [
            *(call(index=None, id="call_a", name="a"), call('{"x":1}', index=None)),
            *(call(index=None, id="call_b", name="b"), call('{"y":2}', index=None)),
        ],
        [A, B],
    ),
    "every call has index 0 and no id": (
        [call('{"x":1}', name="a"), call('{"y":2}', name="b")],
        [(ANY, "a", {"x": 1}), (ANY, "b", {"y": 2})],
    ),
    "the same tool with index 0 and no id": (
        [call('{"x":1}', name="a"), call('{"x":2}', name="a")],
        [(ANY, "a", {"x": 1}), (ANY, "a", {"x": 2})],
    ),
    "no index, no id": (
        [
            *(call(index=None, name="a"), call('{"x":1}', index=None)),
            *(call(index=None, name="b"), call('{"y":2}', index=None)),
        ],
        [(ANY, "a", {"x": 1}), (ANY, "b", {"y": 2})],
    ),
    "name and id in every fragment": (
        [call(each, id="call_a", name="a") for each in ("", '{"x"', ":1", "}")],
        [A],
    ),
    "name in every fragment, and no id": (
        [call(each, name="a") for each in ("", '{"x"', ":1", "}")],
        [(ANY, "a", {"x": 1})],
    ),
    "name and id blank after the first fragment": (
        [
            *(call(id="call_a", name="a"), call('{"x"', id="", name="")),
            *(call(":1", id=None, name=None), call("}", id="", name="")),
        ],
        [A],
    ),
    "the name comes late": (
        [call(id="call_a"), call('{"x":1}'), call(name="a")],
        [A],
    ),
    "the id comes late": (
        [call(name="a"), call('{"x":1}', id="call_a")],
        [A],
    ),
    "the id comes late, and there is no index": (
        [call(index=None, name="a"), call('{"x":1}', index=None, id="call_a")],
        [A],
    ),
    "the name comes in pieces": (
        [call(id="call_1", name="read_"), call(name="file"), call('{"path":"a.py"}')],
        [("call_1", "read_file", {"path": "a.py"})],
    ),
    "the id is a number": ([call('{"x":1}', id=7, name="a")], [("7", "a", {"x": 1})]),
    "a call without arguments": ([call(id="call_a", name="a")], [("call_a", "a", {})]),
    "null in place of arguments": ([call(None, id="call_a", name="a")], [("call_a", "a", {})]),
    "white space for arguments": ([call(" \n", id="call_a", name="a")], [("call_a", "a", {})]),
    "white space after arguments": (
        [call('{"x":1}', id="call_a", name="a"), call(" "), call("\n", name="a")],
        [A],
    ),
    "the same call twice, verbatim": (
        [call('{"x":1}', id="call_a", name="a"), call('{"x":1}', index=1, id="call_a", name="a")],
        [A],
    ),
    "two calls share an id": (
        [call('{"x":1}', id="call_a", name="a"), call('{"y":2}', index=1, id="call_a", name="b")],
        [A, (ANY, "b", {"y": 2})],
    ),
    "an empty list and null": ([delta(tool_calls=[]), delta(tool_calls=None), delta()], []),
}


def _same(made: list[Any], expected: list[Any]) -> bool:
    pairs = zip(made, expected, strict=True)
    known = all(all(m == e for m, e in zip(a, b, strict=True) if e is not ANY) for a, b in pairs)
    return known and len({id_ for id_, *_ in made}) == len(made)


@pytest.mark.parametrize(("events", "expected"), STREAMS.values(), ids=STREAMS.keys())
def test_fragments_become_these_calls(events: list[Json], expected: list[Any]) -> None:
    parts, ending = read_events([*events, finish("tool_calls")])
    assert _same(calls_of(parts), expected), calls_of(parts)
    assert ending["outcome"] == "completed"


ARGUMENTS: dict[str, tuple[list[Any], Json]] = {
    "honest": (['{"a"', ":1", "}"], {"a": 1}),
    "honest, and alike": (['{"a":', '{"a":1}}'], {"a": {"a": 1}}),
    "honest, and alike in one piece": (['{"a":', '{"a":{"a":1}}', "}"], {"a": {"a": {"a": 1}}}),
    "a digit twice": (['{"n":1', "1", "1}"], {"n": 111}),
    "cumulative": (['{"a"', '{"a":1', '{"a":1}'], {"a": 1}),
    "the complete object repeated": (['{"a":1}'] * 3, {"a": 1}),
    "everything again at the end": (['{"a"', ":1", "}", '{"a":1}'], {"a": 1}),
    "a placeholder first": (["{}", '{"a":', "1}"], {"a": 1}),
    "an object": ([{"a": 1}], {"a": 1}),
    "objects to be merged": ([{"a": 1}, {"b": 2}], {"a": 1, "b": 2}),
    "an object after an empty text": (["", {"a": 1}], {"a": 1}),
    "a pair of surrogates cut in two": (['{"a":"\ud83d', '\ude00"}'], {"a": "😀"}),
    "an escape cut in two": (['{"a":"\\ud83d', '\\ude00"}'], {"a": "😀"}),
}


@pytest.mark.parametrize(("right", "expected"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments_are_joined_as_they_were_meant(right: list[Any], expected: Json) -> None:
    events = [call(right[0], id="call_1", name="a"), *(call(each) for each in right[1:])]
    parts, _ = read_events([*events, finish("tool_calls")])
    assert calls_of(parts) == [("call_1", "a", expected)]


VALUES = st.recursive(
    st.integers(0, 11) | st.sampled_from(["", "a", "{", "}", '{"a":']) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("a{"), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["a", "{", '"']), VALUES), st.data())
def test_a_correct_stream_is_never_misread(input_: Json, data: st.DataObject) -> None:
    text = json.dumps(input_, separators=(",", ":"))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    edges = [0, *cuts, len(text)]
    pieces = [text[a:b] for a, b in pairwise(edges)]
    parts, _ = read_events([call(id="call_1", name="a"), *map(call, pieces), finish("tool_calls")])
    assert calls_of(parts) == [("call_1", "a", input_)]


BROKEN = {
    "a comma too much": '{"a":1,}',
    "two objects": '{"a":1}{"b":2}',
    "cut off": '{"a":"b',
    "a list": "[1]",
    "a text": '"x"',
    "null": "null",
    "no number": '{"a":NaN}',
}


@pytest.mark.parametrize("arguments", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("reason", ["tool_calls", "stop"])
def test_broken_arguments_are_a_failure_and_the_other_call_is_kept(
    arguments: str, reason: str
) -> None:
    broken = call(arguments, index=1, id="call_b", name="b")
    parts, ending = read_events([READ, broken, finish(reason)])
    assert calls_of(parts) == [("call_1", "read_file", {"path": "a.py"})]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")


def test_a_call_without_a_name_is_a_failure_and_the_other_call_is_kept() -> None:
    parts, ending = read_events([READ, call('{"x":1}', index=1, id="call_b"), finish("tool_calls")])
    assert calls_of(parts) == [("call_1", "read_file", {"path": "a.py"})]
    assert ending["outcome"] == "failed"


def test_the_deprecated_function_call_is_a_call_with_a_made_up_id() -> None:
    pieces = [{"name": "a", "arguments": ""}, {"arguments": '{"x":'}, {"arguments": "1}"}]
    for reason in ("function_call", "stop"):
        parts, ending = read_events([*(delta(function_call=p) for p in pieces), finish(reason)])
        assert _same(calls_of(parts), [(ANY, "a", {"x": 1})])
        assert ending["finish"] == "tool-calls"


def test_a_provider_executed_function_is_not_emitted() -> None:
    events = [
        delta(function_call={"name": "bing", "arguments": "{}"}),
        delta(role="function", name="bing", content='[{"url":"https://example.org"}]'),
        delta(content="Found."),
        finish(),
    ]
    parts, _ = read_events(events)
    assert parts == [{"type": "text", "value": "Found."}]


def test_a_thousand_calls_with_long_arguments_are_read_fast() -> None:
    pieces = [call("x" * 50, index=n % 128) for n in range(20_000)]
    begun = [call('{"a":"', index=n, id=f"call_{n}", name="a") for n in range(128)]
    ended = [call('"}', index=n) for n in range(128)]
    parts, _ = read_events([*begun, *pieces, *ended, finish("tool_calls")])
    assert len(calls_of(parts)) == 128


def test_calls_of_two_choices_are_kept_apart() -> None:
    first = {"index": 0, "id": "call_a", "function": {"name": "a", "arguments": '{"x":1}'}}
    second = {"index": 0, "id": "call_b", "function": {"name": "b", "arguments": '{"y":2}'}}
    events = [
        chunk(choice(0, tool_calls=[first]), choice(1, tool_calls=[second])),
        chunk(choice(1, "tool_calls"), choice(0, "tool_calls")),
    ]
    assert calls_of(read_events(events)[0]) == [A]
    assert calls_of(read_events(events, choices="merge")[0]) == [B, A]
