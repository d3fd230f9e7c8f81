"""The right arrangements of one content: the order of its messages, and of what is cited twice.

Source: semantics § interleaved-messages, § cited-twice.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import get_args

from conformance.contract.citations import IDENTITY
from conformance.contract.traits import Traits
from conformance.dialects import KIT
from conformance.dialects.ledger import shown_kinds
from conformance.expectation.content import ExpectedContent, Kind, Moment, Segment, within
from mockserver.cases.case import Case
from mockserver.cases.render import find_break, render
from mockserver.foundation.json_fields import mapping
from mockserver.scenario.script import Sends


def arrangements(content: ExpectedContent, traits: Traits) -> Iterator[ExpectedContent]:
    """The content in its right arrangements, first as it was sent.

    If deltas of several messages alternate, a reader may pass each on when it comes, or show one
    message after the other; thinking and citations that are emitted apart may be in either order
    themselves. A source that is cited again may be named again or not.
    """
    ordered = [content]
    for kinds in _columns(traits):
        ordered += [grouped for each in ordered for grouped in _by_block(each, kinds)]
    for each in ordered:
        yield each
        if traits.annotations != "hidden":
            yield from _once_cited(each)


def _columns(traits: Traits) -> Iterator[Sequence[Kind]]:
    """The kinds of content that are emitted in one order: as answer text, and apart from it."""
    shown = shown_kinds(traits)
    yield [kind for kind in get_args(Kind) if kind in shown]
    if traits.reasoning_is_apart:
        yield ("reasoning",)
    if traits.annotations == "data":
        yield ("citation",)


def _by_block(content: ExpectedContent, kinds: Sequence[Kind]) -> Iterator[ExpectedContent]:
    """The content with what is of these kinds together by block, if several blocks alternate."""
    segments = content.segments
    sent = [n for n, each in enumerate(segments) if each.kind in kinds]
    blocks = list(dict.fromkeys(segments[n].block_key for n in sent))
    order = sorted(sent, key=lambda n: blocks.index(segments[n].block_key))
    if order == sent:
        return
    grouped = list(segments)
    for place, n in zip(sent, order, strict=True):
        grouped[place] = segments[n]
    first = next(n for n, other in zip(order, sent, strict=True) if n != other)
    until = blocks.index(segments[first].block_key)
    not_held = [n for n in order if blocks.index(segments[n].block_key) <= until]

    def earlier(moment: Moment) -> Moment:
        """The moment with what has come of the first interrupted block and of those before it."""
        sent, arrived = Counter[Kind](), set[int]()
        for n, each in enumerate(segments):
            sent[each.kind] += len(each.value)
            if sent[each.kind] <= moment.get(each.kind, 0):
                arrived.add(n)
        counts = Counter[Kind]()
        for n in takewhile(arrived.__contains__, not_held):
            counts[segments[n].kind] += len(segments[n].value)
        return {**moment, **{kind: counts[kind] for kind in kinds}}

    calls = tuple(
        replace(
            call,
            earliest=earlier(call.earliest),
            parsable_at=call.parsable_at and earlier(call.parsable_at),
        )
        for call in content.calls
    )
    yield replace(content, segments=tuple(grouped), calls=calls)


def _once_cited(content: ExpectedContent) -> Iterator[ExpectedContent]:
    """The content without the citations of sources that were cited before, if there are any."""
    known: set[tuple[str, ...]] = set()
    kept: list[Segment] = []
    for segment in content.segments:
        fields = segment.citation.fields() if segment.citation else {}
        source = tuple(fields.get(name, "") for name in IDENTITY)
        if source not in known:
            kept.append(segment)
        known |= {source} if any(source) else set()
    if len(kept) < len(content.segments):
        without = replace(content, segments=tuple(kept))
        shrunk = without.total.get("citation", 0) - content.total["citation"]
        yield replace(without, calls=tuple(within(call, shrunk) for call in content.calls))


def in_order_of_arrival(case: Case, content: ExpectedContent) -> ExpectedContent:
    """The content as the events of the case send it, if messages alternate in them.

    An ``expect`` has the messages one after the other, or as they come. Where a call is in it, says
    nothing then.
    """
    script = case.scenario.turns[content.turn].attempt(content.attempt).script
    if not isinstance(script, Sends) or len(content.segments) < 2 or content.citations:
        return content
    fault = find_break(case, content.turn, content.attempt)
    sent = render(fault.whole if fault else case, content.turn, content.attempt).plan.sent
    reader = KIT[case.dialect].reader()
    arrived = tuple(
        Segment(piece.kind, piece.value, reader.block(mapping(event.data)))
        for event in sent
        if event.kind == "event"
        for piece in reader.entry(event).adds
        if piece.kind in _TEXTS
    )
    came = replace(content, segments=arrived)
    grouped = list(_by_block(came, _TEXTS))
    if not any(
        all(each.text_of(kind) == content.text_of(kind) for kind in _TEXTS)
        for each in (came, *grouped)
    ):
        return content
    calls = tuple(replace(call, earliest={**call.earliest, "text": 0}) for call in content.calls)
    return replace(came, calls=calls) if grouped else content


_TEXTS: tuple[Kind, ...] = ("text", "reasoning", "refusal")
