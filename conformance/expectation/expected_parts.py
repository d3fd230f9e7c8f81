"""The parts that a correct adapter emits, each with the number of the event that causes it."""

from collections.abc import Sequence
from dataclasses import replace

from conformance.contract.traits import Traits
from conformance.contract.transcript import Part
from conformance.dialects.entry import DATA_KINDS
from conformance.dialects.ledger import Entry, Piece, shown_kinds
from conformance.expectation.match import common_prefix_length
from conformance.expectation.projection import Expected
from conformance.vocabularies import Vocabulary
from mockserver.scenario.expected import ExpectData
from mockserver.scenario.script import Citation

ANY_ID = "call_of_any_id"
ANY_NAME = "(any name)"
"""The name of a call of a tool to which each adapter gives a name of its own."""


def expected_parts(
    entries: Sequence[Entry], expected: Expected, vocabulary: Vocabulary, traits: Traits
) -> list[tuple[Part, int]]:
    """The parts in order, each with the index of its ledger entry.

    Content is emitted as it arrives, each call at the event that completes it, or at the declared
    point of emission if that is later. Content on the wire
    that is not expected is left out; expected content that is not on the wire comes last.
    """
    builder = _PartsBuilder(expected, vocabulary, traits, holds=True)
    builder.add_all(entries, of_tools=True)
    return builder.finished(max(len(entries) - 1, 0))


def parts_on_the_wire(
    entries: Sequence[Entry], expected: Expected, vocabulary: Vocabulary, traits: Traits
) -> list[tuple[Part, int]]:
    """The expected parts that events bring, without calls that an adapter may leave out."""
    lost = expected.calls_may_be_lost
    calls = tuple(call for call in expected.calls if not (lost or call.optional))
    builder = _PartsBuilder(replace(expected, calls=calls), vocabulary, traits)
    builder.add_all(entries)
    return builder.parts


class _PartsBuilder:
    """Builds the parts from the pieces of content that events add."""

    def __init__(
        self, expected: Expected, vocabulary: Vocabulary, traits: Traits, *, holds: bool = False
    ) -> None:
        self._vocabulary = vocabulary
        self._prefix = traits.call_id_prefix if traits.call_id == "upstream" else ""
        self._calls = {call.id or f"{ANY_ID}_{n}": call for n, call in enumerate(expected.calls)}
        self._text = len(expected.text.text)
        self._channels = dict.fromkeys(shown_kinds(traits), "text")
        if traits.reasoning_is_apart:
            self._channels["reasoning"] = "thinking"
        self._remaining = {"text": expected.text.text, "thinking": expected.thinking.text}
        self._citations = list(expected.citations)
        self._data = list(expected.data)
        # With ``holds``, the calls that wait for their declared point, in order.
        self._holds = holds
        self._held: dict[str, None] = {}
        self.parts: list[tuple[Part, int]] = []

    @property
    def _emitted(self) -> int:
        """The code points of answer text that were emitted."""
        return self._text - len(self._remaining["text"])

    def add_all(self, entries: Sequence[Entry], *, of_tools: bool = False) -> None:
        """Add the content of all events, in order.

        With ``of_tools``, add the calls of the upstream's own tools that the host executes.
        """
        for row, entry in enumerate(entries):
            for piece in entry.adds:
                self._add(piece, row)
            for call in entry.tools if of_tools else ():
                if call.kind == "call":
                    self._add_call(self._prefix + call.call_id, row)
            for id_ in tuple(self._held):
                self._add_call(id_, row)

    def _add(self, piece: Piece, row: int) -> None:
        if piece.kind == "call":
            self._add_call(self._prefix + piece.value, row)
        elif piece.kind in DATA_KINDS:
            for data in [data for data in self._data if data.data == piece.value]:
                self._add_data(data, row)
        elif piece.source and [piece.source] == self._citations[:1]:
            self._add_citation(piece.source, row)
        elif channel := self._channels.get(piece.kind):
            self._add_content(channel, piece.value, row)

    def _add_content(self, channel: str, value: str, row: int) -> None:
        emitted = value[: common_prefix_length(self._remaining[channel], value)]
        self._remaining[channel] = self._remaining[channel][len(emitted) :]
        make = self._vocabulary.text if channel == "text" else self._vocabulary.thinking
        if emitted:
            self.parts.append((make(emitted), row))

    def _add_call(self, id_: str, row: int) -> None:
        if self._holds and id_ in self._calls and self._emitted < self._calls[id_].declared:
            self._held[id_] = None
        elif call := self._calls.pop(id_, None):
            self._held.pop(id_, None)
            # Text before the call that is in no readable event is emitted before the call.
            missing = call.earliest - self._emitted
            self._add_content("text", self._remaining["text"][: max(missing, 0)], row)
            made = self._vocabulary.call(id_, call.name or ANY_NAME, call.right_input)
            self.parts.append((made, row))

    def _add_citation(self, citation: Citation, row: int) -> None:
        self._citations.remove(citation)
        self.parts.append((self._vocabulary.citation(citation), row))

    def _add_data(self, data: ExpectData, row: int) -> None:
        self._data.remove(data)
        self.parts.append((self._vocabulary.data(data.mime_type, data.data), row))

    def finished(self, last: int) -> list[tuple[Part, int]]:
        """All parts; those that no event has caused are added with the index ``last``."""
        for channel in ("thinking", "text"):
            self._add_content(channel, self._remaining[channel], last)
        self._holds = False
        for id_ in tuple(self._calls):
            self._add_call(id_, last)
        for citation in tuple(self._citations):
            self._add_citation(citation, last)
        for data in tuple(self._data):
            self._add_data(data, last)
        return self.parts
