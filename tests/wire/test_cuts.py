"""Where a stream is cut into writes, compared with pieces that were cut by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mockserver.faults import UserError
from mockserver.scenario.script import Checkpoint, Comment, Pause
from mockserver.variations import variation
from mockserver.wire.event import Event
from mockserver.wire.frames import MIN_GAP, Framing, Gate, plan
from mockserver.wire.slots import mark, values

if TYPE_CHECKING:
    from mockserver.wire.event import Step
    from mockserver.wire.frames import Write

A = Event("a", {"é": "\n"})
B = Event("b", {"id": mark("id"), "n": [17]})
WHOLE = b'event: a\ndata: {"\xc3\xa9":"\\n"}\n\n', b'event: b\ndata: {"id":"r-1","n":[17]}\n\n'


def pieces(name: str, *steps: Step) -> list[Write | Gate]:
    """The writes of these steps under a variation, with the value of their slot filled in."""
    varied = variation(name)
    framing = varied.change_framing(Framing(closing=""))
    laid = plan(steps, lambda _type, _data: False, framing, (varied.change_plan,))
    return list(laid.filled(values(id="r-1")).writes)


def texts(name: str) -> list[bytes]:
    return [write.data for write in pieces(name, A, B) if not isinstance(write, Gate)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cut:character", [b'event: a\ndata: {"\xc3', b'\xa9":"\\n"}\n\n' + WHOLE[1]]),
        ("cut:escape", [WHOLE[0][:-5], b'n"}\n\n' + WHOLE[1]]),
        ("cut:line-ends", [WHOLE[0][:-1], b"\n" + WHOLE[1][:-1], b"\n"]),
        (
            "cut:field",
            [b"event: a\nda", b'ta: {"\xc3\xa9":"\\n"}\n\nevent: b\nda', WHOLE[1][11:]],
        ),
        (
            "cut:colon",
            [b"event: a\ndata:", WHOLE[0][14:] + b"event: b\ndata:", WHOLE[1][14:]],
        ),
        ("cut:number", [WHOLE[0] + b'event: b\ndata: {"id":"r-1","n":[1', b"7]}\n\n"]),
        ("cut:3", [b"eve", b"nt: a" + WHOLE[0][8:] + WHOLE[1]]),
        (f"cut:{len(WHOLE[0]) + 1}", [WHOLE[0] + b"e", WHOLE[1][1:]]),
        ("cut:1000", [b"".join(WHOLE)]),
        ("byte-by-byte", [bytes([byte]) for byte in b"".join(WHOLE)]),
    ],
)
def test_a_stream_is_cut_at_these_places(name: str, expected: list[bytes]) -> None:
    assert texts(name) == expected


def test_a_line_end_of_two_characters_is_cut_between_them() -> None:
    first, second, third = texts("cut:cr-lf")
    assert first == b"event: a\r"
    assert second.startswith(b"\ndata: ")
    assert second.endswith(b"\r\n\r\nevent: b\r")
    assert third == b'\ndata: {"id":"r-1","n":[17]}\r\n\r\n'


def test_a_seed_cuts_each_event_once_and_always_at_the_same_place() -> None:
    cut = texts("cut:seed-7")
    assert len(cut) == 3
    assert b"".join(cut) == b"".join(WHOLE)
    assert cut == texts("cut:seed-7") != texts("cut:seed-8")


def test_what_follows_a_cut_is_later_by_a_millisecond_and_pauses_stay() -> None:
    laid = pieces("cut:colon", A, Pause(0.5), B)
    assert [write.at for write in laid if not isinstance(write, Gate)] == pytest.approx(
        [0.0, MIN_GAP, 0.5 + MIN_GAP, 0.5 + 2 * MIN_GAP]
    )


def test_a_write_without_the_end_of_an_item_has_none_of_it() -> None:
    laid = pieces("cut:3", A, Comment("c"), B)
    ranges = [(write.first, write.last) for write in laid if not isinstance(write, Gate)]
    assert ranges == [(0, -1), (0, 2)]


def test_a_checkpoint_stays_behind_its_event() -> None:
    laid = pieces("cut:colon", A, Checkpoint("here"), B)
    assert [isinstance(step, Gate) for step in laid] == [False, False, True, False, False]


@pytest.mark.parametrize("name", ["cut", "cut:", "cut:0", "cut:nowhere", "cut:seed-", "crlf:1"])
def test_a_variation_with_a_wrong_parameter_is_refused_with_the_right_ones(name: str) -> None:
    with pytest.raises(UserError, match=r"parameter|no variation is called 'crlf:1'"):
        variation(name)
