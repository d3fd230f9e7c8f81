"""Each text and call is entered at the first event that has it; other events say why they add none.

Sources: rfc-00022 § Text Content Flow, § Function Call Flow, § Reasoning Flow.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from conformance.dialects.ledger import Entry, ledger
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.wire.slots import fill_json

Data = dict[str, Any]


def read(*events: tuple[str, Data]) -> list[Entry]:
    sent = [SentEvent(n, 0.0, "event", type_, data) for n, (type_, data) in enumerate(events)]
    return ledger("openresponses", sent)


def adds(*events: tuple[str, Data]) -> dict[int, list[tuple[str, str]]]:
    return {e.event: [(p.kind, p.value) for p in e.adds] for e in read(*events) if e.adds}


def delta(text: str, index: int = 0) -> tuple[str, Data]:
    return "response.output_text.delta", {"output_index": index, "content_index": 0, "delta": text}


def whole(text: str) -> tuple[str, Data]:
    return "response.output_text.done", {"output_index": 0, "content_index": 0, "text": text}


def part(event: str, text: str) -> tuple[str, Data]:
    value = {"type": "output_text", "text": text, "annotations": []}
    data = {"output_index": 0, "content_index": 0, "part": value}
    return f"response.content_part.{event}", data


def item(event: str, **value: Any) -> tuple[str, Data]:
    return f"response.output_item.{event}", {"output_index": 0, "item": value}


def message(*texts: str) -> Data:
    return {"type": "message", "content": [{"type": "output_text", "text": t} for t in texts]}


def completed(*output: Any) -> tuple[str, Data]:
    return "response.completed", {"response": {"status": "completed", "output": list(output)}}


CALL: Data = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}

TEXTS = {
    "deltas that everything repeats": (
        [part("added", ""), delta("a"), delta("b"), whole("ab"), part("done", "ab")],
        {1: [("text", "a")], 2: [("text", "b")]},
    ),
    "only its closing event": ([part("added", ""), whole("ab")], {1: [("text", "ab")]}),
    "only its part": ([part("done", "ab")], {0: [("text", "ab")]}),
    "only its item": (
        [item("added", type="message"), item("done", **message("a", "b"))],
        {1: [("text", "a"), ("text", "b")]},
    ),
    "only the final response": ([completed(message("ab"))], {0: [("text", "ab")]}),
    "deltas and what they left out": (
        [delta("a"), whole("ab")],
        {0: [("text", "a")], 1: [("text", "b")]},
    ),
    "a beginning and deltas that go on": (
        [part("added", "a"), delta("b"), whole("ab")],
        {0: [("text", "a")], 1: [("text", "b")]},
    ),
    "a beginning that deltas say again": (
        [part("added", "abc"), delta("a"), delta(""), delta("bc"), delta("d")],
        {0: [("text", "abc")], 4: [("text", "d")]},
    ),
    "an item and the final response, whose ids differ": (
        [item("done", id="msg_1", **message("ab")), completed({"id": "msg_2", **message("ab")})],
        {0: [("text", "ab")]},
    ),
}


@pytest.mark.parametrize(("events", "added"), TEXTS.values(), ids=TEXTS.keys())
def test_a_text_is_entered_at_the_first_event_that_has_it(
    events: list[tuple[str, Data]], added: dict[int, list[tuple[str, str]]]
) -> None:
    assert adds(*events) == added


def test_reasoning_with_copies_is_entered_once() -> None:
    raw = {"output_index": 0, "content_index": 0}
    summary = {"output_index": 0, "summary_index": 0}
    assert adds(
        ("response.reasoning_text.delta", {**raw, "delta": "hm"}),
        ("response.reasoning_summary_text.delta", {**summary, "delta": "hm"}),
        ("response.reasoning_text.done", {**raw, "text": "hm"}),
        ("response.reasoning_summary_text.done", {**summary, "text": "hm"}),
    ) == {0: [("reasoning", "hm")]}


@pytest.mark.parametrize(
    ("events", "at"),
    [
        (
            [
                item("added", **CALL),
                ("response.function_call_arguments.done", {"output_index": 0}),
                item("done", **CALL),
            ],
            1,
        ),
        ([item("done", **CALL), completed(CALL)], 0),
        ([completed(CALL)], 0),
    ],
    ids=["arguments done", "item done", "response completed"],
)
def test_a_call_is_entered_when_first_completed(events: list[tuple[str, Data]], at: int) -> None:
    assert adds(*events) == {at: [("call", "call_1")]}


def test_every_call_of_the_final_response_is_entered() -> None:
    assert adds(completed(CALL, message("a"), {**CALL, "call_id": "call_2"})) == {
        0: [("call", "call_1"), ("text", "a"), ("call", "call_2")]
    }


def test_a_cut_off_call_is_not_entered() -> None:
    (entry,) = read(item("done", **CALL, status="incomplete"))
    assert (entry.adds, entry.silent) == ((), "cut short")


@pytest.mark.parametrize("end", ["response.completed", "response.failed", "error"])
def test_nothing_is_entered_after_the_end(end: str) -> None:
    entries = read(delta("a"), (end, {}), delta("b"), item("done", **CALL))
    assert [entry.silent for entry in entries[2:]] == ["after the end"] * 2


SAMPLE = DIALECTS["openresponses"].sample()


def _sent() -> list[SentEvent]:
    """The events of all scenarios but the longest ones."""
    return [
        SentEvent(s.n, s.at, s.kind, s.type, fill_json(s.data, SAMPLE), s.ignorable)
        for entry in Catalogue.shipped().entries()
        if entry.scenario
        and "openresponses" in entry.scenario.dialects
        and entry.id not in ("any/long-arguments", "any/sixty-four-calls")
        for s in render(Case(entry.scenario, "openresponses"), 0).plan.sent
    ]


# Hypothesis hashes all values of such a strategy when it is first used.
ANY_SENT = st.deferred(lambda: st.sampled_from(_sent()))
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 1, -1.5, "", "x", [], [None], ["x"], {}, {"type": []}]
)


@st.composite
def with_odd_value(draw: st.DrawFn) -> SentEvent:
    """An event of the catalogue with one value, at any depth, replaced by an odd one."""
    event = draw(ANY_SENT)
    return SentEvent(event.n, event.at, event.kind, event.type, _odd(draw, event.data))


def _odd(draw: st.DrawFn, value: Any) -> Any:
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 3)) == 0:
        return draw(ODD)
    if isinstance(value, list):
        n = draw(st.integers(0, len(value) - 1))
        return [*value[:n], _odd(draw, value[n]), *value[n + 1 :]]
    key = draw(st.sampled_from(sorted(value)))
    return {**value, key: _odd(draw, value[key])}


@given(st.lists(with_odd_value(), max_size=6))
def test_an_event_with_any_values_is_entered(events: list[SentEvent]) -> None:
    entries = ledger("openresponses", events)
    for entry in entries:
        may_be_ignored = entry.has("data") and bool(entry.tools)
        assert bool(entry.silent) == (not entry.adds or may_be_ignored)
