"""The points at which the wire completes a call, for streams whose events a scenario lists.

A call completes with its arguments, and again with its item; an adapter declares at which of the
two it emits calls, or whether at the end (`emit_call_at`). A script says itself when a call is
complete, and ends both at once.
"""

from collections.abc import Mapping
from typing import NamedTuple

from conformance.contract.traits import Traits
from conformance.dialects.ledger import ledger, shown_kinds, text_due
from conformance.expectation.content import ExpectedContent
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.scenario.script import Sends


class EmissionPoints(NamedTuple):
    """The code points of shown text that were sent before a call was complete, and its item."""

    complete: int
    item: int


def emission_points(
    case: Case, content: ExpectedContent, traits: Traits
) -> Mapping[str, EmissionPoints]:
    """The points of each call by its id, as the rendered stream has them.

    Empty for scripts, and where the upstream violates its specification or its text cannot be
    followed: there a call may be emitted at any point.
    """
    turn = case.scenario.turns[content.turn].attempt(content.attempt)
    if not (isinstance(turn.script, Sends) and content.conduct != "violation" and content.calls):
        return {}
    entries = ledger(case.dialect, render(case, content.turn, content.attempt).plan.sent, traits)
    due = text_due(entries, traits)
    shown = shown_kinds(traits)
    if due[-1:] != [sum(count for kind, count in content.total.items() if kind in shown)]:
        return {}
    complete: dict[str, int] = {}
    items: dict[str, int] = {}
    for entry, characters in zip(entries, due, strict=True):
        complete |= dict.fromkeys(entry.calls, characters)
        items |= dict.fromkeys(entry.ended_items, characters)
    return {id_: EmissionPoints(at, max(at, items.get(id_, at))) for id_, at in complete.items()}
