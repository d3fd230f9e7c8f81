"""Checks of the framing of server-sent events with JSON data, which all dialects share."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.findings.finding import Defect, Kind, Level, topics

_MEDIA_TYPE = "text/event-stream"
# JSON Lines have no framing.
_UNFRAMED = Framing()


class Framed(Protocol):
    """What the evidence of every dialect has: the sent events and their framing."""

    @property
    def sent(self) -> Sequence[SentEvent]: ...

    @property
    def framing(self) -> Framing | None: ...


@dataclass(frozen=True, slots=True)
class Streamed:
    """The evidence for rules about single events: what was sent, in order, and its framing."""

    sent: Sequence[SentEvent]
    framing: Framing | None


class WrongMediaType(Kind):
    """The response has another media type than an event stream."""

    media_type: str

    message = "the response says that it is {media_type}"
    right = f"Content-Type: {_MEDIA_TYPE}"
    same_by = ("media_type",)


class CutOff(Kind):
    """The stream ends inside an event or inside ``[DONE]``, which clients drop."""

    line: int

    message = "the stream ends inside an event (line {line}): clients drop it"
    right = "a blank line behind every event, the last one too"


class NotJson(Kind):
    """The data of an event is not JSON."""

    data: str
    line: int
    more: int

    message = (
        "the data is not JSON[[ (line {line})]]: {data:quoted-arguments}[[ (and in {more} more)]]"
    )
    right = "one JSON object as the data of each event"


class NotUtf8(Kind):
    """The data of an event has bytes that are not UTF-8."""

    line: int
    more: int

    message = "the data (line {line}) holds bytes that are no UTF-8[[ (and in {more} more)]]"
    right = "UTF-8, with no character cut in two"


class HasIds(Kind):
    """Events have an ``id:`` field."""

    events: int

    message = "{events} event(s) have an id: field"
    right = "no id: field"


class AfterDone(Kind):
    """Events come after ``[DONE]``."""

    events: int

    message = "{events} more event(s) come behind [DONE]"
    right = "nothing behind [DONE], which ends the stream"


FRAMING = (WrongMediaType, CutOff, NotJson, NotUtf8, HasIds, AfterDone)
"""The kinds that ``defects`` finds."""


def defects(stream: Framed) -> Iterator[Defect]:
    """Check the media type, the last event, the data, the ids, and what follows ``[DONE]``.

    Of a stream without framing, only the data is checked.
    """
    sent, framing = stream.sent, stream.framing
    if framing is None:
        yield from _unreadable(sent, _UNFRAMED)
        return
    if framing.content_type and framing.content_type != _MEDIA_TYPE:
        yield Defect(WrongMediaType(framing.content_type), about=topics("content-type"))
    if (last := framing.unterminated) is not None:
        yield _cut_off(sent, last, framing.lines[last])
    yield from _unreadable(sent, framing)
    if framing.ids:
        yield Defect(HasIds(len(framing.ids)), topics("ids"), framing.ids[0], level="should")
    yield from _after_done(sent)


def _cut_off(sent: Sequence[SentEvent], last: int, line: int) -> Defect:
    """The defect of the last event, which lacks its end; from ``[DONE]`` on no content is lost."""
    about = topics(f"data:{last}")
    if not is_done(sent):
        return Defect(CutOff(line), about | topics("end"), last, invalidates=topics("lost"))
    behind = all(one.kind != "done" for one in sent if one.n == last)
    return Defect(CutOff(line), about | topics(*(("done",) if behind else ())), last)


def _unreadable(sent: Sequence[SentEvent], framing: Framing) -> Iterator[Defect]:
    """Report data that is not JSON or not UTF-8.

    Events that have another defect already are reported as a group of their own.
    """
    raw = {one.n: one for one in sent if one.kind == "raw"}
    cut = {framing.unterminated}
    for numbers in _apart(raw, cut):
        line = framing.lines[numbers[0]] if framing.lines else 0
        kind = NotJson(str(raw[numbers[0]].data), line, len(numbers) - 1)
        yield _unread(kind, numbers)
    for numbers in _apart(framing.garbled, cut | raw.keys()):
        yield _unread(NotUtf8(framing.lines[numbers[0]], len(numbers) - 1), numbers)


def _apart(numbers: Iterable[int], known: AbstractSet[int | None]) -> Iterator[list[int]]:
    """Split event numbers into those not in ``known`` and those in it; empty groups are skipped."""
    numbers = list(numbers)
    groups = [n for n in numbers if n not in known], [n for n in numbers if n in known]
    yield from filter(None, groups)


def _unread(kind: Kind, numbers: Sequence[int]) -> Defect:
    about = topics(*(f"data:{n}" for n in numbers))
    return Defect(kind, about, event=numbers[0], invalidates=topics("lost"))


def _after_done(sent: Sequence[SentEvent]) -> Iterator[Defect]:
    done = [k for k, one in enumerate(sent) if one.kind == "done"]
    after = [one for one in sent[done[0] + 1 :] if one.kind != "comment"] if done else []
    if after:
        about = topics("done", *(f"late:{one.n}" for one in after))
        yield Defect(AfterDone(len(after)), about, after[0].n)


class _Numbered(Protocol):
    @property
    def n(self) -> int: ...


def event_topics(several: Iterable[_Numbered]) -> frozenset[str]:
    """The topics of these events, for the ``needs`` of a defect about all of them."""
    return topics(*(f"event:{one.n}" for one in several))


def late(
    after: Sequence[_Numbered], kind: Kind, needs: AbstractSet[str] = frozenset()
) -> Iterator[Defect]:
    """One defect of a kind for all events that come after an end; none if there are none."""
    if after:
        about = topics(*(f"late:{one.n}" for one in after))
        yield Defect(kind, about, event=after[0].n, needs=frozenset(needs))


def last_number(sent: Sequence[SentEvent]) -> int | None:
    """The number of the last event, which may be unreadable; None if there is none."""
    return next((one.n for one in reversed(sent) if one.kind in ("event", "raw")), None)


def is_done(sent: Iterable[SentEvent]) -> bool:
    """Whether ``[DONE]`` was sent."""
    return any(one.kind == "done" for one in sent)


class NoDone(Kind):
    """The stream ends without ``[DONE]``."""

    message = "the stream ends without [DONE]"
    right = "data: [DONE] at the end"


def without_done(sent: Iterable[SentEvent], level: Level | None = None) -> Iterator[Defect]:
    """A defect if ``[DONE]`` is missing."""
    if not is_done(sent):
        needs = topics("done", "end")
        yield Defect(NoDone(), about=topics("done"), level=level, needs=needs)


class Named(Kind):
    """An event has a name."""

    event_name: str
    more: int

    message = "an event has the name {event_name!r}[[ (and {more} more)]]"
    right = "no event: line"


def named(framing: Framing, kind: type[Named]) -> Iterator[Defect]:
    """A defect of level ``should`` if events have names."""
    if framing.names:
        first, name = next(iter(framing.names.items()))
        values = kind(name, len(framing.names) - 1)
        yield Defect(values, about=topics("names"), event=first, level="should")
