"""An exception of an upstream: a known deviation from the specification, and how to undo it.

An exception does not switch off a rule. It rewrites exactly what it describes into what the
specification requires, and the rules then judge the rewritten stream. So other errors in the same
event are still found, and so is a deviation that only resembles the exception.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.transcript import SentEvent

Json = Mapping[str, Any]
Undo = Callable[[Sequence[SentEvent]], Sequence[SentEvent]]


@dataclass(frozen=True, slots=True)
class ProfileException:
    """One deviation of one upstream.

    - ``rules`` are the ids of the rules that report it if no profile is named.
    - ``undo`` is pure: it returns the events without the deviation. An event that it does not
      change is returned as the same object; a rewritten event keeps its number.
    - ``framed`` exceptions are about server-sent events; a recording without framing does not
      show them.
    - ``source`` are documents and reports of the deviation.
    - ``shown_by`` are recordings (``file:line``), with the line of the first event that has it.
    """

    id: str
    about: str
    rules: tuple[str, ...]
    undo: Undo
    source: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    framed: bool = False


def change_each(change: Callable[[Json], Json]) -> Undo:
    """An undo that applies ``change`` to the data of each event.

    ``change`` must return its argument itself if there is nothing to undo.
    """

    def undo(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
        return [rewrite(event, change) for event in events]

    return undo


def rewrite(event: SentEvent, change: Callable[[Json], Json]) -> SentEvent:
    """The event with ``change`` applied to its data.

    The same object is returned if the data is not a JSON object or ``change`` leaves it alone.
    """
    if event.kind != "event" or not isinstance(event.data, dict):
        return event
    data = change(event.data)
    if data is event.data:
        return event
    return replace(event, data=data, type=str(data.get("type") or event.type))
