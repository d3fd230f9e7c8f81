"""Streams under each variation of lines, compared with bytes that were written by hand."""

import pytest

from mockserver.cases.variations import VARIATIONS, check_names, variation
from mockserver.dialects.openresponses.events import TERMINAL
from mockserver.scenario.script import Checkpoint, Close, Comment
from mockserver.wire.event import Event, Step
from mockserver.wire.frames import Write, plan
from mockserver.wire.framing import Framing
from mockserver.wire.slots import encode_values, fill, mark

STREAM: tuple[Step, ...] = (
    Event("a", {"n": 1, "s": ","}),
    Comment("x"),
    Event("response.completed", {"id": mark("id")}),
)
END = b'event: response.completed\ndata: {"id":"r_1"}\n\n'
BREAKS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029".encode()
NOT_ENDS = b": " + b"".join(each.encode() + b"data: [" for each in BREAKS.decode()) + b"\n"
NEAR = b"DATA: [\n data: [\ndata : [\ndatabase: [\ndat: [\n"

BYTES = {
    "": b'event: a\ndata: {"n":1,"s":","}\n\n: x\n\n' + END + b"data: [DONE]\n\n",
    "crlf": (
        b'event: a\r\ndata: {"n":1,"s":","}\r\n\r\n'
        b": x\r\n\r\n"
        b'event: response.completed\r\ndata: {"id":"r_1"}\r\n\r\n'
        b"data: [DONE]\r\n\r\n"
    ),
    "cr": (
        b'event: a\rdata: {"n":1,"s":","}\r\r'
        b": x\r\r"
        b'event: response.completed\rdata: {"id":"r_1"}\r\r'
        b"data: [DONE]\r\r"
    ),
    # Items 0 to 3, so they begin with CR, CR LF, LF and CR; the last blank line would have an LF
    # after a CR if it did not have CR LF.
    "mixed-line-ends": (
        b'event: a\rdata: {"n":1,"s":","}\r\n\n'
        b": x\r\n\n"
        b'event: response.completed\ndata: {"id":"r_1"}\r\r\n'
        b"data: [DONE]\r\r\n"
    ),
    # Items 0 to 3: an LF that comes first is the second of four ends, then the third, and so on.
    "crlf-then-lf": (
        b'event: a\r\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b'event: response.completed\ndata: {"id":"r_1"}\n\r\n'
        b"data: [DONE]\n\r\n"
    ),
    "no-done": b'event: a\ndata: {"n":1,"s":","}\n\n: x\n\n' + END,
    "no-event-line": (b'data: {"n":1,"s":","}\n\n: x\n\ndata: {"id":"r_1"}\n\ndata: [DONE]\n\n'),
    "no-space": (
        b'event:a\ndata:{"n":1,"s":","}\n\n'
        b":x\n\n"
        b'event:response.completed\ndata:{"id":"r_1"}\n\n'
        b"data:[DONE]\n\n"
    ),
    "two-spaces": (
        b'event: a\ndata:  {"n":1,"s":","}\n\n'
        b": x\n\n"
        b'event: response.completed\ndata:  {"id":"r_1"}\n\n'
        b"data: [DONE]\n\n"
    ),
    "tab": (
        b'event: a\ndata:\t{"n":1,"s":","}\n\n'
        b": x\n\n"
        b'event: response.completed\ndata:\t{"id":"r_1"}\n\n'
        b"data: [DONE]\n\n"
    ),
    "data-lines": (
        b'event: a\ndata: {\ndata: "n":1,\ndata: "s":","\ndata: }\n\n'
        b": x\n\n"
        b'event: response.completed\ndata: {\ndata: "id":"r_1"\ndata: }\n\n'
        b"data: [DONE]\n\n"
    ),
    "bare-data": (
        b'event: a\ndata\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b'event: response.completed\ndata\ndata: {"id":"r_1"}\n\n'
        b"data: [DONE]\n\n"
    ),
    "comments": (
        b': keep-alive\n\n:\n\nevent: a\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b": keep-alive\n\n:\n\n" + END + b": keep-alive\n\n:\n\ndata: [DONE]\n\n"
    ),
    "comments-inside": (
        b": keep-alive\nevent: a\n: keep-alive\ndata: \n: keep-alive\n"
        b'data: {"n":1,"s":","}\n: keep-alive\n\n'
        b": x\n\n"
        b": keep-alive\nevent: response.completed\n: keep-alive\ndata: \n: keep-alive\n"
        b'data: {"id":"r_1"}\n: keep-alive\n\n'
        b": keep-alive\ndata: [DONE]\n: keep-alive\n\n"
    ),
    "line-separators": (
        b'event: a\ndata: {"n":1,"s":","}\n' + NOT_ENDS + b"\n"
        b": x\n\n"
        b'event: response.completed\ndata: {"id":"r_1"}\n' + NOT_ENDS + b"\n"
        b"data: [DONE]\n" + NOT_ENDS + b"\n"
    ),
    "foreign-fields": (
        b'x-trace: 7f3a\nevent: a\ndata: {"n":1,"s":","}\nx-last\n\n'
        b": x\n\n"
        b'x-trace: 7f3a\nevent: response.completed\ndata: {"id":"r_1"}\nx-last\n\n'
        b"x-trace: 7f3a\ndata: [DONE]\nx-last\n\n"
    ),
    "near-fields": (
        NEAR + b'event: a\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n" + NEAR + END + NEAR + b"data: [DONE]\n\n"
    ),
    "bom": b'\xef\xbb\xbfevent: a\ndata: {"n":1,"s":","}\n\n: x\n\n' + END + b"data: [DONE]\n\n",
    "bom-later": (
        b'event: a\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b"\xef\xbb\xbfdata: [\n" + END + b"\xef\xbb\xbfdata: [\ndata: [DONE]\n\n"
    ),
    "ids": (
        b'id: 0\nevent: a\ndata: {"n":1,"s":","}\nretry: 250\nretry: soon\n\n'
        b": x\n\n"
        b'id: 2\nevent: response.completed\ndata: {"id":"r_1"}\nretry: 250\nretry: soon\n\n'
        b"id: 3\ndata: [DONE]\nretry: 250\nretry: soon\n\n"
    ),
    "ids-alone": (
        b'id: 7\n\nretry: 250\n\nevent: a\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b"id: 7\n\nretry: 250\n\n" + END + b"id: 7\n\nretry: 250\n\ndata: [DONE]\n\n"
    ),
    "nul-in-id": (
        b'id: a\0b\nevent: a\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b"id: a\0b\n" + END + b"id: a\0b\ndata: [DONE]\n\n"
    ),
    "blank-lines": (
        b'\n\nevent: a\ndata: {"n":1,"s":","}\n\n: x\n\n\n\n' + END + b"\n\ndata: [DONE]\n\n"
    ),
    "empty-events": (
        b'event: error\n\nevent: a\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b"event: error\n\n" + END + b"event: error\n\ndata: [DONE]\n\n"
    ),
    "event-message": b'event: a\ndata: {"n":1,"s":","}\n\n: x\n\n' + END + b"data: [DONE]\n\n",
    "no-event-line+event-message": (
        b'event: message\ndata: {"n":1,"s":","}\n\n'
        b": x\n\n"
        b'event: message\ndata: {"id":"r_1"}\n\n'
        b"event: message\ndata: [DONE]\n\n"
    ),
    "unterminated-end": (
        b'event: a\ndata: {"n":1,"s":","}\n\n: x\n\n'
        + END
        + b"data: [DONE]\n\nevent: error\ndata: ["
    ),
    # Combinations: of blank lines with CR, and of a BOM with what else comes first.
    "mixed-line-ends+blank-lines+no-event-line": (
        b'\r\r\ndata: {"n":1,"s":","}\n\r'
        b": x\r\n\n"
        b'\r\n\rdata: {"id":"r_1"}\r\n\n'
        b"\r\r\ndata: [DONE]\n\r"
    ),
    "bom+comments+no-space+no-done": (
        b'\xef\xbb\xbf: keep-alive\n\n:\n\nevent:a\ndata:{"n":1,"s":","}\n\n'
        b":x\n\n"
        b': keep-alive\n\n:\n\nevent:response.completed\ndata:{"id":"r_1"}\n\n'
    ),
    "comments-inside+data-lines+tab": (
        b": keep-alive\nevent: a\n: keep-alive\ndata:\t\n: keep-alive\n"
        b'data:\t{\ndata:\t"n":1,\ndata:\t"s":","\ndata:\t}\n: keep-alive\n\n'
        b": x\n\n"
        b": keep-alive\nevent: response.completed\n: keep-alive\ndata:\t\n: keep-alive\n"
        b'data:\t{\ndata:\t"id":"r_1"\ndata:\t}\n: keep-alive\n\n'
        b": keep-alive\ndata: [DONE]\n: keep-alive\n\n"
    ),
    # Lines that are split already are not split again inside a string.
    "data-lines+data-lines+no-event-line+no-done": (
        b'data: {\ndata: "n":1,\ndata: "s":","\ndata: }\n\n'
        b": x\n\n"
        b'data: {\ndata: "id":"r_1"\ndata: }\n\n'
    ),
}


def stream(names: str) -> bytes:
    """The stream of these tests under variations with ``+`` between them."""
    framing = Framing()
    for name in check_names(names) if names else ():
        framing = variation(name).change_framing(framing)
    laid = plan(STREAM, lambda type_, _data: type_ in TERMINAL, framing)
    sample = encode_values(id="r_1")
    return b"".join(fill(step.pieces, sample) for step in laid.writes if isinstance(step, Write))


@pytest.mark.parametrize(("names", "expected"), BYTES.items(), ids=[*BYTES])
def test_a_stream_has_exactly_these_bytes(names: str, expected: bytes) -> None:
    assert stream(names) == expected


def test_every_variation_of_lines_is_in_the_table() -> None:
    lines = {each.name for each in VARIATIONS.values() if each.layer == "lines"}
    assert lines <= BYTES.keys()


@pytest.mark.parametrize("name", ["cr", "mixed-line-ends"])
def test_where_a_decoder_may_wait_after_a_cr_nothing_depends_on_what_it_shows(name: str) -> None:
    varied = variation(name)
    assert varied.change_steps([*STREAM, Checkpoint("here")]) == [*STREAM]
    assert varied.misfit([*STREAM, Close("stall")])
    assert not varied.misfit([*STREAM, Close("cut")])
