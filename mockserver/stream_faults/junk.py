"""Faults in which the JSON of one event is damaged, and the others arrive: ``junk:PLACE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mockserver.dialects.dialect import Dialect
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import Raw
from mockserver.stream_faults.place import (
    PLACES_BEFORE_ITEMS,
    NoPlace,
    before_item,
    is_before_item,
    items_of,
    misfit_of,
    place,
)
from mockserver.wire.event import Event, Step
from mockserver.wire.variation import Break, Family, Variation

_NAMED = ("first", "terminal", "seed-1")


def junk(dialects: Mapping[str, Dialect]) -> Family:
    """The family of damaged events."""

    def make(parameter: str) -> Variation | None:
        is_known = is_before_item(parameter) and parameter != "end"
        return _junk(parameter, dialects) if is_known else None

    parameters = PLACES_BEFORE_ITEMS.replace(" end or", " or")
    named = tuple(_junk(where, dialects) for where in _NAMED)
    return Family("junk", parameters, named, make)


def _junk(where: str, dialects: Mapping[str, Dialect]) -> Variation:
    name, about = f"junk:{where}", f"the event at {where!r} is cut in the middle of its JSON"
    return Variation(
        name,
        about,
        layer="faults",
        by_dialect=tuple((d, _in_dialect(name, about, where, dialects[d])) for d in dialects),
    )


def _in_dialect(name: str, about: str, where: str, dialect: Dialect) -> Variation:
    def find(steps: Sequence[Step]) -> int:
        n, items = place(where, steps, dialect.ending.is_terminal).item, items_of(steps)
        if n >= len(items) or not isinstance(items[n], Event):
            raise NoPlace(f"there is no event at {where!r} of its stream")
        return n

    def change(steps: Sequence[Step]) -> Sequence[Step]:
        n = find(steps)
        event = items_of(steps)[n]
        assert isinstance(event, Event)
        at = steps.index(event, len(before_item(steps, n)))
        return [*steps[:at], Raw(_damaged(event, dialect)), *steps[at + 1 :]]

    return Variation(
        name,
        about,
        change_steps=change,
        layer="faults",
        misfit=misfit_of(find),
        find_break=lambda steps: Break(find(steps), resumes=True),
    )


def _damaged(event: Event, dialect: Dialect) -> str:
    """The event up to the middle of a field's name: it says what it is, and none of its content."""
    named = f"event: {event.type}\n" if dialect.framing.event_line else ""
    kind = {key: event.data[key] for key in _SAY_THE_KIND if isinstance(event.data.get(key), str)}
    more = next((key for key in event.data if key not in (*kind, *_SET_BY_REQUESTS)), "")
    begun = f"{dump(kind)[:-1]}," if kind else "{"
    return f'{named}data: {begun}"{more[: len(more) // 2]}\n\n'


_SAY_THE_KIND = ("type", "object")
_SET_BY_REQUESTS = ("id", "created", "model")
