"""The evidence of rules: a transcript, one expectation for it, and the pairing of their calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from conformance.contract.citations import same_source
from conformance.contract.reading import ReadCall, ReadData, Reading
from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, End, SentEvent, Transcript
from conformance.dialects import KIT
from conformance.dialects.sent_items import SentItems
from conformance.expectation.content import ExpectedContent, link_spellings
from conformance.expectation.early_endings import BY_BINDING, as_cancelled, as_refused
from conformance.expectation.finish_reasons import reasons_given
from conformance.expectation.own_ids import upstream_ids
from conformance.expectation.projection import Expected, ExpectedCall, project
from conformance.findings.finding import Defect, Kind, topics
from conformance.rules.streams import judge_stream
from conformance.rules.turns import PlayedTurn
from conformance.vocabularies import STREAM, CallNotRun
from conformance.vocabularies.fullstream import StreamPart, stream_parts
from mockserver.dialects import DIALECTS


@dataclass(frozen=True, slots=True)
class SharedId:
    """A call that was emitted under the id of the call ``first``, which is another one."""

    first: ExpectedCall
    second: ExpectedCall
    call: ReadCall


@dataclass(frozen=True, slots=True)
class Pairing:
    """The emitted calls, each with the expected call that it is taken for.

    ``missing`` are expected calls that were not emitted (none in a cancelled run), ``repeated`` are
    further parts of an expected call, and ``invented`` are calls that are not expected.
    ``sharing`` are calls that are expected under an id of their own, and were emitted under that of
    another expected call.
    """

    pairs: tuple[tuple[ExpectedCall, ReadCall], ...]
    missing: tuple[ExpectedCall, ...]
    repeated: tuple[tuple[ExpectedCall, ReadCall], ...]
    invented: tuple[ReadCall, ...]
    sharing: tuple[SharedId, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """A turn and one expectation for it, which is derived from ``content``.

    ``alternatives`` are all expectations of the case for the same attempt; none for a cancelled
    run.
    """

    turn: PlayedTurn
    expected: Expected
    content: ExpectedContent
    alternatives: tuple[Expected, ...] = ()

    @property
    def transcript(self) -> Transcript:
        """What was sent and emitted in the turn."""
        return self.turn.transcript

    @property
    def traits(self) -> Traits:
        """The traits of the adapter."""
        return self.turn.traits

    @property
    def may_fail_instead(self) -> bool:
        """Whether a run that fails is right as well, by another expectation of the case."""
        return not _may_fail(self.expected) and any(map(_may_fail, self.alternatives))

    @property
    def tells_failure(self) -> bool:
        """Whether the library tells its host that the run failed, by its ending or an error."""
        end = self.end
        has_failed = end is not None and end.outcome == "failed"
        return bool(self.reading.errors) or (has_failed and not self.is_reported_by_binding)

    @property
    def is_reported_by_binding(self) -> bool:
        """Whether the failure is reported by the binding of a library that told nothing itself."""
        error = self.end.error if self.end else None
        return error is not None and error.kind == BY_BINDING

    @cached_property
    def reading(self) -> Reading:
        """The reading of the emitted parts, with the upstream's ids for those of the adapter."""
        reading = self.turn.reading
        if self.traits.call_id != "own":
            return reading
        pairs = zip(reading.calls, upstream_ids(reading.calls, self.content.calls), strict=True)
        return replace(reading, calls=tuple(replace(call, id=id_) for call, id_ in pairs))

    @cached_property
    def _own_ids(self) -> dict[str, str]:
        """The upstream's ids of calls by ids that the adapter made."""
        return self.turn.own_ids(self.content.calls)

    @cached_property
    def answer(self) -> tuple[SentEvent, ...]:
        """The events up to the last one of the response; later events are ignored."""
        sent = self.transcript.sent
        is_last = DIALECTS[self.transcript.dialect].ending.is_last
        last = next((event.n for event in sent if is_last(event.type)), len(sent))
        return sent[: last + 1]

    @cached_property
    def upstream_breaks(self) -> frozenset[str]:
        """The ids of the rules that the stream of the upstream breaks, at any level."""
        found = judge_stream(self.transcript.sent, None, self.transcript.dialect)
        return frozenset(finding.rule for finding in found)

    @cached_property
    def stream_parts(self) -> tuple[StreamPart, ...]:
        """The emitted parts under the names of the AI SDK, for the rules on framing."""
        return tuple(stream_parts(self.transcript.parts, self.transcript.vocabulary))

    @cached_property
    def sent_items(self) -> SentItems:
        """The tools, messages and reasoning in the events of the answer."""
        items = KIT[self.transcript.dialect].items
        return items.sent(self.answer) if items else SentItems()

    @cached_property
    def passed_on(self) -> Self | None:
        """This evidence as if the adapter had emitted the upstream's own parts.

        None if the dialect does not stream the parts of a provider.
        """
        transcript = self.transcript
        headers = transcript.answered[-1].headers if transcript.answered else {}
        sent = KIT[transcript.dialect].provider_parts(self.answer, headers)
        parts = tuple(Emitted(event.n, event.at, data) for event, data in sent)
        if not parts:
            return None
        passed = replace(transcript, vocabulary=STREAM.name, parts=parts)
        return replace(self, turn=replace(self.turn, transcript=passed))

    @cached_property
    def reasons_sent(self) -> frozenset[str]:
        """The reasons that the wire itself gives, under the names that drive/1 has for them."""
        events = ((event.type, event.data) for event in self.answer)
        return reasons_given(self.transcript.dialect, events)

    @property
    def end(self) -> End | None:
        """How the run ended, by its own report and by its parts."""
        return self.turn.end

    @cached_property
    def calls_not_run(self) -> tuple[CallNotRun, ...]:
        """The emitted calls that no host can run, if the adapter reported no failure itself."""
        reported = self.turn.reported_end
        if reported is None or reported.outcome != "completed":
            return ()
        return self.turn.vocabulary.calls_not_run(self.turn.parts)

    def event_at(self, offset: int) -> int | None:
        """The number of the event that sent the code point at an offset of the text."""
        return next((n for n, sent in enumerate(self.turn.text_sent) if sent > offset), None)

    def upstream_id(self, call_id: str) -> str:
        """The upstream's id of a call, without the adapter's prefix or in place of its own id."""
        if self.traits.call_id == "own":
            return self._own_ids.get(call_id, call_id)
        return call_id.removeprefix(self.traits.call_id_prefix)

    def announced_at(self, call_id: str) -> int:
        """The code points of shown text that were sent before a call was announced."""
        upstream_id = self.upstream_id(call_id)
        announcing = (
            n for n, entry in enumerate(self.turn.entries) if upstream_id in entry.announces
        )
        return next((self.turn.text_sent[n] for n in announcing), 0)

    def event_of_call(self, call_id: str) -> int | None:
        """The number of the event that completed a call, by its id with or without the prefix."""
        upstream_id = self.upstream_id(call_id)
        return next(
            (entry.event for entry in self.turn.entries if upstream_id in entry.calls), None
        )

    def defect_of_call(
        self, kind: Kind, call_id: str, part: int | None, needs: frozenset[str] = frozenset()
    ) -> Defect:
        """A defect of a call, at the event that completed it."""
        about, event = topics(f"call:{call_id}"), self.event_of_call(call_id)
        return Defect(kind, about, event, part, needs=needs)

    def first_event_with(self, *kinds: str) -> int | None:
        """The number of the first event that sends content of any of these kinds."""
        return next((e.event for e in self.turn.entries if any(map(e.has, kinds))), None)

    @cached_property
    def item_ids(self) -> Mapping[str, str]:
        """The call ids of function call items, by the item ids in their events."""
        items = KIT[self.transcript.dialect].items
        return items.call_ids(self.transcript.sent) if items else {}

    @cached_property
    def pairing(self) -> Pairing:
        """The pairing of emitted and expected calls."""
        return _pair_calls(self)

    def lost_by_stopping_early(self) -> frozenset[str]:
        """The pieces that are missing because the adapter stopped before the end, as topics."""
        if self.expected.cancelled:
            return frozenset()
        text, got = self.expected.text.text, self.reading.text
        thinking, thought = self.expected.thinking.text, self.reading.thinking
        # Text that was emitted as thinking is not lost.
        is_elsewhere = not (thinking.startswith(thought) or self.expected.thinking.fits(thought))
        cut = got != text and text.startswith(got) and not is_elsewhere
        lost = {"text"} if cut else set()
        for call in self.pairing.missing:
            if not cut or call.earliest >= len(got):
                lost.add(f"call:{call.id}")
        if thought != thinking and thinking.startswith(thought):
            lost.add("thinking")
        read = [each.citation for each in self.reading.citations]
        if len(read) < len(due := self.expected.citations) and all(map(same_source, read, due)):
            lost.add("citations")
        if self.expected.data and not any(map(self.is_judged_data, self.reading.data)):
            lost.add("data")
        return frozenset(lost)

    def fits_text_and_thinking(self, expected: Expected) -> bool:
        """Whether text and thinking are as expected."""
        reading = self.reading
        return expected.text.fits(reading.text) and expected.thinking.fits(reading.thinking)

    def fits(self, expected: Expected) -> bool:
        """Whether text, thinking and outcome are as expected."""
        return self.fits_text_and_thinking(expected) and self.reading.outcome in expected.outcomes

    def fits_text_and_citations(self, expected: Expected) -> bool:
        """Whether text and citation parts are as expected."""
        return expected.text.fits(self.reading.text) and self.fits_citations(expected)

    def fits_citations(self, expected: Expected) -> bool:
        """Whether the citation parts are as expected, in order."""
        read = [each.citation for each in self.reading.citations]
        due = expected.citations[: len(read)] if expected.cancelled else expected.citations
        return len(read) == len(due) and all(map(same_source, read, due))

    def is_judged_data(self, read: ReadData) -> bool:
        """Whether data has the media type or the bytes of data that the scenario sends."""
        sent = self.expected.sendable
        return any(read.mime_type == d.mime_type or read.data == d.data for d in sent)

    def declaring(self, **traits: Any) -> Self:
        """This evidence as if the adapter declared other traits."""
        return replace(self, turn=replace(self.turn, traits=replace(self.traits, **traits)))

    def expected_with(self, **traits: Any) -> list[Expected]:
        """The expectations with other traits, which show what an adapter has done instead."""
        changed = replace(self.traits, **traits)
        contents = link_spellings(self.content, changed)
        others = (other for content in contents for other in project(content, changed))
        if self.expected.refused:
            return list(map(as_refused, others))
        return [as_cancelled(o) if self.expected.cancelled else o for o in others]


def _may_fail(expected: Expected) -> bool:
    """Whether a run that reports a failure, be it in its text, is right by an expectation."""
    return expected.upstream == "failed" or "failed" in expected.outcomes


def _pair_calls(evidence: Evidence) -> Pairing:
    """Pair calls by id, then by name and input, so that a wrong id is reported as a wrong id."""
    left = list(evidence.reading.calls)
    pairs: list[tuple[ExpectedCall, ReadCall]] = []
    repeated: list[tuple[ExpectedCall, ReadCall]] = []
    missing: list[ExpectedCall] = []
    for expected in evidence.expected.calls:
        ids = {expected.id, expected.bare_id} - {""}
        same = [call for call in left if call.id in ids]
        left = [call for call in left if call not in same]
        if same:
            pairs.append((expected, same[0]))
            repeated.extend((expected, again) for again in same[1:])
        else:
            missing.append(expected)
    for expected in list(missing):
        if twin := next((c for c in left if _is_same_call(evidence, c, expected)), None):
            missing.remove(expected)
            left.remove(twin)
            pairs.append((expected, twin))
    for call in list(left):
        if original := next((e for e, _ in pairs if _is_same_call(evidence, call, e)), None):
            left.remove(call)
            repeated.append((original, call))
    sharing = list(_sharing(missing, repeated))
    repeated = [each for each in repeated if all(each[1] is not s.call for s in sharing)]
    missing = [call for call in missing if all(call is not s.second for s in sharing)]
    due = [] if evidence.expected.cancelled else missing
    missing = [call for call in due if not call.optional]
    return Pairing(tuple(pairs), tuple(missing), tuple(repeated), tuple(left), tuple(sharing))


def _sharing(
    missing: Sequence[ExpectedCall], repeated: Sequence[tuple[ExpectedCall, ReadCall]]
) -> Iterator[SharedId]:
    """The calls without an expected id that came as repetitions of other calls, by their input."""
    left = [call for call in missing if not call.id]
    for first, call in repeated:
        if first.accepts_input(call.input):
            continue
        if second := next((each for each in left if each.accepts(call)), None):
            left = [each for each in left if each is not second]
            yield SharedId(first, second, call)


def _is_same_call(evidence: Evidence, call: ReadCall, expected: ExpectedCall) -> bool:
    """Whether a call is the expected one: by the id of its item, or by its name and input."""
    id_ = evidence.upstream_id(call.id)
    if expected.bare_id and expected.bare_id in (id_, evidence.item_ids.get(id_)):
        return True
    return expected.accepts(call)
