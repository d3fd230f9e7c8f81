"""Calls that should not come out: the upstream did not complete them, or no host can run them.

A run that reports no failure and emits a call that no host can run counts as failed, since a host
stops at the call. The adapter has not said so.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from conformance.contract.reading import ReadCall
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import CallValue, Declared, FailureInstead
from conformance.rules.alternatives import failure_instead, right_call, trait_of
from conformance.rules.differences import end_before_call
from conformance.rules.evidence import Evidence
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text

_CAME = (
    "a call [[{call.name!r}|without a name]][[ with id {call.id!r}| and without an id]] came out"
)
_ITS_INPUT = "; its input is {call.input:json}"
_SHORT = "[[the call {call.id!r}|a call {call.name!r}]] came out"


class _Invented(Kind, weighs="harm"):
    """A call is emitted that should not be."""

    call: CallValue

    right = "no part for a call that the upstream did not complete"


class NotOffered(_Invented):
    """A call is emitted for a tool that the host did not offer."""

    message = f"{_CAME}, whose tool the host did not offer{_ITS_INPUT}"
    headline = f"{_SHORT}, whose tool the host did not offer"


class CallAfterTheEnd(_Invented):
    """A call is emitted that the upstream sent after its response had ended."""

    end: int

    message = f"{_CAME}, which was sent after the end (event {{end}}){_ITS_INPUT}"
    right = "nothing after the end"
    headline = f"{_SHORT}, sent after the end"


class UnreadableArguments(_Invented):
    """A call is emitted whose arguments are not JSON, so that its input is made up."""

    message = f"{_CAME}, whose arguments do not parse as JSON{_ITS_INPUT}"
    right = "no part for a call whose arguments cannot be read"
    headline = f"{_SHORT}; its arguments are not JSON"


class OfAnotherChoice(_Invented):
    """A call of an alternative answer is emitted, as if all choices were one answer."""

    declared: Declared

    message = (
        f"{_CAME}, which is of another choice than the first; {{declared:declared}}{_ITS_INPUT}"
    )
    right = "no call of an alternative answer; if it is meant so, declare the trait choices: merge"
    headline = f"{_SHORT}, which is of another choice than the first; {{declared:declared}}"


class NeverExecutable(_Invented):
    """A call is emitted that the upstream announced, and never sent in a way to execute it."""

    message = f"{_CAME}, which the upstream never sent in a way that can be executed{_ITS_INPUT}"
    headline = f"{_SHORT}, but cannot be executed"


class NeverMade(_Invented):
    """A call is emitted of which the upstream sent nothing."""

    message = f"{_CAME}, which the upstream never made{_ITS_INPUT}"
    headline = f"{_SHORT}, but was never made"


class CutOff(Kind, weighs="harm"):
    """A call comes with the arguments of which the upstream sent a part, and no more."""

    call: str
    arguments: str

    message = (
        "the call {call!r} came out, which the upstream did not complete: its arguments are "
        "{arguments:first-80}"
    )
    right = "no part for a call that was cut off"
    headline = "the call {call!r} came out, and was cut off"


@rule(
    holds="a cut-off call is not executed; no {} in place of arguments that broke",
    source="lm-stream-semantics § 3.4",
    kinds=(
        NotOffered,
        CallAfterTheEnd,
        UnreadableArguments,
        OfAnotherChoice,
        NeverExecutable,
        NeverMade,
        CutOff,
    ),
)
def call_none_invented(evidence: Evidence) -> Iterator[Defect]:
    announced = {id_ for entry in evidence.turn.entries for id_ in entry.announces}
    announced |= {*evidence.item_ids, *evidence.item_ids.values()}
    for call in evidence.pairing.invented:
        kind = _invented(evidence, call, announced)
        yield Defect(kind, about=topics(f"part:{call.part}"), part=call.part)
    yield from _cut_off(evidence, announced)


def _cut_off(evidence: Evidence, announced: set[str]) -> Iterator[Defect]:
    """Calls that were cut off, as they stand; other hosts mark them as invalid."""
    vocabulary = evidence.turn.vocabulary
    if not vocabulary.runs_every_call:
        return
    completed = {id_ for entry in evidence.turn.entries for id_ in entry.calls}
    for call in vocabulary.calls_not_run(evidence.turn.parts):
        if evidence.upstream_id(call.id) in announced - completed:
            kind = CutOff(call.id, call.arguments)
            yield Defect(kind, about=topics(f"part:{call.part}"), part=call.part)


def _invented(evidence: Evidence, call: ReadCall, announced: set[str]) -> Kind:
    """Why there should be no such call."""
    id_, value = evidence.upstream_id(call.id), CallValue(call.name, call.input, call.id)
    if call.name in evidence.expected.unoffered:
        return NotOffered(value)
    if (end := end_before_call(evidence, id_)) is not None:
        return CallAfterTheEnd(value, end)
    if _arguments_are_unreadable(evidence, id_):
        return UnreadableArguments(value)
    if _is_of_another_choice(evidence, call):
        return OfAnotherChoice(value, trait_of(evidence, "choices"))
    return NeverExecutable(value) if id_ in announced else NeverMade(value)


def _is_of_another_choice(evidence: Evidence, call: ReadCall) -> bool:
    """Whether the call is right once all choices are one answer, which is not declared."""
    if evidence.traits.choices == "merge":
        return False
    merged = (due for each in evidence.expected_with(choices="merge") for due in each.calls)
    return any(call.id in (due.id, due.bare_id) and due.accepts_input(call.input) for due in merged)


def _arguments_are_unreadable(evidence: Evidence, call_id: str) -> bool:
    """Whether an event that completes a call has arguments for it that are not JSON."""
    completing = {entry.event for entry in evidence.turn.entries if call_id in entry.calls}
    data = (event.data for event in evidence.answer if event.n in completing)
    said = (arguments for each in data for arguments in _arguments_in(mapping(each)))
    return any(read_arguments(arguments).kind == "not JSON" for arguments in said)


def _arguments_in(data: Mapping[str, Any]) -> Iterator[str]:
    """The arguments of a call in an event or in its item."""
    for holder in (data, mapping(data.get("item"))):
        yield from filter(None, (text(holder.get(name)) for name in ("arguments", "input")))


WHY_NOT_RUN = {
    "not JSON": "its arguments are not JSON",
    "not an object": "its arguments are no JSON object",
    "marked as invalid": "it is marked as invalid",
}
"""The reasons why no host can run a call, in words."""


class CallNotRun(Kind, weighs="loss"):
    """A run reports no failure and emits a call that no host can run.

    ``due`` is the call as the upstream completed it. If only another expectation of the case has
    it, no call is right as well.
    """

    call: str
    more: int
    why: Literal["not JSON", "not an object", "marked as invalid"]
    arguments: str
    reason: str
    due: CallValue | None
    is_optional: bool
    or_failure: FailureInstead

    message = (
        "no host can run the call {call!r}[[, and {more:more such call|more such calls}]]: "
        "{why:phrase}: {reason}{arguments:first-80}"
    )
    right = (
        "[[{due:call}|no call with arguments that cannot be read]][[{is_optional:if}, or no call]]"
        "{or_failure:or-failure}"
    )
    phrases = {"why": WHY_NOT_RUN}
    same_by = ("why",)


def defect_of_call_not_run(evidence: Evidence) -> Defect:
    """The defect of the first call that no host can run; there must be one."""
    first, *more = evidence.calls_not_run
    ids = {first.id, evidence.upstream_id(first.id)} - {""}
    expected, other = (
        next((c for e in each for c in e.calls if {c.bare_id, c.id} & ids), None)
        for each in ((evidence.expected,), evidence.alternatives)
    )
    due = expected or other
    kind = CallNotRun(
        first.id,
        len(more),
        first.why,
        first.arguments,
        first.reason,
        due=right_call(due) if due else None,
        is_optional=bool(other) and not expected,
        or_failure=failure_instead(evidence),
    )
    return Defect(
        kind,
        about=topics("end", "told") | evidence.lost_by_stopping_early(),
        event=evidence.event_of_call(first.id),
        part=first.part,
    )
