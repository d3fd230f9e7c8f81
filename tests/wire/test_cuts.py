"""Where a stream is cut into writes, compared with pieces that were cut by hand."""

import pytest

from mockserver.cases.variations import variation
from mockserver.foundation.faults import UserError
from mockserver.scenario.script import Checkpoint, Comment, Pause
from mockserver.wire.event import Event, Step
from mockserver.wire.frames import MIN_GAP, Gate, Plan, Write, plan
from mockserver.wire.framing import Framing
from mockserver.wire.slots import encode_values, mark

A = Event("a", {"é": "\n"})
B = Event("b", {"id": mark("id"), "n": [17]})
WHOLE = b'event: a\ndata: {"\xc3\xa9":"\\n"}\n\n', b'event: b\ndata: {"id":"r-1","n":[17]}\n\n'


def planned(name: str, *steps: Step) -> Plan:
    """The plan of these steps under a variation, with the value of their slot filled in."""
    varied = variation(name)
    framing = varied.change_framing(Framing(closing=""))
    changed = varied.change_steps(steps)
    laid = plan(changed, lambda _type, _data: False, framing, (varied.change_plan,))
    return laid.filled(encode_values(id="r-1"))


def pieces(name: str, *steps: Step) -> tuple[Write | Gate, ...]:
    return planned(name, *steps).writes


def texts(name: str) -> list[bytes]:
    return [write.data for write in pieces(name, A, B) if not isinstance(write, Gate)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cut:character", [b'event: a\ndata: {"\xc3', b'\xa9":"\\n"}\n\n' + WHOLE[1]]),
        ("cut:escape", [WHOLE[0][:-5], b'n"}\n\n' + WHOLE[1]]),
        ("cut:line-ends", [WHOLE[0][:-1], b"\n" + WHOLE[1][:-1], b"\n"]),
        ("cut:field", [b"event: a\nda", b'ta: {"\xc3\xa9":"\\n"}\n\nevent: b\nda', WHOLE[1][11:]]),
        ("cut:colon", [b"event: a\ndata:", WHOLE[0][14:] + b"event: b\ndata:", WHOLE[1][14:]]),
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
    assert texts("cut:cr-lf") == [
        b'event: a\r\ndata: {"\xc3\xa9":"\\n"}\r\n\r',
        b'\nevent: b\r\ndata: {"id":"r-1","n":[17]}\r\n\r',
        b"\n",
    ]


def test_several_data_lines_are_cut_in_the_line_end_between_them() -> None:
    assert texts("cut:data-lines") == [
        b"event: a\r\ndata: {\r",
        b'\ndata: "\xc3\xa9":"\\n"\r\ndata: }\r\n\r\nevent: b\r\ndata: {\r',
        b'\ndata: "id":"r-1",\r\ndata: "n":[17]\r\ndata: }\r\n\r\n',
    ]


def test_one_write_has_everything_without_waiting() -> None:
    laid = planned("one-write", A, Pause(0.5), Checkpoint("here"), B)
    assert (laid.starts_immediately, laid.closes_at) == (True, 0.0)
    assert laid.writes == (Write(0.0, (b"".join(WHOLE),), 0, 1),)


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


def test_cuts_between_data_lines_wait_for_a_slow_client_and_for_a_second_in_all() -> None:
    def lateness(events: int) -> list[float]:
        return [write.at for write in planned("cut:data-lines", *([A] * events)).byte_writes]

    assert lateness(2) == pytest.approx([0.0, 0.05, 0.1])
    assert lateness(100)[-1] == pytest.approx(1.0)
    assert lateness(2000)[-1] == pytest.approx(2000 * MIN_GAP)


def test_a_write_without_the_end_of_an_item_has_none_of_it() -> None:
    laid = pieces("cut:3", A, Comment("c"), B)
    ranges = [(write.first, write.last) for write in laid if not isinstance(write, Gate)]
    assert ranges == [(0, -1), (0, 2)]


def test_an_event_is_complete_with_the_cr_of_its_blank_line() -> None:
    ranges = [(write.first, write.last) for write in planned("cut:cr-lf", A, B).byte_writes]
    assert ranges == [(0, 0), (1, 1), (2, 1)]


def test_a_checkpoint_stays_behind_its_event() -> None:
    laid = pieces("cut:colon", A, Checkpoint("here"), B)
    assert [isinstance(step, Gate) for step in laid] == [False, False, True, False, False]


@pytest.mark.parametrize("name", ["cut", "cut:", "cut:0", "cut:nowhere", "cut:seed-", "crlf:1"])
def test_a_variation_with_a_wrong_parameter_is_refused_with_the_right_ones(name: str) -> None:
    with pytest.raises(UserError, match=r"parameter|no variation is called 'crlf:1'"):
        variation(name)


def test_a_misspelt_variation_is_answered_by_one_and_not_by_a_group_of_the_suite() -> None:
    with pytest.raises(UserError, match="did you mean 'cut'"):
        variation("cutt:1")
