"""Which turn of a conversation a request asks for: told by what it carries, never by a counter.

A request that comes again asks for the same turn again, and two conversations that go on side by
side do not disturb each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.conversation import Answered, Said, of_model, times_spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockserver.conversation import Entry
    from mockserver.dialects import Inbound
    from mockserver.scenario.model import Then, Turn

_ONLY = "turn 0 is its only one"


class Over(Exception):
    """The request asks for more than the scenario has; the message says so."""


def turn_of(
    turns: Sequence[Turn], inbound: Inbound, told_by: Callable[[str], int | None]
) -> tuple[int, str]:
    """The number of the turn that answers, and why that one.

    ``told_by`` gives the turn whose response has an id. Raises Over where the conversation has
    come to its end before.
    """
    if len(turns) == 1:
        return 0, _ONLY
    turn, why = _asked(turns, inbound, told_by)
    if turn >= len(turns):
        raise Over(f"the scenario has {len(turns)} turns, and {why}")
    return turn, f"turn {turn}: {why}"


def _asked(
    turns: Sequence[Turn], inbound: Inbound, told_by: Callable[[str], int | None]
) -> tuple[int, str]:
    told = inbound.conversation
    if inbound.previous and (before := told_by(inbound.previous)) is not None:
        return before + 1, f"it goes on from the response of turn {before}"
    for n in range(len(turns) - 1, 0, -1):
        if (then := turns[n - 1].then) and (last := _reached(then, told)) is not None:
            spoken = times_spoken(told[last + 1 :])
            more = ", and the model has spoken since" if spoken else ""
            return n + spoken, f"what the host answers turn {n - 1} is there{more}"
    if spoken := times_spoken(told):
        return spoken, f"the model has spoken {spoken} time{'s' if spoken > 1 else ''}"
    return 0, "the conversation begins"


def _reached(then: Then, told: Sequence[Entry]) -> int | None:
    """Where all of what the host says next has been said; None where some of it is missing."""
    at = {e.id: n for n, e in enumerate(told) if isinstance(e, Answered)}
    places = [at.get(id_) for id_ in then.tool_results]
    if then.user:
        places.append(_last_said(then.user, told))
    known = [place for place in places if place is not None]
    return max(known) if known and len(known) == len(places) else None


def _last_said(text: str, told: Sequence[Entry]) -> int | None:
    """Where a user last said this to a model that had spoken."""
    for n in range(len(told) - 1, -1, -1):
        entry = told[n]
        if isinstance(entry, Said) and (entry.role, entry.text) == ("user", text):
            return n if any(map(of_model, told[:n])) else None
    return None
