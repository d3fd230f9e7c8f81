"""Finds the content of an emitted part in the events of an answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import same_source
from conformance.dialects.entry import BUFFERING, DATA_KINDS
from conformance.dialects.ledger import shown_kinds
from conformance.expectation.own_ids import upstream_ids
from conformance.report.hosted_places import HostedPlaces
from conformance.report.part_framing import BEFORE, Framing, Place
from conformance.report.text_alignment import SentText
from mockserver.foundation.call_arguments import read_arguments, same_json
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from conformance.contract.reading import ReadCall, ReadData
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Emitted, Part
    from conformance.dialects.ledger import Entry
    from conformance.report.due import Due
    from conformance.report.part_framing import Answer
    from conformance.vocabularies import Vocabulary
    from mockserver.scenario.script import Citation

# The types of calls, and the names of the fields with their id, name and input.
_CALLS = ("tool-call", "toolCall")
_CALL_FIELDS = (
    ("toolCallId", "callId", "id"),
    ("toolName", "name"),
    ("input", "params"),
)


class Content:
    """Finds the content of parts in the events of an answer; parts are given in order.

    ``texts``, ``calls`` and ``pieces`` are what was found, as in ``placement.Placed``.
    """

    def __init__(
        self,
        parts: Sequence[Emitted],
        answer: Answer,
        vocabulary: Vocabulary,
        traits: Traits,
        due: Due,
    ) -> None:
        self._answer = answer
        self._vocabulary = vocabulary
        entries, shown = answer.entries, shown_kinds(traits)
        self.texts = {
            "text": _sent(entries, shown),
            "thinking": _sent(entries, ["reasoning"]),
        }
        hidden = {"text", "reasoning", "refusal"}.difference(shown)
        self._elsewhere = [_sent(entries, [kind]) for kind in sorted(hidden)]
        self._completed = {id_: row for row, entry in enumerate(entries) for id_ in _calls(entry)}
        self._announced = {i: row for row, entry in enumerate(entries) for i in entry.announces}
        self._citing = [(r, p.source) for r, e in enumerate(entries) for p in e.adds if p.source]
        self._data = [
            (r, p.value) for r, e in enumerate(entries) for p in e.adds if p.kind in DATA_KINDS
        ]
        self._prefix = traits.call_id_prefix
        self._right_inputs = _inputs_of_calls(due, vocabulary, traits)
        self._framing = Framing(answer, self._announced, self._prefix)
        self._hosted = HostedPlaces(parts, answer, vocabulary.name)
        self._text_at = BEFORE
        self._said = ""
        self._repeated: dict[tuple[str, str], int | None] = {}
        calls = vocabulary.read([emitted.part for emitted in parts], None).calls
        own = upstream_ids(calls, due.calls) if traits.call_id == "own" else None
        ids = own or tuple(call.id.removeprefix(self._prefix) for call in calls)
        self._calls: defaultdict[int, list[tuple[str, ReadCall]]] = defaultdict(list)
        self.calls: dict[str, int] = {}
        self.pieces: Counter[int] = Counter()
        for id_, call in zip(ids, calls, strict=True):
            self._calls[call.part].append((id_, call))
            self.calls.setdefault(id_, parts[call.part].n)

    def place(self, n: int, emitted: Emitted) -> Place:
        """The place of the next part, which is number ``n`` of this answer's."""
        place = self._hosted.place(emitted) or self._place(n, emitted)
        self._framing.goes_on(emitted.part, place.row)
        return place

    def _place(self, n: int, emitted: Emitted) -> Place:
        read = self._vocabulary.read([emitted.part], None)
        found = [self._call(id_, call, emitted.n) for id_, call in self._calls[n]]
        for channel, said in (("text", read.text), ("thinking", read.thinking)):
            if said:
                found.append(self._text(channel, said, emitted.n))
        cited = (self._citation(each.citation) for each in read.citations)
        found += [Place(row) for row in (*cited, *map(self._data_row, read.data))]
        place = max(found, key=_last_row, default=None) or self._unread_call(emitted.part)
        return place or self._framing.place(emitted.part)

    def _unread_call(self, part: Part) -> Place | None:
        """The place of a call that no host can read: where the upstream completes it, if it does.

        A call that the provider runs has its input in other events than that of a host's tool.
        """
        if part.get("type") not in _CALLS or part.get("providerExecuted"):
            return None
        id_, name, input_ = (
            next((part[each] for each in names if each in part), "") for names in _CALL_FIELDS
        )
        id_ = text(id_).removeprefix(self._prefix)
        if id_ in self._completed:
            return Place(self._completed[id_], self._announced.get(id_, 0))
        return Place(None, closes=self._framing.rows_of_call(id_, text(name), input_))

    def _text(self, channel: str, said: str, part: int) -> Place:
        # Where it belongs to another channel, it still came for the event that has it. Text that is
        # there word by word is not an altered text of its own channel.
        sent = (self.texts[channel], *self._elsewhere)
        found = (each.place(said, part, exact=exact) for exact in (True, False) for each in sent)
        row = next((row for row in found if row is not None), None)
        doubled, self._said = said == self._said, said
        if row is not None:
            self._text_at = row
            return Place(row, row)
        # Text that comes again as a whole, or after the end, is for the next event that has it.
        return Place(None if doubled else self._framing.event_with(said, self._text_at + 1))

    def _call(self, id_: str, call: ReadCall, part: int) -> Place:
        """The place of a call: where it is complete, unless it came before its arguments."""
        if self.calls[id_] != part:
            key = id_, repr(call.input)
            if key not in self._repeated:
                self._repeated[key] = self._repetition(call)
            return Place(self._repeated[key])
        row, announced = self._completed.get(id_), self._announced.get(id_, 0)
        if row is None and id_ not in self._announced:
            row = self._row_with_input(call)
        if row is None:
            return Place(None, closes=self._framing.rows_of_call(id_, call.name, call.input))
        if id_ in self._right_inputs and not same_json(call.input, self._right_inputs[id_]):
            about = self._framing.rows_of_call(id_, call.name, call.input)
            return Place(row, announced, before=about)
        if self._answer.says_complete:
            return Place(row, row)
        entries = self._answer.entries[: row + 1]
        buffered = (n for n, entry in enumerate(entries) if entry.silent == BUFFERING)
        return Place(row, max((announced, *buffered)))

    def _row_with_input(self, call: ReadCall) -> int | None:
        """The row of the event that completes a call with this input, of whose id there is none."""
        sent = self._answer.sent
        types = {sent[row].type for row in self._completed.values()}
        completing = (n for n, event in enumerate(sent) if call.input and event.type in types)
        return next((n for n in completing if _has_input(sent[n].data, call.input)), None)

    def _repetition(self, call: ReadCall) -> int | None:
        """The row of an event that sends a call again, for a part that emits it again.

        That is the next event with this input of the type that completed the call, or else of a
        type that has had the input before. None if the upstream sends the call once.
        """
        first = self._completed.get(call.id.removeprefix(self._prefix))
        if first is None:
            return None
        sent = self._answer.sent
        rows = [n for n, event in enumerate(sent) if _has_input(event.data, call.input)]
        later = [row for row in rows if row > first]
        completing = (row for row in later if sent[row].type == sent[first].type)
        seen = {row: {sent[n].type for n in rows if n < row} for row in later}
        again = (row for row in later if sent[row].type in seen[row])
        return next(chain(completing, again), None)

    def _citation(self, citation: Citation) -> int | None:
        """The row of the first citation of the same source that has no part yet; None if none."""
        for n, (row, sent) in enumerate(self._citing):
            if same_source(citation, sent):
                del self._citing[n]
                self.pieces[row] += 1
                return row
        return None

    def _data_row(self, data: ReadData) -> int | None:
        for row, value in self._data:
            if value == data.data:
                self._data.remove((row, value))
                self.pieces[row] += 1
                return row
        return None


def _last_row(place: Place) -> int:
    return BEFORE if place.row is None else place.row


def _calls(entry: Entry) -> list[str]:
    """The ids of the calls that an event completes, those of the upstream's tools included."""
    return [*entry.calls, *(p.call_id for p in entry.tools if p.kind == "call" and p.call_id)]


def _sent(entries: Sequence[Entry], kinds: Collection[str]) -> SentText:
    return SentText(
        (row, piece.value)
        for row, entry in enumerate(entries)
        for piece in entry.adds
        if piece.kind in kinds
    )


def _inputs_of_calls(due: Due, vocabulary: Vocabulary, traits: Traits) -> dict[str, Any]:
    """The right inputs of the calls that were due, by the upstream's ids."""
    calls = (call for part, _ in due.parts for call in vocabulary.read([part], None).calls)
    return {call.id.removeprefix(traits.call_id_prefix): call.input for call in calls}


def _has_input(data: Any, input_: Any) -> bool:
    """Whether an event has the input of a call, as a value or as text."""
    if isinstance(data, str):
        arguments = read_arguments(data)
        return arguments.kind == "object" and same_json(arguments.value, input_)
    if isinstance(data, dict) and data and same_json(data, input_):
        return True
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return any(_has_input(each, input_) for each in inner)
