"""Finds the events for the parts without content: starts, pieces of arguments, ends and errors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.dialects.entry import BUFFERING
from conformance.report.raw_events import data_of
from conformance.vocabularies.fold import objects_in
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from conformance.contract.transcript import Part, SentEvent
    from conformance.dialects.ledger import Entry
    from conformance.dialects.sent_items import SentItems

BEFORE = -1
"""The row of a part that came before the first event was sent."""

_ENDINGS = frozenset({"finish", "finish-step", "completion"})
# The fields of a part that a stream of arguments or of other content has its text in.
_PIECES = ("delta", "inputTextDelta", "argsTextDelta", "text")
_IDS = ("id", "toolCallId", "callId", "approvalId")
_LEAST_QUOTED = 20
"""The shortest JSON of an event that is searched for in errors; ``{}`` occurs by chance."""
_LEAST_PIECE = 3
"""The shortest piece of arguments that is searched for in a call's input."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is known from a part itself of the event for which it came.

    ``row`` is the row of that event, None if the content is not in any; ``earliest`` is the first
    row at which the content was there. A part that ``opens`` a block belongs to what follows it.
    A part that ``closes`` a block, reports an error, or is a call that no event completes, came as
    late as the part after it allows; ``closes`` are the rows of the events that it can have come
    for, if they are known. ``before`` are those of a part that may have come before its ``row``.
    """

    row: int | None
    earliest: int = 0
    opens: bool = False
    closes: Sequence[int] | None = None
    before: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the upstream: when it was asked for, its events, and what each of them adds.

    ``last`` is the row of the event that ends the response. ``says_complete`` is whether the
    dialect says when a call is complete; otherwise a call may come as soon as its arguments do.
    ``items`` are those of the response, such as calls of the upstream's own tools. ``shown`` are
    the ids of the calls for whose approval the user was asked, by the ids of the requests.
    """

    asked_at: float
    sent: Sequence[SentEvent]
    entries: Sequence[Entry]
    last: int
    says_complete: bool
    items: SentItems
    shown: Mapping[str, str]


class Framing:
    """Finds the events of parts without content; parts are given in order.

    ``announced`` is the row of each call's announcement by its id, and ``prefix`` is what the
    adapter writes before the ids of calls.
    """

    def __init__(self, answer: Answer, announced: Mapping[str, int], prefix: str) -> None:
        self._answer = answer
        self._announced = announced
        self._prefix = prefix
        self._strings: list[frozenset[str]] | None = None
        self._as_json: list[str] | None = None
        self._at = BEFORE
        self._row = BEFORE
        self._arguments = ""
        self._opened: dict[str, int] = {}
        self._blocks: dict[str, int] = {}
        self._approvals: dict[str, str] = {}

    def place(self, part: Part) -> Place:
        """The place of a start, a piece of arguments, an end, an error or an unknown part."""
        kind = str(part.get("type"))
        if kind in _ENDINGS:
            return Place(self._answer.last)
        if kind == "delta":
            return self._place_of_delta(mapping(part.get("delta")))
        if kind.endswith(("-end", "-result")):
            return Place(None, closes=self._rows_of_end(part))
        if kind == "error":
            return Place(None, closes=self._rows_of_error(part))
        earliest = max(self._announced.get(id_, 0) for id_ in self._ids(part))
        first = max(earliest, self._at + 1)
        if kind.endswith("-start"):
            return Place(self._row_of_start(part, first), earliest, opens="id" in part)
        if any(name in part and part[name] is None for name in ("value", *_PIECES)):
            return Place(self._row_of_null())
        first = max(first, *(self._opened.get(id_, 0) for id_ in self._ids(part)))
        return self._piece(part, first, earliest) or Place(
            self.event_with(self._upstream_id(part), max(first, self._row))
        )

    def _place_of_delta(self, delta: Mapping[str, Any]) -> Place:
        """The place of a delta of Copilot Chat's parser that begins calls or adds to arguments.

        Each update has all of the arguments so far, so the event has what is new in them.
        """
        begun = [text(call.get("id")) for call in objects_in(delta.get("beginToolCalls"))]
        so_far = [
            text(call.get("arguments"))
            for call in objects_in(delta.get("copilotToolCallStreamUpdates"))
        ]
        if not so_far:
            return Place(self.event_with(begun[-1] if begun else "", self._at))
        before, self._arguments = self._arguments, so_far[-1]
        row = self.event_with(so_far[-1].removeprefix(before), self._at + 1)
        if row is not None:
            self._at = row
        return Place(row)

    def _piece(self, part: Part, first: int, earliest: int) -> Place | None:
        """The place of a piece of arguments or of other content; None if a part has none."""
        said = next(filter(None, (text(part.get(name)) for name in _PIECES)), None)
        if said is None:
            return None
        row = self.event_with(said, first)
        if row is not None:
            self._at = row
        return Place(row, earliest)

    def goes_on(self, part: Part, row: int | None) -> None:
        """Note the row of a part, so that what comes after it is not searched before it."""
        self._row = max(self._row, BEFORE if row is None else row)
        if part.get("type") == "tool-approval-request":
            self._approvals[text(part.get("toolCallId"))] = text(part.get("approvalId"))
        for id_ in filter(None, self._ids(part)):
            if row is not None:
                self._blocks[id_] = row

    def rows_of_call(self, id_: str, name: str, input_: Any) -> list[int]:
        """The rows of the events with a call's id or a piece of its input, else with its name.

        Events about the response as a whole are left out if others have these, too.
        """
        entries = self._answer.entries
        with_id, named = (set(self._events_with(each, 0)) for each in (id_, name))
        said = _spellings(input_)
        pieces = {row for row in range(len(entries)) if self._has_piece(row, said)}
        rows = sorted(with_id | pieces if with_id else named | pieces)
        return [row for row in rows if entries[row].silent != "lifecycle"] or rows

    def _has_piece(self, row: int, spellings: Collection[str]) -> bool:
        """Whether an event has a piece of a call's arguments, or all of them, without spaces."""
        is_piece = self._answer.entries[row].silent == BUFFERING
        return any(
            piece in said if is_piece else piece == said
            for piece in map(_without_spaces, self._texts(row))
            for said in spellings
            if len(piece) >= _LEAST_PIECE
        )

    def event_with(self, said: str, first: int) -> int | None:
        """The row of the first event, from a row on, that has this very text as a value."""
        return next(self._events_with(said, first), None)

    def _events_with(self, said: str, first: int) -> Iterator[int]:
        rows = range(max(first, 0), len(self._answer.sent) if said else 0)
        yield from (row for row in rows if said in self._texts(row))

    def _texts(self, row: int) -> frozenset[str]:
        """All texts in the event of a row."""
        if self._strings is None:
            self._strings = [frozenset(_strings(data_of(event))) for event in self._answer.sent]
        return self._strings[row]

    def _ids(self, part: Part) -> list[str]:
        """The ids in a part, and that of the approval which was asked for under one of them."""
        values = [text(part.get(name)) for name in _IDS]
        asked = [self._approvals[value] for value in values if value in self._approvals]
        return [value.removeprefix(self._prefix) for value in (*values, *asked)]

    def _upstream_id(self, part: Part) -> str:
        """The id in the events of a part's block, such as ``rs_1`` for ``rs_1:0``; empty if none.

        Blocks of one item are often numbered after its id.
        """
        for id_ in filter(None, self._ids(part)):
            for each in (id_, id_.rpartition(":")[0]):
                if self.event_with(each, 0) is not None:
                    return each
        return ""

    def _row_of_start(self, part: Part, first: int) -> int | None:
        """The row of the next event with a block's id; of the same type if it opens once more."""
        id_, sent = self._upstream_id(part), self._answer.sent
        if (opened := self._opened.get(id_)) is not None:
            rows = self._events_with(id_, max(first, opened + 1))
            row = next((row for row in rows if sent[row].type == sent[opened].type), None)
        else:
            row = next(self._events_with(id_, first), None)
        if row is not None:
            self._opened[id_] = row
        return row

    def _row_of_null(self) -> int | None:
        """The row of the next event with null for a piece of content, for a part that has null."""
        later = list(enumerate(self._answer.sent))[self._row + 1 :]
        data = ((row, mapping(event.data)) for row, event in later)
        nulls = (row for row, value in data for name in _PIECES if value.get(name, "") is None)
        return next(nulls, None)

    def _rows_of_end(self, part: Part) -> list[int]:
        """The rows with a block's id from its last part on, without the end of the response."""
        begun = max((self._blocks.get(id_, 0) for id_ in self._ids(part)), default=0)
        rows = self._events_with(self._upstream_id(part), begun)
        return [row for row in rows if row < self._answer.last]

    def _rows_of_error(self, part: Part) -> list[int]:
        """The rows of the events that an error quotes as JSON."""
        if self._as_json is None:
            self._as_json = [_json_of(event) for event in self._answer.sent]
        said = list(_strings(dict(part)))
        return [
            row
            for row, shown in enumerate(self._as_json)
            if shown and any(shown in each for each in said)
        ]


def _json_of(event: SentEvent) -> str:
    """The data of an event as JSON; empty if it is no object, or too short to be told apart."""
    data = data_of(event)
    shown = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return shown if isinstance(data, dict) and len(shown) >= _LEAST_QUOTED else ""


def _spellings(input_: Any) -> set[str]:
    """The JSON of a call's input without spaces, with and without escapes, and as it was given."""
    given = [input_] if isinstance(input_, str) else []
    read = read_arguments(input_)
    values = [] if read.kind == "beyond comparison" else [read.value]
    written = (json.dumps(v, ensure_ascii=escaped) for v in values for escaped in (True, False))
    return {_without_spaces(each) for each in (*given, *written)}


def _without_spaces(said: str) -> str:
    return "".join(said.split())


def _strings(value: Any) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)
