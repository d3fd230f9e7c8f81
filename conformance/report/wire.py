"""What went over the wire in a run, rendered again, and proven to be what was sent.

A transcript has the events of an answer, and of its bytes the checksum only: they would double it.
The scenario gives the bytes once more, and the events give the few values that differ from request
to request. Where the checksums agree, these are the bytes that went out, to the last one; where
they do not, the scenario or the kit has changed since.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from conformance.contract.transcript import Wire
from mockserver.dialects import DIALECTS
from mockserver.faults import UserError
from mockserver.wire import slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import Request, SentEvent
    from mockserver.render import Case, Rendered, Renderings
    from mockserver.wire.frames import Plan, Write
    from mockserver.wire.slots import Values

CHANGED = "the scenario, or streamproof, has changed since: what is sent now is something else"
UNTOLD = "the results file does not say what its bytes were"


# A turn, which of its attempts, and the form of its events.
Key = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Resent:
    """The answer to one request: the turn's whole rendering, and what this request got of it.

    ``key`` is the same for all requests that a case answered alike, ``values`` apart.
    """

    key: Key
    rendered: Rendered
    values: Values
    writes: int
    wire: Wire


def wire_of(body: bytes) -> Wire:
    """A body as a transcript has it."""
    return Wire(len(body), sha256(body).hexdigest())


def resent(case: Case, request: Request, renderings: Renderings) -> Resent:
    """What a request was answered with. Raises UserError where that is not known any more."""
    if request.wire is None or request.turn is None:
        raise UserError(UNTOLD)
    if request.turn >= len(case.scenario.turns):
        raise UserError(CHANGED)
    attempt = min(request.attempt, len(case.scenario.turns[request.turn].attempts))
    for form in DIALECTS[case.dialect].forms:
        rendered = renderings.get(case, request.turn, attempt, form)
        values = _values(rendered.plan, request.events)
        made = [write for write in rendered.plan.byte_writes if write.last < len(request.events)]
        if _body(rendered, made, values) == request.wire:
            key = request.turn, attempt, form
            return Resent(key, rendered, values, len(made), request.wire)
    raise UserError(CHANGED)


def _body(rendered: Rendered, made: Sequence[Write], values: Values) -> Wire | None:
    """What this makes of the body; None where it has a slot that nothing fills."""
    if rendered.answer is not None:
        return wire_of(rendered.answer.body)
    try:
        return wire_of(b"".join(slots.fill(write.pieces, values) for write in made))
    except KeyError:
        return None


def _values(plan: Plan, events: Sequence[SentEvent]) -> Values:
    told = (
        pair
        for sent, event in zip(plan.sent, events, strict=False)
        for pair in slots.slot_values(sent.data, event.data)
    )
    return slots.values(**dict(told))
