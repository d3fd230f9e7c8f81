"""Faults in which the upstream reports a failure at a place: ``error:PLACE:SHAPE``.

The shapes are those of the upstreams of a dialect (``Dialect.errors``); one of them says that the
response is incomplete. The stream then ends properly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mockserver.dialects.dialect import CODE, MESSAGE, Dialect, ErrorShape
from mockserver.scenario.script import Close, Raw, Sends
from mockserver.stream_faults.place import (
    PLACES_BEFORE_ITEMS,
    NoPlace,
    before_item,
    is_before_item,
    misfit_of,
    place,
)
from mockserver.wire.event import Event, Step
from mockserver.wire.variation import Break, Family, Variation

_NAMED = ("first", "terminal", "seed-1")


def errors(dialects: Mapping[str, Dialect]) -> Family:
    """The family of errors in the streams of these dialects."""
    shapes = {shape for dialect in dialects.values() for shape in dialect.errors.shapes}

    def make(parameter: str) -> Variation | None:
        where, _, shape = parameter.rpartition(":")
        known = shape in shapes and is_before_item(where)
        return _error(where, shape, dialects) if known else None

    return Family(
        "error",
        f"{PLACES_BEFORE_ITEMS}, a colon, and {', '.join(sorted(shapes))}",
        tuple(_error(where, shape, dialects) for where in _NAMED for shape in sorted(shapes)),
        make,
    )


def _error(where: str, shape: str, dialects: Mapping[str, Dialect]) -> Variation:
    having = {name: dialect for name, dialect in dialects.items() if shape in dialect.errors.shapes}
    name = f"error:{where}:{shape}"
    return Variation(
        name,
        f"at {where!r} the upstream fails in the shape {shape!r}",
        layer="faults",
        dialects=tuple(having),
        by_dialect=tuple(
            (each, _in_dialect(name, where, dialect.errors.shapes[shape], dialect))
            for each, dialect in having.items()
        ),
    )


def _in_dialect(name: str, where: str, shape: ErrorShape, dialect: Dialect) -> Variation:
    def after(steps: Sequence[Step]) -> int:
        found = place(where, steps, dialect.ending.is_terminal)
        kept = before_item(steps, found.item)
        if any(isinstance(s, Event) and _ends(s, dialect) for s in kept):
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
        dialects=(dialect.name,),
        misfit=misfit_of(after),
        find_break=lambda steps: Break(
            after(steps),
            message=MESSAGE if shape.outcome == "failed" else "",
            code=CODE if shape.code and shape.outcome == "failed" else "",
            incomplete=shape.outcome == "incomplete",
        ),
    )


def _ends(event: Event, dialect: Dialect) -> bool:
    """Whether the response has ended or failed with an event."""
    return event.type == "error" or dialect.ending.is_terminal(event.type, event.data)
