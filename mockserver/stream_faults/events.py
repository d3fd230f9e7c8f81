"""Faults of one event: the upstream reports a failure at a place, or sends damaged JSON there.

``error:PLACE:SHAPE`` has the shapes of the upstreams of a dialect (``Dialect.errors.shapes``); one
of them says that the response is incomplete. The stream then ends properly. Under ``junk:PLACE``
the JSON of one event is damaged, and the others arrive.
"""

from collections.abc import Sequence

from mockserver.dialects import DIALECTS, Dialect
from mockserver.dialects.dialect import CODE, MESSAGE, ErrorShape
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import Close, Raw, Sends
from mockserver.stream_faults.places import (
    PLACE_BEFORE_ITEM,
    PLACES_BEFORE_ITEMS,
    NoPlace,
    before_item,
    in_each_dialect,
    items_of,
    misfit_of,
    place,
)
from mockserver.wire.event import Event, Step
from mockserver.wire.variation import Break, Family, Variation

_NAMED = ("first", "terminal", "seed-1")


def _error(where: str, shape: str) -> Variation:
    name = f"error:{where}:{shape}"

    def in_dialect(dialect: Dialect) -> Variation | None:
        known = dialect.errors.shapes.get(shape)
        return _error_in_dialect(name, where, known, dialect) if known else None

    about = f"at {where!r} the upstream fails in the shape {shape!r}"
    return in_each_dialect(name, about, in_dialect)


def _error_in_dialect(name: str, where: str, shape: ErrorShape, dialect: Dialect) -> Variation:
    def after(steps: Sequence[Step]) -> int:
        found = place(where, steps, dialect.ending.is_terminal)
        kept = before_item(steps, found.item)
        events = [step for step in kept if isinstance(step, Event)]
        if any(
            each.type == "error" or dialect.ending.is_terminal(each.type, each.data)
            for each in events
        ):
            raise NoPlace("the response has ended before this place")
        if any(isinstance(s, Raw) for s in kept):
            raise NoPlace("raw bytes before this place may have ended the response")
        # Inside an event there is no place for another one.
        return found.item

    def change(steps: Sequence[Step]) -> Sequence[Step]:
        kept = [s for s in before_item(steps, after(steps)) if not isinstance(s, Close)]
        added = dialect.steps(Sends(shape.sends, ()), 0)
        return [*kept, *dialect.errors.resume(kept, added), Close("clean")]

    return Variation(
        name,
        shape.about,
        change_steps=change,
        layer="faults",
        misfit=misfit_of(after),
        find_break=lambda steps: Break(
            after(steps),
            message=MESSAGE if shape.outcome == "failed" else "",
            code=CODE if shape.code and shape.outcome == "failed" else "",
            incomplete=shape.outcome == "incomplete",
        ),
    )


_SHAPES = sorted({shape for each in DIALECTS.values() for shape in each.errors.shapes})
ERRORS = Family(
    "error",
    f"{PLACES_BEFORE_ITEMS}, a colon, and {', '.join(_SHAPES)}",
    f"{PLACE_BEFORE_ITEM}:({'|'.join(_SHAPES)})",
    _error,
    tuple(f"{where}:{shape}" for where in _NAMED for shape in _SHAPES),
)


def _junk(where: str) -> Variation:
    name, about = f"junk:{where}", f"the event at {where!r} is cut in the middle of its JSON"
    return in_each_dialect(
        name, about, lambda dialect: _junk_in_dialect(name, about, where, dialect)
    )


def _junk_in_dialect(name: str, about: str, where: str, dialect: Dialect) -> Variation:
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
        return [*steps[:at], Raw(_damage(event, dialect)), *steps[at + 1 :]]

    return Variation(
        name,
        about,
        change_steps=change,
        layer="faults",
        misfit=misfit_of(find),
        find_break=lambda steps: Break(find(steps), resumes=True),
    )


def _damage(event: Event, dialect: Dialect) -> str:
    """The event up to the middle of a field's name: it says what it is, and none of its content."""
    named = f"event: {event.type}\n" if dialect.framing.event_line else ""
    kind = {key: event.data[key] for key in _SAY_THE_KIND if isinstance(event.data.get(key), str)}
    more = next((key for key in event.data if key not in (*kind, *_SET_BY_REQUESTS)), "")
    begun = f"{dump(kind)[:-1]}," if kind else "{"
    return f'{named}data: {begun}"{more[: len(more) // 2]}\n\n'


_SAY_THE_KIND = ("type", "object")
_SET_BY_REQUESTS = ("id", "created", "model")


JUNK = Family(
    "junk",
    PLACES_BEFORE_ITEMS.replace(" end or", " or"),
    f"(?!end){PLACE_BEFORE_ITEM}",
    _junk,
    _NAMED,
)
