"""Streams that break one rule each: what is done to a legal stream, and who must notice.

The names of some are those under which servers pass the official compliance suite of OpenResponses,
which looks at neither order, sums nor framing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.contract.finding import Level
from tests.stream import LEGAL, WIRE, Change, Events, Json, numbered


def _same(events: Events) -> Events:
    return events


@dataclass(frozen=True, slots=True)
class Broken:
    """A change to a legal stream, and the one rule that convicts it.

    ``numbers`` changes the events once they have their numbers, ``written`` puts them into bytes.
    ``times`` counts the findings where one cause breaks several items; ``also`` names rules of
    level should that are broken beside.
    """

    name: str
    rule: str
    change: Change = _same
    level: Level = "must"
    of: tuple[Json, ...] = tuple(LEGAL)
    numbers: Change = _same
    written: Callable[[Events], bytes] = WIRE.bytes
    times: int = 1
    also: tuple[str, ...] = ()

    @property
    def events(self) -> Events:
        return self.numbers(numbered(self.change(list(self.of))))
