"""Checks of the framing of server-sent events with JSON data, which all dialects share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from conformance.contract.framing import Framing
from conformance.findings.finding import Defect, prose_defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Sized
    from collections.abc import Set as AbstractSet

    from conformance.contract.transcript import SentEvent
    from conformance.findings.finding import Level

_MEDIA_TYPE = "text/event-stream"
_SHOWN = 40
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


def defects(stream: Framed) -> Iterator[Defect]:
    """Check the media type, the last event, the data, the ids, and what follows ``[DONE]``.

    Of a stream without framing, only the data is checked.
    """
    sent, framing = stream.sent, stream.framing
    if framing is None:
        yield from _unreadable(sent, _UNFRAMED)
        return
    yield from _content_type(framing)
    yield from _cut_off(framing)
    yield from _unreadable(sent, framing)
    yield from _ids(framing)
    yield from _after_done(sent)


def _content_type(framing: Framing) -> Iterator[Defect]:
    if framing.content_type and framing.content_type != _MEDIA_TYPE:
        yield prose_defect(
            f"the response says that it is {framing.content_type}",
            right=f"Content-Type: {_MEDIA_TYPE}",
            about=topics("content-type"),
        )


def _cut_off(framing: Framing) -> Iterator[Defect]:
    last = framing.unterminated
    if last is not None:
        yield prose_defect(
            f"the stream ends inside an event (line {framing.lines[last]}): clients drop it",
            right="a blank line behind every event, the last one too",
            about=topics("end", "done", f"data:{last}"),
            event=last,
            invalidates=topics("lost"),
        )


def _unreadable(sent: Sequence[SentEvent], framing: Framing) -> Iterator[Defect]:
    """Report data that is not JSON or not UTF-8.

    Events that have another defect already are reported as a group of their own.
    """
    raw = {one.n: one for one in sent if one.kind == "raw"}
    cut = {framing.unterminated}
    for numbers in _apart(raw, cut):
        one = raw[numbers[0]]
        text = str(one.data)
        shown = repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
        where = f" (line {framing.lines[one.n]})" if framing.lines else ""
        message = f"the data is not JSON{where}: {shown}{more(numbers)}"
        yield _unread(message, "one JSON object as the data of each event", numbers)
    for numbers in _apart(framing.garbled, cut | raw.keys()):
        where = f"(line {framing.lines[numbers[0]]})"
        message = f"the data {where} holds bytes that are no UTF-8{more(numbers)}"
        yield _unread(message, "UTF-8, with no character cut in two", numbers)


def _apart(numbers: Iterable[int], known: AbstractSet[int | None]) -> Iterator[list[int]]:
    """Split event numbers into those not in ``known`` and those in it; empty groups are skipped."""
    numbers = list(numbers)
    groups = [n for n in numbers if n not in known], [n for n in numbers if n in known]
    yield from filter(None, groups)


def more(events: Sized) -> str:
    """How many events besides the first one have a defect, as the end of its message."""
    return f" (and in {len(events) - 1} more)" if len(events) > 1 else ""


def _unread(message: str, right: str, numbers: Sequence[int]) -> Defect:
    about = topics(*(f"data:{n}" for n in numbers))
    return prose_defect(message, right, about, event=numbers[0], invalidates=topics("lost"))


def _ids(framing: Framing) -> Iterator[Defect]:
    if framing.ids:
        yield prose_defect(
            f"{len(framing.ids)} event(s) have an id: field",
            right="no id: field",
            about=topics("ids"),
            event=framing.ids[0],
            level="should",
        )


def _after_done(sent: Sequence[SentEvent]) -> Iterator[Defect]:
    done = [k for k, one in enumerate(sent) if one.kind == "done"]
    after = [one for one in sent[done[0] + 1 :] if one.kind != "comment"] if done else []
    if after:
        yield prose_defect(
            f"{len(after)} more event(s) come behind [DONE]",
            right="nothing behind [DONE], which ends the stream",
            about=topics("done", *(f"late:{one.n}" for one in after)),
            event=after[0].n,
        )


class _Numbered(Protocol):
    @property
    def n(self) -> int: ...


def late(
    after: Sequence[_Numbered], message: str, right: str, needs: AbstractSet[str] = frozenset()
) -> Iterator[Defect]:
    """One defect for all events that come after an end; none if there are none.

    ``message`` is about the first of them.
    """
    if after:
        more = f" (and {len(after) - 1} more)" if len(after) > 1 else ""
        about = topics(*(f"late:{one.n}" for one in after))
        yield prose_defect(
            f"{message}{more}", right, about, event=after[0].n, needs=frozenset(needs)
        )


def is_done(sent: Iterable[SentEvent]) -> bool:
    """Whether ``[DONE]`` was sent."""
    return any(one.kind == "done" for one in sent)


def without_done(sent: Iterable[SentEvent], level: Level | None = None) -> Iterator[Defect]:
    """A defect if ``[DONE]`` is missing."""
    if not is_done(sent):
        yield prose_defect(
            "the stream ends without [DONE]",
            right="data: [DONE] at the end",
            about=topics("done"),
            level=level,
            needs=topics("done", "end"),
        )


def named(framing: Framing, why_not: str, level: Level | None = None) -> Iterator[Defect]:
    """A defect if events have names; ``why_not`` ends its message."""
    if framing.names:
        first, name = next(iter(framing.names.items()))
        more = f" (and {len(framing.names) - 1} more)" if len(framing.names) > 1 else ""
        yield prose_defect(
            f"an event has the name {name!r}{more}{why_not}",
            right="no event: line",
            about=topics("names"),
            event=first,
            level=level,
        )
