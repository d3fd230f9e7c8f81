"""What a custom of an upstream is: a departure from the specification, and how it is undone.

A custom is not a rule that is switched off. It rewrites exactly what it describes into what the
specification has in its place, and the rules then judge the stream that results. So whatever else
is wrong with the same event is found, and so is a departure that only resembles the custom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.transcript import SentEvent

Json = Mapping[str, Any]
Undo = Callable[[Sequence[SentEvent]], Sequence[SentEvent]]


@dataclass(frozen=True, slots=True)
class Custom:
    """One departure of one upstream.

    ``rules`` are those that convict it if no profile is named. ``undo`` is pure: it returns the
    events without the departure, and every event that has none as the same object. A rewritten
    event keeps its number. ``source`` are documents and reports, ``shown_by`` are recordings with
    the line of the first event that has it.
    """

    id: str
    about: str
    rules: tuple[str, ...]
    undo: Undo
    source: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()


def each(change: Callable[[Json], Json]) -> Undo:
    """An undo that looks at the data of one event at a time.

    ``change`` returns its argument where there is nothing to undo.
    """

    def undo(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
        return [rewritten(event, change) for event in events]

    return undo


def rewritten(event: SentEvent, change: Callable[[Json], Json]) -> SentEvent:
    """The event with its data changed; the event itself where the data is no object or stays."""
    if event.kind != "event" or not isinstance(event.data, dict):
        return event
    data = change(event.data)
    if data is event.data:
        return event
    return replace(event, data=data, type=str(data.get("type") or event.type))
