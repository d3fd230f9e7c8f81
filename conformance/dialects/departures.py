"""Events that are not what their contract has them be: one defect for each thing that is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Defect, topics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jsonschema.exceptions import ValidationError

    from conformance.contract.transcript import SentEvent

_SHOWN = 120
_MOST = 3


@dataclass(frozen=True, slots=True)
class Departure:
    """What is wrong with an event; the same is wrong with another where ``what`` is the same."""

    what: frozenset[tuple[str, str]]
    told: str


def departure(errors: Sequence[ValidationError]) -> Departure | None:
    """The departure that a schema's errors amount to; None where there are none."""
    return Departure(frozenset(map(_what, errors)), _told(errors)) if errors else None


def defects(
    sent: Iterable[SentEvent],
    lost: set[int],
    problem: Callable[[Any], Departure | None],
    right: str,
) -> Iterator[Defect]:
    """One defect for each departure, however many events have it.

    ``lost`` are the events of which nothing could be read.
    """
    found: dict[frozenset[tuple[str, str]], list[SentEvent]] = {}
    told: dict[frozenset[tuple[str, str]], str] = {}
    for one in sent:
        if one.kind == "event" and (wrong := problem(one.data)):
            found.setdefault(wrong.what, []).append(one)
            told.setdefault(wrong.what, wrong.told)
    for what, events in found.items():
        numbers = [event.n for event in events]
        unread = lost.intersection(numbers)
        more = f" (and in {len(events) - 1} more)" if len(events) > 1 else ""
        yield Defect(
            f"{events[0].type or 'an event without a type'}: {told[what]}{more}",
            right=right,
            about=topics(*(f"event:{n}" for n in numbers), *(f"unread:{n}" for n in unread)),
            event=numbers[0],
            invalidates=topics(*(("lost",) if unread else ())),
        )


def _what(error: ValidationError) -> tuple[str, str]:
    """A value differs from event to event; what is missing is missing by name."""
    missing = error.message if error.validator == "required" else str(error.validator)
    return error.json_path, missing


def _told(errors: Sequence[ValidationError]) -> str:
    by_place: dict[str, list[str]] = {}
    for error in errors:
        place = error.json_path.removeprefix("$").removeprefix(".")
        by_place.setdefault(place, []).append(error.message[:_SHOWN])
    places = [
        f"{place}: {', '.join(messages)}" if place else ", ".join(messages)
        for place, messages in by_place.items()
    ]
    more = f"; and {len(places) - _MOST} more" if len(places) > _MOST else ""
    return "; ".join(places[:_MOST]) + more
