"""Streams that each break one rule: a change to a legal stream, and the rule that it breaks.

Some are named after the servers that stream so and pass the official compliance suite of
OpenResponses, which checks neither order, sums nor framing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.findings.finding import Level
from tests.stream import LEGAL, WIRE, Change, Events, Json, numbered


def _same(events: Events) -> Events:
    return events


@dataclass(frozen=True, slots=True)
class Broken:
    """A change to a legal stream, and the one rule that it breaks.

    ``numbers`` changes the events after they are numbered, ``written`` turns them into bytes.
    ``times`` counts the findings if one cause breaks several items; ``also`` lists rules of level
    should that are broken too.
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
