"""Random scripts become legal OpenResponses streams with exactly their content."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from tests.dialects.order import breaches
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


@given(scripts(), TURNS)
def test_any_script_becomes_a_stream_in_legal_order(script: Says, turn: int) -> None:
    assert breaches(events_of(script, turn), cut=is_cut(script)) == []


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
        assert breaches(events_of(script)) == []


def _changed(n: int, *path: str, to: Any) -> Callable[[list[Json]], None]:
    def change(events: list[Json]) -> None:
        at: Any = events[n]
        for step in path[:-1]:
            at = at[int(step)] if isinstance(at, list) else at[step]
        at[path[-1]] = to

    return change


def _dropped(type_: str, *, renumber: bool = True) -> Callable[[list[Json]], None]:
    def change(events: list[Json]) -> None:
        n = next(n for n, event in enumerate(events) if event["type"] == f"response.{type_}")
        del events[n]
        for number, event in enumerate(events if renumber else ()):
            event["sequence_number"] = number

    return change


def _first(script: Says, type_: str) -> int:
    events = events_of(script)
    return next(n for n, event in enumerate(events) if event["type"] == f"response.{type_}")


def _edit(type_: str, *path: str, to: Any) -> Callable[[list[Json]], None]:
    return _changed(_first(EVERYTHING, type_), *path, to=to)


# Breaches that the check must report, with words of the message.
BROKEN: dict[str, tuple[Callable[[list[Json]], None], str]] = {
    "a gap in the numbers": (_changed(-1, "sequence_number", to=99), "numbers"),
    "a number lost": (_dropped("output_text.delta", renumber=False), "numbers"),
    "no beginning": (_dropped("created"), "does not begin"),
    "no progress": (_dropped("in_progress"), "does not begin"),
    "no ending": (_dropped("completed"), "one ending"),
    "a status that lies": (_edit("completed", "response", "status", to="failed"), "status failed"),
    "another response": (_changed(-1, "response", "id", to="resp_2"), "changes its id"),
    "output too early": (_changed(0, "response", "output", to=[{}]), "has output"),
    "an error of a completed response": (_changed(-1, "response", "error", to={}), "an error"),
    "a reason of a completed response": (
        _changed(-1, "response", "incomplete_details", to={}),
        "why it is incomplete",
    ),
    "no moment": (_changed(-1, "response", "completed_at", to=None), "when it was completed"),
    "no usage": (_changed(-1, "response", "usage", to=None), "no usage"),
    "an empty final output": (_changed(-1, "response", "output", to=[]), "final output"),
    "a final output of other words": (
        _changed(-1, "response", "output", "1", "content", to=[]),
        "final output",
    ),
    "an item that was never added": (_dropped("output_item.added"), "being added once"),
    "an item that is never done": (_dropped("output_item.done"), "its items are not"),
    "an item that is incomplete": (
        _edit("output_item.done", "item", "status", to="incomplete"),
        "its response is not",
    ),
    "a part that was never added": (_dropped("content_part.added"), "delta where the part"),
    "a part that is never done": (_dropped("content_part.done"), "its part is not"),
    "a summary that is never done": (_dropped("reasoning_summary_part.done"), "its part is not"),
    "a text that is never summed up": (_dropped("output_text.done"), "where the part is open"),
    "a refusal that is never summed up": (_dropped("refusal.done"), "where the part is open"),
    "a text that lost a delta": (_dropped("output_text.delta"), "a text is not the sum"),
    "arguments that lost a delta": (
        _dropped("function_call_arguments.delta"),
        "arguments are not the sum",
    ),
    "arguments that are never done": (
        _dropped("function_call_arguments.done"),
        "does not say that its arguments are",
    ),
    "a sum that lies": (
        _edit("reasoning_summary_text.done", "text", to="Hm"),
        "a text is not the sum",
    ),
    "a part that lies": (
        _edit("content_part.done", "part", "text", to=""),
        "a part is not the sum",
    ),
    "an item that lies": (
        _edit("output_item.done", "item", "summary", to=[]),
        "does not hold its parts",
    ),
    "arguments that lie": (
        _edit("function_call_arguments.done", "arguments", to="{"),
        "arguments are not the sum",
    ),
    "an event of another item": (_edit("refusal.delta", "item_id", to="m"), "names another item"),
    "an event of another index": (
        _edit("refusal.delta", "output_index", to=0),
        "item that is done",
    ),
    "an event of another part": (_edit("refusal.delta", "content_index", to=1), "is about part 1"),
    "an item that is born done": (
        _edit("output_item.added", "item", "status", to="completed"),
        "not in progress",
    ),
    "an item that is born full": (
        _edit("output_item.added", "item", "summary", to=[{}]),
        "with something in it",
    ),
    "a part that is born full": (
        _edit("content_part.added", "part", "text", to="a"),
        "with something in it",
    ),
    "a name that changes": (
        _changed(_first(EVERYTHING, "function_call_arguments.done") + 1, "item", "name", to="h"),
        "another one when it is done",
    ),
}


@pytest.mark.parametrize(("change", "words"), BROKEN.values(), ids=BROKEN)
def test_the_check_reports_a_breach(change: Callable[[list[Json]], None], words: str) -> None:
    events = copy.deepcopy(events_of(EVERYTHING))
    change(events)
    assert words in " ".join(breaches(events))


def test_the_check_reports_a_broken_ending() -> None:
    short, broke = events_of(SHORT), events_of(BROKE)
    ended = "not exactly one ending, at the end"
    assert breaches([*broke[:-2], broke[-1] | {"sequence_number": len(broke) - 2}]) == []
    assert "an error is not followed by the failed response" in breaches(broke[:-1])
    assert ended in breaches(short[:-1])
    assert breaches(short[:-1], cut=True) == []
    assert ended in breaches(short, cut=True)
    assert ended in breaches([*short, short[-1] | {"sequence_number": len(short)}])
    first_call, second_call = [e for e in short if e["type"] == "response.output_item.done"][2:]
    first_call["item"]["status"] = "incomplete"
    assert "an item that is not the last one is incomplete" in breaches(short)
    second_call["item"]["status"] = "completed"
    assert "an item is completed after an incomplete one" in breaches(short)
    assert "an item of an incomplete response was never done" in breaches(
        [*short[:-2], short[-1] | {"sequence_number": len(short) - 2}]
    )


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
