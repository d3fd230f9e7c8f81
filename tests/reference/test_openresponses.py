"""The OpenResponses machine in the vocabulary of VS Code, by rfc-00022 and lm-stream-semantics."""

import itertools
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.dialects.openresponses.reference.machine import HANDLERS
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from mockserver.foundation.shipped import schema
from tests.data import DATA, needs_data

Json = dict[str, Any]

PART = Draft202012Validator(schema("parts/vscode"))
DRIVER = Draft202012Validator(schema("driver"))


# Minimal streams


def event(name: str, **fields: Any) -> Json:
    return {"type": name if name == "error" else f"response.{name}", **fields}


def message(*texts: str, item_id: str = "msg_1", **fields: Any) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "id": item_id, "role": "assistant", "content": content, **fields}


def call(arguments: Any = '{"path":"a.py"}', **fields: Any) -> Json:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file"}
    return item | {"arguments": arguments, "status": "completed"} | fields


def added(item: Json | None, index: int | None = 0) -> Json:
    return event("output_item.added", output_index=index, item=item)


def done(item: Json | None, index: int | None = 0) -> Json:
    return event("output_item.done", output_index=index, item=item)


def text(delta: Any, index: Any = 0, content_index: int = 0, item_id: str = "msg_1") -> Json:
    place = {"output_index": index, "content_index": content_index, "item_id": item_id}
    return event("output_text.delta", delta=delta, **place)


def text_done(whole: Any, content_index: int = 0) -> Json:
    return event("output_text.done", output_index=0, content_index=content_index, text=whole)


def part_done(part: Json, content_index: int = 0) -> Json:
    return event("content_part.done", output_index=0, content_index=content_index, part=part)


def arguments(delta: Any, index: int | None = 0, item_id: str = "fc_1") -> Json:
    place = {"output_index": index, "item_id": item_id}
    return event("function_call_arguments.delta", delta=delta, **place)


def arguments_done(whole: Any, index: int | None = 0, item_id: str = "fc_1") -> Json:
    place = {"output_index": index, "item_id": item_id}
    return event("function_call_arguments.done", arguments=whole, **place)


def completed(*output: Json | None, **fields: Any) -> Json:
    return event("completed", response={"status": "completed", "output": list(output)} | fields)


def incomplete(*output: Json, reason: str | None = "max_output_tokens") -> Json:
    response = {"status": "incomplete", "output": list(output)}
    return event("incomplete", response=response | {"incomplete_details": {"reason": reason}})


def failed(error: Any = None) -> Json:
    return event("failed", response={"status": "failed", "error": error, "output": []})


def without(name: str, *events: Json) -> list[Json]:
    return [{field: value for field, value in each.items() if field != name} for each in events]


OPEN_CALL = call("", status="in_progress")
QUOTA = {"code": "quota", "message": "You ran out"}


def play(events: Iterable[Json], **traits: Any) -> tuple[list[Json], Json]:
    """The parts of a stream, which are valid, and its `done` message."""
    machine = ResponsesToVscode(traits)
    parts = [part for each in events for part in machine.event(each)] + machine.close()
    for part in parts:
        PART.validate(part)
    ending = machine.end()
    DRIVER.validate({**ending, "id": "r-1"})
    return parts, ending


def parts_of(*events: Json, **traits: Any) -> list[Json]:
    return play(events, **traits)[0]


def values(parts: Iterable[Json], kind: str = "text") -> list[str]:
    return [part["value"] for part in parts if part["type"] == kind]


def joined(parts: Iterable[Json], kind: str = "text") -> str:
    return "".join(values(parts, kind))


def calls(parts: Iterable[Json]) -> list[tuple[str, str, Json]]:
    return [(p["callId"], p["name"], p["input"]) for p in parts if p["type"] == "toolCall"]


def some_of(carriers: Iterable[str]) -> list[tuple[str, ...]]:
    """Every combination of the events that carry a content."""
    names = list(carriers)
    return [some for n in range(len(names)) for some in itertools.combinations(names, n + 1)]


READ_A = ("call_1", "read_file", {"path": "a.py"})


# Text


HELLO = [added(message()), text("Hel"), text("lo"), done(message("Hello"))]
SECOND = message("b", item_id="msg_2")
TEXTS: dict[str, tuple[list[Json], list[str]]] = {
    "complete contents": (
        [
            *(text_done("c", 2), part_done({"type": "output_text", "text": "b"}, 1)),
            completed(message("a", "b", "c", "b")),
        ],
        ["c", "b", "a", "b"],
    ),
    "no text": ([text(None), text_done(7), text_done(["x"]), text_done("")], []),
    "half a character": ([text("a\ud83d"), completed(message("a😀b"))], ["a", "😀b"]),
    "no item_id": (without("item_id", *HELLO), ["Hel", "lo"]),
    "no content_index": (without("content_index", *HELLO), ["Hel", "lo"]),
    "no index in one event": ([*without("output_index", *HELLO[:2]), *HELLO[2:]], ["Hel", "lo"]),
    "no item at all": (
        [
            *(event("output_text.delta", delta="a"), done(message("a"))),
            *(added(SECOND, 1), event("output_text.delta", delta="b")),
        ],
        ["a", "b"],
    ),
    "successive items at one index": (
        [
            *(added(message()), text("a"), done(message("a")), added(message()), text_done("a")),
            *(added(None), text_done("a"), added(SECOND), text("b", item_id="msg_2")),
            *(done(SECOND), completed(message("a"), SECOND)),
        ],
        ["a", "b"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("stream", "expected"), TEXTS.values(), ids=TEXTS)
def test_each_text_is_emitted_once(stream: list[Json], expected: list[str]) -> None:
    parts, ending = play([*stream, completed()])
    assert [part["value"] for part in parts] == expected
    assert ending["finish"] == "stop"


@pytest.mark.parametrize("index", [True, "1", None, 1.0, [1]])
def test_an_index_is_an_integer_or_missing(index: Any) -> None:
    stream = [text("a", 1), text("b", index, item_id="msg_2")]
    stream += [done(SECOND, index), done(message("a"), 1)]
    assert joined(parts_of(*stream, completed())) == "ab"


# Calls: rfc-00022 § Function Call Flow.


OTHER = call('{"path":"b.py"}', id="fc_2", call_id="call_2")
OPEN_OTHER = OTHER | {"arguments": ""}
READ_B = ("call_2", "read_file", {"path": "b.py"})
CALLS: dict[str, tuple[list[Json], list[Any]]] = {
    "the deltas, if all else is blank": (
        [arguments('{"path":"a.py"}'), arguments_done("  "), done(call(None))],
        [READ_A],
    ),
    "an object for arguments": ([done(call({"path": "a.py"}))], [READ_A]),
    "done before the response": (
        [arguments_done('{"path":"a.py"}', item_id="x"), completed(call(""))],
        [READ_A],
    ),
    "an id that comes with the response": (
        [added(call("", call_id="")), arguments_done('{"path":"a.py"}'), completed(call())],
        [READ_A],
    ),
    "no index": (
        without(
            "output_index",
            *(added(OPEN_CALL), added(OPEN_OTHER), arguments('{"path":"a.py"}')),
            *(arguments('{"path":"b.py"}', item_id="fc_2"), arguments_done("", item_id="fc_2")),
            *(arguments_done(""), done(call("")), done(OTHER)),
        ),
        [READ_B, READ_A],
    ),
    "an announcement again": (
        [
            *(added(OPEN_CALL), arguments('{"path":', item_id="x"), added(OPEN_CALL | {"id": "y"})),
            *(arguments('"a.py"}', item_id="z"), arguments_done("")),
        ],
        [READ_A],
    ),
    "another id and order in the end": (
        [done(call(id="x")), completed(OTHER | {"id": "y"}, call(id="x"))],
        [READ_A, READ_B],
    ),
    "an item that failed": ([added(OPEN_CALL), done(call("{}", status="failed")), failed()], []),
}  # fmt: skip


@pytest.mark.parametrize(("stream", "expected"), CALLS.values(), ids=CALLS)
def test_each_complete_call_is_emitted_once(stream: list[Json], expected: list[Any]) -> None:
    parts, ending = play([*stream, completed()])
    assert calls(parts) == expected
    assert "decode" not in json.dumps(ending)


@pytest.mark.parametrize(
    "stream",
    [
        [arguments_done('{"path":"a.py"}')],
        [done(call(call_id=""))],
        [done(call(name=""))],
        [done(call()), done(call("{}"), 1)],
    ],
    ids=["never named", "no id", "no name", "two with one id"],
)
def test_a_complete_call_that_cannot_be_emitted_is_an_error(stream: list[Json]) -> None:
    assert play([*stream, completed()])[1]["error"]["kind"] == "decode"


# Reasoning and refusals

SPELLINGS = {
    "response.reasoning": ("content_index", "content", "reasoning_text"),
    "response.reasoning_text": ("content_index", "content", "reasoning_text"),
    "response.reasoning_summary_text": ("summary_index", "summary", "summary_text"),
    "response.reasoning_summary": ("summary_index", "summary", "summary_text"),
}


def reasoning_stream(stem: str, carriers: Iterable[str]) -> list[Json]:
    position, array, kind = SPELLINGS[stem]
    place = {"output_index": 0, "item_id": "rs_1", position: 0}
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    whole = item | {array: [{"type": kind, "text": "Hmm, yes"}]}
    said_by = {
        "delta": [{"type": f"{stem}.delta", "delta": d} | place for d in ("Hmm, ", "yes")],
        "done": [{"type": f"{stem}.done", "text": "Hmm, yes"} | place],
        "item": [done(whole)],
        "completed": [completed(whole)],
    }
    return [added(item)] + [each for carrier in carriers for each in said_by[carrier]]


@pytest.mark.parametrize("stem", SPELLINGS)
@pytest.mark.parametrize("carriers", some_of(["delta", "done", "item", "completed"]), ids="+".join)
def test_reasoning_is_emitted_once_under_any_name(stem: str, carriers: tuple[str, ...]) -> None:
    parts = parts_of(*reasoning_stream(stem, carriers))
    assert joined(parts, "thinking") == "Hmm, yes"
    assert {(part["type"], part["id"]) for part in parts} == {("thinking", "rs_1")}


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(SPELLINGS, 2)])
def test_reasoning_under_two_names_is_emitted_once(first: str, second: str) -> None:
    one, other = (reasoning_stream(stem, ["delta", "done"])[1:] for stem in (first, second))
    mixed = [each for pair in zip(one, other, strict=True) for each in pair]
    for stream in ([*one, *other], mixed):
        assert joined(parts_of(*stream, completed()), "thinking") == "Hmm, yes"


REASONING = {"type": "reasoning", "id": "rs_1"}
RAW, SUMMARY = {"type": "reasoning_text", "text": "raw"}, {"type": "summary_text", "text": "sum"}
RAW_DELTA = event("reasoning.delta", output_index=0, content_index=0, delta="raw")
THOUGHTS: dict[str, tuple[list[Json], list[Any]]] = {
    "a summary beside other reasoning": (
        [RAW_DELTA, done(REASONING | {"content": [RAW], "summary": [SUMMARY]})],
        [("thinking", "raw", None), ("thinking", "sum", "rs_1")],
    ),
    "ids that change": (
        [RAW_DELTA, RAW_DELTA | {"item_id": "x"}, RAW_DELTA | {"item_id": "y"}],
        [("thinking", "raw", None), ("thinking", "raw", "x"), ("thinking", "raw", "x")],
    ),
    "reasoning in a message": (
        [done(message() | {"content": [RAW, {"type": "output_text", "text": "raw"}]})],
        [("thinking", "raw", "msg_1"), ("text", "raw", None)],
    ),
    "encrypted content, twice": (
        [done({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA"})] * 2,
        [("thinking", "", "rs_1")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("stream", "expected"), THOUGHTS.values(), ids=THOUGHTS)
def test_reasoning_becomes_thinking_parts_with_the_id_of_their_block(
    stream: list[Json], expected: list[Any]
) -> None:
    parts = parts_of(*stream, completed())
    assert [(part["type"], part["value"], part.get("id")) for part in parts] == expected


REFUSED = {"type": "refusal", "refusal": "I cannot"}
PLACE = {"output_index": 0, "content_index": 0}
REFUSALS = {
    "delta": [event("refusal.delta", delta=delta, **PLACE) for delta in ("I ", "cannot")],
    "done": [event("refusal.done", refusal="I cannot", **PLACE)],
    "part": [part_done(REFUSED)],
    "item": [done(message() | {"content": [REFUSED]})],
    "completed": [completed(message() | {"content": [REFUSED]})],
}


@pytest.mark.parametrize("carriers", some_of(REFUSALS), ids="+".join)
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


# Citations: rfc-00022 § Gap 2; images: openai, ResponseOutputItem.ImageGenerationCall.

WATER = {"type": "url_citation", "url": "https://example.org/water", "title": "Water"}
ICE = {"type": "url_citation", "url": "https://example.org/ice", "title": "[Ice]\n\\"}


def cited(annotation: Json | None) -> Json:
    return event("output_text.annotation.added", output_index=0, annotation=annotation)


def answer(*annotations: Json | None, text: str = "Hot.") -> Json:
    content = {"type": "output_text", "text": text, "annotations": list(annotations)}
    return message() | {"content": [content]}


FILES: list[Json] = [
    {"type": "file_citation", "file_id": "f1", "filename": "a.pdf", "index": 3},
    {"type": "container_file_citation", "container_id": "c", "file_id": "f2", "filename": "b"},
    {"type": "file_path", "file_id": "f3", "index": 3},
]


@pytest.mark.parametrize(
    ("events", "whole", "left"),
    [
        ([], [WATER, WATER], [WATER, WATER]),
        ([WATER], [WATER, WATER], [WATER, WATER]),
        ([WATER], [None, {"type": "acme:note"}, WATER, ICE], [WATER, ICE]),
        (FILES, FILES, FILES),
    ],
)
def test_citations_are_data_parts_which_are_counted(
    events: list[Json], whole: list[Json], left: list[Json]
) -> None:
    stream = [*map(cited, events), part_done(answer(*whole, text="")["content"][0])]
    parts = parts_of(*stream, completed(answer(*whole, text="")), annotations="data")
    known = ("url", "title", "container_id", "file_id", "filename")
    assert [json.loads(b64decode(part["data"])) for part in parts] == [
        {"type": "citation"} | {name: each[name] for name in known if name in each} for each in left
    ]


PIXEL = b64encode(b"\x89PNG").decode()


@pytest.mark.parametrize(
    ("fields", "types"),
    [
        ({"result": PIXEL, "output_format": "webp"}, ["image/webp"]),
        ({"result": PIXEL, "status": "generating"}, ["image/png"]),
        ({"result": None, "status": "failed"}, []),
        ({}, []),
    ],
)
def test_an_image_with_a_result_is_emitted_once(fields: Json, types: list[str]) -> None:
    item = {"type": "image_generation_call", "id": "ig_1", **fields}
    preview = event("image_generation_call.partial_image", output_index=0, partial_image_b64=PIXEL)
    expected = [{"type": "data", "mimeType": each, "data": PIXEL} for each in types]
    for stream in ([preview, done(item)], [done(item), completed(item)], [completed(item)]):
        assert parts_of(*stream, completed()) == expected


# Endings


def test_a_call_is_emitted_with_its_finished_item() -> None:
    assert calls(ResponsesToVscode().event(done(call()))) == [READ_A]


def test_a_machine_without_events_reports_a_truncation() -> None:
    machine = ResponsesToVscode()
    assert (machine.close(), machine.end()["outcome"]) == ([], "failed")


FAILED_QUOTA = {"kind": "upstream", **QUOTA}
USAGE = {"input_tokens": 11, "output_tokens": 22, "total_tokens": 33}


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ([completed()], {"finish": "stop"}),
        ([completed(usage=USAGE)], {"finish": "stop", "usage": {"input": 11, "output": 22}}),
        ([completed(usage={"output_tokens": 0})], {"finish": "stop", "usage": {"output": 0}}),
        ([incomplete(reason=None)], {"finish": "other"}),
        ([done(call()), incomplete()], {"finish": "length"}),
        ([completed(status="incomplete")], {"finish": "other"}),
        ([event("completed")], {"finish": "stop"}),
    ],
)
def test_a_response_reports_how_it_ended(stream: list[Json], expected: Json) -> None:
    machine = ResponsesToVscode()
    for each in stream:
        machine.event(each)
    ending = machine.end()
    assert ending == {"type": "done", "outcome": "completed"} | expected
    for late in [text("x"), done(call()), completed(message("x")), failed(QUOTA), incomplete()]:
        assert machine.event(late) == []
    assert (machine.close(), machine.end()) == ([], ending)


ERRORS: list[tuple[list[Json], Json]] = [
    ([event("error", message="m", code=429)], {"kind": "upstream", "message": "m", "code": "429"}),
    *(
        ([event("error", message="m", code=code)], {"kind": "upstream", "message": "m"})
        for code in (None, "")
    ),
    ([event("error", message="early", code="e"), failed(QUOTA)], FAILED_QUOTA),
    ([event("error", **QUOTA), failed(None)], FAILED_QUOTA),
    ([failed(None), text("late"), event("error", **QUOTA)], FAILED_QUOTA),
    ([done(call("{")), failed(QUOTA)], FAILED_QUOTA),
    *(
        ([each], {"kind": "upstream", "message": "the upstream failed and gave no reason"})
        for each in (
            *(failed(None), event("failed"), event("error"), event("error", message="")),
            event("error", error=""),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("stream", "expected"), ERRORS)
def test_a_failure_has_the_upstreams_message_and_code(stream: list[Json], expected: Json) -> None:
    parts, ending = play([text("so far"), *stream])
    assert joined(parts) == "so far"
    assert ending == {"type": "done", "outcome": "failed", "error": expected}
    parts, ending = play([text("so far"), *stream], errors="text")
    assert joined(parts) == f"so far\n\n**Error:** {expected['message']}\n\n"
    assert ending == {"type": "done", "outcome": "completed", "finish": "error"}


# Unknown and malformed events


FIELDS = [
    *("output_index", "content_index", "summary_index", "item_id", "item", "delta", "text"),
    *("arguments", "refusal", "part", "response", "error", "message", "code", "id", "type"),
    *("call_id", "name", "status", "content", "summary", "output", "usage"),
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
    ids = [id_ for id_, *_ in calls(parts_of(*events))]
    assert len(ids) == len(set(ids))


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


OTHER_DIALECTS = {*DATA.glob("recordings/*.chat.jsonl"), *DATA.glob("recordings/*.messages.jsonl")}
RECORDINGS = sorted(set(DATA.glob("recordings/*.jsonl")) - OTHER_DIALECTS)


@needs_data
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_the_parts_of_a_recorded_stream_are_those_of_its_final_response(path: Any) -> None:
    events = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    starts = [n for n, each in enumerate(events) if each["type"] == "response.created"]
    parts, ending = play(events[starts[-1] :], annotations="hidden")
    final = events[-1]["response"]
    contents = [item["content"] for item in final["output"] if item["type"] == "message"]
    assert joined(parts) == "".join(part["text"] for content in contents for part in content)
    assert ending["outcome"] == final["status"]
    if final["status"] == "failed":
        assert ending["error"]["code"] == final["error"]["code"]
