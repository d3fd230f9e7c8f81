"""Random scripts become legal OpenResponses streams with exactly their content."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from conformance.rules.streams import judge_stream
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import (
    Close,
    Comment,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    NoUsage,
    Pause,
    Raw,
    Says,
    Start,
    Usage,
)
from mockserver.wire.event import Event
from mockserver.wire.slots import fill_json, pieces
from tests.clients.judges import SCHEMA
from tests.data import needs_data
from tests.dialects.scripts import scripts
from tests.schemas import ours, problems
from tests.stream.tables import changed, numbered

Json = dict[str, Any]
SAMPLE = OPENRESPONSES.sample()
TURNS = st.integers(0, 3)


def events_of(script: Says, turn: int = 0) -> list[Json]:
    steps = OPENRESPONSES.steps(script, turn)
    return [fill_json(step.data, SAMPLE) for step in steps if isinstance(step, Event)]


def broken_rules(events: list[Json]) -> list[str]:
    """The rules of all levels that a stream breaks, apart from that on what the model says."""
    sent = [SentEvent(n, 0.0, "event", event["type"], event) for n, event in enumerate(events)]
    found = [finding.rule for finding in judge_stream(sent, None, "openresponses")]
    return [rule for rule in found if rule != "arguments-parse"]


@given(scripts(), TURNS)
def test_any_script_becomes_a_stream_in_legal_order(script: Says, turn: int) -> None:
    ends = any(isinstance(step, Finish | Incomplete | Failed) for step in script.steps)
    assert broken_rules(events_of(script, turn)) == ([] if ends else ["terminal-once"])


@given(scripts())
def test_any_script_becomes_events_of_the_kits_schema(script: Says) -> None:
    for event in events_of(script):
        assert problems(ours("events/openresponses"), event) == [], event


@needs_data
@given(scripts())
def test_any_script_becomes_events_of_the_published_schema(script: Says) -> None:
    for event in events_of(script):
        assert SCHEMA.event(event) == set(), event


DELTAS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
    "response.reasoning.delta": "reasoning",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.function_call_arguments.delta": "call",
}


@given(scripts())
def test_every_delta_is_sent_in_its_place_and_nothing_is_added(script: Says) -> None:
    blocks = [step for step in script.steps if isinstance(step, Start)]
    index = {block.block: n for n, block in enumerate(blocks)}
    said = [(index[s.block], s.value) for s in script.steps if isinstance(s, Delta)]
    events = events_of(script)
    deltas = [event for event in events if event["type"] in DELTAS]
    assert [(event["output_index"], event["delta"]) for event in deltas] == said
    assert all(DELTAS[e["type"]] == blocks[e["output_index"]].kind for e in deltas)
    added = [e["item"] for e in events if e["type"] == "response.output_item.added"]
    calls = [(item["call_id"], item["name"]) for item in added if "call_id" in item]
    assert calls == [(block.call_id, block.name) for block in blocks if block.kind == "call"]
    assert {item.get("status", "in_progress") for item in added} <= {"in_progress"}


@given(scripts())
def test_pauses_comments_and_bytes_keep_their_places(script: Says) -> None:
    shared = (Comment, Pause, Raw, Close)
    steps = OPENRESPONSES.steps(script, 0)
    given = [step for step in script.steps if isinstance(step, shared)]
    assert [step for step in steps if isinstance(step, shared)] == given


@given(scripts(), TURNS)
def test_every_placeholder_is_a_slot_that_a_request_fills(script: Says, turn: int) -> None:
    for step in OPENRESPONSES.steps(script, turn):
        if isinstance(step, Event):
            cut = pieces(dump(step.data))
            names = {piece.name for piece in cut if not isinstance(piece, bytes)}
            assert names <= SAMPLE.keys()
            assert not any(b"slot." in piece for piece in cut if isinstance(piece, bytes))


EVERYTHING = Says(
    (
        Start("r", "reasoning"), Delta("r", "Hm"), Delta("r", "m."), End("r"), Start("t", "text"),
        Delta("t", "Let me "), Start("c", "call", "call_1", "f"), Delta("c", '{"a":'),
        Delta("t", "see."), Start("d", "call", "call_2", "g"), End("t"), Delta("d", "{}"),
        Delta("c", "1}"), End("d"), End("c"), Start("n", "refusal"), Delta("n", "No."), End("n"),
        Usage(11, 22), Finish("tool-calls"), Close("clean"),
    )
)  # fmt: skip
SHORT = Says(
    (*EVERYTHING.steps[:12], Delta("c", "1}"), End("c"), Incomplete("length"), Close("clean"))
)
BROKE = Says((*EVERYTHING.steps[:12], Failed("c", "m", in_band=True), Close("clean")))


def test_the_examples_are_legal() -> None:
    for script in (EVERYTHING, SHORT, BROKE):
        assert broken_rules(events_of(script)) == []


class Breach(NamedTuple):
    """A change to the stream of a script, and all the rules that it then breaks.

    The change is a row of ``tests.stream.tables``. Rules are separated by spaces.
    """

    name: str
    change: Json
    rules: str
    script: Says = EVERYTHING


def _drop(name: str, type_: str, rules: str) -> Breach:
    return Breach(name, {"drop": f"response.{type_}"}, rules)


def _edit(name: str, type_: str, fields: Json, rules: str) -> Breach:
    return Breach(name, {"edit": {f"response.{type_}": fields}}, rules)


def _final(name: str, fields: Json, rules: str) -> Breach:
    return _edit(name, "completed", {"response": fields}, rules)


ARGUMENTS = "function_call_arguments"
INCOMPLETE_ITEM: Json = {"item": {"status": "incomplete"}}
BREACHES = [
    Breach(
        "a gap in the numbers",
        {"numbers": {"edit": {-1: {"sequence_number": 99}}}},
        "stream-sequence",
    ),
    Breach(
        "a number lost",
        {"numbers": {"drop": "response.output_text.delta"}},
        "stream-sequence delta-sums",
    ),
    _drop("no beginning", "created", "stream-lifecycle"),
    _drop("no progress", "in_progress", "stream-lifecycle"),
    _drop("no ending", "completed", "terminal-once"),
    _edit("early output", "created", {"response": {"output": [{}]}}, "stream-types status-honest"),
    _final("a status that lies", {"status": "failed"}, "status-honest"),
    _final("another response", {"id": "resp_2"}, "response-stable"),
    _final("a completed response's error", {"error": {}}, "stream-types status-honest"),
    _final(
        "a completed response's reason", {"incomplete_details": {}}, "stream-types status-honest"
    ),
    _final("no moment", {"completed_at": None}, "status-honest"),
    _final("no usage", {"usage": None}, "status-honest"),
    _final("an empty final output", {"output": []}, "index-stable"),
    _final("a final output of other words", {"output": {1: {"content": []}}}, "delta-sums"),
    _drop("an item that was never added", "output_item.added", "item-announced"),
    _drop("an item that is never done", "output_item.done", "items-finished"),
    _edit("an open item", "output_item.done", INCOMPLETE_ITEM, "items-finished output-final"),
    _drop("a part that was never added", "content_part.added", "part-lifecycle"),
    _drop("a part that is never done", "content_part.done", "part-lifecycle"),
    _drop("a summary that is never done", "reasoning_summary_part.done", "summary-lifecycle"),
    _drop("a text that is never summed up", "output_text.done", "part-lifecycle"),
    _drop("a refusal that is never summed up", "refusal.done", "part-lifecycle"),
    _drop("a text that lost a delta", "output_text.delta", "delta-sums"),
    _drop("arguments that lost a delta", f"{ARGUMENTS}.delta", "arguments-sum"),
    _drop("arguments that are never done", f"{ARGUMENTS}.done", "call-lifecycle"),
    _edit("a sum that lies", "reasoning_summary_text.done", {"text": "Hm"}, "delta-sums"),
    _edit("a part that lies", "content_part.done", {"part": {"text": ""}}, "delta-sums"),
    _edit("an item that lies", "output_item.done", {"item": {"summary": []}}, "delta-sums"),
    _edit("arguments that lie", f"{ARGUMENTS}.done", {"arguments": "{"}, "arguments-sum"),
    _edit("another item", "refusal.delta", {"item_id": "m"}, "item-id-stable"),
    _edit("another index", "refusal.delta", {"output_index": 0}, "item-lifecycle part-deltas"),
    _edit("another part", "refusal.delta", {"content_index": 1}, "part-lifecycle part-deltas"),
    _edit(
        "a message that is born done",
        "output_item.added#2",
        {"item": {"status": "completed"}},
        "item-announced",
    ),
    _edit("an item born full", "output_item.added", {"item": {"summary": [{}]}}, "stream-types"),
    _edit("a part born full", "content_part.added", {"part": {"text": "a"}}, "delta-sums"),
    _edit("a name that changes", "output_item.done#-2", {"item": {"name": "h"}}, "item-identity"),
    Breach("an error and no failure", {"drop": -1}, "error-followed", BROKE),
    Breach("an incomplete response that does not end", {"drop": -1}, "terminal-once", SHORT),
    Breach("two endings", {"repeat": -1}, "terminal-once", SHORT),
    Breach("a cut item that is never done", {"drop": -2}, "items-finished", SHORT),
    Breach("two cut items", {"edit": {-3: INCOMPLETE_ITEM}}, "items-finished output-final", SHORT),
    Breach(
        "an item completed after a cut one",
        {"edit": {-3: INCOMPLETE_ITEM, -2: {"item": {"status": "completed"}}}},
        "items-finished call-lifecycle output-final",
        SHORT,
    ),
]


@pytest.mark.parametrize("breach", BREACHES, ids=lambda breach: breach.name)
def test_a_breach_of_the_order_breaks_its_rules(breach: Breach) -> None:
    events = numbered(changed(events_of(breach.script), breach.change))
    events = changed(events, breach.change.get("numbers", {}))
    assert broken_rules(events) == breach.rules.split()


def test_an_error_before_the_failure_is_optional() -> None:
    assert broken_rules(numbered(changed(events_of(BROKE), {"drop": -2}))) == []


def test_a_call_never_has_the_id_of_its_item() -> None:
    for call_id in ("fc_00", "item_00", "call_1"):
        script = Says((Start("c", "call", call_id, "f"), End("c"), Finish("stop"), Close("clean")))
        added = events_of(script)[2]["item"]
        assert added["call_id"] == call_id
        assert added["id"] != call_id


def test_an_open_item_of_an_incomplete_response_is_incomplete_and_last() -> None:
    events = events_of(SHORT)
    done = [e["item"] for e in events if e["type"] == "response.output_item.done"]
    assert [(item["type"], item.get("status")) for item in done] == [
        ("reasoning", None),
        ("message", "completed"),
        ("function_call", "completed"),
        ("function_call", "incomplete"),
    ]
    assert [item["arguments"] for item in done[2:]] == ['{"a":1}', "{}"]
    summed = [e for e in events if e["type"] == "response.function_call_arguments.done"]
    assert [event["output_index"] for event in summed] == [2]
    assert events[-1]["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


def test_an_open_text_of_an_incomplete_response_is_in_its_item() -> None:
    steps = (Start("t", "text"), Delta("t", "Once"), Incomplete("content-filter"), Close("clean"))
    *_, summed, part, done, last = events_of(Says(steps))
    assert (summed["text"], part["part"]["text"]) == ("Once", "Once")
    assert (done["item"]["status"], done["item"]["content"][0]["text"]) == ("incomplete", "Once")
    assert last["response"]["incomplete_details"] == {"reason": "content_filter"}


def test_a_failure_event_is_followed_by_the_failed_response() -> None:
    error, failed = events_of(BROKE)[-2:]
    assert error["error"] == {"type": "server_error", "code": "c", "message": "m", "param": None}
    assert failed["response"]["error"] == {"code": "c", "message": "m"}
    assert failed["response"]["usage"] is None


def test_every_ending_has_the_complete_usage() -> None:
    expected = {
        "input_tokens": 11,
        "output_tokens": 22,
        "total_tokens": 33,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    for ending in (Finish("stop"), Incomplete("length"), Failed("c", "m")):
        steps = (Usage(1, 1), Usage(11, 22), ending, Close("clean"))
        assert events_of(Says(steps))[-1]["response"]["usage"] == expected


def test_usage_that_the_script_leaves_out_is_not_sent() -> None:
    (*_, last) = events_of(Says((NoUsage(), Finish("stop"), Close("clean"))))
    assert (last["type"], last["response"].get("usage")) == ("response.completed", None)


def test_an_empty_script_sends_no_items() -> None:
    assert events_of(Says((Comment("x"), Pause(1), Raw("x"), Close("cut")))) == []
