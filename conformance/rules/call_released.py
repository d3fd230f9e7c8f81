"""call-released: calls leave with the finish of their choice, and nothing of it behind them.

So it is where the wire never says that a call is complete and the vocabulary tells of calls before
they are any: a host has seen the call grow, and runs it with its choice over. Behind it may come
what belongs to the response, thoughts and the completion. An adapter that is right about the call
and merely early does little harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.vocabularies.announced_calls import steps
from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_WHAT = {
    "text": "text follows in its choice",
    "begin": "another call begins in its choice",
    "update": "a call still grows in its choice",
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    if DIALECTS[evidence.transcript.dialect].says_call_complete:
        return
    released: dict[int, str] = {}
    # A failure that is told in the text is told behind everything.
    tells_in_text = evidence.traits.errors == "text"
    for step in steps(evidence.transcript.parts):
        if step.kind == "call":
            released.setdefault(step.choice, step.id)
        elif step.choice in released and not (step.kind == "text" and tells_in_text):
            call_id = released[step.choice]
            yield Defect(
                f"the call {call_id!r} is out, and {_WHAT[step.kind]}",
                right="calls with the finish of their choice, behind all of its text",
                about=topics(f"released:{step.choice}"),
                # Text, and calls, that should not be there at all are other findings.
                needs=topics("text", f"call:{call_id}", f"call:{step.id}"),
                event=evidence.event_of_call(call_id),
                part=step.part,
            )


RULE = Rule(
    id="call-released",
    holds="where no call is said to be complete, calls leave with the finish of their choice",
    source="copilot-annex § Sanitized SSE chunk trace",
    check=_check,
    level="should",
)
