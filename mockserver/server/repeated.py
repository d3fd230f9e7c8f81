"""Remembers what was chosen and rendered for a request, for when the same request comes again.

Load tests ask for the same answer thousands of times. Only requests outside of runs are remembered,
and only if nothing but the request and the scenario's file decides on the answer: a request that
goes on from an earlier response depends on that one, too.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mockserver.wire.frames import Write
from mockserver.wire.slots import fill_some

if TYPE_CHECKING:
    from mockserver.cases.render import Rendered
    from mockserver.server.address import Address
    from mockserver.server.choice import Choice
    from mockserver.server.parsed import Parsed
    from mockserver.wire.slots import Values

_MAX_PREFILLED = 64 << 10


class Asked(NamedTuple):
    """What decides on an answer: the address, the parsed request, and the headers that count."""

    address: Address
    parsed: Parsed
    scenario: str
    retries: str

    @property
    def key(self) -> tuple[int, int, str, str]:
        """The same for the same request: address and body are parsed once for the same bytes."""
        return id(self.address), id(self.parsed), self.scenario, self.retries


class Chosen(NamedTuple):
    """A choice, the attempt at its turn that a request is, and the turn as rendered for it.

    ``case`` is the id of its case, and ``why`` the reason as the journal has it.
    """

    choice: Choice
    attempt: int
    rendered: Rendered
    case: str
    why: str


class Repeated:
    """The newest choices by what was asked; bounded in number, and so in memory."""

    def __init__(self, most: int = 256) -> None:
        self._most = most
        # With what was asked, so that no other object gets the identity of its parts.
        self._kept: OrderedDict[tuple[int, int, str, str], tuple[Asked, Chosen]] = OrderedDict()

    def get(self, asked: Asked) -> Chosen | None:
        """What was chosen for such a request; None if it is not known."""
        known = self._kept.get(asked.key)
        return known[1] if known else None

    def keep(self, asked: Asked, chosen: Chosen) -> None:
        """Remember a choice, with the values that the answer repeats of its request filled in."""
        prefilled = chosen._replace(rendered=_prefilled(chosen.rendered, asked.parsed.echo))
        self._kept[asked.key] = asked, prefilled
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
