"""The parts that a correct adapter emits, each with the number of the event that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.ledger import Entry, Piece, shown_kinds
from conformance.expectation.match import shared
from conformance.vocabularies import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Part
    from conformance.expectation.projection import Expected
    from conformance.vocabularies import Vocabulary
    from mockserver.scenario.model import Citation, ExpectData


ANY_ID = "call_of_any_id"
ANY_NAME = "any_name"


def ideal_parts(
    entries: Sequence[Entry], expected: Expected, vocabulary: str, traits: Traits
) -> list[tuple[Part, int]]:
    """Parts in order: content as it arrives, each call at the event that completes it.

    What the wire says and the expectation does not is left out; what only the expectation has comes
    with the last event.
    """
    ideal = _Ideal(expected, VOCABULARIES[vocabulary], traits)
    for row, entry in enumerate(entries):
        for piece in entry.adds:
            ideal.add(piece, row)
    return ideal.finished(max(len(entries) - 1, 0))


class _Ideal:
    def __init__(self, expected: Expected, words: Vocabulary, traits: Traits) -> None:
        self._words = words
        self._prefix = traits.call_id_prefix
        self._calls = {call.id or f"{ANY_ID}_{n}": call for n, call in enumerate(expected.calls)}
        self._text = len(expected.text.text)
        self._channels = dict.fromkeys(shown_kinds(traits), "text")
        if traits.reasoning == "thinking":
            self._channels["reasoning"] = "thinking"
        self._owed = {"text": expected.text.text, "thinking": expected.thinking.text}
        self._citations = list(expected.citations)
        self._data = list(expected.data)
        self._parts: list[tuple[Part, int]] = []

    def add(self, piece: Piece, row: int) -> None:
        if piece.kind == "call":
            self._call(self._prefix + piece.value, row)
        elif piece.kind == "data":
            for data in [data for data in self._data if data.data == piece.value]:
                self._bring(data, row)
        elif piece.source in self._citations:
            self._cite(piece.source, row)
        elif channel := self._channels.get(piece.kind):
            self._say(channel, piece.value, row)

    def _say(self, channel: str, value: str, row: int) -> None:
        said = value[: shared(self._owed[channel], value)]
        self._owed[channel] = self._owed[channel][len(said) :]
        make = self._words.text if channel == "text" else self._words.thinking
        if said:
            self._parts.append((make(said), row))

    def _call(self, id_: str, row: int) -> None:
        if call := self._calls.pop(id_, None):
            # What no event that can be read has told stands before the call all the same.
            unsaid = call.earliest - (self._text - len(self._owed["text"]))
            self._say("text", self._owed["text"][: max(unsaid, 0)], row)
            made = self._words.call(id_, call.name or ANY_NAME, call.right_input)
            self._parts.append((made, row))

    def _cite(self, citation: Citation, row: int) -> None:
        self._citations.remove(citation)
        self._parts.append((self._words.citation(citation), row))

    def _bring(self, data: ExpectData, row: int) -> None:
        self._data.remove(data)
        self._parts.append((self._words.data(data.mime_type, data.data), row))

    def finished(self, last: int) -> list[tuple[Part, int]]:
        for channel in ("thinking", "text"):
            self._say(channel, self._owed[channel], last)
        for id_ in tuple(self._calls):
            self._call(id_, last)
        for citation in tuple(self._citations):
            self._cite(citation, last)
        for data in tuple(self._data):
            self._bring(data, last)
        return self._parts
