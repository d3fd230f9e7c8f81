"""The turns of a run, from which rules and timelines read.

A turn holds what an adapter has emitted, and what follows from that: the parts in its vocabulary,
what each event of the upstream adds, how the run ended, and what the case expects. Each of these is
computed when it is first read, once for all rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from conformance.contract.adapter import CLAIMS_NOTHING, Claims
from conformance.contract.reading import Reading
from conformance.contract.traits import Traits
from conformance.contract.transcript import End, Transcript
from conformance.dialects.ledger import Entry, ledger, text_due
from conformance.expectation.content import ContentCall
from conformance.expectation.early_endings import Alternative, refusals
from conformance.expectation.own_ids import upstream_ids
from conformance.expectation.projection import expectations
from conformance.expectation.turn_content import calls_of
from conformance.vocabularies import VOCABULARIES, Vocabulary
from mockserver.cases.case import Case
from mockserver.dialects import DIALECTS
from mockserver.scenario.model import Standing, Turn


@dataclass(frozen=True)
class PlayedTurn:
    """A turn of a run by an adapter with these traits and claims, with the turns ``before`` it.

    ``case`` is None if it is not known; then nothing is expected.
    """

    transcript: Transcript
    traits: Traits = field(default_factory=Traits)
    case: Case | None = None
    before: tuple[PlayedTurn, ...] = ()
    claims: Claims = field(default_factory=Claims)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the parts, as used by an adapter with these traits."""
        return VOCABULARIES[self.transcript.vocabulary].with_traits(self.traits)

    @property
    def parts(self) -> list[Any]:
        """The emitted parts."""
        return [emitted.part for emitted in self.transcript.parts]

    @cached_property
    def reading(self) -> Reading:
        """The reading of the emitted parts, with the ids of calls as emitted."""
        return self.vocabulary.read(self.parts, self.transcript.end)

    def own_ids(self, calls: Sequence[ContentCall]) -> dict[str, str]:
        """The upstream's ids of ``calls`` by ids that the adapter made; empty if it makes none."""
        if self.traits.call_id != "own":
            return {}
        emitted = self.reading.calls
        pairs = zip(emitted, upstream_ids(emitted, calls), strict=True)
        return {call.id: upstream for call, upstream in pairs}

    @cached_property
    def entries(self) -> list[Entry]:
        """The ledger of the sent events: what each of them adds to the content."""
        return ledger(self.transcript.dialect, self.transcript.sent, self.traits)

    @cached_property
    def text_sent(self) -> list[int]:
        """For each event, the code points of shown text sent up to and including it."""
        return text_due(self.entries, self.traits)

    @cached_property
    def end(self) -> End | None:
        """How the run ended, by its own report and by its parts.

        A call that no host can run makes it a failure.
        """
        return self._end_after(self.parts)

    @cached_property
    def reported_end(self) -> End | None:
        """How the adapter said that the run ended, whatever a host makes of its calls."""
        not_run = {call.part for call in self.vocabulary.calls_not_run(self.parts)}
        return self._end_after([part for n, part in enumerate(self.parts) if n not in not_run])

    def _end_after(self, parts: Sequence[Any]) -> End | None:
        cancelled = self.transcript.cancelled is not None
        return self.vocabulary.ended(parts, self.transcript.end, cancelled=cancelled)

    @property
    def of_scenario(self) -> Turn | None:
        """The turn of the scenario; None if the case is not known, or has no such turn."""
        turns = self.case.scenario.turns if self.case else ()
        return turns[self.transcript.turn] if self.transcript.turn < len(turns) else None

    @cached_property
    def calls(self) -> tuple[ContentCall, ...]:
        """All calls that the upstream makes in this turn of the scenario."""
        return calls_of(self.case.scenario, self.transcript.turn) if self.case else ()

    @property
    def standing(self) -> Standing:
        """Whether the stream is legal, or who is known to send it; legal if no case is known."""
        return self.case.standing if self.case else "legal"

    @cached_property
    def right(self) -> list[Alternative]:
        """The expectations of the case, each with the content that it is derived from."""
        if self.case is None:
            return []
        return expectations(self.case, self.traits, self.transcript.turn)

    @cached_property
    def refused(self) -> list[Alternative]:
        """The further expectations of the case for a strict adapter that refuses its stream."""
        return refusals(self.case, self.right, self.traits) if self.case else []


def turns_of(
    transcript: Transcript,
    traits: Traits,
    case: Case | None = None,
    claims: Claims = CLAIMS_NOTHING,
) -> tuple[PlayedTurn, ...]:
    """The turns of a conversation, in order; the transcript is that of the last one."""
    turns: tuple[PlayedTurn, ...] = ()
    for n, each in enumerate(transcript.turns):
        turn = replace(each, before=transcript.turns[:n])
        turns = (*turns, PlayedTurn(turn, _traits_of(turn, traits), case, turns, claims))
    return turns


def _traits_of(turn: Transcript, traits: Traits) -> Traits:
    """The traits in a turn: an adapter that asks for several choices hands on each of them."""
    if not VOCABULARIES[turn.vocabulary].has_choices:
        return traits
    read = DIALECTS[turn.dialect].requests.read
    is_asked = any(read(post.body, post.headers).choices > 1 for post in turn.posts)
    return replace(traits, choices="merge") if is_asked else traits
