"""Faults in which a stream stops at a place, or its body is announced too long.

``stop:PLACE:HOW`` delivers everything before the place, then closes the stream in one of the ways
of a scenario's ``close``. A stop after the event that ends the response changes nothing. If the
stream stalls before that, or between two events with which the response ends, the host cancels.

Under ``wrong-length:N`` the whole answer arrives, and the connection is closed before N more bytes
have come. A body that is too short for its answer is ``content-length+stop:PLACE:clean``.

Source: RFC 9112 § 6.3 (the length says where a body ends) and § 8 (a message with fewer bytes is
incomplete).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from mockserver.dialects import Dialect, Ending
from mockserver.scenario.script import Checkpoint, Close, CloseHow
from mockserver.stream_faults.places import (
    PLACE,
    PLACES,
    Place,
    before_item,
    in_each_dialect,
    items_of,
    misfit_of,
    place,
)
from mockserver.wire.event import Event, PartialEvent, Step
from mockserver.wire.frames import Plan
from mockserver.wire.variation import Break, Family, Variation

STALLED = "the upstream is silent"
"""The name of the checkpoint at which the host cancels a run whose upstream has stalled."""

_HOWS: tuple[CloseHow, ...] = get_args(CloseHow)
_ENDS: Mapping[CloseHow, str] = {
    "clean": "ends as if the answer were over",
    "cut": "is closed in the middle of the body",
    "reset": "is reset",
    "half-close": "gets a FIN, and the server still reads",
    "stall": "falls silent; before the answer is over, the host cancels",
}
_NAMED = ("first", "terminal", "end", "seed-1")


def _stop(where: str, how: CloseHow) -> Variation:
    name, about = f"stop:{where}:{how}", f"the stream breaks at {where!r}: it {_ENDS[how]}"

    def in_dialect(dialect: Dialect) -> Variation:
        def find(steps: Sequence[Step]) -> Place:
            return place(where, steps, dialect.ending.is_terminal)

        def find_break(steps: Sequence[Step]) -> Break:
            found = find(steps)
            return Break(found.item, how, readable=found.inside == "line")

        return Variation(
            name,
            about,
            # Nothing like ``[DONE]`` follows where a stream has stopped.
            lambda framing: replace(framing, closing=""),
            lambda steps: _stop_steps(steps, find(steps), how, dialect.ending),
            layer="faults",
            misfit=misfit_of(find),
            find_break=find_break,
        )

    return in_each_dialect(name, about, in_dialect)


def _stop_steps(steps: Sequence[Step], at: Place, how: CloseHow, ending: Ending) -> Sequence[Step]:
    kept = before_item(steps, at.item)
    left = items_of(steps)[at.item :]
    ended = any(isinstance(s, Event) and ending.is_terminal(s.type, s.data) for s in kept) and not (
        any(isinstance(s, Event) and ending.is_last(s.type) for s in left)
    )
    if at.inside is not None:
        item = items_of(steps)[at.item]
        assert isinstance(item, Event)
        kept.append(PartialEvent(item, None if at.inside == "line" else at.inside))
    if how == "stall" and not ended:
        kept.append(Checkpoint(STALLED))
    return [*(step for step in kept if not isinstance(step, Close)), Close(how)]


STOPS = Family(
    "stop",
    f"{PLACES}, a colon, and {', '.join(_HOWS[:-1])} or {_HOWS[-1]}",
    f"{PLACE}:({'|'.join(_HOWS)})",
    _stop,
    tuple(f"{where}:{how}" for where in _NAMED for how in _HOWS),
)


def _too_long(surplus: str) -> Variation:
    def change(plan: Plan) -> Plan:
        announced = plan.size + int(surplus)
        return replace(plan, transfer=replace(plan.transfer, delimited="length", length=announced))

    return Variation(
        f"wrong-length:{surplus}",
        f"the announced length of the body is {surplus} bytes too long, and the connection closed",
        change_plan=change,
        layer="faults",
        # All of its items arrive, with what closes the stream.
        find_break=lambda steps: Break(len(items_of(steps)) + 1, "cut"),
    )


LENGTH = Family("wrong-length", "a number of bytes", "([1-9][0-9]{0,6})", _too_long, ("64",))
