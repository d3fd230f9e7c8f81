"""Reports events that break their schema: one defect for all events with the same errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from conformance.contract.transcript import SentEvent
from conformance.findings.finding import Defect, Kind, topics
from conformance.findings.values import SchemaError
from mockserver.foundation.schemas import errors_of

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


class Invalid(Kind):
    """An event does not have what the schema of its type requires."""

    type: str
    errors: tuple[SchemaError, ...]
    patterns: tuple[str, ...]
    more: int

    message = "[[{type}|an event without a type]]: {errors:schema}[[ (and in {more} more)]]"
    same_by = ("type", "patterns")


def invalid_events(
    sent: Iterable[SentEvent],
    lost: set[int],
    validator_of: Callable[[Any], Draft202012Validator],
    kind: type[Invalid],
) -> Iterator[Defect]:
    """Validate events; yields one defect of a kind for all events with the same errors.

    ``lost`` are the numbers of the events that could not be read. ``validator_of`` is the schema
    for the data of an event.
    """
    found: dict[frozenset[tuple[str, str]], list[tuple[SentEvent, tuple[SchemaError, ...]]]] = {}
    for one in sent:
        if one.kind == "event" and (errors := schema_errors(validator_of(one.data), one.data)):
            key = frozenset((error.path, error.what) for error in errors)
            found.setdefault(key, []).append((one, errors))
    for events in found.values():
        (first, errors), numbers = events[0], [event.n for event, _ in events]
        patterns = tuple(sorted({error.pattern for error in errors}))
        unread = lost.intersection(numbers)
        yield Defect(
            kind(first.type, errors, patterns, len(events) - 1),
            about=topics(*(f"event:{n}" for n in numbers), *(f"unread:{n}" for n in unread)),
            event=numbers[0],
            invalidates=topics(*(("lost",) if unread else ())),
        )


def schema_errors(validator: Draft202012Validator, value: Any) -> tuple[SchemaError, ...]:
    """The errors of a value by a schema."""
    return tuple(
        SchemaError(error.json_path, str(error.validator), error.message)
        for error in errors_of(validator, value)
    )
