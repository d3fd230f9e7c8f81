"""Checks that a scenario plays what was captured: it is rendered, and compared event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.recording import read_dump
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.wire.slots import fill
from streamproof._captures.script import as_scenarios_write
from streamproof._captures.slots import SlotValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import SentEvent
    from mockserver.cases.case import Case
    from mockserver.wire.frames import Plan, Sent

# With headers, a recording may have nothing that is JSON.
_HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


def difference(case: Case, turn: int, attempt: int, events: Sequence[SentEvent], form: str) -> str:
    """How what a case plays differs from the recorded events; empty if it plays the same.

    A last ``[DONE]`` may be missing in the recording.
    """
    plan = render(case, turn, attempt, form).plan
    sent = _without_added_end(plan, events)
    if len(sent) != len(events):
        return f"it plays {len(sent)} events, and {len(events)} were captured"
    slots = SlotValues(DIALECTS[case.dialect])
    for played, recorded in zip(sent, events, strict=True):
        if played.kind == recorded.kind == "event":
            slots.learn(played.data, as_scenarios_write(recorded.data))
    for played, recorded in zip(sent, events, strict=True):
        if not _same(played, recorded, slots):
            return f"event {recorded.n} ({recorded.type or recorded.kind}) is played otherwise"
    return ""


def played_again(
    case: Case, turn: int, attempt: int, events: Sequence[SentEvent], form: str
) -> tuple[SentEvent, ...]:
    """What a client receives of a case that has no ``difference`` from the recorded events.

    A ``[DONE]`` that was not recorded is left out.
    """
    plan = render(case, turn, attempt, form).plan
    values = DIALECTS[case.dialect].sample()
    data = b"".join(fill(write.pieces, values) for write in plan.filled(values).byte_writes)
    return read_dump(_HEAD + data, str(case)).events[: len(events)]


def _without_added_end(plan: Plan, events: Sequence[SentEvent]) -> Sequence[Sent]:
    recorded_end = bool(events) and events[-1].kind == "done"
    added = bool(plan.sent) and plan.sent[-1].kind == "done" and not recorded_end
    return plan.sent[:-1] if added else plan.sent


def _same(played: Sent, recorded: SentEvent, slots: SlotValues) -> bool:
    if played.kind == "raw":
        found = read_dump(_HEAD + str(played.data).encode("utf-8", "replace"), "raw").events
        return [(e.kind, e.data) for e in found] == [(recorded.kind, recorded.data)]
    if played.kind != recorded.kind:
        return False
    if played.kind != "event":
        return played.kind == "done" or bool(played.data == recorded.data)
    return slots.same(played.data, as_scenarios_write(recorded.data))
