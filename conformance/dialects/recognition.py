"""Detects the dialect of a recorded stream, and splits it into its responses.

A file may hold several responses in sequence. A new response begins at an event that begins one,
if the previous response has ended and has another id. Any other event after an ending belongs to
the response that ended.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.recording import Dump
from mockserver.dialects import DIALECTS
from mockserver.foundation.json_fields import mapping

_ENOUGH = 200


def recognise_dialect(events: Iterable[SentEvent]) -> str:
    """The dialect that recognises most of the first 200 events; empty if none recognises any."""
    data = [one.data for one in events if one.kind == "event" and isinstance(one.data, dict)]
    counts = {
        name: sum(map(dialect.recognition.recognises, data[:_ENOUGH]))
        for name, dialect in KIT.items()
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


@dataclass(frozen=True, slots=True)
class Response:
    """One response, with its events numbered from 0.

    ``first`` is the number of its first event in the recording.
    """

    first: int
    events: tuple[SentEvent, ...]
    framing: Framing | None


def split_responses(dump: Dump, dialect: str) -> list[Response]:
    """The responses of a recording, at least one; an empty recording is one without events."""
    starts = [0, *_beginnings(dump.events, dialect)]
    ends = [*starts[1:], len(dump.events)]
    return [_cut(dump, start, end) for start, end in zip(starts, ends, strict=True)]


def _beginnings(events: Sequence[SentEvent], dialect: str) -> Iterator[int]:
    """The numbers of the events that begin the second and later responses."""
    ends, begins = DIALECTS[dialect].ending.is_terminal, KIT[dialect].recognition.begins
    current, ended = "", False
    for event in events:
        id_ = begins(mapping(event.data)) if event.kind == "event" else ""
        if id_ and ended and id_ != current:
            yield event.n
            ended = False
        current = id_ or current
        ended = ended or event.kind == "done" or ends(event.type, event.data)


def _cut(dump: Dump, start: int, end: int) -> Response:
    events = tuple(replace(event, n=event.n - start) for event in dump.events[start:end])
    framing = dump.framing and _framing(dump.framing, start, end)
    return Response(start, events, framing)


def _framing(framing: Framing, start: int, end: int) -> Framing:
    """The framing of a range of events; the headers of the file go to its first response."""

    def within(numbers: Sequence[int]) -> tuple[int, ...]:
        found = numbers[bisect_left(numbers, start) : bisect_left(numbers, end)]
        return tuple(n - start for n in found)

    last: Any = framing.unterminated
    return replace(
        framing,
        names={n - start: framing.names[n] for n in range(start, end) if n in framing.names},
        lines=framing.lines[start:end],
        ids=within(framing.ids),
        garbled=within(framing.garbled),
        unterminated=last - start if last is not None and start <= last < end else None,
        content_type="" if start else framing.content_type,
    )
