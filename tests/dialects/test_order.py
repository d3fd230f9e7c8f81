"""Random scripts become legal OpenResponses streams with exactly their content."""

from typing import Any

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

Json = dict[str, Any]
SAMPLE = OPENRESPONSES.sample()
TURNS = st.integers(0, 3)


def events_of(script: Says, turn: int = 0) -> list[Json]:
    steps = OPENRESPONSES.steps(script, turn)
    return [fill_json(step.data, SAMPLE) for step in steps if isinstance(step, Event)]


def is_cut(script: Says) -> bool:
    return not any(isinstance(step, Finish | Incomplete | Failed) for step in script.steps)


def broken_rules(script: Says, turn: int = 0) -> list[str]:
    """The rules of all levels that a stream breaks, apart from that on what the model says."""
    sent = [SentEvent(n, 0.0, "event", e["type"], e) for n, e in enumerate(events_of(script, turn))]
    found = [finding.rule for finding in judge_stream(sent, None, "openresponses")]
    return [rule for rule in found if rule != "arguments-parse"]


@given(scripts(), TURNS)
def test_any_script_becomes_a_stream_in_legal_order(script: Says, turn: int) -> None:
    assert broken_rules(script, turn) == (["terminal-once"] if is_cut(script) else [])


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
        Start("r", "reasoning"),
        Delta("r", "Hm"),
        Delta("r", "m."),
        End("r"),
        Start("t", "text"),
        Delta("t", "Let me "),
        Start("c", "call", "call_1", "f"),
        Delta("c", '{"a":'),
        Delta("t", "see."),
        Start("d", "call", "call_2", "g"),
        End("t"),
        Delta("d", "{}"),
        Delta("c", "1}"),
        End("d"),
        End("c"),
        Start("n", "refusal"),
        Delta("n", "No."),
        End("n"),
        Usage(11, 22),
        Finish("tool-calls"),
        Close("clean"),
    )
)
SHORT = Says(
    (*EVERYTHING.steps[:12], Delta("c", "1}"), End("c"), Incomplete("length"), Close("clean"))
)
BROKE = Says((*EVERYTHING.steps[:12], Failed("c", "m", in_band=True), Close("clean")))


def test_the_examples_are_legal() -> None:
    for script in (EVERYTHING, SHORT, BROKE):
        assert broken_rules(script) == []


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
