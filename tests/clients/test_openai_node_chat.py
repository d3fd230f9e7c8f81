"""Every legal scenario as chat completion chunks is read by the openai package of npm."""

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, get_args

import pytest

from conformance.suite.upstream import Upstream
from tests.clients.chat import Call, expect_content, expect_error, expect_reason, expect_usage
from tests.clients.lines import read_by
from tests.clients.node_client import How, NodeClient, Reading
from tests.clients.node_process import PATIENCE
from tests.clients.truth import CHAT, KINDS, Kind, Truth
from tests.rows import row

HOWS: tuple[How, ...] = get_args(How)
STREAMS: tuple[How, ...] = ("raw", "helper")

WITH_USAGE: dict[str, Any] = {"stream_options": {"include_usage": True}}

each_how = pytest.mark.parametrize("how", STREAMS)


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    how: How
    with_usage: bool = False


Readings = Mapping[Question, Future[Reading]]


@pytest.fixture(scope="session")
def readings(node: NodeClient, upstream: Upstream) -> Readings:
    """Every legal stream, read in each way; all are requested at once."""
    asked: Iterable[Question] = (
        Question(id_, how, with_usage)
        for id_ in CHAT
        for how in HOWS
        for with_usage in ((False, True) if how in STREAMS else (False,))
    )
    return {q: ask(node, upstream, q) for q in asked}


def ask(node: NodeClient, upstream: Upstream, question: Question) -> Future[Reading]:
    url = f"{upstream.url}/s/{question.id}/v1"
    options = WITH_USAGE if question.with_usage else {}
    return node.ask(question.how, url, "chat", **options)


def content(reading: Reading) -> tuple[dict[Kind, str], list[Call]]:
    said: dict[Kind, str] = {kind: reading[kind] for kind in KINDS}
    return said, [Call(**call) for call in reading["calls"]]


def expect_read(reading: Reading, truth: Truth) -> None:
    expect_content(*content(reading), truth)
    if truth.content.outcome == "failed":
        expect_failure(reading, truth)
        return
    assert (reading["ended"], reading["error"]) == (truth.content.outcome, None)
    expect_reason(reading["reason"], truth)


def expect_failure(reading: Reading, truth: Truth) -> None:
    """It threw the upstream's error."""
    error = reading["error"]
    assert error
    assert (reading["ended"], error["name"]) == ("threw", "APIError")
    expect_error(error["message"], error["code"], truth)


@each_how
@pytest.mark.parametrize("with_usage", [False, True], ids=["without usage", "with usage"])
def test_its_stream_has_the_text_the_calls_the_ending_and_the_usage(
    readings: Readings, how: How, with_usage: bool
) -> None:
    for id_, truth in CHAT.items():
        with row(id_):
            reading = readings[Question(id_, how, with_usage)].result(PATIENCE)
            expect_read(reading, truth)
            if with_usage:
                expect_usage(reading["usage"], truth)
            else:
                assert reading["usage"] is None


def test_its_helper_assembles_the_same(readings: Readings) -> None:
    for id_, truth in CHAT.items():
        if truth.content.outcome != "failed":
            with row(id_):
                expect_assembled(readings[Question(id_, "helper")].result(PATIENCE), truth)


def expect_assembled(reading: Reading, truth: Truth) -> None:
    expected = truth.first_choice.streamed
    # Of a field that its types do not have, such as reasoning, 6.49.0 keeps the last delta only.
    last = reading["final"]["reasoning"]
    assert expected["reasoning"].endswith(last)
    expect_read({**reading["final"], "reasoning": expected["reasoning"]}, truth.first_choice)
    held = reading["held"]
    assert (held["text"], held["refusal"]) == (expected["text"], expected["refusal"])


def test_it_parses_a_non_streaming_completion(readings: Readings) -> None:
    for id_, truth in CHAT.items():
        with row(id_):
            expect_completion(readings[Question(id_, "whole")].result(PATIENCE), truth)


def expect_completion(reading: Reading, truth: Truth) -> None:
    if truth.content.outcome != "failed":
        expect_read(reading, truth.first_choice)
        return
    error = reading["error"]
    assert error
    assert error["name"] == "InternalServerError"
    assert truth.content.error
    assert error["message"] == f"500 {truth.content.error.message}"
    assert error["code"] == truth.content.error.code


@each_how
@pytest.mark.parametrize("id_", ["any/text-looks-like-framing", "chat/calls-interleave-by-index"])
def test_variations_of_the_wire_do_not_change_what_it_reads(
    node: NodeClient, upstream: Upstream, id_: str, how: How
) -> None:
    for variation in read_by("openai-node"):
        question = Question(f"{id_}@chat+{variation}", how)
        with row(variation):
            expect_read(ask(node, upstream, question).result(PATIENCE), CHAT[id_])


def test_its_helper_loses_reasoning_from_the_final_completion(readings: Readings) -> None:
    reading = readings[Question("any/thinking-between-calls", "helper")].result(PATIENCE)
    assert len(reading["final"]["reasoning"]) < len(reading["reasoning"])


def test_its_helper_calls_a_call_done_whenever_the_index_changes(readings: Readings) -> None:
    # 6.49.0 compares with the index of the last fragment. The final completion is right.
    question = Question("chat/calls-interleave-by-index", "helper")
    held = readings[question].result(PATIENCE)["held"]
    assert [(call["name"], call["arguments"]) for call in held["calls"]] == [
        ("read_file", ""),
        ("list_dir", ""),
        ("read_file", '{"path":'),
        ("list_dir", '{"dir":'),
        ("read_file", '{"path":"a.py"}'),
        ("list_dir", '{"dir":"/src"}'),
    ]
