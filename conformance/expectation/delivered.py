"""The content that some of the items of a stream have, as far as they were delivered.

It is the expected content of the whole answer, limited by the ledger of these items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, get_args

from conformance.contract.traits import Traits
from conformance.dialects import KIT
from conformance.dialects.entry import DATA_KINDS, Entry
from conformance.dialects.ledger import ledger
from conformance.expectation.content import Kind
from mockserver.dialects import CALL_ENDS, DIALECTS
from mockserver.foundation.call_arguments import read_arguments, same_json
from mockserver.foundation.json_fields import mapping
from mockserver.wire.frames import Sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.expectation.content import ContentCall, ExpectedContent, Segment


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
