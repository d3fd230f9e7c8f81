"""What was due in a run: the parts that every right adapter emits, each with its event."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.dialects.ledger import ledger
from conformance.expectation.expected_parts import parts_on_the_wire
from conformance.expectation.turn_content import calls_of, expected_contents
from conformance.report.text_alignment import units
from conformance.rules.judge import expectations

if TYPE_CHECKING:
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Part, Transcript
    from conformance.dialects.ledger import Entry
    from conformance.expectation.content import ContentCall
    from conformance.expectation.projection import Expected
    from conformance.report.placement import Placed
    from conformance.vocabularies import Vocabulary
    from mockserver.cases.case import Case


@dataclass(frozen=True, slots=True)
class Due:
    """The parts that were due in a turn's last answer, and all calls that the upstream made in it.

    ``parts`` has each part with the number of the event that it comes from.
    """

    parts: tuple[tuple[Part, int], ...] = ()
    calls: tuple[ContentCall, ...] = ()


def due_in(case: Case, turn: Transcript, traits: Traits) -> Due:
    """What was due in a turn of a case; nothing if another turn answered, or it was cancelled.

    If several outcomes are right, a part is due if it is in each of them.
    """
    answered = turn.answered[-1:]
    if turn.turn >= len(case.scenario.turns):
        return Due()
    calls = calls_of(case.scenario, turn.turn)
    if not answered or answered[0].turn != turn.turn or turn.cancelled:
        return Due((), calls)
    right = expectations(case, expected_contents(case.scenario, turn.turn), traits)
    attempt = min(turn.attempt, max(content.attempt for content, _ in right))
    each = [
        _parts(turn, expected, traits) for content, expected in right if content.attempt == attempt
    ]
    in_all = (one for one in each[0] if all(one in other for other in each[1:]))
    return Due(tuple(in_all), calls)


def _parts(turn: Transcript, expected: Expected, traits: Traits) -> list[tuple[Part, int]]:
    """The parts that events bring; none of a call that may be left out."""
    entries = ledger(turn.dialect, turn.sent, traits)
    return parts_on_the_wire(entries, expected, turn.vocabulary, traits)


def missing_by_row(
    due: Due, found: Placed, vocabulary: Vocabulary, traits: Traits
) -> defaultdict[int, list[Part]]:
    """The parts that were due and did not come, by the row of the event that they come from.

    A text of which a part came is missing with the rest only.
    """
    missing: defaultdict[int, list[Part]] = defaultdict(list)
    texts: Counter[tuple[str, int]] = Counter()
    pieces = Counter(found.pieces)
    for part, row in due.parts:
        read = vocabulary.read([part], None)
        texts["text", row] += units(read.text)
        texts["thinking", row] += units(read.thinking)
        if read.citations or read.data:
            missing[row] += [] if pieces[row] else [part]
            pieces[row] -= 1
        ids = [call.id.removeprefix(traits.call_id_prefix) for call in read.calls]
        missing[row] += [part for id_ in ids if id_ not in found.calls]
    for (channel, row), length in texts.items():
        if said := found.texts[channel].missing(row, length):
            make = vocabulary.text if channel == "text" else vocabulary.thinking
            missing[row].insert(0, make(said))
    return missing


def part_with_content(row: int, entry: Entry, found: Placed) -> int | None:
    """The number of the first part with content of the event in a row; None if there is none."""
    calls = (found.calls[id_] for id_ in entry.calls if id_ in found.calls)
    texts = (part for text in found.texts.values() for part in text.covering(row))
    return min((*texts, *calls), default=None)
