"""Changes to a list of events: each gives a function that makes another list of it.

Types are written without their ``response.``.
"""

from __future__ import annotations

from typing import Any, Final

from tests.stream import Change, Events, Json

GONE: Final = object()
"""What stands for a field that is taken away."""


def laid(value: Any, change: Any) -> Any:
    """The change laid over a value: objects by name, lists by place, anything else instead."""
    if not isinstance(change, dict):
        return change
    if isinstance(value, list):
        return [laid(one, change[n]) if n in change else one for n, one in enumerate(value)]
    if not isinstance(value, dict):
        return change
    kept = {key: one for key, one in value.items() if change.get(key) is not GONE}
    return {**kept, **{k: laid(kept.get(k), c) for k, c in change.items() if c is not GONE}}


def short(event: Json) -> str:
    return str(event["type"]).removeprefix("response.")


def find(events: Events, type_: str, nth: int = 0) -> int:
    """The place of an event; ``nth`` may count from the end."""
    return [place for place, event in enumerate(events) if short(event) == type_][nth]


def edit(type_: str, nth: int = 0, /, **fields: Any) -> Change:
    """Other fields in one event."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return [laid(e, fields) if n == place else e for n, e in enumerate(events)]

    return change


def edit_all(*types: str, **fields: Any) -> Change:
    """Other fields in every event of these types that has them; without types in all events."""

    def change(events: Events) -> Events:
        return [
            laid(event, {key: value for key, value in fields.items() if key in event})
            if not types or short(event) in types
            else event
            for event in events
        ]

    return change


def drop(type_: str, nth: int = 0) -> Change:
    """Without one event."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return events[:place] + events[place + 1 :]

    return change


def drop_all(*types: str) -> Change:
    """Without any event of these types."""
    return lambda events: [event for event in events if short(event) not in types]


def behind(type_: str, nth: int, *more: Json) -> Change:
    """More events behind one."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth) + 1
        return [*events[:place], *more, *events[place:]]

    return change


def again(type_: str, nth: int = 0) -> Change:
    """An event, twice."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return [*events[: place + 1], *events[place:]]

    return change


def swap(type_: str, nth: int = 0) -> Change:
    """An event and the one behind it, the other way round."""

    def change(events: Events) -> Events:
        place = find(events, type_, nth)
        return [*events[:place], events[place + 1], events[place], *events[place + 2 :]]

    return change


def renamed(old: str, new: str) -> Change:
    """Every event of one type under another name."""
    return lambda events: [
        {**event, "type": f"response.{new}"} if short(event) == old else event for event in events
    ]


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(events: Events) -> Events:
        for one in changes:
            events = one(events)
        return events

    return change
