"""Changes to a list of events: each function returns one that takes a list and returns another.

Types are written without their ``response.``.
"""

from __future__ import annotations

from typing import Any, Final

from tests.stream import Change, Events, Json

GONE: Final = object()
"""Marks a field to be removed."""


def merged(value: Any, change: Any) -> Any:
    """``value`` with ``change`` merged in: objects by key, lists by index, others replaced."""
    if not isinstance(change, dict):
        return change
    if isinstance(value, list):
        return [merged(one, change[n]) if n in change else one for n, one in enumerate(value)]
    if not isinstance(value, dict):
        return change
    kept = {key: one for key, one in value.items() if change.get(key) is not GONE}
    return {**kept, **{k: merged(kept.get(k), c) for k, c in change.items() if c is not GONE}}


def short(event: Json) -> str:
    return str(event["type"]).removeprefix("response.")


def find(events: Events, type_: str, nth: int = 0) -> int:
    """The index of the ``nth`` event of a type; negative numbers count from the end."""
    return [place for place, event in enumerate(events) if short(event) == type_][nth]


def edit(type_: str, nth: int = 0, /, **fields: Any) -> Change:
    """Changes fields of one event."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return [merged(e, fields) if n == place else e for n, e in enumerate(events)]

    return change


def edit_all(*types: str, **fields: Any) -> Change:
    """Changes these fields in every event of these types that has them, or in all events."""

    def change(events: Events) -> Events:
        return [
            merged(event, {key: value for key, value in fields.items() if key in event})
            if not types or short(event) in types
            else event
            for event in events
        ]

    return change


def drop(type_: str, nth: int = 0) -> Change:
    """Removes one event."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return events[:place] + events[place + 1 :]

    return change


def drop_all(*types: str) -> Change:
    """Removes all events of these types."""
    return lambda events: [event for event in events if short(event) not in types]


def after(type_: str, nth: int, *more: Json) -> Change:
    """Adds events after an event."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth) + 1
        return [*events[:place], *more, *events[place:]]

    return change


def again(type_: str, nth: int = 0) -> Change:
    """Repeats an event."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return [*events[: place + 1], *events[place:]]

    return change


def swap(type_: str, nth: int = 0) -> Change:
    """Swaps an event and the next one."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return [*events[:place], events[place + 1], events[place], *events[place + 2 :]]

    return change


def renamed(old: str, new: str) -> Change:
    """Changes the type of every event of one type."""
    return lambda events: [
        {**event, "type": f"response.{new}"} if short(event) == old else event for event in events
    ]


def both(*changes: Change) -> Change:
    """Applies changes in order."""

    def change(events: Events) -> Events:
        for one in changes:
            events = one(events)
        return events

    return change
