"""Variations of the lines of a stream that every decoder of server-sent events must accept.

Each but ``no-done`` and ``unterminated-end`` is legal by WHATWG HTML, "Server-sent events": § 9.2.5
"Parsing an event stream" (called *format* below) has the grammar, § 9.2.6 "Interpreting an event
stream" (*interpretation*) says what each field does. Fields that are to be ignored hold ``[``,
which is no JSON: an adapter that takes one of them for data cannot miss it. The closing data is
never split or indented, since that would make another text of it.

Where lines end with CR alone, a decoder may wait for the next byte, which could be an LF. So these
variations take checkpoints away, and do not fit a stream that stalls.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from mockserver.scenario.script import Close
from mockserver.wire.event import Step, drop_checkpoints
from mockserver.wire.framing import (
    BLANK,
    SPLIT_DATA,
    Block,
    ChangeBlock,
    Field,
    Framing,
    change_data,
)
from mockserver.wire.variation import EVERYWHERE, Variation

BOM = "\ufeff"
_COMMENT = Field("", "keep-alive")
# Characters other than CR and LF at which the standard libraries of some languages end a line.
_SEPARATORS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NO_JSON = "["


def _around(*, before: Sequence[Field] = (), after: Sequence[Field] = ()) -> ChangeBlock:
    """Adds fields before and after those of events and of the closing data."""

    def change(block: Block) -> Block:
        if block.kind == "comment":
            return block
        return replace(block, fields=(*before, *block.fields, *after))

    return change


_MESSAGE = _around(before=(Field("event", "message"),))


def _comments_inside(block: Block) -> Block:
    """Comments before and after each field, and between an empty data line and the data."""
    if block.kind == "comment":
        return block
    split = change_data(lambda field: (replace(field, value=""), field))(block)
    between = (each for field in split.fields for each in (_COMMENT, field))
    return replace(block, fields=(*between, _COMMENT))


def _later_boms(block: Block) -> Block:
    """A data line whose name begins with a BOM, which is the name of no field."""
    if block.n == 0 or block.kind == "comment":
        return block
    return replace(block, fields=(Field(f"{BOM}data", _NO_JSON), *block.fields))


def _ids(block: Block) -> Block:
    if block.kind == "comment":
        return block
    after = (Field("retry", "250"), Field("retry", "soon"))
    return replace(block, fields=(Field("id", str(block.n)), *block.fields, *after))


_CHANGES: dict[str, tuple[str, ChangeBlock]] = {
    "two-spaces": (
        "two spaces after the colon of data (interpretation: only the first is dropped; the other "
        "is white space of JSON)",
        change_data(lambda field: (replace(field, space="  "),)),
    ),
    "tab": (
        "a tab after the colon of data (interpretation: it belongs to the value; it is white space "
        "of JSON)",
        change_data(lambda field: (replace(field, space="\t"),)),
    ),
    "data-lines": (
        "the JSON of an event is in several data lines, split between tokens (interpretation: they "
        "are joined with LF)",
        SPLIT_DATA,
    ),
    "bare-data": (
        "a line `data` without a colon comes before the data (interpretation: its value is empty, "
        "so the data begins with LF)",
        change_data(lambda field: (Field("data", None), field)),
    ),
    "comments": (
        "two comments, one of them empty, come before every event, each with a blank line "
        "(interpretation: ignored, and no event is dispatched)",
        _around(before=(_COMMENT, BLANK, Field("", "", ""), BLANK)),
    ),
    "comments-inside": (
        "comments are between the lines of every event, also between two data lines (format: an "
        "event consists of comments and fields)",
        _comments_inside,
    ),
    "line-separators": (
        "a comment in every event has characters that end lines elsewhere: VT, FF, FS, GS, RS, "
        "NEL, U+2028, U+2029 (format: only CR and LF end lines)",
        _around(after=(Field("", "".join(f"{each}data: {_NO_JSON}" for each in _SEPARATORS)),)),
    ),
    "foreign-fields": (
        "every event has fields that are not in the standard (interpretation: ignored)",
        _around(before=(Field("x-trace", "7f3a"),), after=(Field("x-last", None),)),
    ),
    "near-fields": (
        "every event has fields that are nearly `data` (interpretation: names are compared "
        "exactly, with case and spaces)",
        _around(
            before=tuple(
                Field(name, _NO_JSON) for name in ("DATA", " data", "data ", "database", "dat")
            )
        ),
    ),
    "bom-later": (
        "a BOM is at the beginning of a line of every later event (format: one is allowed at the "
        "start of the stream; elsewhere it is a character of the field's name)",
        _later_boms,
    ),
    "ids": (
        "every event has `id:` before its other fields and `retry:` after them, with a value that "
        "is no number, too (interpretation: such a value is ignored)",
        _ids,
    ),
    "ids-alone": (
        "an id and a time to retry come before every event, each with a blank line "
        "(interpretation: without data no event is dispatched)",
        _around(before=(Field("id", "7"), BLANK, Field("retry", "250"), BLANK)),
    ),
    "nul-in-id": (
        "every event has an id with a NUL in it (interpretation: such an id is ignored, and the "
        "event is dispatched)",
        _around(before=(Field("id", "a\0b"),)),
    ),
    "blank-lines": (
        "blank lines come before every event (interpretation: without data no event is dispatched)",
        _around(before=(BLANK, BLANK)),
    ),
    "empty-events": (
        "an `event:` line without data comes before every event (interpretation: it is not "
        "dispatched, and its name is forgotten)",
        _around(before=(Field("event", "error"), BLANK)),
    ),
}


def _with(**fields: object) -> Callable[[Framing], Framing]:
    return lambda framing: replace(framing, **fields)  # type: ignore[arg-type]


_FRAMINGS: dict[str, tuple[str, Callable[[Framing], Framing]]] = {
    "crlf": ("lines end with CR LF (format)", _with(newlines=("\r\n",))),
    "cr": ("lines end with CR (format)", _with(newlines=("\r",))),
    "mixed-line-ends": (
        "lines end with CR, CR LF and LF in turn (format: each line has an end of its own)",
        _with(newlines=("\r", "\r\n", "\n")),
    ),
    "crlf-then-lf": (
        "of four lines one ends with CR LF, three with LF (format: each line has its own end)",
        _with(newlines=("\r\n", "\n", "\n", "\n")),
    ),
    "no-done": (
        "the stream ends without [DONE], as api.openai.com ends Responses streams",
        _with(closing=""),
    ),
    "no-event-line": (
        "events have no event: line; their type is in the data",
        _with(event_line=False),
    ),
    "event-message": (
        "every event has the line `event: message` (interpretation: as without one), in dialects "
        "whose events have no such line",
        lambda framing: framing if framing.event_line else framing.changed(_MESSAGE),
    ),
    "no-space": ("no space after the colon of a field (format: it is optional)", _with(space="")),
    "bom": ("the stream begins with a BOM (format: it is dropped)", _with(head=BOM)),
    "unterminated-end": (
        "half an event, without a blank line, comes after [DONE] (interpretation: at the end of "
        "the stream, an incomplete event is discarded)",
        _with(tail=f"event: error\ndata: {_NO_JSON}"),
    ),
}
_CR_ENDS = ("cr", "mixed-line-ends")
_DEPARTS = ("unterminated-end",)


def _stalls(steps: Sequence[Step]) -> str:
    """Why line ends of one CR do not fit the steps; empty if they do."""
    stalls = any(isinstance(step, Close) and step.how == "stall" for step in steps)
    return "a decoder may hold back what comes before the stall" if stalls else ""


def _framed(name: str, about: str, change: Callable[[Framing], Framing]) -> Variation:
    departs_in = EVERYWHERE if name in _DEPARTS else ()
    varied = Variation(name, about, change, layer="lines", departs_in=departs_in)
    if name not in _CR_ENDS:
        return varied
    return replace(varied, change_steps=drop_checkpoints, misfit=_stalls)


LINES = (
    *(_framed(name, about, change) for name, (about, change) in _FRAMINGS.items()),
    *(
        Variation(name, about, partial(Framing.changed, change=change), layer="lines")
        for name, (about, change) in _CHANGES.items()
    ),
)
