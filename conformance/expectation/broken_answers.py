"""The expected content of an answer that a fault breaks: what was delivered, and a failure.

Everything that arrived before the break stays, and nothing is made up: the text is what the events
before it have, and a call is emitted if it was complete. The run has failed, unless an event before
the break has said how the response ends. Honest adapters differ in some places, at which several
results are right:

- An event whose last line has arrived, without the empty line that ends it, may be read.
- A call that the last event has completed may be missing, since another event would confirm it.
- If the response has ended, and the stream still breaks or stalls before its own last event
  (``[DONE]``), the run may fail as well, with all of its content. Between two events with which the
  response ends, the host cancels a stalled run.
- After an event that is not JSON, a run may go on without it and fail at its end. It may complete
  if the other events have all of the content.
- Where a refusal is sent as text and only the ending says what it was, it is text before that.
- If the answer fails by itself, as by a call that is invalid, and the upstream then reports
  something else, the run may fail with the first of the two.
- A whole answer in one piece of JSON may be accepted.

Source: lm-stream-semantics § 1.1, § 3.4, § 5.3; WHATWG HTML § 9.2.6.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import get_args

from conformance.contract.traits import Traits
from conformance.dialects import KIT
from conformance.dialects.entry import DATA_KINDS, Entry
from conformance.dialects.ledger import ledger
from conformance.expectation.content import ContentCall, ExpectedContent, Kind, Segment, as_rendered
from conformance.expectation.turn_content import expected_contents
from mockserver.cases.case import Case
from mockserver.cases.render import find_break, render
from mockserver.dialects import CALL_ENDS, CODES, DIALECTS
from mockserver.foundation.call_arguments import read_arguments, same_json
from mockserver.foundation.identity import Same
from mockserver.foundation.json_fields import mapping
from mockserver.scenario.expected import ExpectError
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Answer, Delta, Says, Sends, Start
from mockserver.wire.frames import Sent
from mockserver.wire.variation import Break


@dataclass(frozen=True)
class Delivered:
    """Items of a stream that were delivered, in order."""

    dialect: str
    sent: Sequence[Sent]
    traits: Traits

    @cached_property
    def entries(self) -> list[Entry]:
        """The ledger of these items."""
        return ledger(self.dialect, self.sent, self.traits)

    @cached_property
    def endings(self) -> list[int]:
        """The numbers of the items that say how the response ends."""
        ending = KIT[self.dialect].endings.of_event
        events = (item for item in self.sent if item.kind == "event")
        return [item.n for item in events if ending(item.type, mapping(item.data))]

    @property
    def is_over(self) -> bool:
        """Whether one of the items is the last that any client reads."""
        return any(DIALECTS[self.dialect].ending.is_last(item.type) for item in self.sent)

    @property
    def completed_last(self) -> frozenset[str]:
        """The ids of the calls that the last item completes."""
        return frozenset(self.entries[-1].calls if self.entries else ())

    def of(self, content: ExpectedContent) -> ExpectedContent:
        """What these items have of a content; the response has not ended with them."""
        data = Counter(
            piece.value
            for entry in self.entries
            for piece in entry.adds
            if piece.kind in DATA_KINDS
        )
        return failed(
            replace(
                content,
                segments=tuple(_first(content.segments, self._counts)),
                calls=tuple(filter(self._has_call, content.calls)),
                data=tuple(each for each in content.data if data[each.data]),
                first_choice=content.first_choice and self.of(content.first_choice),
            )
        )

    def before_its_end(self, content: ExpectedContent) -> ExpectedContent:
        """A content of the whole answer as far as its items know before the response ends.

        A refusal is text if only the ending says what it was.
        """
        return content if self._counts["refusal"] else as_rendered(content, frozenset({CODES}))

    def accounts_for(self, content: ExpectedContent) -> bool:
        """Whether the ledger of these items has everything that a content has."""
        found = self.of(content)
        calls = CALL_ENDS not in DIALECTS[self.dialect].capabilities or found.calls == content.calls
        return calls and (found.segments, found.data) == (content.segments, content.data)

    def is_all_of(self, content: ExpectedContent) -> bool:
        """Whether a content has everything that the ledger of these items has."""
        counts = Counter[str]()
        for segment in content.segments:
            counts[segment.kind] += 1 if segment.kind == "citation" else len(segment.value)
        return all(self._counts[kind] <= counts[kind] for kind in get_args(Kind))

    @cached_property
    def _counts(self) -> Counter[str]:
        """The code points of each kind of text, and the number of citations."""
        counts = Counter[str]()
        for piece in (piece for entry in self.entries for piece in entry.adds):
            # A citation is whole, and adapters spell its link in several ways.
            counts[piece.kind] += 1 if piece.kind == "citation" else len(piece.value)
        return counts

    def _has_call(self, call: ContentCall) -> bool:
        """Whether the items have a complete call."""
        if call.id in self._completed:
            return True
        read = read_arguments(self._arguments.get(call.id, ""))
        return read.kind == "object" and same_json(read.value, call.input)

    @cached_property
    def _completed(self) -> set[str]:
        """The ids of the calls that an item completes; none if items do not say it."""
        if CALL_ENDS not in DIALECTS[self.dialect].capabilities:
            return set()
        tools = (tool for entry in self.entries for tool in entry.tools if tool.kind == "call")
        calls = (id_ for entry in self.entries for id_ in entry.calls)
        return {*calls, *(tool.call_id for tool in tools)}

    @cached_property
    def _arguments(self) -> Mapping[str, str]:
        """The arguments so far by the call's id, if no item says that a call is complete."""
        choices = KIT[self.dialect].choices
        events = [item for item in self.sent if item.kind == "event"]
        return choices.arguments(events) if choices else {}


def failed(content: ExpectedContent) -> ExpectedContent:
    """A content whose response has failed without a reason."""
    first = content.first_choice and failed(content.first_choice)
    return replace(content, outcome="failed", reason="", error=None, first_choice=first)


def without_calls(content: ExpectedContent, ids: frozenset[str]) -> ExpectedContent:
    """A content without some of its calls."""
    first = content.first_choice and without_calls(content.first_choice, ids)
    calls = tuple(call for call in content.calls if call.id not in ids)
    return replace(content, calls=calls, first_choice=first)


def _first(segments: Sequence[Segment], counts: Counter[str]) -> Iterator[Segment]:
    """The first segments, up to so many code points of each kind, and so many citations."""
    left = Counter(counts)
    for segment in segments:
        is_whole = segment.kind == "citation"
        value = segment.value if is_whole else segment.value[: left[segment.kind]]
        if left[segment.kind] > 0 or not (segment.value or is_whole):
            yield replace(segment, value=value)
        left[segment.kind] -= 1 if is_whole else len(value)


_MAX_CACHED = 4096

_SHORT = ("cut", "reset", "half-close", "stall")
"""The ways to break a stream off that a client of HTTP can tell from its end."""


def as_delivered(case: Case, content: ExpectedContent, traits: Traits) -> Iterator[ExpectedContent]:
    """The right versions of a content, as far as a fault of the case lets it be delivered."""
    fault = find_break(case, content.turn, content.attempt)
    if fault is None:
        yield content
        return
    sent = render(fault.whole, content.turn, content.attempt).plan.sent
    answer = Delivered(case.dialect, sent, traits)
    if fault.at.whole:
        yield content
    begun = answer.before_its_end(content)
    if fault.at.reports:
        reported = render(case, content.turn, content.attempt).plan.sent
        items = replace(answer, sent=reported)
        yield from _interrupted(items, begun, fault.at)
        if content.outcome == "failed" and items.accounts_for(content):
            yield content
        return
    yield from _until(fault.at.after, answer, content, fault.at)
    if fault.at.readable:
        yield from _until(fault.at.after + 1, answer, content, fault.at)
    if fault.at.resumes:
        yield from _without(fault.at.after, answer, content)


def is_certain(case: Case) -> bool:
    """Whether it is certain what each event of the answer that breaks has said.

    It is not where the upstream is not legal, and its ledger contradicts what is expected; nor if
    the arguments of a call are only white space, since a later event may still bring others.
    """
    turn = len(case.scenario.turns) - 1
    fault = find_break(case, turn, len(case.scenario.turns[turn].attempts))
    if fault is None:
        return True
    return _is_certain(Same(case.scenario), case.dialect, fault.whole.variations)


# A suite asks about many faults of the same answer.
@lru_cache(maxsize=_MAX_CACHED)
def _is_certain(scenario: Same[Scenario], dialect: str, variations: tuple[str, ...]) -> bool:
    case = Case(scenario.value, dialect, variations)
    turn = len(case.scenario.turns) - 1
    attempt = len(case.scenario.turns[turn].attempts)
    if _has_blank_arguments(case.scenario.turns[turn].attempt(attempt).script):
        return False
    answer = Delivered(dialect, render(case, turn, attempt).plan.sent, Traits())
    found = (each for each in expected_contents(case.scenario, turn) if each.attempt == attempt)
    capabilities = DIALECTS[dialect].capabilities
    contents = [answer.before_its_end(as_rendered(each, capabilities)) for each in found]
    return all(map(answer.accounts_for, contents)) and any(map(answer.is_all_of, contents))


def _has_blank_arguments(script: Says | Sends | Answer) -> bool:
    """Whether a neutral script has a call whose arguments are only white space."""
    steps = script.steps if isinstance(script, Says) else ()
    arguments = {
        step.block: "" for step in steps if isinstance(step, Start) and step.kind == "call"
    }
    for step in steps:
        if isinstance(step, Delta) and step.block in arguments:
            arguments[step.block] += step.value
    return any(read_arguments(text).kind == "blank" for text in arguments.values())


def _until(
    after: int, answer: Delivered, content: ExpectedContent, at: Break
) -> Iterator[ExpectedContent]:
    """The right versions of a content of which the first ``after`` items are delivered."""
    items, endings = replace(answer, sent=answer.sent[:after]), answer.endings
    if items.endings:
        yield content
    if not endings or endings[-1] >= after:
        yield from _interrupted(items, answer.before_its_end(content), at)
    elif not items.is_over and at.close in _SHORT:
        yield failed(content)


def _interrupted(
    items: Delivered, content: ExpectedContent, at: Break
) -> Iterator[ExpectedContent]:
    """The content of the first items, with and without the calls that the last one completes."""
    error = ExpectError(at.message, at.code) if at.message else None
    found = replace(items.of(content), error=error)
    if at.incomplete:
        found = replace(found, outcome="incomplete", reason="length")
    yield found
    if any(call.id in items.completed_last for call in found.calls):
        yield without_calls(found, items.completed_last)


def _without(lost: int, answer: Delivered, content: ExpectedContent) -> Iterator[ExpectedContent]:
    """The right versions of a content if the item ``lost`` cannot be read, and the others can."""
    rest = replace(answer, sent=[*answer.sent[:lost], *answer.sent[lost + 1 :]])
    begun = answer.before_its_end(content)
    read, whole = rest.of(begun), answer.of(begun)
    if read == whole and rest.endings:
        yield content
        yield failed(content)
    before = replace(answer, sent=answer.sent[:lost]).of(begun)
    holes = {
        kind: (len(before.text_of(kind)), len(whole.text_of(kind)) - len(read.text_of(kind)))
        for kind in dict.fromkeys(segment.kind for segment in whole.segments)
    }
    yield replace(read, segments=tuple(_with_holes(whole.segments, holes)))


def _with_holes(
    segments: Sequence[Segment], holes: Mapping[Kind, tuple[int, int]]
) -> Iterator[Segment]:
    """The segments without the text of one event: an offset and a length for each kind."""
    at = Counter[str]()
    for segment in segments:
        start, (begin, length) = at[segment.kind], holes[segment.kind]
        at[segment.kind] += len(segment.value)
        first, last = max(begin - start, 0), max(begin + length - start, 0)
        if left := segment.value[:first] + segment.value[last:]:
            yield replace(segment, value=left)
