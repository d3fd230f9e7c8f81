"""The rule about events that a client must ignore."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from conformance.contract.reading import ReadCall
from conformance.dialects import KIT
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import ErrorValue, WellUntil
from conformance.rules.error_cause import error_value
from conformance.rules.evidence import Evidence
from conformance.rules.hosted.uses import shown_in
from conformance.rules.invented_calls import WHY_NOT_RUN

_RIGHT = "no part, and the stream goes on as if the event were not there"


class TextAdded(Kind, weighs="loss"):
    """Text was added at the place of an event that is to be ignored.

    ``type`` is that of the event, empty if several may be the cause; ``more`` counts the characters
    that were added elsewhere.
    """

    added: str
    suspects: tuple[int, ...]
    type: str
    more: int

    message = (
        "{added:start} was added to the text at {suspects:events}[[ ({type}), which is|, which "
        "are]] to be ignored[[, and {more:more character|more characters} elsewhere]]"
    )
    right = _RIGHT
    same_by = ("type",)


class CallMade(Kind, weighs="harm"):
    """A call was made out of an event that is to be ignored."""

    call: str

    message = "the call {call!r} was made out of an event that is to be ignored"
    right = _RIGHT


class PartMade(Kind, weighs="falsehood"):
    """A part about a tool was made out of an event that is to be ignored."""

    part_type: str
    id: str

    message = "{part_type} {id!r} was made out of an event that is to be ignored"
    right = _RIGHT
    headline = "{part_type} was made out of an event that is to be ignored"
    same_by = ("part_type",)


class CallOfTheItem(Kind, weighs="falsehood"):
    """A call that may be emitted has the id of its item in an event that may be ignored."""

    id: str
    call: str

    message = "the call {id!r} has the item's id, not the call's: {call!r}"
    right = f"{_RIGHT}, or the call {{call!r}}"


class _Broke(Kind):
    """A run went well up to an event that is to be ignored, and then broke."""

    well: WellUntil

    right = _RIGHT


class NeverEnded(_Broke, weighs="harm"):
    """A run never ended after an event that is to be ignored."""

    message = "{well:well-until}, and never ended{well:suspects}"


class LostTheRest(_Broke, weighs="loss"):
    """A run lost what follows an event that is to be ignored."""

    message = "{well:well-until}, and lost what follows{well:suspects}"


class BroughtNoCall(_Broke, weighs="loss"):
    """A run brought a call that no host can run, after an event that is to be ignored."""

    why: Literal["not JSON", "not an object", "marked as invalid"]
    arguments: str
    reason: str

    message = (
        "{well:well-until}, and brought a call that no host can run: {why:phrase}: {reason}"
        "{arguments:first-80}{well:suspects}"
    )
    phrases = {"why": WHY_NOT_RUN}
    same_by = ("why",)


class Crashed(_Broke, weighs="loss"):
    """A run crashed after an event that is to be ignored."""

    error: ErrorValue

    message = "{well:well-until}, and crashed[[: {error.cause:first-120}]]{well:suspects}"
    headline = "crashed after event {well.event}[[: {error.cause:first-120}]]"
    same_by = ("error.error_class",)


class EndedOtherwise(_Broke, weighs="falsehood"):
    """A run ended with a wrong outcome after an event that is to be ignored."""

    outcome: str
    error: ErrorValue

    message = (
        "{well:well-until}, and ended as {outcome!r}[[: {error.cause:quoted-120}]]{well:suspects}"
    )
    headline = "ended as {outcome!r} after event {well.event}[[: {error.cause:quoted-120}]]"
    same_by = ("outcome", "error.error_class")


@rule(
    holds="unknown events, items, fields, comments and keepalives emit nothing and break nothing",
    source="stream-mapping § The Whitespace Bug; OpenResponses § Extending Streaming Events",
    kinds=(
        TextAdded,
        CallMade,
        PartMade,
        CallOfTheItem,
        NeverEnded,
        LostTheRest,
        BroughtNoCall,
        Crashed,
        EndedOtherwise,
    ),
)
def ignored_silently(evidence: Evidence) -> Iterator[Defect]:
    """Ignorable events emit nothing and break nothing.

    A defect is reported only if the evidence points at an ignorable event: text was added at its
    place, a call was emitted that is only in this event, or the run was right up to this event and
    wrong after it. Reasoning or a refusal that went elsewhere than declared is explained by that.
    """
    ignorable = [event.n for event in evidence.answer if event.ignorable]
    if not ignorable:
        return
    yield from _invented_calls(evidence, ignorable)
    yield from _invented_parts(evidence, ignorable)
    if not _is_routed_otherwise(evidence):
        yield from _added_text(evidence, ignorable)
        yield from _broke_off(evidence, ignorable)


_ROUTES = {"reasoning": ("thinking", "text", "hidden"), "refusal": ("text", "hidden")}


def _is_routed_otherwise(evidence: Evidence) -> bool:
    """Whether text, thinking and ending are right but for where reasoning or a refusal went."""
    routes = [(trait, value) for trait, values in _ROUTES.items() for value in values]
    # An ignorable event may have caused a failure, unless the failure has the words of the refusal.
    if _fails_with_the_refusal(evidence):
        routes.append(("refusal", "error"))
    return not evidence.fits(evidence.expected) and any(
        evidence.fits(expected)
        for trait, value in routes
        for expected in evidence.expected_with(**{trait: value})
    )


def _fails_with_the_refusal(evidence: Evidence) -> bool:
    refusal, end = _words(evidence, "refusal").strip(), evidence.end
    return bool(refusal and end and end.error and refusal in end.error.message)


def _words(evidence: Evidence, kind: str) -> str:
    """What the upstream sent of one kind of content, such as reasoning."""
    return "".join(each.value for each in evidence.content.segments if each.kind == kind)


def _added_text(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    expected, got = evidence.expected.text, evidence.reading.text
    if expected.fits(got) or not expected.exact:
        return
    places = sorted({evidence.turn.text_sent[n] for n in ignorable})
    if got.startswith(expected.text) and len(expected.text) not in places:
        return  # the text is right, and what follows it was added at its end
    added = _insertions(got, expected.text, places)
    if not added or any(_is_sent_elsewhere(evidence, each.text) for each in added):
        return
    harmless = _harmless(evidence, ignorable, {each.place for each in added})
    suspects = [
        n
        for n in ignorable
        if evidence.turn.text_sent[n] == added[0].place and _kind(evidence, n) not in harmless
    ]
    if not suspects:
        return
    kind = TextAdded(
        added[0].text,
        tuple(suspects),
        _kind(evidence, suspects[0]) if len(suspects) == 1 else "",
        sum(len(each.text) for each in added[1:]),
    )
    yield Defect(
        kind,
        about=topics("text"),
        event=suspects[0],
        part=evidence.reading.part_at(added[0].offset),
    )


def _is_sent_elsewhere(evidence: Evidence, added: str) -> bool:
    """Whether added text is the model's own, its reasoning, or the report of a failure.

    Then it cannot come from an event that has none of it.
    """
    error = evidence.expected.error
    if error and error.message and error.message in added:
        return True
    sent = (evidence.expected.text.text, _words(evidence, "reasoning"))
    return bool(added.strip()) and any(added in each for each in sent)


@dataclass(frozen=True, slots=True)
class _Insertion:
    """A text that was added at a ``place`` of the expected text, an ``offset`` of the emitted."""

    text: str
    place: int
    offset: int


def _insertions(got: str, expected: str, places: Sequence[int]) -> list[_Insertion]:
    """The texts inserted at these places; empty if the texts differ in anything else."""
    edges = [0, *places, len(expected)]
    first, *middle, last = [expected[a:b] for a, b in pairwise(edges)]
    limit = len(got) - len(last)
    if limit < len(first) or not got.startswith(first) or not got.endswith(last):
        return []
    position, added = len(first), []
    for place, piece in zip(places, [*middle, ""], strict=True):
        found = limit if place == places[-1] else got.find(piece, position, limit)
        if found < 0:
            return []
        added.append(_Insertion(got[position:found], place, position))
        position = found + len(piece)
    return [each for each in added if each.text]


def _harmless(evidence: Evidence, ignorable: Sequence[int], added: Collection[int]) -> set[str]:
    """The kinds of ignorable events that also came at a place where no text was added."""
    return {_kind(evidence, n) for n in ignorable if evidence.turn.text_sent[n] not in added}


def _kind(evidence: Evidence, n: int) -> str:
    """The type of an event, or the kind of another item of the stream."""
    return evidence.transcript.sent[n].type or evidence.transcript.sent[n].kind


def _invented_calls(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    # A call of a tool that adapters may know is invented, and not made of something unknown.
    known = {id_ for entry in evidence.turn.entries if entry.tools for id_ in entry.announces}
    for call in evidence.pairing.invented:
        upstream_id = evidence.upstream_id(call.id)
        for n in ignorable if upstream_id not in known else ():
            if call.id and upstream_id in json.dumps(evidence.transcript.sent[n].data):
                kind, about = _invented(evidence, call), topics(f"part:{call.part}")
                yield Defect(kind, about, event=n, part=call.part)
                break


def _invented_parts(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    """Parts about tools for an item that is no call, such as the list of a server's tools."""
    if KIT[evidence.transcript.dialect].items is None:
        return
    known = {id_ for tool in evidence.sent_items.tools for id_ in tool.ids}
    known |= set(shown_in(evidence.transcript).values())
    known |= {call.id for call in evidence.reading.calls}
    sent = {n: json.dumps(evidence.transcript.sent[n].data) for n in ignorable}
    for part in evidence.stream_parts:
        id_ = part.id or ""
        if not part.type.startswith("tool-") or id_ in known | {""}:
            continue
        known.add(id_)
        event = next((n for n in ignorable if json.dumps(id_) in sent[n]), None)
        if event is not None:
            kind = PartMade(part.written, id_)
            yield Defect(kind, topics(f"part:{part.n}"), event=event, part=part.n)


def _invented(evidence: Evidence, call: ReadCall) -> Kind:
    """What is wrong with a call that came of an event.

    An event whose call may be emitted, such as one for a shell of the host, need not be ignored.
    """
    own = evidence.item_ids.get(evidence.upstream_id(call.id))
    if own and any(own == each.id for other in evidence.alternatives for each in other.calls):
        return CallOfTheItem(call.id, own)
    return CallMade(call.id)


def _broke_off(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    lost = evidence.lost_by_stopping_early()
    end = evidence.end
    ended_well = end is not None and end.outcome in evidence.expected.outcomes
    if ended_well and not lost:
        return
    suspects = [n for n in ignorable if _went_well_until(evidence, n)]
    # What was sent after the run had ended has not broken it.
    sent = evidence.transcript.sent
    suspects = [n for n in suspects if end is None or sent[n].at <= end.at] or suspects
    if suspects:
        first = suspects[0] if len(suspects) == 1 else suspects[0] - 1
        well = WellUntil(first, _kind(evidence, first) if first >= 0 else "", tuple(suspects))
        yield Defect(
            _broken(evidence, well, ended_well=ended_well),
            about=lost | topics("end"),
            event=max(first, 0),
        )


def _broken(evidence: Evidence, well: WellUntil, *, ended_well: bool) -> Kind:
    """What went wrong after the event up to which a run went well."""
    if evidence.end is None:
        return NeverEnded(well)
    if ended_well:
        return LostTheRest(well)
    if evidence.calls_not_run:
        call = evidence.calls_not_run[0]
        return BroughtNoCall(well, call.why, call.arguments, call.reason)
    error = error_value(evidence.end.error)
    if evidence.end.outcome == "error":
        return Crashed(well, error)
    return EndedOtherwise(well, evidence.end.outcome, error)


def _went_well_until(evidence: Evidence, n: int) -> bool:
    """Whether the run emitted exactly the text and calls that were due before event ``n``."""
    got = evidence.reading.text
    if evidence.turn.text_sent[n] != len(got) or got != evidence.expected.text.text[: len(got)]:
        return False
    emitted = {expected.id for expected, _ in evidence.pairing.pairs}
    due = {
        call.id
        for call in evidence.expected.calls
        if (completed := evidence.event_of_call(call.id)) is not None and completed < n
    }
    # If later events add nothing, the ending itself may be what is wrong.
    return emitted == due and any(entry.adds for entry in evidence.turn.entries[n:])
