"""What rules look at: one transcript, one right account of it, and how the two pair up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import same_source
from conformance.contract.reading import ReadCall, ReadData, Reading
from conformance.contract.traits import Traits
from conformance.contract.transcript import End, SentEvent, Transcript
from conformance.dialects import KIT
from conformance.dialects.ledger import Entry, ledger, text_due
from conformance.expectation.cancellation import as_cancelled
from conformance.expectation.projection import Expected, ExpectedCall, project
from conformance.vocabularies import VOCABULARIES, Vocabulary, ended
from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from conformance.expectation.content import ExpectedContent


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which emitted call stands for which expected one; in a cancelled run none is missing."""

    pairs: tuple[tuple[ExpectedCall, ReadCall], ...]
    missing: tuple[ExpectedCall, ...]
    # Emitted again for a call that has its part already.
    doubled: tuple[tuple[ExpectedCall, ReadCall], ...]
    invented: tuple[ReadCall, ...]


@dataclass(frozen=True)
class Evidence:
    """One transcript beside one right account."""

    transcript: Transcript
    expected: Expected
    content: ExpectedContent
    traits: Traits = field(default_factory=Traits)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return VOCABULARIES[self.transcript.vocabulary].with_traits(self.traits)

    @cached_property
    def reading(self) -> Reading:
        parts = [emitted.part for emitted in self.transcript.parts]
        return self.vocabulary.read(parts, self.transcript.end)

    @cached_property
    def entries(self) -> list[Entry]:
        return ledger(self.transcript.dialect, self.transcript.sent, self.traits)

    @cached_property
    def answer(self) -> tuple[SentEvent, ...]:
        """What was sent up to the response's own end; nothing behind it counts."""
        sent = self.transcript.sent
        is_last = DIALECTS[self.transcript.dialect].is_last
        last = next((event.n for event in sent if is_last(event.type)), len(sent))
        return sent[: last + 1]

    @cached_property
    def end(self) -> End | None:
        return ended(self.transcript, self.traits)

    @cached_property
    def text_sent(self) -> list[int]:
        """For each event, the code points of shown text sent up to and with it."""
        return text_due(self.entries, self.traits)

    def event_at(self, offset: int) -> int | None:
        """The event that sent the character at this offset of the text."""
        return next((n for n, sent in enumerate(self.text_sent) if sent > offset), None)

    def bare(self, call_id: str) -> str:
        """An id as the upstream gave it."""
        return call_id.removeprefix(self.traits.call_id_prefix)

    def announced_at(self, call_id: str) -> int:
        """The code points of shown text that were sent before a call was announced."""
        bare = self.bare(call_id)
        told = (n for n, entry in enumerate(self.entries) if bare in entry.announces)
        return next((self.text_sent[n] for n in told), 0)

    def event_of_call(self, call_id: str) -> int | None:
        """The event that completed a call (its id as the adapter should give it)."""
        bare = self.bare(call_id)
        return next((entry.event for entry in self.entries if bare in entry.calls), None)

    @cached_property
    def item_ids(self) -> dict[str, str]:
        """The call id of each function call item, by the ids that its events carried."""
        return KIT[self.transcript.dialect].item_ids(self.transcript.sent)

    @cached_property
    def pairing(self) -> Pairing:
        return _pair(self)

    def stopped_early(self) -> frozenset[str]:
        """The pieces whose loss is explained by the adapter having stopped before the end."""
        if self.expected.cancelled:
            return frozenset()
        text, got = self.expected.text.text, self.reading.text
        cut = got != text and text.startswith(got)
        lost = {"text"} if cut else set()
        for call in self.pairing.missing:
            if not cut or call.earliest >= len(got):
                lost.add(f"call:{call.id}")
        thinking, thought = self.expected.thinking.text, self.reading.thinking
        if thought != thinking and thinking.startswith(thought):
            lost.add("thinking")
        read = [each.citation for each in self.reading.citations]
        if len(read) < len(due := self.expected.citations) and all(map(same_source, read, due)):
            lost.add("citations")
        if self.expected.data and not any(map(self.judges, self.reading.data)):
            lost.add("data")
        return frozenset(lost)

    def shows(self, expected: Expected) -> bool:
        """Do text and thinking read as this account has them?"""
        reading = self.reading
        return expected.text.fits(reading.text) and expected.thinking.fits(reading.thinking)

    def fits(self, expected: Expected) -> bool:
        """Do text, thinking and outcome read as this account has them?"""
        return self.shows(expected) and self.reading.outcome in expected.outcomes

    def cites(self, expected: Expected) -> bool:
        """Do text and citations read as this account has them?"""
        return expected.text.fits(self.reading.text) and self.reads_citations(expected)

    def reads_citations(self, expected: Expected) -> bool:
        """Are these citations, in order, those that came as parts of their own?"""
        read = [each.citation for each in self.reading.citations]
        due = expected.citations[: len(read)] if expected.cancelled else expected.citations
        return len(read) == len(due) and all(map(same_source, read, due))

    def judges(self, read: ReadData) -> bool:
        """Is this data of a media type, or with bytes, that the scenario sends?"""
        sent = self.expected.sendable
        return any(read.mime_type == d.mime_type or read.data == d.data for d in sent)

    def under(self, **traits: Any) -> list[Expected]:
        """What would have been right under other traits: names what an adapter did instead."""
        others = project(self.content, replace(self.traits, **traits))
        return [as_cancelled(o) if self.expected.cancelled else o for o in others]


def _pair(evidence: Evidence) -> Pairing:
    """Pair calls by id first, then by what they say, so that a wrong id is a wrong id."""
    left = list(evidence.reading.calls)
    pairs: list[tuple[ExpectedCall, ReadCall]] = []
    doubled: list[tuple[ExpectedCall, ReadCall]] = []
    missing: list[ExpectedCall] = []
    for expected in evidence.expected.calls:
        ids = {expected.id, expected.bare_id} - {""}
        same = [call for call in left if call.id in ids]
        left = [call for call in left if call not in same]
        if same:
            pairs.append((expected, same[0]))
            doubled.extend((expected, again) for again in same[1:])
        else:
            missing.append(expected)
    for expected in list(missing):
        if twin := next((c for c in left if _stands_for(evidence, c, expected)), None):
            missing.remove(expected)
            left.remove(twin)
            pairs.append((expected, twin))
    for call in list(left):
        if original := next((e for e, _ in pairs if _stands_for(evidence, call, e)), None):
            left.remove(call)
            doubled.append((original, call))
    due = [] if evidence.expected.cancelled else missing
    missing = [call for call in due if not call.optional]
    return Pairing(tuple(pairs), tuple(missing), tuple(doubled), tuple(left))


def _stands_for(evidence: Evidence, call: ReadCall, expected: ExpectedCall) -> bool:
    """Is this the expected call under another id, or at least its name and input?"""
    id_ = evidence.bare(call.id)
    if expected.bare_id and expected.bare_id in (id_, evidence.item_ids.get(id_)):
        return True
    return expected.accepts_name(call.name) and expected.accepts_input(call.input)
