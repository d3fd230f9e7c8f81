"""The right arrangements of one content: the order of its messages, and of what is cited twice.

Source: semantics § interleaved-messages, § cited-twice.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from conformance.contract.citations import IDENTITY
from conformance.dialects import KIT
from conformance.expectation.content import (
    ContentCall,
    ExpectedContent,
    Kind,
    Moment,
    Segment,
    within,
)
from mockserver.cases.case import Case
from mockserver.cases.render import find_break, render
from mockserver.foundation.json_fields import mapping
from mockserver.scenario.script import Sends


def arrangements(content: ExpectedContent) -> Iterator[ExpectedContent]:
    """The content in its right arrangements, first as it was sent.

    If deltas of several messages alternate, a reader may pass each on when it comes, or show one
    message after the other. A source that is cited again may be named again or not.
    """
    for ordered in (content, *_by_message(content)):
        yield ordered
        yield from _once_cited(ordered)


_OF_MESSAGES = ("text", "citation")


def _by_message(content: ExpectedContent) -> Iterator[ExpectedContent]:
    """The content with the segments of each message together, if those of several alternate."""
    said = [n for n, each in enumerate(content.segments) if each.kind in _OF_MESSAGES]
    blocks = list(dict.fromkeys(content.segments[n].block for n in said))
    order = sorted(said, key=lambda n: blocks.index(content.segments[n].block))
    if order == said:
        return
    grouped = list(content.segments)
    for place, n in zip(said, order, strict=True):
        grouped[place] = content.segments[n]
    calls = tuple(_after_whole_messages(call, content, order) for call in content.calls)
    yield replace(content, segments=tuple(grouped), calls=calls)


def _after_whole_messages(
    call: ContentCall, content: ExpectedContent, order: Sequence[int]
) -> ContentCall:
    """The call with as much text before it as a reader shows that keeps messages together.

    That is what has come of the first message, and those after it that are whole.
    """
    segments = content.segments

    def earlier(moment: Moment) -> Moment:
        sent, arrived = Counter[Kind](), set[int]()
        for n, each in enumerate(segments):
            sent[each.kind] += len(each.value)
            if sent[each.kind] <= moment.get(each.kind, 0):
                arrived.add(n)
        open_ = {segments[n].block for n in order if n not in arrived} - {segments[order[0]].block}
        shown = takewhile(lambda n: n in arrived and segments[n].block not in open_, order)
        counts = Counter[Kind]()
        for n in shown:
            counts[segments[n].kind] += len(segments[n].value)
        return {**moment, **{kind: counts[kind] for kind in moment if kind in _OF_MESSAGES}}

    parsable = call.parsable_at
    return replace(
        call, earliest=earlier(call.earliest), parsable_at=parsable and earlier(parsable)
    )


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
    """A content of several messages as the events of the case send them, if their deltas alternate.

    In an ``expect`` the messages stand one after the other, or as they come.
    """
    script = case.scenario.turns[content.turn].attempt(content.attempt).script
    is_text = all(each.kind == "text" for each in content.segments)
    if not isinstance(script, Sends) or not is_text or len(content.segments) < 2:
        return content
    fault = find_break(case, content.turn, content.attempt)
    whole = fault.whole if fault else case
    sent = render(whole, content.turn, content.attempt).plan.sent
    reader = KIT[case.dialect].reader()
    events = [each for each in sent if each.kind == "event"]
    arrived = tuple(
        Segment("text", piece.value, reader.block(mapping(event.data)))
        for event in events
        for piece in reader.entry(event).adds
        if piece.kind == "text"
    )
    came = replace(content, segments=arrived)
    if content.text_of("text") not in [each.text_of("text") for each in (came, *_by_message(came))]:
        return content
    calls = tuple(replace(call, earliest={**call.earliest, "text": 0}) for call in content.calls)
    return replace(came, calls=calls) if list(_by_message(came)) else content
