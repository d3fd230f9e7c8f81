"""The places in a stream at which it may break, in words and numbers, and faults by dialect.

Items are events, comments and raw bytes, numbered from 0 as in a timeline; ``[DONE]`` is not
counted. A place is before an item or inside it.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mockserver.dialects import DIALECTS, Dialect
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import Comment, Raw
from mockserver.wire.event import Event, Step
from mockserver.wire.variation import Misfit, Variation

IsTerminal = Callable[[str, Any], bool]

_NUMBERED = re.compile(r"([0-9]{1,6})(?::([1-9][0-9]{0,6}|line))?")
_SEEDED = re.compile(r"seed-([0-9]{1,9})")

PLACES = "a place (K, K:B, K:line, first, terminal, end or seed-N)"
PLACES_BEFORE_ITEMS = "a place (K, first, terminal, end or seed-N)"

PLACE = r"([0-9]{1,6}(?::(?:[1-9][0-9]{0,6}|line))?|first|terminal|end|seed-[0-9]{1,9})"
"""Matches a place."""
PLACE_BEFORE_ITEM = r"([0-9]{1,6}|first|terminal|end|seed-[0-9]{1,9})"
"""Matches a place that is given as before an item, or by a seed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Before the item number ``item``, or inside it.

    ``inside`` is the number of its bytes that are before the place, ``line`` if all but its empty
    line are, or None if the place is not inside an item.
    """

    item: int
    inside: int | Literal["line"] | None = None


class NoPlace(Exception):
    """The stream has no such place; the message says why."""


def misfit_of(find: Callable[[Sequence[Step]], object]) -> Misfit:
    """The words of NoPlace, which ``find`` raises for steps without the place; empty for others."""

    def misfit(steps: Sequence[Step]) -> str:
        try:
            find(steps)
        except NoPlace as why:
            return str(why)
        return ""

    return misfit


def place(written: str, steps: Sequence[Step], is_terminal: IsTerminal) -> Place:
    """The place in a stream that these words name. Raises NoPlace."""
    items = items_of(steps)
    if found := _NUMBERED.fullmatch(written):
        inside = found[2]
        within = int(inside) if inside and inside != "line" else None
        return _check(Place(int(found[1]), "line" if inside == "line" else within), items)
    if found := _SEEDED.fullmatch(written):
        return random.Random(int(found[1])).choice(_places(items))  # noqa: S311 (not a secret)
    return Place(_NAMED[written](items, is_terminal))


def in_each_dialect(
    name: str, about: str, make: Callable[[Dialect], Variation | None]
) -> Variation:
    """A fault whose form ``make`` gives for each dialect, or None if the dialect has none."""
    made = {each.name: found for each in DIALECTS.values() if (found := make(each))}
    only = tuple(made) if len(made) < len(DIALECTS) else ()
    return Variation(name, about, layer="faults", dialects=only, by_dialect=tuple(made.items()))


def items_of(steps: Sequence[Step]) -> list[Step]:
    """The steps that are items of the stream."""
    return [step for step in steps if isinstance(step, (Event, Comment, Raw))]


def before_item(steps: Sequence[Step], n: int) -> list[Step]:
    """The steps before the item number ``n``, and what the script does before it is due."""
    kept: list[Step] = []
    for step in steps:
        if isinstance(step, (Event, Comment, Raw)):
            if not n:
                break
            n -= 1
        kept.append(step)
    return kept


def _check(found: Place, items: Sequence[Step]) -> Place:
    """The place itself. Raises NoPlace if the stream has no such item, or it cannot be divided."""
    if found.item > len(items) - (found.inside is not None):
        raise NoPlace(f"its stream has {len(items)} items, and none has the number {found.item}")
    if found.inside is not None and not isinstance(items[found.item], Event):
        raise NoPlace(f"its item number {found.item} is no event, and is not divided")
    return found


def _places(items: Sequence[Step]) -> list[Place]:
    """Before and after each item, and inside each event."""
    inside = [
        Place(n, random.Random(n).randrange(1, len(dump(item.data))))  # noqa: S311 (likewise)
        for n, item in enumerate(items)
        if isinstance(item, Event)
    ]
    return [*map(Place, range(len(items) + 1)), *inside]


def _terminal(items: Sequence[Step], is_terminal: IsTerminal) -> int:
    for n, item in enumerate(items):
        if isinstance(item, Event) and is_terminal(item.type, item.data):
            return n
    raise NoPlace("no event of its stream ends the response")


_NAMED: dict[str, Callable[[Sequence[Step], IsTerminal], int]] = {
    "first": lambda _items, _is_terminal: 0,
    "terminal": _terminal,
    "end": lambda items, _is_terminal: len(items),
}

PLACE_NAMES = tuple(_NAMED)
"""The places that have a word of their own."""
