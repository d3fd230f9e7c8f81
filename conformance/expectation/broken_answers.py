"""The expected content of an answer that a fault breaks: what was delivered, and a failure.

Everything that arrived before the break stays, and nothing is made up: the text is what the events
before it have, and a call is emitted if it was complete. The run has failed, unless an event before
the break has said how the response ends. Honest adapters differ in three places, at which several
results are right:

- An event whose last line has arrived, without the empty line that ends it, may be read.
- A call that the last event has completed may be missing, since another event would confirm it.
- If the response has ended, and the stream still breaks before its own last event (``[DONE]``), the
  run may fail as well, with all of its content.

Source: lm-stream-semantics § 1.1, § 3.4, § 5.3; WHATWG HTML § 9.2.6.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.dialects import KIT
from conformance.dialects.entry import DATA_KINDS
from conformance.dialects.ledger import ledger
from mockserver.call_arguments import read_arguments
from mockserver.dialects import DIALECTS
from mockserver.dialects.json_fields import mapping
from mockserver.render import broken, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.traits import Traits
    from conformance.dialects.entry import Entry
    from conformance.expectation.content import ExpectedContent, Segment
    from mockserver.render import Case
    from mockserver.wire.breaks import Break
    from mockserver.wire.frames import Sent

_ABRUPT = ("cut", "reset", "half-close")
"""The ways to close a stream at which a client of HTTP sees that it is not whole."""


def as_delivered(case: Case, content: ExpectedContent, traits: Traits) -> Iterator[ExpectedContent]:
    """The right versions of a content, as far as a fault of the case lets it be delivered."""
    fault = broken(case, content.turn, content.attempt)
    if fault is None:
        yield content
        return
    sent = render(fault.whole, content.turn, content.attempt).plan.sent
    answer = _Answer(case.dialect, sent, content, traits)
    reaches = [fault.at.after, *([fault.at.after + 1] if fault.at.readable else [])]
    for after in reaches:
        yield from answer.until(after, fault.at)


class _Answer:
    """An answer that breaks: its items as they were to be sent, and its content."""

    def __init__(
        self, dialect: str, sent: Sequence[Sent], content: ExpectedContent, traits: Traits
    ) -> None:
        self._dialect = dialect
        self._sent = sent
        self._content = content
        self._entries = ledger(dialect, sent, traits)
        ending = KIT[dialect].ending
        self._endings = [
            item.n
            for item in sent
            if item.kind == "event" and ending(item.type, mapping(item.data))
        ]

    def until(self, after: int, at: Break) -> Iterator[ExpectedContent]:
        """The right versions of the content after the first ``after`` items."""
        ended = bool(self._endings) and after > self._endings[-1]
        begun_to_end = bool(self._endings) and after > self._endings[0]
        if begun_to_end:
            yield self._content
        if not ended:
            yield from self._interrupted(after)
        elif at.close in _ABRUPT and not self._is_over(after):
            yield _failed(self._content)

    def _is_over(self, after: int) -> bool:
        """Whether one of the items is the last that any client reads."""
        is_last = DIALECTS[self._dialect].is_last
        return any(is_last(item.type) for item in self._sent[:after])

    def _interrupted(self, after: int) -> Iterator[ExpectedContent]:
        """The content of the first ``after`` items, with and without the calls of the last one."""
        entries = self._entries[:after]
        every = self._delivered(self._content, entries)
        if first := self._content.first_choice:
            every = replace(every, first_choice=self._delivered(first, entries))
        yield every
        last = set(entries[-1].calls) if entries else set()
        if any(call.id in last for call in every.calls):
            yield _without_calls(every, last)

    def _delivered(self, content: ExpectedContent, entries: Sequence[Entry]) -> ExpectedContent:
        pieces = [piece for entry in entries for piece in entry.adds]
        counts = Counter[str]()
        for piece in pieces:
            counts[piece.kind] += len(piece.value)
        data = Counter(piece.value for piece in pieces if piece.kind in DATA_KINDS)
        complete = self._complete_calls(entries)
        return _failed(
            replace(
                content,
                segments=tuple(_first(content.segments, counts)),
                calls=tuple(call for call in content.calls if call.id in complete),
                data=tuple(each for each in content.data if data[each.data]),
            )
        )

    def _complete_calls(self, entries: Sequence[Entry]) -> set[str]:
        """The ids of the calls with complete arguments in these entries."""
        if DIALECTS[self._dialect].says_call_complete:
            return {id_ for entry in entries for id_ in entry.calls}
        sent = [item for item in self._sent[: len(entries)] if item.kind == "event"]
        arguments = KIT[self._dialect].arguments(sent)
        return {id_ for id_, said in arguments.items() if read_arguments(said).kind == "object"}


def _failed(content: ExpectedContent) -> ExpectedContent:
    first = content.first_choice and _failed(content.first_choice)
    return replace(content, outcome="failed", reason="", error=None, first_choice=first)


def _without_calls(content: ExpectedContent, ids: set[str]) -> ExpectedContent:
    first = content.first_choice and _without_calls(content.first_choice, ids)
    calls = tuple(call for call in content.calls if call.id not in ids)
    return replace(content, calls=calls, first_choice=first)


def _first(segments: Sequence[Segment], counts: Counter[str]) -> Iterator[Segment]:
    """The first segments, up to so many code points of each kind."""
    left = Counter(counts)
    for segment in segments:
        value = segment.value[: left[segment.kind]]
        left[segment.kind] -= len(value)
        if value:
            yield replace(segment, value=value)
