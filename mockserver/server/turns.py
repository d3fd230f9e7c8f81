"""Which turn of a scenario a request is for, derived from its contents and never from a counter.

So a repeated request gets the same turn again, and parallel conversations do not affect each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.dialects.conversation import (
    ApprovalResponse,
    Message,
    ToolCall,
    ToolResult,
    is_from_model,
    model_turns,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockserver.dialects import Inbound
    from mockserver.dialects.conversation import Entry
    from mockserver.scenario.model import Then, Turn

_ONLY = "turn 0 is its only one"


class NoTurnLeft(Exception):
    """The conversation has reached the end of the scenario; the message says so."""


def turn_of(
    turns: Sequence[Turn], inbound: Inbound, turn_of_response: Callable[[str], int | None]
) -> tuple[int, str]:
    """The number of the turn that answers, and why.

    ``turn_of_response`` maps the id of a response to the turn that it was for, or to None. Raises
    NoTurnLeft if the conversation already contains all turns.
    """
    if len(turns) == 1:
        return 0, _ONLY
    turn, why = _next_turn(turns, inbound, turn_of_response)
    if turn >= len(turns):
        raise NoTurnLeft(f"the scenario has {len(turns)} turns, and {why}")
    return turn, f"turn {turn}: {why}"


def _next_turn(
    turns: Sequence[Turn], inbound: Inbound, turn_of_response: Callable[[str], int | None]
) -> tuple[int, str]:
    entries = inbound.conversation
    if inbound.previous and (before := turn_of_response(inbound.previous)) is not None:
        return before + 1, f"it goes on from the response of turn {before}"
    for n in range(len(turns) - 1, 0, -1):
        if (then := turns[n - 1].then) and (last := _host_step_end(then, entries)) is not None:
            spoken = model_turns(entries[last + 1 :])
            more = ", and the model has spoken since" if spoken else ""
            return n + spoken, f"what the host answers turn {n - 1} is there{more}"
    if spoken := model_turns(entries):
        return spoken, f"the model has spoken {spoken} time{'s' if spoken > 1 else ''}"
    return 0, "the conversation begins"


def _host_step_end(then: Then, entries: Sequence[Entry]) -> int | None:
    """The index of the last entry that ``then`` asks of the host; None if one is missing."""
    at = {e.id: n for n, e in enumerate(entries) if isinstance(e, ToolResult)}
    # By the names of the tools too, for calls to which the upstream gave no id.
    named = {e.name: at[e.id] for e in entries if isinstance(e, ToolCall) and e.id in at}
    places = [at.get(key, named.get(key)) for key in then.answered_calls]
    answers = {e.id: n for n, e in enumerate(entries) if isinstance(e, ApprovalResponse)}
    places += [answers.get(id_) for id_ in then.approvals]
    if then.user:
        places.append(_last_prompt(then.user, entries))
    known = [place for place in places if place is not None]
    return max(known) if known and len(known) == len(places) else None


def _last_prompt(text: str, entries: Sequence[Entry]) -> int | None:
    """The index of the last user message with this text after a turn of the model, if any."""
    for n in range(len(entries) - 1, -1, -1):
        entry = entries[n]
        if isinstance(entry, Message) and (entry.role, entry.text) == ("user", text):
            return n if any(map(is_from_model, entries[:n])) else None
    return None
