"""Events as bytes, compared with streams that were written by hand."""

from typing import Any

import pytest

from mockserver.cases.variations import variation
from mockserver.dialects.openresponses.events import TERMINAL
from mockserver.scenario.script import Checkpoint, Close, CloseHow, Comment, Pause, Raw
from mockserver.wire.event import Event, Step
from mockserver.wire.frames import MIN_GAP, Gate, Plan, Sent, Write, plan
from mockserver.wire.framing import Framing
from mockserver.wire.slots import encode_values, fill, mark

SAMPLE = encode_values(id="resp_1")
A = Event("a", {"type": "a", "n": 0})
DELTA = Event("b", {"type": "b", "delta": "é\n\u2028"})
END = Event("response.completed", {"type": "response.completed", "id": mark("id")})


def planned(*steps: Step, framing: Framing | None = None) -> Plan:
    return plan(steps, lambda type_, _data: type_ in TERMINAL, framing or Framing())


def writes(laid: Plan) -> list[Any]:
    """Each write with its time, and each gate by its name."""
    return [
        (step.at, fill(step.pieces, SAMPLE)) if isinstance(step, Write) else step.name
        for step in laid.writes
    ]


def whole(laid: Plan) -> bytes:
    return b"".join(fill(step.pieces, SAMPLE) for step in laid.writes if isinstance(step, Write))


STREAM: tuple[Step, ...] = (A, Comment("x"), Comment(""), DELTA, END, Close("clean"))

# The same stream by hand; ``tests/wire/test_lines.py`` has those of variations.
BYTES = (
    b'event: a\ndata: {"type":"a","n":0}\n\n'
    b": x\n\n"
    b": \n\n"
    b'event: b\ndata: {"type":"b","delta":"\xc3\xa9\\n\xe2\x80\xa8"}\n\n'
    b'event: response.completed\ndata: {"type":"response.completed","id":"resp_1"}\n\n'
    b"data: [DONE]\n\n"
)


def test_a_stream_has_exactly_these_bytes() -> None:
    assert whole(planned(*STREAM)) == BYTES


def test_frames_that_are_due_together_and_done_are_one_write() -> None:
    (only,) = planned(*STREAM).writes
    assert isinstance(only, Write)
    assert (only.at, only.first, only.last) == (0, 0, 5)


def test_done_may_come_apart_a_millisecond_after_the_last_event() -> None:
    laid = planned(*STREAM, framing=variation("done-apart").change_framing(Framing()))
    assert whole(laid) == BYTES
    first, last = laid.writes
    assert isinstance(first, Write)
    assert isinstance(last, Write)
    assert (first.at, first.first, first.last) == (0, 0, 4)
    assert (last.at, last.first, last.last) == (0.001, 5, 5)
    assert fill(last.pieces, SAMPLE) == b"data: [DONE]\n\n"
    assert laid.closes_at == last.at == MIN_GAP


@pytest.mark.parametrize("type_", sorted(TERMINAL))
def test_any_ending_that_closes_cleanly_is_followed_by_done(type_: str) -> None:
    laid = planned(Event(type_, {}), Comment("late"), Close("clean"))
    assert [sent.kind for sent in laid.sent] == ["event", "comment", "done"]


@pytest.mark.parametrize("how", ["cut", "reset", "half-close", "stall"])
def test_a_stream_that_does_not_close_cleanly_has_no_done(how: CloseHow) -> None:
    laid = planned(A, END, Close(how))
    assert [sent.kind for sent in laid.sent] == ["event", "event"]
    assert (laid.close, laid.closes_at) == (how, 0)


def test_a_stream_without_an_ending_has_no_done() -> None:
    laid = planned(A, Event("error", {}), Close("clean"))
    assert b"[DONE]" not in whole(laid)
    assert laid.close == "clean"


def test_pauses_add_up_and_delay_everything_after_them() -> None:
    laid = planned(A, Pause(0.5), DELTA, Pause(1), Pause(0.25), Comment("x"), END, Pause(2))
    assert [at for at, _ in writes(laid)] == [0, 0.5, 1.75, 3.75]
    assert [sent.at for sent in laid.sent] == [0, 0.5, 1.75, 1.75, 3.75]
    assert laid.closes_at == 3.75


def test_a_pause_before_a_cut_delays_the_cut() -> None:
    laid = planned(A, Pause(0.5), Close("cut"))
    assert (writes(laid), laid.closes_at) == ([(0, b'event: a\ndata: {"type":"a","n":0}\n\n')], 0.5)


def test_a_gate_is_between_two_writes_after_the_last_thing_sent() -> None:
    laid = planned(Comment("x"), A, Checkpoint("here"), DELTA, END, Close("clean"))
    _, gate, second = laid.writes
    assert gate == Gate("here", after=1)
    assert isinstance(second, Write)
    assert (second.at, second.first, second.last) == (0, 2, 4)


def test_a_gate_before_everything_follows_nothing() -> None:
    laid = planned(Checkpoint("first"), Checkpoint("second"))
    assert laid.writes == (Gate("first", -1), Gate("second", -1))


def test_raw_bytes_are_sent_verbatim_in_their_place() -> None:
    laid = planned(A, Raw("data: {\r\n\0é"), A, framing=Framing(newlines=("\r\n",), space=""))
    event = b'event:a\r\ndata:{"type":"a","n":0}\r\n\r\n'
    assert writes(laid) == [(0, event + b"data: {\r\n\0\xc3\xa9" + event)]


def test_raw_bytes_with_done_are_sent_as_the_author_wrote_them() -> None:
    laid = planned(Raw("data: [DONE]\n\n"), Close("clean"))
    assert [sent.kind for sent in laid.sent] == ["raw"]


@pytest.mark.parametrize("framing", [Framing(), Framing(newlines=("\r\n",), space="")])
def test_done_that_a_script_sends_after_the_ending_shares_its_write(framing: Framing) -> None:
    laid = planned(A, END, Raw("data: [DONE]\n\n"), Close("clean"), framing=framing)
    assert [sent.kind for sent in laid.sent] == ["event", "event", "raw"]
    assert len(laid.writes) == 1


def test_everything_that_is_sent_has_its_number_and_content() -> None:
    ignorable = Event("acme:x", {"type": "acme:x"}, ignorable=True)
    assert planned(A, ignorable, Comment("x"), Raw("y"), END).sent == (
        Sent(0, "event", 0, "a", A.data),
        Sent(1, "event", 0, "acme:x", {"type": "acme:x"}, ignorable=True),
        Sent(2, "comment", 0, "comment", "x", ignorable=True),
        Sent(3, "raw", 0, "raw", "y"),
        Sent(4, "event", 0, "response.completed", END.data),
        Sent(5, "done", 0, "[DONE]", None),
    )


def test_an_empty_script_has_no_writes() -> None:
    assert planned() == Plan((), (), "clean", 0)
    assert planned(Pause(1), Close("stall")) == Plan((), (), "stall", 1)
