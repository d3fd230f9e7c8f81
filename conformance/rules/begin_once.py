"""begin-once: a call is announced at most once, before anything else is told of it.

An adapter need not announce its calls. What has no id cannot be told from others, and is passed
over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.vocabularies.announced_calls import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_TOLD = {"begin": "begun", "update": "growing", "call": "made"}


def _check(evidence: Evidence) -> Iterator[Defect]:
    last: dict[tuple[int, str], str] = {}
    for step in steps(evidence.transcript.parts):
        if not step.id:
            continue
        before = last.get((step.choice, step.id))
        if step.kind == "begin" and before:
            yield Defect(
                f"the call {step.id!r} begins, and was {_TOLD[before]} already",
                right="one begin at most, before the updates of a call and the call itself",
                about=topics(f"begin:{step.choice}:{step.id}"),
                # A call that comes again is announced again.
                needs=topics(f"call:{step.id}"),
                event=evidence.event_of_call(step.id),
                part=step.part,
            )
        last[step.choice, step.id] = step.kind


RULE = Rule(
    id="begin-once",
    holds="a call is announced at most once, before its updates and the call",
    source="copilot-annex § Example Trace",
    check=_check,
)
