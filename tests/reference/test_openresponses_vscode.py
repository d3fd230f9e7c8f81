"""The OpenResponses reference adapter, by rfc-00022 and lm-stream-semantics."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.dialects.client.sse import Decoder
from conformance.dialects.openresponses.reference.machine import HANDLERS
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode, adapter
from mockserver.foundation.shipped import schema
from tests.data import DATA, needs_data
from tests.reference.served import (
    Script,
    answering,
    burst,
    severed,
    silence,
    sse,
    streaming,
    upstream,
)

Json = dict[str, Any]

PART = Draft202012Validator(schema("parts/vscode"))
DRIVER = Draft202012Validator(schema("driver"))


# Minimal streams


def event(name: str, **fields: Any) -> Json:
    return {"type": name if name == "error" else f"response.{name}", **fields}


def message(*texts: str, item_id: str = "msg_1", status: str = "completed") -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "id": item_id, "role": "assistant", "status": status} | {
        "content": content
    }


def call(arguments: Any = '{"path":"a.py"}', **fields: Any) -> Json:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file"}
    return item | {"arguments": arguments, "status": "completed"} | fields


def added(item: Json | None, index: int | None = 0) -> Json:
    return event("output_item.added", output_index=index, item=item)


def done(item: Json | None, index: int | None = 0) -> Json:
    return event("output_item.done", output_index=index, item=item)


def text(delta: str, index: int = 0, content_index: int = 0, item_id: str = "msg_1") -> Json:
    place = {"output_index": index, "content_index": content_index, "item_id": item_id}
    return event("output_text.delta", delta=delta, **place)


def arguments(delta: Any, index: int | None = 0, item_id: str = "fc_1") -> Json:
    place = {"output_index": index, "item_id": item_id}
    return event("function_call_arguments.delta", delta=delta, **place)


def arguments_done(whole: Any, index: int | None = 0, item_id: str = "fc_1") -> Json:
    place = {"output_index": index, "item_id": item_id}
    return event("function_call_arguments.done", arguments=whole, **place)


def completed(*output: Json | None, **fields: Any) -> Json:
    response = {"status": "completed", "output": list(output)} | fields
    return event("completed", response=response)


def incomplete(*output: Json, reason: str | None = "max_output_tokens") -> Json:
    response = {"status": "incomplete", "output": list(output)}
    return event("incomplete", response=response | {"incomplete_details": {"reason": reason}})


def failed(error: Any = None) -> Json:
    return event("failed", response={"status": "failed", "error": error, "output": []})


OPEN_CALL = call("", status="in_progress")
QUOTA = {"code": "quota", "message": "You ran out"}


# Parts and endings


def play(events: Iterable[Json], **traits: Any) -> tuple[list[Json], Json]:
    machine = ResponsesToVscode(traits)
    parts = [part for each in events for part in machine.event(each)] + machine.close()
    for part in parts:
        PART.validate(part)
    ending = machine.end()
    DRIVER.validate({**ending, "id": "r-1"})
    return parts, ending


def parts_of(*events: Json, **traits: Any) -> list[Json]:
    return play(events, **traits)[0]


def ending_of(*events: Json, **traits: Any) -> Json:
    return play(events, **traits)[1]


def joined(parts: Iterable[Json], kind: str = "text") -> str:
    return "".join(part["value"] for part in parts if part["type"] == kind)


def calls(parts: Iterable[Json]) -> list[tuple[str, str, Json]]:
    return [(p["callId"], p["name"], p["input"]) for p in parts if p["type"] == "toolCall"]


READ_A = ("call_1", "read_file", {"path": "a.py"})


# Text


def test_text_is_emitted_with_each_delta() -> None:
    machine = ResponsesToVscode()
    assert machine.event(text("Let me ")) == [{"type": "text", "value": "Let me "}]
    assert machine.event(text("check")) == [{"type": "text", "value": "check"}]


CARRIERS = {
    "deltas": [text("Let me "), text("check…")],
    "text.done": [event("output_text.done", output_index=0, content_index=0, text="Let me check…")],
    "part.done": [
        event(
            "content_part.done",
            output_index=0,
            content_index=0,
            part={"type": "output_text", "text": "Let me check…"},
        )
    ],
    "item.done": [done(message("Let me check…"))],
    "completed": [completed(message("Let me check…"))],
}


@pytest.mark.parametrize(
    "carriers",
    [some for n in range(1, 6) for some in itertools.combinations(CARRIERS, n)],
    ids="+".join,
)
@pytest.mark.parametrize("announced", [True, False])
def test_text_is_emitted_once_whichever_events_carry_it(
    carriers: tuple[str, ...], announced: bool
) -> None:
    stream = [added(message(status="in_progress"))] if announced else []
    stream += [each for carrier in carriers for each in CARRIERS[carrier]]
    parts, _ = play(stream + ([] if "completed" in carriers else [completed()]))
    assert joined(parts) == "Let me check…"


def test_a_complete_text_adds_what_the_deltas_lack() -> None:
    assert joined(parts_of(text("Let me "), done(message("Let me check…")))) == "Let me check…"


def test_a_complete_text_that_contradicts_its_deltas_adds_nothing() -> None:
    assert joined(parts_of(text("one"), done(message("another")))) == "one"


def test_deltas_after_the_complete_text_are_ignored() -> None:
    assert joined(parts_of(done(message("Hello")), text("Hel"), text("lo"), completed())) == "Hello"


def test_texts_are_kept_apart_by_item_and_content() -> None:
    stream = [text("a", 0, 0), text("b", 1, 0, "msg_2"), text("c", 0, 1)]
    final = completed(message("a", "c"), message("b", "d", item_id="msg_2"))
    assert joined(parts_of(*stream, final)) == "abcd"


def test_complete_texts_are_kept_apart_by_content() -> None:
    place = {"output_index": 0, "item_id": "msg_1"}
    part = {"type": "output_text", "text": "b"}
    parts = parts_of(
        event("output_text.done", content_index=2, text="c", **place),
        event("content_part.done", content_index=1, part=part, **place),
        completed(message("a", "b", "c", "b")),
    )
    assert [part["value"] for part in parts] == ["c", "b", "a", "b"]


def test_the_same_text_in_two_items_is_emitted_twice() -> None:
    both = message("A."), message("A.", item_id="msg_2")
    assert joined(parts_of(done(both[0], 0), done(both[1], 1), completed(*both))) == "A.A."


@pytest.mark.parametrize("whole", ["", None, 7, ["x"]])
def test_a_text_that_is_not_a_string_is_ignored(whole: Any) -> None:
    stream = [text("x") | {"delta": whole}, event("output_text.done", output_index=0, text=whole)]
    assert parts_of(*stream, completed()) == []


def test_surrogates_of_a_character_are_emitted_together() -> None:
    parts = parts_of(text("a\ud83d"), text("\ude00b"), completed(message("a😀b")))
    assert [part["value"] for part in parts] == ["a", "😀b"]


def test_a_lone_surrogate_waits_for_the_complete_text() -> None:
    parts = parts_of(text("a\ud83d"), completed(message("a😀b")))
    assert [part["value"] for part in parts] == ["a", "😀b"]


def test_whitespace_is_text() -> None:
    assert joined(parts_of(*map(text, ["a", " ", "\n\n", "b"]))) == "a \n\nb"


# Calls: rfc-00022 § Function Call Flow.

CALL_POINTS = {
    "deltas": [arguments('{"path"'), arguments(':"a.py"}')],
    "arguments.done": [arguments_done('{"path":"a.py"}')],
    "item.done": [done(call())],
    "completed": [completed(call())],
}


@pytest.mark.parametrize(
    "points",
    [
        some
        for n in range(1, 5)
        for some in itertools.combinations(CALL_POINTS, n)
        if some != ("deltas",)
    ],
    ids="+".join,
)
@pytest.mark.parametrize("emit_call_at", ["complete", "end"])
def test_a_call_is_emitted_once_whichever_events_complete_it(
    points: tuple[str, ...], emit_call_at: str
) -> None:
    stream = [added(OPEN_CALL)] + [each for point in points for each in CALL_POINTS[point]]
    stream += [] if "completed" in points else [completed()]
    parts, ending = play(stream, emit_call_at=emit_call_at)
    assert calls(parts) == [READ_A]
    assert ending == {"type": "done", "outcome": "completed", "finish": "tool-calls"}


def test_a_call_is_emitted_when_its_arguments_are_done() -> None:
    machine = ResponsesToVscode()
    for each in [added(OPEN_CALL), *CALL_POINTS["deltas"]]:
        assert machine.event(each) == []
    assert calls(machine.event(CALL_POINTS["arguments.done"][0])) == [READ_A]


def test_a_call_waits_for_the_end_if_the_trait_says_so() -> None:
    stream = [added(OPEN_CALL), arguments_done('{"path":"a.py"}'), text("x", 1), completed()]
    assert [part["type"] for part in parts_of(*stream, emit_call_at="end")] == ["text", "toolCall"]


def test_text_and_a_call_interleave() -> None:
    """rfc-00022 § Text + Tool Call Interleaved"""
    parts = parts_of(
        added(message()),
        text("Let me "),
        added(OPEN_CALL, 1),
        text("check that..."),
        arguments('{"path":"a.py"}', 1),
        event("output_text.done", output_index=0, content_index=0, text="Let me check that..."),
        arguments_done('{"path":"a.py"}', 1),
        done(message("Let me check that...")),
        done(call(), 1),
        completed(message("Let me check that..."), call()),
    )
    assert [part["type"] for part in parts] == ["text", "text", "toolCall"]
    assert joined(parts) == "Let me check that..."


def test_parallel_calls_do_not_mix_their_arguments() -> None:
    """rfc-00022 § Parallel Tool Calls"""
    second = call('{"path":"b.py"}', id="fc_2", call_id="call_2")
    parts = parts_of(
        added(OPEN_CALL, 0),
        added(second | {"arguments": ""}, 1),
        arguments('{"path":', 0),
        arguments('{"path":', 1, "fc_2"),
        arguments('"a.py"}', 0),
        arguments('"b.py"}', 1, "fc_2"),
        arguments_done("", 0),
        arguments_done("", 1, "fc_2"),
        done(call(""), 0),
        done(second | {"arguments": ""}, 1),
        completed(),
    )
    assert calls(parts) == [READ_A, ("call_2", "read_file", {"path": "b.py"})]


@pytest.mark.parametrize(
    ("deltas", "at_done", "in_item"),
    [
        ("gAAAAAB", '{"path":"a.py"}', '{"path":"a.py"}'),
        ("gAAAAAB", "", '{"path":"a.py"}'),
        ('{"path":"a.py"}', "", ""),
        ('{"path":"a.py"}', "  ", None),
        ('{"path":"x.py"}', None, '{"path":"a.py"}'),
        ("", "", '{"path":"a.py"}'),
        ("", None, {"path": "a.py"}),
    ],
)
def test_arguments_of_the_item_have_precedence_over_done_and_done_over_deltas(
    deltas: str, at_done: str | None, in_item: Any
) -> None:
    stream = [added(OPEN_CALL), arguments(deltas)]
    stream += [] if at_done is None else [arguments_done(at_done)]
    assert calls(parts_of(*stream, done(call(in_item)), completed())) == [READ_A]


@pytest.mark.parametrize(
    "stream",
    [
        [arguments_done('{"path":"a.py"}'), added(OPEN_CALL), done(call())],
        [arguments_done('{"path":"a.py"}'), done(call(""))],
        [arguments('{"path":"a.py"}'), arguments_done(""), added(call("")), done(call(""))],
        [arguments_done('{"path":"a.py"}'), completed(call(""))],
        [arguments_done('{"path":"a.py"}'), added(OPEN_CALL), completed()],
        [arguments_done('{"path":"a.py"}', item_id="x"), added(OPEN_CALL), completed()],
        [added(call("", name="")), arguments_done('{"path":"a.py"}'), done(call(call_id=""))],
    ],
)
def test_arguments_wait_for_the_name_of_their_call(stream: list[Json]) -> None:
    """rfc-00022 § Gap 1"""
    if stream[-1]["type"] == "response.output_item.done" and not stream[-1]["item"]["call_id"]:
        stream = [*stream, completed(call())]
    assert calls(parts_of(*stream, completed())) == [READ_A]


def test_a_complete_call_that_is_never_named_is_an_error() -> None:
    parts, ending = play([text("x", 1), arguments_done('{"path":"a.py"}'), completed()])
    assert (joined(parts), calls(parts)) == ("x", [])
    assert ending["error"]["kind"] == "decode"


@pytest.mark.parametrize("missing", ["call_id", "name"])
def test_a_completed_call_without_its_name_or_id_is_an_error(missing: str) -> None:
    parts, ending = play([done(call() | {missing: ""}), completed()])
    assert (parts, ending["error"]["kind"]) == ([], "decode")


@pytest.mark.parametrize("nothing", ["", " \n", None])
@pytest.mark.parametrize("point", ["item", "completed"])
def test_a_completed_call_without_arguments_has_an_empty_input(nothing: Any, point: str) -> None:
    item = call(nothing)
    stream = [done(item), completed()] if point == "item" else [completed(item)]
    assert calls(parts_of(added(OPEN_CALL), *stream)) == [("call_1", "read_file", {})]


def test_empty_arguments_that_are_done_wait_for_those_of_the_item() -> None:
    stream = [added(OPEN_CALL), arguments_done("")]
    assert calls(parts_of(*stream, done(call()), completed())) == [READ_A]
    assert calls(parts_of(*stream, completed())) == [("call_1", "read_file", {})]


BROKEN: list[Any] = [
    '{"path":',
    '{"a":1,}',
    "{a:1}",
    '"x"',
    "[1]",
    "null",
    "7",
    '{"a":1}{"b":2}',
    '{"a":NaN}',
]
BROKEN += ['{"a":"\n"}', "[" * 100_000, [1], 7, False]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("point", ["item", "completed"])
def test_arguments_that_are_not_an_object_fail_the_run_and_nothing_else(
    broken: Any, point: str
) -> None:
    sibling = call(id="fc_2", call_id="call_2")
    item = call(broken)
    stream = [added(OPEN_CALL), text("x", 2)]
    stream += [arguments_done(broken), done(item), done(sibling, 1)] if point == "item" else []
    parts, ending = play([*stream, completed(item, sibling)])
    assert joined(parts) == "x"
    assert calls(parts) == [("call_2", "read_file", {"path": "a.py"})]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")


@pytest.mark.parametrize(
    "stream",
    [
        [arguments('{"path":"a.py"}')],
        [arguments('{"path":')],
        [arguments('{"path":'), arguments_done('{"path":')],
        [arguments_done(""), done(call("", status="incomplete"))],
        [done(call("{}", status="incomplete"))],
        [done(call("{}", status="failed"))],
    ],
)
@pytest.mark.parametrize("ending", [incomplete(), failed(QUOTA), None])
def test_a_cut_off_call_is_not_emitted(stream: list[Json], ending: Json | None) -> None:
    stream = [added(OPEN_CALL), *stream, *([ending] if ending else [])]
    parts, end = play(stream)
    assert parts == []
    assert end.get("finish") == "length" or end["outcome"] == "failed"
    assert "decode" not in json.dumps(end)


@pytest.mark.parametrize("status", ["incomplete", "in_progress", None])
def test_an_incomplete_response_emits_only_its_completed_calls(status: Any) -> None:
    cut = call("{}", id="fc_2", call_id="call_2", status=status)
    assert calls(parts_of(incomplete(call(), cut))) == [READ_A]


def test_a_completed_response_does_not_complete_a_call() -> None:
    stream = [added(OPEN_CALL), arguments('{"path":"a.py"}')]
    assert parts_of(*stream, completed(call(status="incomplete"))) == []
    assert parts_of(*stream, completed()) == []


def test_a_call_id_has_the_prefix_and_is_never_the_id_of_the_item() -> None:
    """rfc-00022 § Key Constraints"""
    (part,) = parts_of(done(call()), completed(), call_id_prefix="gw-")
    assert part["callId"] == "gw-call_1"


def test_large_integers_keep_their_digits() -> None:
    (part,) = parts_of(done(call('{"id":2512292042121000001}')))
    assert part["input"] == {"id": 2512292042121000001}


def test_an_escape_may_be_cut_anywhere() -> None:
    whole = '{"s":"\\ud83d\\ude00\\n\\u00e9😀"}'
    for cut in range(len(whole) + 1):
        stream = [added(OPEN_CALL), arguments(whole[:cut]), arguments(whole[cut:])]
        (part,) = parts_of(*stream, arguments_done(""))
        assert part["input"] == {"s": "😀\né😀"}


# Which events belong together


@pytest.mark.parametrize("final", [True, False])
def test_ids_that_change_with_every_event_change_nothing(final: bool) -> None:
    ids = (f"opaque_{n}" for n in itertools.count())

    def renamed(each: Json) -> Json:
        item = each.get("item")
        return each | {"item_id": next(ids)} | ({"item": item | {"id": next(ids)}} if item else {})

    output = [message("Let me "), call()]
    if final:
        output = [item | {"id": next(ids)} for item in output]
    stream = [
        added(message()),
        text("Let "),
        text("me "),
        added(OPEN_CALL, 1),
        arguments('{"path":', 1),
        arguments('"a.py"}', 1),
        event("output_text.done", output_index=0, content_index=0, text="Let me "),
        done(message("Let me ")),
        arguments_done('{"path":"a.py"}', 1),
        done(call(), 1),
    ]
    parts = parts_of(*map(renamed, stream), completed(*(output if final else [])))
    assert (joined(parts), calls(parts)) == ("Let me ", [READ_A])


def test_ids_are_used_if_the_index_is_missing() -> None:
    second = call('{"path":"b.py"}', id="fc_2", call_id="call_2")
    stream = [
        added(OPEN_CALL),
        added(second | {"arguments": ""}),
        text("Hello"),
        arguments('{"path":', item_id="fc_1"),
        arguments('{"path":"b.py"}', item_id="fc_2"),
        arguments('"a.py"}', item_id="fc_1"),
        arguments_done("", item_id="fc_2"),
        arguments_done("", item_id="fc_1"),
        done(call("")),
        done(second),
        done(message("Hello")),
    ]
    stream = [{k: v for k, v in each.items() if k != "output_index"} for each in stream]
    parts = parts_of(*stream, completed(message("Hello"), call(), second))
    assert joined(parts) == "Hello"
    assert calls(parts) == [("call_2", "read_file", {"path": "b.py"}), READ_A]


def test_only_some_events_may_lack_the_index() -> None:
    delta = {name: value for name, value in text("Hello").items() if name != "output_index"}
    assert joined(parts_of(added(message()), delta, done(message("Hello")), completed())) == "Hello"


def test_a_repeated_announcement_changes_nothing() -> None:
    again = added(OPEN_CALL | {"id": "other"})
    stream = [added(OPEN_CALL), arguments('{"path":', item_id="x"), again]
    stream += [arguments('"a.py"}', item_id="y"), arguments_done("", item_id="z"), completed()]
    assert calls(parts_of(*stream)) == [READ_A]


@pytest.mark.parametrize("missing", ["item_id", "content_index"])
def test_item_id_and_content_index_may_be_missing(missing: str) -> None:
    stream = [added(message()), text("Hel"), text("lo"), done(message("Hello"))]
    stream = [{k: v for k, v in each.items() if k != missing} for each in stream]
    assert joined(parts_of(*stream, completed(message("Hello")))) == "Hello"


def test_an_event_without_an_item_belongs_to_the_preceding_one() -> None:
    def nameless(delta: str) -> Json:
        return event("output_text.delta", delta=delta)

    machine = ResponsesToVscode()
    emitted = [machine.event(nameless("a")), machine.event(done(message("a"), 0))]
    emitted += [machine.event(added(message(item_id="msg_2"), 1)), machine.event(nameless("b"))]
    assert list(map(joined, emitted)) == ["a", "", "", "b"]
    assert machine.event(completed(message("a"), message("b", item_id="msg_2"))) == []


@pytest.mark.parametrize("index", [True, "1", None, 1.0, [1]])
@pytest.mark.parametrize("at_last", [True, False])
def test_an_index_is_an_integer_or_missing(index: Any, at_last: bool) -> None:
    second = message("b", item_id="msg_2")
    stream = [text("a", 1), text("b", item_id="msg_2") | {"output_index": index}]
    stream += [done(second, 2 if at_last else index), done(message("a"), 1)]
    assert joined(parts_of(*stream, completed())) == "ab"


def test_one_id_for_two_items_merges_nothing() -> None:
    twins = call(""), call("", call_id="call_2")
    parts = parts_of(
        *(added(item, index) for index, item in enumerate(twins)),
        *(arguments(piece, index) for piece in ('{"path":', '"a.py"}') for index in (0, 1)),
        *(arguments_done("", index) for index in (0, 1)),
        text("c", 2, item_id="msg_1"),
        text("d", 3, item_id="msg_1"),
        *(done(message(value), index) for index, value in ((2, "c"), (3, "d"))),
        completed(*twins, message("c"), message("d")),
    )
    assert calls(parts) == [READ_A, ("call_2", "read_file", {"path": "a.py"})]
    assert joined(parts) == "cd"


def test_successive_items_at_one_index_are_distinguished() -> None:
    first, second = message("a"), message("b", item_id="msg_2")
    again = event("output_text.done", output_index=0, content_index=0, text="a")
    stream = [added(first), text("a"), done(first), added(first), again, added(None), again]
    stream += [added(second), text("b", item_id="msg_2"), done(second)]
    assert joined(parts_of(*stream, completed(first, second))) == "ab"


def test_parallel_calls_at_one_index_are_distinguished_by_id() -> None:
    items = [call("", id=f"fc_{n}", call_id=f"call_{n}") for n in (1, 2, 3)]
    parts = parts_of(
        *map(added, items),
        *(arguments(f'{{"n":{n}}}', item_id=f"fc_{n}") for n in (2, 1, 3)),
        *(arguments_done("", item_id=f"fc_{n}") for n in (3, 2, 1)),
        completed(),
    )
    assert calls(parts) == [(f"call_{n}", "read_file", {"n": n}) for n in (3, 2, 1)]


def test_a_text_and_a_call_may_share_an_index() -> None:
    stream = [
        added(message()),
        text("a"),
        added(OPEN_CALL),
        text("b"),
        arguments('{"path":"a.py"}'),
    ]
    stream += [arguments_done(""), done(message("ab")), done(call(""))]
    parts = parts_of(*stream, completed(message("ab"), call()))
    assert (joined(parts), calls(parts)) == ("ab", [READ_A])


def test_calls_under_other_ids_may_end_in_another_order() -> None:
    first, second = call(id="x"), call("{}", id="y", call_id="call_2")
    parts = parts_of(done(call(), 0), completed(second, first))
    assert calls(parts) == [READ_A, ("call_2", "read_file", {})]


def test_one_index_for_all_items_merges_nothing() -> None:
    second = call('{"path":"b.py"}', id="fc_2", call_id="call_2")
    parts = parts_of(
        added(message()),
        text("a"),
        done(message("a")),
        added(OPEN_CALL),
        added(second | {"arguments": ""}),
        arguments('{"path":"a.py"}'),
        arguments('{"path":"b.py"}', item_id="fc_2"),
        arguments_done(""),
        arguments_done("", item_id="fc_2"),
        done(call("")),
        done(second | {"arguments": ""}),
        added(message(item_id="msg_2")),
        text("b", item_id="msg_2"),
        done(message("b", item_id="msg_2")),
        completed(message("a"), call(), second, message("b", item_id="msg_2")),
    )
    assert joined(parts) == "ab"
    assert calls(parts) == [READ_A, ("call_2", "read_file", {"path": "b.py"})]


def test_the_final_output_may_have_another_order() -> None:
    first, second = message("a"), message("b", item_id="msg_2")
    stream = [text("a", 0), text("b", 1, item_id="msg_2"), done(call(), 2)]
    parts = parts_of(*stream, completed(call(), second, first))
    assert (joined(parts), calls(parts)) == ("ab", [READ_A])


def test_the_final_output_may_leave_items_out_under_other_ids() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    final = completed(message("Hello", item_id="other"))
    for announce in (added, done):
        stream = [announce(reasoning, 0), announce(message(), 1), text("Hello", 1)]
        assert parts_of(*stream, final) == [{"type": "text", "value": "Hello"}]


def test_an_empty_final_output_removes_nothing() -> None:
    parts, ending = play([text("Hello"), done(call(), 1), completed()])
    assert (joined(parts), calls(parts), ending["finish"]) == ("Hello", [READ_A], "tool-calls")


# Reasoning and refusals

SPELLINGS = {
    "response.reasoning": ("content_index", "content", "reasoning_text"),
    "response.reasoning_text": ("content_index", "content", "reasoning_text"),
    "response.reasoning_summary_text": ("summary_index", "summary", "summary_text"),
    "response.reasoning_summary": ("summary_index", "summary", "summary_text"),
}


def reasoning_stream(stem: str, carriers: Iterable[str], index: int = 0) -> list[Json]:
    position, array, kind = SPELLINGS[stem]
    place = {"output_index": index, "item_id": "rs_1", position: 0}
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    whole = item | {array: [{"type": kind, "text": "Hmm, yes"}]}
    said_by = {
        "delta": [{"type": f"{stem}.delta", "delta": d} | place for d in ("Hmm, ", "yes")],
        "done": [{"type": f"{stem}.done", "text": "Hmm, yes"} | place],
        "item": [done(whole, index)],
        "completed": [completed(*[None] * index, whole)],
    }
    return [added(item, index)] + [each for carrier in carriers for each in said_by[carrier]]


THINKING_CARRIERS = [
    some
    for n in range(1, 5)
    for some in itertools.combinations(["delta", "done", "item", "completed"], n)
]


@pytest.mark.parametrize("stem", SPELLINGS)
@pytest.mark.parametrize("carriers", THINKING_CARRIERS, ids="+".join)
def test_reasoning_is_emitted_once_under_each_name_of_its_events(
    stem: str, carriers: tuple[str, ...]
) -> None:
    parts = parts_of(*reasoning_stream(stem, carriers))
    assert joined(parts, "thinking") == "Hmm, yes"
    assert {(part["type"], part["id"]) for part in parts} == {("thinking", "rs_1")}


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(SPELLINGS, 2)])
def test_reasoning_under_two_names_is_emitted_once(first: str, second: str) -> None:
    one, other = (reasoning_stream(stem, ["delta", "done"])[1:] for stem in (first, second))
    for stream in (
        [*one, *other],
        [each for pair in zip(one, other, strict=True) for each in pair],
    ):
        assert joined(parts_of(*stream, completed()), "thinking") == "Hmm, yes"


def test_a_summary_beside_other_raw_reasoning_is_emitted_too() -> None:
    raw, summary = (
        {"type": "reasoning_text", "text": "raw"},
        {"type": "summary_text", "text": "sum"},
    )
    item = {"type": "reasoning", "id": "rs_1", "content": [raw], "summary": [summary]}
    delta = event("reasoning.delta", output_index=0, content_index=0, item_id="rs_1", delta="raw")
    parts = parts_of(delta, done(item), completed(item))
    assert [part["value"] for part in parts] == ["raw", "sum"]


def test_reasoning_keeps_its_first_id_or_has_none() -> None:
    def reasoning(delta: str, **place: str) -> Json:
        return event("reasoning.delta", output_index=0, content_index=0, delta=delta, **place)

    parts = parts_of(reasoning("a"), reasoning("b", item_id="x"), reasoning("c", item_id="y"))
    assert [part.get("id") for part in parts] == [None, "x", "x"]


def test_answer_text_that_equals_reasoning_is_emitted() -> None:
    thought, answer = {"type": "reasoning_text", "text": "4"}, {"type": "output_text", "text": "4"}
    parts = parts_of(done(message() | {"content": [thought, answer]}), completed())
    assert [part["type"] for part in parts] == ["thinking", "text"]


def test_reasoning_in_a_part_of_a_reasoning_item_is_never_answer_text() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    part = {"type": "text", "text": "Hmm"}
    place = {"output_index": 0, "content_index": 0}
    parts = parts_of(added(item), event("content_part.done", part=part, **place), completed())
    assert parts == [{"type": "thinking", "value": "Hmm", "id": "rs_1"}]


def test_parts_of_a_summary_have_distinct_ids() -> None:
    def summary(index: int, value: str) -> Json:
        place = {"output_index": 0, "item_id": "rs_1", "summary_index": index}
        part = {"type": "summary_text", "text": value}
        return event("reasoning_summary_part.done", part=part, **place)

    parts = parts_of(summary(0, "**A**"), summary(1, "**B**"))
    assert [part["value"] for part in parts] == ["**A**", "**B**"]
    assert parts[0]["id"] == "rs_1" != parts[1]["id"]


@pytest.mark.parametrize(
    ("reasoning", "expected"),
    [("thinking", ["thinking", "text"]), ("text", ["text", "text"]), ("hidden", ["text"])],
)
def test_reasoning_is_emitted_as_the_trait_says(reasoning: str, expected: list[str]) -> None:
    stream = reasoning_stream("response.reasoning", ["item"])
    parts = parts_of(*stream, text("ok", 1), completed(), reasoning=reasoning)
    assert [part["type"] for part in parts] == expected


REFUSED = {"type": "refusal", "refusal": "I cannot"}
REFUSALS = {
    "delta": [
        event("refusal.delta", output_index=0, content_index=0, delta=delta)
        for delta in ("I ", "cannot")
    ],
    "done": [event("refusal.done", output_index=0, content_index=0, refusal="I cannot")],
    "part": [event("content_part.done", output_index=0, content_index=0, part=REFUSED)],
    "item": [done(message() | {"content": [REFUSED]})],
    "completed": [completed(message() | {"content": [REFUSED]})],
}


@pytest.mark.parametrize(
    "carriers",
    [some for n in range(1, 6) for some in itertools.combinations(REFUSALS, n)],
    ids="+".join,
)
@pytest.mark.parametrize("refusal", ["text", "error", "hidden"])
def test_a_refusal_is_emitted_once_as_the_trait_says(
    carriers: tuple[str, ...], refusal: str
) -> None:
    stream = [each for carrier in carriers for each in REFUSALS[carrier]]
    parts, ending = play([*stream, completed()], refusal=refusal)
    assert joined(parts) == ("I cannot" if refusal == "text" else "")
    if refusal == "error":
        assert ending["error"] == {"kind": "upstream", "message": "I cannot"}
    else:
        assert ending == {"type": "done", "outcome": "completed", "finish": "stop"}


def test_a_message_may_hold_text_and_a_refusal() -> None:
    refusal = event("refusal.delta", output_index=0, content_index=1, delta="No")
    machine = ResponsesToVscode()
    assert joined(machine.event(text("Hm. ")) + machine.event(refusal)) == "Hm. No"


# Endings

COMPLETED = {"type": "done", "outcome": "completed"}
FAILED_QUOTA = {"kind": "upstream", "message": "You ran out", "code": "quota"}


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ([completed()], {"finish": "stop"}),
        ([completed(call())], {"finish": "tool-calls"}),
        (
            [completed(usage={"input_tokens": 11, "output_tokens": 22, "total_tokens": 33})],
            {"finish": "stop", "usage": {"input": 11, "output": 22}},
        ),
        ([completed(usage=None)], {"finish": "stop"}),
        ([completed(usage={"output_tokens": 0})], {"finish": "stop", "usage": {"output": 0}}),
        ([incomplete()], {"finish": "length"}),
        ([incomplete(reason="content_filter")], {"finish": "content-filter"}),
        ([incomplete(reason="steered")], {"finish": "other"}),
        ([incomplete(reason=None)], {"finish": "other"}),
        ([done(call()), incomplete()], {"finish": "length"}),
        ([completed(status="incomplete")], {"finish": "other"}),
        ([event("completed")], {"finish": "stop"}),
    ],
)
def test_a_response_reports_how_it_ended(stream: list[Json], expected: Json) -> None:
    assert ending_of(*stream) == COMPLETED | expected


ERRORS: list[tuple[list[Json], Json]] = [
    ([failed(QUOTA)], FAILED_QUOTA),
    ([event("error", error=QUOTA | {"type": "x", "param": None})], FAILED_QUOTA),
    ([event("error", **QUOTA, param=None)], FAILED_QUOTA),
    ([event("error", error="You ran out")], {"kind": "upstream", "message": "You ran out"}),
    ([event("error", message="m", code=429)], {"kind": "upstream", "message": "m", "code": "429"}),
    ([event("error", message="m", code=None)], {"kind": "upstream", "message": "m"}),
    ([event("error", message="m", code="")], {"kind": "upstream", "message": "m"}),
    ([event("error", message="m", code=True)], {"kind": "upstream", "message": "m"}),
    ([event("error", message="early", code="e"), failed(QUOTA)], FAILED_QUOTA),
    ([event("error", **QUOTA), failed(None)], FAILED_QUOTA),
    ([failed(None), event("error", **QUOTA)], FAILED_QUOTA),
    ([event("error", **QUOTA), event("error", message="other")], FAILED_QUOTA),
    ([event("error", **QUOTA), text("late"), done(call()), completed()], FAILED_QUOTA),
    ([completed(status="failed", error=QUOTA)], FAILED_QUOTA),
    ([done(call("{")), failed(QUOTA)], FAILED_QUOTA),
    ([failed(None), text("late"), event("error", **QUOTA)], FAILED_QUOTA),
]


@pytest.mark.parametrize(("stream", "expected"), ERRORS)
def test_a_failure_has_the_upstreams_message_and_code(stream: list[Json], expected: Json) -> None:
    parts, ending = play([text("so far"), *stream])
    assert joined(parts) == "so far"
    assert ending == {"type": "done", "outcome": "failed", "error": expected}


@pytest.mark.parametrize(("stream", "expected"), ERRORS)
def test_a_failure_is_reported_once_as_text_if_the_trait_says_so(
    stream: list[Json], expected: Json
) -> None:
    parts, ending = play([text("so far"), *stream], errors="text")
    assert joined(parts).startswith("so far")
    assert joined(parts).count(expected["message"]) == 1
    assert ending == {"type": "done", "outcome": "completed", "finish": "error"}


@pytest.mark.parametrize(
    "stream",
    [
        [failed(None)],
        [event("failed")],
        [event("error")],
        [event("error", message="")],
        [event("error", error="")],
        [event("error", message={"text": "x"})],
    ],
)
def test_a_failure_without_a_reason_says_so(stream: list[Json]) -> None:
    ending = ending_of(*stream)
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "upstream")
    assert "no reason" in ending["error"]["message"]


@pytest.mark.parametrize(
    "stream", [[], [text("x")], [done(call())], [event("created", response={})]]
)
def test_a_stream_without_a_terminal_event_is_truncated(stream: list[Json]) -> None:
    assert ending_of(*stream)["error"]["kind"] == "truncated"


def test_a_machine_without_events_reports_a_truncation() -> None:
    assert ResponsesToVscode().end()["outcome"] == "failed"


def test_a_broken_completed_call_fails_an_incomplete_response() -> None:
    assert ending_of(done(call("{")), incomplete())["error"]["kind"] == "decode"


@pytest.mark.parametrize("terminal", [completed(), incomplete(), failed(QUOTA)])
def test_events_after_the_terminal_event_are_ignored(terminal: Json) -> None:
    machine = ResponsesToVscode()
    machine.event(terminal)
    ending = machine.end()
    for late in [text("x"), done(call()), completed(message("x")), failed(QUOTA), incomplete()]:
        assert machine.event(late) == []
    assert (machine.close(), machine.end()) == ([], ending)


# Unknown and malformed events


def test_unknown_events_are_ignored() -> None:
    parts, ending = play(
        [
            event("created", response={"id": "resp_1"}),
            event("future_thing.delta", delta="x", output_index=0),
            {"type": "acme:trace_event", "sequence_number": 1, "delta": "x"},
            {"type": "keepalive"},
            {"type": None},
            {"type": ["response.output_text.delta"]},
            {"delta": "x"},
            {},
            added(None),
            added({"type": "acme:item", "id": "x"}, 1),
            event("content_part.done", output_index=0, part={"type": "acme:part", "text": "x"}),
            text("ok") | {"obfuscation": "x", "logprobs": None, "future": {}},
            done(None),
            done({"type": "web_search_call", "id": "ws_1", "arguments": "{}", "name": "x"}, 2),
            added(OPEN_CALL | {"type": "acme:call", "id": "ac_1"}, 3),
            arguments("{}", 3, "ac_1"),
            arguments_done("{}", 3, "ac_1"),
            completed(None, {"type": "future_call", "call_id": "c", "name": "n"}),
        ]
    )
    assert parts == [{"type": "text", "value": "ok"}]
    assert ending["finish"] == "stop"


FIELDS = [
    "output_index",
    "content_index",
    "summary_index",
    "item_id",
    "item",
    "delta",
    "text",
    "arguments",
    "refusal",
    "part",
    "response",
    "error",
    "message",
    "code",
    "id",
    "type",
    "call_id",
    "name",
    "status",
    "content",
    "summary",
    "output",
    "usage",
]
WORDS = [*HANDLERS, "message", "function_call", "reasoning", "output_text", "refusal"]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from([*WORDS, "{}", "", "\ud83d"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6)
    ),
    max_leaves=20,
)
EVENTS = st.builds(
    lambda name, fields: fields | {"type": name},
    st.sampled_from([*HANDLERS]),
    st.dictionaries(st.sampled_from(FIELDS), JUNK, max_size=8),
)


@given(st.lists(EVENTS, max_size=8))
def test_events_of_any_shape_do_not_break_the_machine(events: list[Json]) -> None:
    parts, _ = play(events)
    ids = [part["callId"] for part in parts if part["type"] == "toolCall"]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", ["reasoning", "refusal", "errors", "emit_call_at"])
def test_an_unknown_trait_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.*sideways"):
        adapter({name: "sideways"})


def test_a_long_answer_in_single_characters_takes_linear_time() -> None:
    machine = ResponsesToVscode()
    machine.event(added(OPEN_CALL, 1))
    for _ in range(20_000):
        machine.event(text("x"))
        machine.event(arguments(" ", 1))
    whole = " " * 20_000 + '{"path":"a.py"}'
    machine.event(arguments('{"path":"a.py"}', 1))
    assert calls(machine.event(arguments_done(whole, 1))) == [READ_A]
    assert machine.event(completed(message("x" * 20_000))) == []


# Through the decoder

SHORT = [text("é"), done(call("{}"), 1), completed()]
SHORT_PARTS = [
    {"type": "text", "value": "é"},
    {"type": "toolCall", "callId": "call_1", "name": "read_file", "input": {}},
]


FRAMINGS: dict[str, bytes] = {
    "LF": "".join(map(sse, SHORT)).encode(),
    "CRLF": "".join(sse(each, "\r\n") for each in SHORT).encode(),
    "CR": "".join(sse(each, "\r") for each in SHORT).encode(),
    "no space": "".join(sse(each, head="data:") for each in SHORT).encode(),
    "several lines": "".join(sse(each, indent=0) for each in SHORT).encode(),
    "BOM": "".join(map(sse, SHORT)).encode("utf-8-sig"),
    "comments": "".join(": ping\n\n" + sse(each) + ":\n" for each in SHORT).encode(),
    "named": "".join(f"event: {each['type']}\nid: 1\n" + sse(each) for each in SHORT).encode(),
    "unterminated": "".join(map(sse, SHORT)).rstrip().encode(),
    "[DONE]": ("".join(map(sse, SHORT)) + "data: [DONE]\n\n").encode(),
}


def through_decoder(chunks: Iterable[bytes]) -> list[Json]:
    decoder, machine, outlet = Decoder(), ResponsesToVscode(), list[Json]()
    messages = [message for chunk in chunks for message in decoder.feed(chunk)] + decoder.end()
    for each in messages:
        if each.data != "[DONE]":
            outlet += machine.event(json.loads(each.data))
    assert machine.end()["finish"] == "tool-calls"
    return outlet


@pytest.mark.parametrize("stream", FRAMINGS.values(), ids=FRAMINGS.keys())
def test_no_framing_changes_the_parts(stream: bytes) -> None:
    assert through_decoder([stream]) == SHORT_PARTS
    assert through_decoder(stream[n : n + 1] for n in range(len(stream))) == SHORT_PARTS
    for cut in range(len(stream)):
        assert through_decoder([stream[:cut], stream[cut:]]) == SHORT_PARTS


OTHER_DIALECTS = {*DATA.glob("recordings/*.chat.jsonl"), *DATA.glob("recordings/*.messages.jsonl")}
RECORDINGS = sorted(set(DATA.glob("recordings/*.jsonl")) - OTHER_DIALECTS)


@needs_data
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_the_parts_of_a_recorded_stream_are_those_of_its_final_response(path: Any) -> None:
    events = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    final = events[-1]["response"]
    contents = [item["content"] for item in final["output"] if item["type"] == "message"]
    expected = "".join(part["text"] for content in contents for part in content)
    parts, ending = play(events, annotations="hidden")
    assert joined(parts) == expected
    assert ending["outcome"] == final["status"]
    if final["status"] == "failed":
        assert ending["error"]["code"] == final["error"]["code"]


# Over a real connection


async def run_at(
    base_url: str,
    traits: Json | None = None,
    emit: Callable[[Json], None] | None = None,
    cancel: asyncio.Event | None = None,
    after_parts: int | None = None,
    **fields: Any,
) -> tuple[list[Json], Json]:
    order: Json = {"type": "run", "id": "r-17", "dialect": "openresponses", "base_url": base_url}
    order |= {"api_key": "sk-mock-1", "model": "mock", "tools": [], "options": {}}
    order |= {"messages": [{"role": "user", "content": "Hi"}], "deadline_ms": 5000} | fields
    order |= {} if after_parts is None else {"cancel": {"after_parts": after_parts}}
    DRIVER.validate(order)
    parts: list[Json] = []

    def collect(part: Json) -> None:
        parts.append(part)
        if emit:
            emit(part)

    async with asyncio.timeout(5):
        ending = await adapter(traits).run(order, collect, cancel or asyncio.Event())
    DRIVER.validate(ending)
    assert ending["id"] == "r-17"
    return parts, ending


async def test_a_run_is_one_request_and_its_parts() -> None:
    usage = {"input_tokens": 1, "output_tokens": 2}
    async with upstream(streaming(text("Hi"), completed(usage=usage))) as served:
        parts, ending = await run_at(served.base_url)
    assert parts == [{"type": "text", "value": "Hi"}]
    assert ending == COMPLETED | {
        "id": "r-17",
        "finish": "stop",
        "usage": {"input": 1, "output": 2},
    }
    assert served.headers == ["Bearer sk-mock-1"]
    assert served.asked == [
        {
            "model": "mock",
            "stream": True,
            "input": [{"type": "message", "role": "user", "content": "Hi"}],
        }
    ]


async def test_a_conversation_is_sent_upstream_as_items() -> None:
    """openresponses § Items; lm-stream-semantics § 7.3"""
    messages = [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "Look"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "value": "Hmm", "id": "rs_1"},
                {"type": "text", "value": "Let me "},
                {"type": "text", "value": "look"},
                {"type": "toolCall", "callId": "gw-call_1", "name": "f", "input": {"p": "é"}},
                {"type": "toolCall", "callId": "gw-call_2", "name": "g", "input": {}},
            ],
        },
        {"role": "tool", "callId": "gw-call_1", "content": "one"},
        {"role": "tool", "callId": "gw-call_2", "content": "two"},
    ]
    parameters = {"type": "object", "properties": {"p": {"type": "string"}}}
    tools = [
        {"name": "f", "description": "Reads", "input_schema": parameters},
        {"name": "g", "input_schema": {"type": "object"}},
    ]
    async with upstream(streaming(completed())) as served:
        await run_at(
            served.base_url,
            {"call_id_prefix": "gw-"},
            messages=messages,
            tools=tools,
            options={"max_retries": 0, "max_output_tokens": 16},
        )
    (asked,) = served.asked
    for item in asked["input"]:
        if "arguments" in item:
            item["arguments"] = json.loads(item["arguments"])
    assert asked == {
        "model": "mock",
        "stream": True,
        "max_output_tokens": 16,
        "input": [
            {"type": "message", "role": "system", "content": "Be brief"},
            {"type": "message", "role": "user", "content": "Look"},
            {"type": "message", "role": "assistant", "content": "Let me look"},
            {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": {"p": "é"}},
            {"type": "function_call", "call_id": "call_2", "name": "g", "arguments": {}},
            {"type": "function_call_output", "call_id": "call_1", "output": "one"},
            {"type": "function_call_output", "call_id": "call_2", "output": "two"},
        ],
        "tools": [
            {"type": "function", "name": "f", "description": "Reads", "parameters": parameters},
            {"type": "function", "name": "g", "parameters": {"type": "object"}},
        ],
    }


def test_hello_has_the_name_of_the_adapter() -> None:
    DRIVER.validate(adapter().hello())


async def test_an_unknown_dialect_is_answered_as_unsupported() -> None:
    parts, ending = await run_at("http://127.0.0.1:1/v1", dialect="made-up")
    assert (parts, ending["type"]) == ([], "unsupported")
    assert "made-up" in ending["reason"]


BROKEN_ANSWERS: dict[str, tuple[Script, Json]] = {
    "429": (
        answering(429, '{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}'),
        {"kind": "http", "message": "Slow down", "code": "rate_limit_exceeded"},
    ),
    "400": (answering(400, '{"error":"Bad"}'), {"kind": "http", "message": "Bad"}),
    "401 flat": (
        answering(401, '{"detail":"No key"}'),
        {"kind": "http", "message": "No key"},
    ),
    "500 HTML": (
        answering(500, "<h1>Oops</h1>", "text/html"),
        {"kind": "http", "message": "HTTP 500 Internal Server Error"},
    ),
    "400 empty stream": (
        answering(400, "", "text/event-stream"),
        {"kind": "http", "message": "HTTP 400 Bad Request"},
    ),
    "200 with an error": (
        answering(200, '{"error":{"message":"You ran out","code":"quota"}}'),
        {"kind": "decode", "message": "You ran out", "code": "quota"},
    ),
    "200 with a list": (
        answering(200, "[]"),
        {"kind": "decode", "message": "application/json instead of an event stream"},
    ),
    "error, then silence": (
        streaming(event("error", **QUOTA), then=silence),
        FAILED_QUOTA,
    ),
    "error without a type": (streaming({"error": QUOTA}, then=silence), FAILED_QUOTA),
    "error by its SSE name": (
        streaming("event: error\n" + sse(QUOTA), then=silence),
        FAILED_QUOTA,
    ),
}


@pytest.mark.parametrize(("script", "expected"), BROKEN_ANSWERS.values(), ids=BROKEN_ANSWERS.keys())
async def test_a_refused_run_fails_with_the_upstreams_error(
    script: Script, expected: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)
    async with upstream(script) as served:
        parts, ending = await run_at(served.base_url)
        shown, tolerated = await run_at(served.base_url, {"errors": "text"})
    assert parts == []
    assert ending == {"type": "done", "id": "r-17", "outcome": "failed", "error": expected}
    assert joined(shown).count(expected["message"]) == 1
    assert (tolerated["outcome"], tolerated["finish"]) == ("completed", "error")


BROKEN_STREAMS: dict[str, tuple[Script, str, str]] = {
    "no bytes": (streaming(), "", "truncated"),
    "no terminal event": (streaming(text("so far")), "so far", "truncated"),
    "half an event": (streaming(text("a"), sse(completed())[:30]), "a", "truncated"),
    "[DONE] only": (streaming(text("a"), "data: [DONE]\n\n", then=silence), "a", "truncated"),
    "a cut": (streaming(text("so far"), then=severed), "so far", "transport"),
    "not JSON": (
        streaming(text("a"), "data: {oops\n\n", text("late"), completed(), then=silence),
        "a",
        "decode",
    ),
    "too deep": (streaming(f"data: {'[' * 100_000}\n\n", completed()), "", "decode"),
}


@pytest.mark.parametrize(
    ("script", "so_far", "kind"), BROKEN_STREAMS.values(), ids=BROKEN_STREAMS.keys()
)
async def test_a_broken_stream_fails_and_keeps_its_parts(
    script: Script, so_far: str, kind: str
) -> None:
    async with upstream(script) as served:
        parts, ending = await run_at(served.base_url)
    assert joined(parts) == so_far
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", kind)


async def test_a_missing_upstream_is_a_transport_failure() -> None:
    async with upstream(silence) as served:
        gone = served.base_url
    _, ending = await run_at(gone)
    assert ending["error"]["kind"] == "transport"


async def test_the_reason_of_an_error_may_come_with_the_failed_response() -> None:
    heard = asyncio.Event()

    async def later(request: web.Request) -> web.StreamResponse:
        response = await burst(request, text("Hi"), event("error", message="early"))
        await heard.wait()
        await response.write(sse(failed(QUOTA)).encode())
        return await silence(request)

    async with upstream(later) as served:
        _, ending = await run_at(served.base_url, emit=lambda _: heard.set())
    assert ending["error"] == FAILED_QUOTA


@pytest.mark.parametrize(
    "expected",
    [
        [failed(QUOTA)],
        [event("error", **QUOTA), failed(None)],
        [failed(None), event("error", **QUOTA)],
        [event("error", **QUOTA), event("error", **QUOTA)],
    ],
)
async def test_an_adapter_does_not_wait_after_a_complete_error(
    expected: list[Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 60)
    async with upstream(streaming(*expected, then=silence)) as served:
        _, ending = await run_at(served.base_url)
    assert ending["error"] == FAILED_QUOTA


async def test_an_upstream_that_continues_after_an_error_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def goes_on(request: web.Request) -> web.StreamResponse:
        response = await burst(request, event("error", **QUOTA))
        while True:
            await response.write(sse(text("late")).encode())
            await asyncio.sleep(0.01)

    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)
    async with upstream(goes_on) as served:
        parts, ending = await run_at(served.base_url)
    assert (parts, ending["error"]) == ([], FAILED_QUOTA)


async def test_an_upstream_may_pause_for_longer_than_the_wait_after_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def thinks(request: web.Request) -> web.StreamResponse:
        response = await burst(request, text("Hi"))
        await asyncio.sleep(0.05)
        await response.write(sse(completed()).encode())
        return response

    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.01)
    async with upstream(thinks) as served:
        assert (await run_at(served.base_url))[1]["outcome"] == "completed"


async def test_an_exception_of_the_host_is_not_reported_as_an_upstream_failure() -> None:
    def broken(_: Json) -> None:
        raise RuntimeError("the host broke")

    async with upstream(streaming(text("Hi"), completed())) as served:
        with pytest.raises(RuntimeError, match="the host broke"):
            await run_at(served.base_url, emit=broken)


ENDINGS: dict[str, list[Json | str]] = {
    "nothing": [],
    "[DONE]": ["data: [DONE]\n\n"],
    "more events": [text("late"), done(call()), failed(QUOTA)],
    "garbage": ["data: {oops\n\n"],
}


@pytest.mark.parametrize("rest", ENDINGS.values(), ids=ENDINGS.keys())
@pytest.mark.parametrize("held_open", [True, False])
async def test_the_terminal_event_ends_the_run_whatever_follows(
    rest: list[Json | str], held_open: bool
) -> None:
    script = streaming(text("Hi"), completed(), *rest, then=silence if held_open else None)
    async with upstream(script) as served:
        parts, ending = await run_at(served.base_url)
    assert (joined(parts), ending["outcome"]) == ("Hi", "completed")


async def test_a_terminal_event_without_a_final_blank_line_is_read() -> None:
    async with upstream(streaming(text("Hi"), sse(completed()).rstrip())) as served:
        assert (await run_at(served.base_url))[1]["outcome"] == "completed"


async def test_messages_without_data_or_without_an_object_are_ignored() -> None:
    noise = ["data: \n\n", "event: ping\ndata: {}\n\n", "data: null\n\n", "data: [1]\n\n"]
    async with upstream(streaming(*noise, text("Hi"), *noise, completed())) as served:
        parts, ending = await run_at(served.base_url)
    assert (joined(parts), ending["outcome"]) == ("Hi", "completed")


async def test_an_event_without_a_type_has_the_type_of_its_sse_name() -> None:
    named = 'event: response.output_text.delta\ndata: {"output_index":0,"delta":"Hi"}\n\n'
    async with upstream(streaming(named, completed())) as served:
        assert joined((await run_at(served.base_url))[0]) == "Hi"


# Cancellation: lm-stream-semantics § 5.2

BURST = [text("a"), text("b"), text("c"), done(call(), 1), completed()]


async def test_the_adapter_disconnects_from_a_silent_upstream_at_once() -> None:
    cancel = asyncio.Event()
    async with upstream(streaming(text("a"), then=silence)) as served:
        parts, ending = await run_at(served.base_url, None, lambda _: cancel.set(), cancel)
        async with asyncio.timeout(1):
            await served.left.wait()
    assert (joined(parts), ending["outcome"]) == ("a", "cancelled")


async def test_the_adapter_disconnects_at_once_from_an_upstream_without_an_answer() -> None:
    cancel = asyncio.Event()
    asked = asyncio.Event()

    async def unanswered(request: web.Request) -> web.StreamResponse:
        asked.set()
        return await silence(request)

    async with upstream(unanswered) as served:
        running = asyncio.create_task(run_at(served.base_url, cancel=cancel))
        async with asyncio.timeout(1):
            await asked.wait()
            cancel.set()
            assert (await running)[1]["outcome"] == "cancelled"
            await served.left.wait()


@pytest.mark.parametrize("held_open", [True, False])
async def test_no_part_follows_a_cancellation_in_a_burst(held_open: bool) -> None:
    cancel = asyncio.Event()
    async with upstream(streaming(*BURST, then=silence if held_open else None)) as served:
        parts, ending = await run_at(served.base_url, None, lambda _: cancel.set(), cancel)
    assert (joined(parts), ending["outcome"]) == ("a", "cancelled")


async def test_no_part_is_emitted_once_the_cancellation_is_set() -> None:
    class Unnoticed(asyncio.Event):
        """An event that is set and whose waiters have not been woken yet."""

        async def wait(self) -> Any:
            await asyncio.Event().wait()

    cancel, heard = Unnoticed(), asyncio.Event()

    async def goes_on(request: web.Request) -> web.StreamResponse:
        response = await burst(request, text("a"))
        await heard.wait()
        cancel.set()
        await response.write(sse(text("b")).encode())
        return await silence(request)

    async with upstream(goes_on) as served:
        parts, ending = await run_at(served.base_url, None, lambda _: heard.set(), cancel)
    assert (joined(parts), ending["outcome"]) == ("a", "cancelled")


@pytest.mark.parametrize(("after", "expected"), [(1, "a"), (2, "ab"), (3, "abc")])
@pytest.mark.parametrize("held_open", [True, False])
async def test_a_run_cancels_itself_after_the_given_number_of_parts(
    after: int, expected: str, held_open: bool
) -> None:
    script = streaming(*BURST[:after], then=silence) if held_open else streaming(*BURST)
    async with upstream(script) as served:
        parts, ending = await run_at(served.base_url, after_parts=after)
    assert (joined(parts), calls(parts), ending["outcome"]) == (expected, [], "cancelled")


async def test_a_run_that_is_cancelled_from_the_start_makes_no_request() -> None:
    cancel = asyncio.Event()
    cancel.set()
    async with upstream(streaming(*BURST)) as served:
        for _, ending in [
            await run_at(served.base_url, cancel=cancel),
            await run_at(served.base_url, after_parts=0),
        ]:
            assert ending["outcome"] == "cancelled"
        assert served.asked == []


async def test_concurrent_runs_do_not_mix() -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        (item,) = (await request.json())["input"]
        return await burst(request, *map(text, item["content"]), completed())

    async with upstream(echo) as served:
        words = [f"word {n}" for n in range(16)]
        runs = [
            run_at(served.base_url, messages=[{"role": "user", "content": word}]) for word in words
        ]
        assert [joined(parts) for parts, _ in await asyncio.gather(*runs)] == words
