"""Rules about calls announced before they are complete, as in the ``copilot`` vocabulary.

A call begins, is updated with all of its arguments so far, and is emitted. Steps have the order of
their parts; within a part, text comes first, then begins, updates and calls.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from conformance.contract.transcript import Emitted
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence
from conformance.vocabularies.vocabulary import objects_in
from mockserver.dialects import CALL_ENDS, DIALECTS
from mockserver.foundation.call_arguments import same_arguments
from mockserver.foundation.json_fields import text

StepKind = Literal["text", "begin", "update", "call"]

_LISTS: dict[str, StepKind] = {
    "beginToolCalls": "begin",
    "copilotToolCallStreamUpdates": "update",
    "copilotToolCalls": "call",
    "_deprecatedCopilotFunctionCalls": "call",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step in one choice: text, or the begin, an update or the completion of a call.

    ``part`` is the number of the part, ``id`` the call's id (empty if it has none), and ``text``
    the text or the arguments.
    """

    kind: StepKind
    choice: int
    part: int
    id: str = ""
    text: str = ""


def steps(parts: Sequence[Emitted]) -> Iterator[Step]:
    """The steps in all choices, in order; none in vocabularies without such parts."""
    for emitted in parts:
        part: Any = emitted.part
        delta = part.get("delta") if isinstance(part, dict) else None
        if not isinstance(delta, dict) or type(choice := part.get("index")) is not int:
            continue
        if words := text(delta.get("text")):
            yield Step("text", choice, emitted.n, text=words)
        for name, kind in _LISTS.items():
            for call in objects_in(delta.get(name)):
                arguments = text(call.get("arguments"))
                yield Step(kind, choice, emitted.n, text(call.get("id")), arguments)


class BegunAgain(Kind, weighs="falsehood"):
    """A call is announced after it was announced, updated or made."""

    call: str
    was: StepKind

    message = "the call {call!r} begins, and was {was:phrase} already"
    right = "one begin at most, before the updates of a call and the call itself"
    phrases = {"was": {"begin": "begun", "update": "growing", "call": "made"}}
    same_by = ("was",)


@rule(
    holds="a call is announced at most once, before its updates and the call",
    source="copilot-annex § Example Trace",
    kinds=(BegunAgain,),
)
def begin_once(evidence: Evidence) -> Iterator[Defect]:
    """A call is announced at most once, before its updates and the call itself.

    Announcements are optional. Steps without an id are skipped, since nothing says whose they are.
    """
    last: dict[tuple[int, str], StepKind] = {}
    for step in steps(evidence.transcript.parts):
        if not step.id:
            continue
        before = last.get((step.choice, step.id))
        if step.kind == "begin" and before:
            yield Defect(
                BegunAgain(step.id, before),
                about=topics(f"begin:{step.choice}:{step.id}"),
                # A repeated call is announced again.
                needs=topics(f"call:{step.id}"),
                event=evidence.event_of_call(step.id),
                part=step.part,
            )
        last[step.choice, step.id] = step.kind


class NotContinued(Kind, weighs="falsehood"):
    """An update of a call, or the call itself, does not continue the arguments before it."""

    call: str
    step: StepKind
    before: str
    after: str

    message = (
        "of the call {call!r} an update had the arguments {before:update}, and the next "
        "{step:phrase} has {after:update}"
    )
    right = "all of the arguments so far in each update, and none of them taken back"
    phrases = {"step": {"update": "update", "call": "call itself"}}
    same_by = ("step",)


@rule(
    holds="an update of a call extends the one before it, and the call the last of them",
    source="copilot-annex § Sanitized SSE chunk trace",
    kinds=(NotContinued,),
)
def updates_cumulative(evidence: Evidence) -> Iterator[Defect]:
    """Each update has all of the arguments of its call so far.

    An adapter may send an update for each piece, few updates, or none. The call itself may be
    formatted differently, as it is after parsing and printing.
    """
    last: dict[tuple[int, str], str] = {}
    for step in steps(evidence.transcript.parts):
        if step.kind not in ("update", "call") or not step.id:
            continue
        before = last.get((step.choice, step.id), "")
        if not _goes_on(before, step):
            yield Defect(
                NotContinued(step.id, step.kind, before, step.text),
                about=topics(f"updates:{step.choice}:{step.id}"),
                # A wrong call is another finding.
                needs=topics(f"call:{step.id}", f"part:{step.part}"),
                event=evidence.event_of_call(step.id),
                part=step.part,
            )
        last[step.choice, step.id] = step.text


def _goes_on(before: str, step: Step) -> bool:
    """Whether a step extends the arguments before it; a call need only be the same JSON."""
    if step.kind == "update" or _extends(step.text, before):
        return _extends(step.text, before)
    return _bare(step.text).startswith(_bare(before)) or same_arguments(step.text, before)


def _extends(text: str, before: str) -> bool:
    """Whether a text begins with another one, which may end within a surrogate pair."""
    if "\ud800" <= before[-1:] <= "\udbff":
        return _units(text).startswith(_units(before))
    return text.startswith(before)


def _units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _bare(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())


class FollowedInItsChoice(Kind, weighs="manners"):
    """A call is emitted, and then more of its choice."""

    call: str
    by: StepKind

    message = "the call {call!r} is out, and {by:phrase}"
    right = "calls with the finish of their choice, behind all of its text"
    phrases = {
        "by": {
            "text": "text follows in its choice",
            "begin": "another call begins in its choice",
            "update": "a call still grows in its choice",
        }
    }
    same_by = ("by",)


@rule(
    holds="where no call is said to be complete, calls leave with the finish of their choice",
    source="copilot-annex § Sanitized SSE chunk trace",
    kinds=(FollowedInItsChoice,),
)
def call_released(evidence: Evidence) -> Iterator[Defect]:
    """Calls are emitted with the finish of their choice, and nothing of that choice follows.

    This holds where the wire never says that a call is complete and the vocabulary announces calls:
    the host has seen the call grow, and runs it once its choice is over. Thinking and the
    completion belong to the response and may follow. A call that is right and merely early does
    little harm.
    """
    if CALL_ENDS in DIALECTS[evidence.transcript.dialect].capabilities:
        return
    released: dict[int, str] = {}
    # A failure that is reported in the text comes after everything else.
    reports_in_text = evidence.traits.errors == "text"
    for step in steps(evidence.transcript.parts):
        if step.kind == "call":
            released.setdefault(step.choice, step.id)
        elif step.choice in released and not (step.kind == "text" and reports_in_text):
            call_id = released[step.choice]
            yield Defect(
                FollowedInItsChoice(call_id, step.kind),
                about=topics(f"released:{step.choice}"),
                # Text and calls that should not have been emitted are other findings.
                needs=topics("text", f"call:{call_id}", f"call:{step.id}"),
                event=evidence.event_of_call(call_id),
                part=step.part,
            )
