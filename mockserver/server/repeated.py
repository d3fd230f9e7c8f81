"""Remembers what was chosen and rendered for a request, for when the same request comes again.

Load tests ask for the same answer thousands of times. Only requests outside of runs are remembered,
and only if nothing but the request and the scenario's file decides on the answer: a request that
goes on from an earlier response depends on that one, too.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mockserver.identity import Same
from mockserver.wire.frames import Write
from mockserver.wire.slots import fill_some

if TYPE_CHECKING:
    from mockserver.render import Rendered
    from mockserver.server.address import Address
    from mockserver.server.choice import Choice
    from mockserver.server.parsed import Parsed
    from mockserver.wire.slots import Values

_MAX_PREFILLED = 64 << 10


class Asked(NamedTuple):
    """What decides on an answer: the address, the parsed request, and the headers that count."""

    address: Same[Address]
    parsed: Same[Parsed]
    scenario: str
    retries: str


class Chosen(NamedTuple):
    """A choice, the attempt at its turn that a request is, and the turn as rendered for it."""

    choice: Choice
    attempt: int
    rendered: Rendered


class Repeated:
    """The newest choices by what was asked; bounded in number, and so in memory."""

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._kept: OrderedDict[Asked, Chosen] = OrderedDict()

    def get(self, asked: Asked) -> Chosen | None:
        """What was chosen for such a request; None if it is not known."""
        return self._kept.get(asked)

    def keep(self, asked: Asked, chosen: Chosen) -> None:
        """Remember a choice, with the values that the answer repeats of its request filled in."""
        echo = asked.parsed.value.echo
        self._kept[asked] = chosen._replace(rendered=_prefilled(chosen.rendered, echo))
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _prefilled(rendered: Rendered, echo: Values) -> Rendered:
    plan = rendered.plan
    if plan.size > _MAX_PREFILLED:
        return rendered
    writes = tuple(
        replace(step, pieces=fill_some(step.pieces, echo)) if isinstance(step, Write) else step
        for step in plan.writes
    )
    return replace(rendered, plan=replace(plan, writes=writes))
