"""Finds the event beside which each part stands in a timeline.

The ledger says which event completes which piece of content, and a part stands beside that event:
the one that sent the last of its text, that completed its call, or that has its citation or data. A
part without content, such as the end of a block, stands beside the next event that names its block,
or beside the part before it. Parts stay in their order, and none stands at an event that was sent
after the part had come.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import Any

from conformance.contract.citations import same_source
from conformance.contract.reading import ReadCall
from conformance.contract.traits import Traits
from conformance.contract.transcript import CheckpointResult, Emitted, Part, SentEvent
from conformance.dialects.entry import DATA_KINDS, Entry, ToolPiece
from conformance.dialects.ledger import shown_kinds
from conformance.dialects.sent_items import SentItems
from conformance.expectation.content import ContentCall
from conformance.expectation.own_ids import upstream_ids
from conformance.report.summary import data_of
from conformance.rules.hosted.uses import Use, uses_of
from conformance.vocabularies import Vocabulary
from conformance.vocabularies.fullstream import StreamPart, stream_parts
from conformance.vocabularies.stream import input_of
from mockserver.foundation.call_arguments import read_arguments, same_json
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Citation

BEFORE = -1
"""The row of a part that came before the first event was sent."""

_NEVER = 1 << 30
_ENDINGS = frozenset({"finish", "finish-step", "completion"})
_IDS = ("id", "toolCallId", "callId")
_DELTAS = ("delta", "inputTextDelta", "argsTextDelta")
_LEAST_FOUND = 8
"""The shortest text that is searched for inside of an event; shorter ones occur by chance."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the upstream: when it was asked for, its events, and what each of them adds.

    ``last`` is the row of the event that ends the response. ``items`` are those of the response,
    such as calls of the upstream's own tools. ``shown`` are the ids of the calls for whose approval
    the user was asked, by the ids of the requests.
    """

    asked_at: float
    sent: Sequence[SentEvent]
    entries: Sequence[Entry]
    last: int
    items: SentItems
    shown: Mapping[str, str]


@dataclass
class SentText:
    """The text that a stream sent, by event, and which of it has been emitted so far.

    Texts are compared in UTF-16 code units, since a host may emit a surrogate pair in two parts.
    """

    rows: list[int]
    starts: list[int]
    text: str
    covered: list[tuple[int, int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, pieces: Iterable[tuple[int, str]]) -> SentText:
        """The text of pieces, each with the row of its event, in order."""
        said = [(row, units(value)) for row, value in pieces if value]
        ends = list(accumulate(len(value) for _, value in said))
        return cls([row for row, _ in said], [0, *ends][: len(ends)], "".join(v for _, v in said))

    def place(self, value: str, part: int) -> int | None:
        """The row of the last character of an emitted text, from the last one on; None if no event
        has it. A text that was not sent in this form has its beginning, if that was sent.
        """
        said = units(value)
        at = self.covered[-1][1] if self.covered else 0
        start = at if self.text.startswith(said, at) else self._find(said, at)
        if start is None:
            pairs = zip(self.text[at:], said, strict=False)
            common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            start, said = (at, said[:common]) if 2 * common >= len(said) else (None, "")
        if start is None or not said:
            return None
        self.covered.append((start, start + len(said), part))
        return self.rows[bisect_right(self.starts, start + len(said) - 1) - 1]

    def _find(self, said: str, at: int) -> int | None:
        """Where a text begins after text that was left out: with an event, or anywhere if long."""
        begun = (each for each in self.starts if each > at and self.text.startswith(said, each))
        inside = self.text.find(said, at) if len(said) >= _LEAST_FOUND else -1
        return next(begun, None) if said.strip() else None if inside < 0 else inside

    def covering(self, row: int) -> list[int]:
        """The numbers of the parts that hold text of the event in a row, in order."""
        start, end = self._span(row)
        return [part for a, b, part in self.covered if a < end and start < b]

    def missing(self, row: int, due: int) -> str:
        """What has not been emitted of the first ``due`` code units of an event's text."""
        start, end = self._span(row)
        end, out = min(end, start + due), []
        for a, b, _ in self.covered:
            if a < end and start < b:
                out.append(self.text[start : max(a, start)])
                start = max(b, start)
        left = "".join([*out, self.text[start:end]])
        return left.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _span(self, row: int) -> tuple[int, int]:
        first, last = bisect_left(self.rows, row), bisect_right(self.rows, row)
        ends = [*self.starts, len(self.text)]
        return (ends[first], ends[last]) if first < last else (0, 0)


def units(value: str) -> str:
    """A text whose characters are the UTF-16 code units of another."""
    data = value.encode("utf-16-le", "surrogatepass")
    return "".join(chr(low | high << 8) for low, high in zip(data[::2], data[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class _Place:
    """The row of a part's content, None if no event has it, and the first row that announces it."""

    row: int | None
    announced: int = BEFORE


class Placed:
    """The rows of parts by their numbers, and what was found of the answer's content in them.

    ``texts`` is the sent text by channel, ``text`` or ``thinking``. ``calls`` is the number of the
    first part of each call, by the upstream's id, and ``pieces`` counts the citations and data that
    came, by row.
    """

    def __init__(
        self,
        parts: Sequence[Emitted],
        answer: Answer,
        vocabulary: Vocabulary,
        traits: Traits,
        calls: Sequence[ContentCall] = (),
        checkpoints: Sequence[CheckpointResult] = (),
    ) -> None:
        self._answer = answer
        self._vocabulary = vocabulary
        self._prefix = traits.call_id_prefix
        entries, shown = answer.entries, shown_kinds(traits)
        self.texts = {"text": _sent(entries, shown), "thinking": _sent(entries, ["reasoning"])}
        hidden = {"text", "reasoning", "refusal"}.difference(shown)
        self._elsewhere = [_sent(entries, [kind]) for kind in sorted(hidden)]
        self._completed = {
            id_: row
            for row, entry in enumerate(entries)
            for id_ in (*entry.calls, *(p.call_id for p in entry.tools if p.kind == "call"))
        }
        self._announced = {id_: row for row, each in enumerate(entries) for id_ in each.announces}
        self._pieces = [(row, piece) for row, entry in enumerate(entries) for piece in entry.adds]
        self._strings = [frozenset(_strings(data_of(event))) for event in answer.sent]
        self._hosted = _rows_of_tools(parts, answer, vocabulary.name)
        read = vocabulary.read([emitted.part for emitted in parts], None).calls
        own = upstream_ids(read, calls) if traits.call_id == "own" else None
        self._calls: defaultdict[int, list[tuple[str, ReadCall]]] = defaultdict(list)
        self.calls: dict[str, int] = {}
        self.pieces: Counter[int] = Counter()
        for id_, call in zip(own or [each.id for each in read], read, strict=True):
            bare = id_ if own else id_.removeprefix(self._prefix)
            self._calls[call.part].append((bare, call))
            self.calls.setdefault(bare, parts[call.part].n)
        self._row = BEFORE
        places = []
        for n, emitted in enumerate(parts):
            places.append(self._place(n, emitted))
            self._row = max(self._row, _or(places[-1].row, BEFORE))
        rows = _in_order(places, _latest(parts, answer, checkpoints), parts, checkpoints)
        self.rows = {emitted.n: row for emitted, row in zip(parts, rows, strict=True)}

    def _place(self, n: int, emitted: Emitted) -> _Place:
        if emitted.n in self._hosted:
            return _Place(self._hosted[emitted.n])
        read = self._vocabulary.read([emitted.part], None)
        found = [self._call(id_, call, emitted.n) for id_, call in self._calls[n]]
        for channel, said in (("text", read.text), ("thinking", read.thinking)):
            if said:
                sent = (self.texts[channel], *self._elsewhere)
                rows = (each.place(said, emitted.n) for each in sent)
                row = next((row for row in rows if row is not None), None)
                # Text that comes again as a whole is for the next event that has it.
                found.append(_Place(self._event_with(said, self._row + 1) if row is None else row))
        found += [_Place(self._take_piece(each.citation)) for each in read.citations]
        found += [_Place(self._take_piece(each.data)) for each in read.data]
        return max(found, key=lambda each: _or(each.row, BEFORE), default=self._frame(emitted.part))

    def _call(self, id_: str, call: ReadCall, part: int) -> _Place:
        """The place of a call: where it is complete; again, at the next event that has it again."""
        first, announced = self._completed.get(id_), self._announced.get(id_, BEFORE)
        if self.calls[id_] != part:
            return _Place(self._event_with(id_, max(_or(first, BEFORE), self._row) + 1))
        if id_ in self._announced or first is not None or not call.input:
            return _Place(self._announced.get(id_) if first is None else first, announced)
        # Under an id that the upstream did not give, it is where this input is complete.
        same = (row for row in sorted(self._completed.values()) if self._has_input(row, call.input))
        return _Place(next(same, None))

    def _has_input(self, row: int, input_: Any) -> bool:
        read = map(read_arguments, self._strings[row])
        return any(each.kind == "object" and same_json(each.value, input_) for each in read)

    def _take_piece(self, content: Citation | str) -> int | None:
        """The row of the first piece with this source or data that has no part yet, if any."""
        for n, (row, piece) in enumerate(self._pieces):
            if isinstance(content, str):
                is_same = piece.kind in DATA_KINDS and piece.value == content
            else:
                is_same = piece.source is not None and same_source(content, piece.source)
            if is_same:
                del self._pieces[n]
                self.pieces[row] += 1
                return row
        return None

    def _frame(self, part: Part) -> _Place:
        """The place of a part without content: a start, a piece of arguments, an end, an error."""
        kind = str(part.get("type"))
        if kind in _ENDINGS:
            return _Place(self._answer.last)
        if kind == "error":
            error = mapping(part.get("error"))
            return _Place(self._event_with(text(error.get("message")), max(self._row, 0)))
        if said := next(filter(None, (text(part.get(name)) for name in _DELTAS)), ""):
            return _Place(self._event_with(said, self._row + 1))
        ids = [text(part.get(name)).removeprefix(self._prefix) for name in _IDS]
        call = next((id_ for id_ in ids if id_ in self._completed), "")
        if call and kind.endswith(("call", "Call")):
            return _Place(self._completed[call])
        # Blocks of one item are often numbered after its id, such as rs_1:0.
        wanted = [each for id_ in ids for each in (id_, id_.rpartition(":")[0]) if each]
        first = self._row + kind.endswith("-end")
        wanted += [each for each in _strings(dict(part)) if len(each) >= _LEAST_FOUND]
        rows = (self._event_with(each, max(first, 0)) for each in wanted)
        return _Place(next((row for row in rows if row is not None), None))

    def _event_with(self, said: str, first: int) -> int | None:
        """The row of the first event, from a row on, that has this very text as a value."""
        rows = range(first, len(self._strings) if said else 0)
        return next((row for row in rows if said in self._strings[row]), None)


def _or(row: int | None, other: int) -> int:
    return other if row is None else row


def _sent(entries: Sequence[Entry], kinds: Collection[str]) -> SentText:
    return SentText.of(
        (row, piece.value)
        for row, entry in enumerate(entries)
        for piece in entry.adds
        if piece.kind in kinds
    )


def _strings(value: Any) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


_PIECE_OF = {
    "tool-input-start": "start",
    "tool-input-end": "end",
    "tool-call": "call",
    "tool-result": "result",
    "tool-approval-request": "approval",
}
"""What an event adds to an item of the upstream's own tools for each type of part about it."""


def _rows_of_tools(parts: Sequence[Emitted], answer: Answer, vocabulary: str) -> dict[int, int]:
    """The rows of the parts about the upstream's own tools, by their numbers."""
    packed = {each.encrypted: each.event for each in answer.items.compactions}
    rows: dict[int, int] = {
        each.n: packed[said] for each in parts for said in _strings(each.part) if said in packed
    }
    read = tuple(stream_parts(parts, vocabulary)) if answer.items.tools else ()
    for use in uses_of(answer.items.tools, read, answer.shown) if read else ():
        at: defaultdict[str, list[tuple[int, ToolPiece]]] = defaultdict(list)
        for row, entry in enumerate(answer.entries):
            for piece in entry.tools:
                if piece.item in use.sent.items:
                    at[piece.kind].append((row, piece))
        for part in use.parts:
            if part.n not in rows and (found := _row_of_tool(part, use, at)) is not None:
                rows[part.n] = found
    return rows


def _row_of_tool(
    part: StreamPart, use: Use, at: Mapping[str, list[tuple[int, ToolPiece]]]
) -> int | None:
    """The row of a part about a tool; ``at`` has the pieces of its item that have no part yet."""
    kind = _PIECE_OF.get(part.type, "")
    values = {"tool-input-delta": at["input"], "tool-result": at["preview"]}.get(part.type, [])
    said = list(_strings(dict(part.fields)))
    # Pieces of input, as sent or in JSON, and previews come one after the other.
    held = [(row, p) for row, p in values if any(_in_any(str(p.value), each) for each in said)]
    if held:
        del values[: values.index(held[-1]) + 1]
        return held[-1][0]
    if kind == "call":
        # A call without input, such as that of a search, may come at once.
        given = input_of(part.fields).value
        at_once = isinstance(given, dict) and not given and use.sent.arguments is None
        kind = "start" if at_once else "approval" if use.sent.asks else "call"
    if kind == "result" and not at[kind]:
        kind = "call"
    return at[kind][-1][0] if at[kind] else None


def _in_any(value: str, said: str) -> bool:
    """Whether a text has a value, as it is or in JSON."""
    forms = (value, *(json.dumps(value, ensure_ascii=escaped)[1:-1] for escaped in (True, False)))
    return bool(value) and any(form in said for form in forms)


def _latest(
    parts: Sequence[Emitted], answer: Answer, checkpoints: Sequence[CheckpointResult]
) -> list[int]:
    """For each part, the last row at which it can have come.

    Where parts have no times of their own, they have that of the request.
    """
    times = [event.at for event in answer.sent]
    rows = []
    for emitted in parts:
        timed = emitted.at != answer.asked_at
        row = bisect_right(times, emitted.at) - 1 if timed else len(times) - 1
        rows.append(min((row, *(each.event for each in checkpoints if emitted.n < each.parts))))
    return list(accumulate(reversed(rows), min))[::-1]


def _in_order(
    places: Sequence[_Place],
    latest: Sequence[int],
    parts: Sequence[Emitted],
    checkpoints: Sequence[CheckpointResult],
) -> Iterator[int]:
    """The rows of parts in order; a part after a checkpoint is after its event.

    A call came early if content follows that was sent before the call was complete, and not before
    it was announced: it stands beside that content.
    """
    rows = (_or(p.row, _NEVER) if p.announced == BEFORE else _NEVER for p in reversed(places))
    following = list(accumulate(rows, min, initial=_NEVER))[-2::-1]
    current = BEFORE
    for place, row, after, emitted in zip(places, latest, following, parts, strict=True):
        held = (each.event + 1 for each in checkpoints if emitted.n >= each.parts)
        wanted = max(_or(place.row, current), 0)
        is_early = BEFORE < place.announced <= after < wanted
        current = min(max(current, after if is_early else wanted, *held), row)
        yield current
