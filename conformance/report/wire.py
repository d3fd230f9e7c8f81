"""Renders the bytes that a run was sent again, and verifies them with the recorded checksum.

A transcript holds the events of an answer, and only the checksum of its bytes, to stay small. The
bytes are rendered from the scenario again; values that differ between requests are taken from the
events. If the checksums agree, exactly these bytes were sent; if not, the scenario or the kit has
changed since the run.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING

from conformance.contract.transcript import BodyDigest
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import UserError
from mockserver.wire import slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import Request, SentEvent
    from mockserver.cases.case import Case
    from mockserver.cases.render import Rendered, Renderings
    from mockserver.wire.frames import Plan, Write
    from mockserver.wire.slots import Values

CHANGED = "the scenario, or streamproof, has changed since: what is sent now is something else"
UNKNOWN = "the results file does not say what its bytes were"


Key = tuple[int, int, str]
"""Identifies an answer of a case: turn, attempt, and the form of its events."""


@dataclass(frozen=True, slots=True)
class AnsweredWith:
    """The answer to one request: the rendering of the turn, and how much of it was sent.

    Requests with the same ``key`` got the same bytes, apart from ``values``. ``writes`` is the
    number of writes that were sent.
    """

    key: Key
    rendered: Rendered
    values: Values
    writes: int
    wire: BodyDigest


def wire_of(body: bytes) -> BodyDigest:
    """The length and the SHA-256 checksum of a body."""
    return BodyDigest(len(body), sha256(body).hexdigest())


def render_again(case: Case, request: Request, renderings: Renderings) -> AnsweredWith:
    """Render the answer to a request again. Raises UserError if it is not what was sent."""
    if request.wire is None or request.turn is None:
        raise UserError(UNKNOWN)
    if request.turn >= len(case.scenario.turns):
        raise UserError(CHANGED)
    attempt = min(request.attempt, len(case.scenario.turns[request.turn].attempts))
    for form in DIALECTS[case.dialect].forms.names:
        rendered = renderings.get(case, request.turn, attempt, form)
        values = _values(rendered.plan, request.events)
        # A value that no event has shown is of a write that was not made.
        known = defaultdict(bytes, values)
        rendered = replace(rendered, plan=rendered.plan.filled(known))
        sent_writes = _made(rendered.plan, request, known)
        if _body(rendered, sent_writes, values) == request.wire:
            key = request.turn, attempt, form
            return AnsweredWith(key, rendered, values, len(sent_writes), request.wire)
    raise UserError(CHANGED)


def _made(plan: Plan, request: Request, values: Values) -> list[Write]:
    """The writes of a plan that were made for a request, by the number of bytes that it got."""
    assert request.wire is not None
    sizes = accumulate(len(slots.fill(write.pieces, values)) for write in plan.byte_writes)
    pairs = zip(plan.byte_writes, sizes, strict=True)
    return [write for write, size in pairs if size <= request.wire.bytes]


def _body(rendered: Rendered, sent_writes: Sequence[Write], values: Values) -> BodyDigest | None:
    """The length and checksum of a rendered body; None if a value is missing."""
    if rendered.answer is not None:
        return wire_of(rendered.answer.body)
    try:
        return wire_of(b"".join(slots.fill(write.pieces, values) for write in sent_writes))
    except KeyError:
        return None


def _values(plan: Plan, events: Sequence[SentEvent]) -> Values:
    filled = (
        pair
        for sent, event in zip(plan.sent, events, strict=False)
        for pair in slots.slot_values(sent.data, event.data)
    )
    return slots.encode_values(**dict(filled))
