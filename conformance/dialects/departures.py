"""Reports events that break their schema: one defect for each kind of error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.dialects.wire import more
from conformance.findings.finding import Defect, prose_defect, topics
from mockserver.foundation.schemas import errors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    from conformance.contract.transcript import SentEvent

_SHOWN = 120
_MOST = 3


@dataclass(frozen=True, slots=True)
class Departure:
    """What is wrong with the data of an event.

    Departures are equal for events with the same errors, which are the ``key``: pairs of a JSON
    path and the failed keyword. ``description`` lists the errors for a finding's message.
    """

    key: frozenset[tuple[str, str]]
    description: str = field(compare=False)


def departure(errors: Sequence[ValidationError]) -> Departure | None:
    """The errors of one event's validation as a departure; None if there are no errors."""
    return Departure(frozenset(map(_key, errors)), _describe(errors)) if errors else None


def departure_from(validator: Draft202012Validator, data: Any) -> Departure | None:
    """What is wrong with the data of an event by its schema; None if it is valid."""
    return departure(list(errors_of(validator, data)))


def defects(
    sent: Iterable[SentEvent],
    lost: set[int],
    problem: Callable[[Any], Departure | None],
    right: str,
) -> Iterator[Defect]:
    """Validate events; yields one defect for each departure, however many events have it.

    ``lost`` are the numbers of the events that could not be read. ``problem`` validates the data
    of an event; ``right`` says in the finding what is correct.
    """
    found: dict[Departure, list[SentEvent]] = {}
    for one in sent:
        if one.kind == "event" and (wrong := problem(one.data)):
            found.setdefault(wrong, []).append(one)
    for wrong, events in found.items():
        numbers = [event.n for event in events]
        unread = lost.intersection(numbers)
        yield prose_defect(
            f"{events[0].type or 'an event without a type'}: {wrong.description}{more(events)}",
            right=right,
            about=topics(*(f"event:{n}" for n in numbers), *(f"unread:{n}" for n in unread)),
            event=numbers[0],
            invalidates=topics(*(("lost",) if unread else ())),
        )


def _key(error: ValidationError) -> tuple[str, str]:
    """The error without values of the event: its path and keyword, or which field is missing."""
    missing = error.message if error.validator == "required" else str(error.validator)
    return error.json_path, missing


def _describe(errors: Sequence[ValidationError]) -> str:
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
