"""The rule on the steps of a full stream, each of which is one answer of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings.finding import Defect, Kind, Rule, topics
from conformance.rules.framing.judged import ANYWHERE, is_finished
from conformance.vocabularies import FULLSTREAM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart

_EDGES = frozenset({"start", "start-step", "finish-step", "finish", "abort"})
# They come between steps as well: an error has no step if no model answers, and the core gives the
# results of calls of an earlier answer before the first step.
_ASIDE = ANYWHERE | {
    "error",
    "steering-message",
    "tool-result",
    "tool-output-denied",
    "tool-approval-request",
    "tool-approval-response",
}

# The state after each part; a part that is not listed for a state is a breach.
_AFTER: Mapping[str, Mapping[str, str]] = {
    "": {"start": "between"},
    "between": {"start-step": "step", "finish": "over", "abort": "over"},
    "step": {"content": "step", "finish-step": "between", "abort": "over"},
    # What follows finish is judged by finish-last.
    "over": {"content": "over", "finish": "over"},
}


class _WrongStep(Kind):
    """The parts of a full stream are not in steps that start and finish."""

    right = "start; start-step, its parts and finish-step for each step; finish or abort"


class OutOfStep(_WrongStep):
    """A part comes where the steps of a full stream have no place for it."""

    type: str
    state: str

    message = "{type} comes {state:phrase}"
    phrases = {
        "state": {
            "": "before start",
            "between": "outside of a step",
            "step": "in a step that has not finished",
            "over": "after the end",
        }
    }
    same_by = ("type", "state")


class StepNeverFinishes(_WrongStep):
    """The last step of a full stream never finishes."""

    message = "the last step never finishes"


def _step_framing(evidence: Evidence) -> Iterator[Defect]:
    """The first part that is out of order, or else a step that never finishes."""
    state, last = "", None
    for part in evidence.stream_parts:
        kind = part.type if part.type in _EDGES else "content"
        if part.type in _ASIDE and state:
            continue
        if (after := _AFTER[state].get(kind)) is None:
            yield _defect(OutOfStep(part.written, state), part)
            return
        state, last = after, part
    if state == "step" and last and is_finished(evidence):
        yield _defect(StepNeverFinishes(), last)


def _defect(kind: Kind, part: StreamPart) -> Defect:
    return Defect(
        kind,
        about=topics("steps"),
        part=part.n,
        needs=topics("end", f"part:{part.n}"),
    )


def _not_applicable(evidence: Evidence) -> str:
    has_steps = evidence.transcript.vocabulary == FULLSTREAM.name
    return "" if has_steps else "the vocabulary has no steps"


STEP_FRAMING = Rule(
    id="step-framing",
    holds="a full stream begins with start; the parts of an answer are in a step that starts and "
    "finishes; finish and start are outside of steps; nothing but these and errors, results and "
    "approvals is outside of a step",
    source="AI SDK Core § streamText; ai § streamText",
    check=_step_framing,
    kinds=(OutOfStep, StepNeverFinishes),
    level="should",
    not_applicable=_not_applicable,
)
