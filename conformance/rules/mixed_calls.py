"""Calls whose arguments were mixed up on their way: fragments of one in another, or two made one.

Arguments stream in fragments, and those of several calls may come in turns. An adapter that gives a
fragment to the wrong call emits wrong arguments or, more often, fails when it parses them, with an
error that says nothing of the cause. So the fragments that were sent are joined in the wrong ways
that adapters are known to join them, and are looked for in the arguments or in the error.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from conformance.expectation.match import common_prefix_length
from conformance.expectation.projection import ExpectedCall
from conformance.findings.finding import Defect, Kind, topics
from conformance.findings.values import CallValue, ErrorValue, FailureInstead
from conformance.rules.alternatives import failure_instead, right_call
from conformance.rules.error_cause import error_value
from conformance.rules.evidence import Evidence
from mockserver.foundation.call_arguments import read_arguments, same_json

_FAILED_WITH = "[[; it failed with: {error.cause:first-120}]]"


class ArgumentsOfAnotherCall(Kind, weighs="harm"):
    """Arguments of one call were given to another one, whole or in fragments.

    The ``error`` has no cause unless the run failed with these arguments.
    """

    call: str
    others: tuple[str, ...]
    arguments: Any
    due: CallValue
    or_failure: FailureInstead
    error: ErrorValue

    message = (
        "arguments of {others:all-quoted} were given to the call {call!r}: {arguments:arguments}"
        f"{_FAILED_WITH}"
    )
    right = "{due:call}{or_failure:or-failure}"
    headline = "arguments of {others:all-quoted} were given to the call {call!r}"


class CallsMerged(Kind, weighs="harm"):
    """Several calls were taken for one, which has the arguments of all of them.

    The ``error`` has no cause unless the run failed with these arguments.
    """

    calls: tuple[str, ...]
    arguments: Any
    or_failure: FailureInstead
    error: ErrorValue

    message = (
        "the calls {calls:all-quoted} were taken for one with the arguments {arguments:arguments}"
        f"{_FAILED_WITH}"
    )
    right = "a part for each of these calls, with its own arguments{or_failure:or-failure}"
    headline = "the calls {calls:all-quoted} were taken for one"


class _Fragment(NamedTuple):
    """A piece of the arguments of a call, and the event that sent it."""

    event: int
    call_id: str
    value: str


@dataclass(frozen=True, slots=True)
class _Mixture:
    """Arguments that were given to a call, with the ids of the calls that they come from.

    ``whole`` are all arguments of these calls, one call after the other; ``event`` sent the first
    fragment of another call, and ``way`` numbers the ways of joining, the most usual one first.
    """

    arguments: Any
    ids: tuple[str, ...]
    whole: str = ""
    event: int | None = None
    way: int = 0


_NO_ERROR = ErrorValue()


def find_mixed_calls(evidence: Evidence) -> Iterator[Defect]:
    """The defects of calls that came out, or failed, with arguments of other calls."""
    if evidence.expected.cancelled or evidence.expected.refused:
        return
    wrong = list(_wrong_arguments(evidence))
    error = evidence.end.error if evidence.end and _ended_wrong(evidence) else None
    if not wrong and not error:
        return
    mixtures, is_found = _mixtures(evidence), False
    for expected, came, part in wrong:
        if mixture := _mixture_in(evidence, expected, came, mixtures):
            is_found = True
            yield _mixed(evidence, expected, mixture, part)
    own = _own_arguments(evidence)
    # Arguments that are no JSON by themselves explain an error as well as a mixture does.
    is_explained = any(read_arguments(each).kind == "not JSON" for each in own.values())
    if is_found or error is None or is_explained:
        return
    out = [expected for expected, _ in evidence.pairing.pairs]
    given = (
        (expected, mixture)
        for expected in evidence.expected.calls
        if expected not in out
        for mixture in mixtures.get(evidence.upstream_id(expected.id), ())
    )
    for expected, mixture in sorted(given, key=lambda each: each[1].way):
        its_own = own.get(evidence.upstream_id(expected.id), "")
        if _fails_with(mixture.arguments, its_own, expected, error.message):
            yield _mixed(evidence, expected, mixture, error=error_value(error))
            return


def _wrong_arguments(evidence: Evidence) -> Iterator[tuple[ExpectedCall, Any, int]]:
    """The calls that came out with wrong arguments, also those that no host can run."""
    for expected, call in evidence.pairing.pairs:
        if not expected.accepts_input(call.input):
            yield expected, call.input, call.part
    for expected in evidence.pairing.missing:
        for broken in evidence.calls_not_run:
            if broken.arguments and broken.id in {expected.id, expected.bare_id} - {""}:
                yield expected, broken.arguments, broken.part


def _ended_wrong(evidence: Evidence) -> bool:
    return evidence.end is None or evidence.end.outcome not in evidence.expected.outcomes


def _mixed(
    evidence: Evidence,
    expected: ExpectedCall,
    mixture: _Mixture,
    part: int | None = None,
    error: ErrorValue = _NO_ERROR,
) -> Defect:
    """The defect of a call with these arguments, which come from other calls as well."""
    known = {evidence.upstream_id(call.id): call for call in evidence.expected.calls}
    calls = [known[id_] for id_ in mixture.ids if id_ in known]
    others = [call for call in calls if call is not expected]
    given, instead = mixture.arguments, failure_instead(evidence)
    out = [due for due, _ in evidence.pairing.pairs]
    is_whole = given == mixture.whole and expected in calls
    if is_whole and not any(call in out for call in others):
        kind: Kind = CallsMerged(tuple(call.id for call in calls), given, instead, error)
        about = topics(*(f"call:{call.id}" for call in calls))
    else:
        ids = tuple(call.id for call in others)
        right = right_call(expected)
        kind = ArgumentsOfAnotherCall(expected.id, ids, given, right, instead, error)
        about = topics(f"call:{expected.id}")
    if part is None or (_ended_wrong(evidence) and read_arguments(given).kind != "object"):
        about |= topics("end", "told") | evidence.lost_by_stopping_early()
    # A call whose fragments went elsewhere lacks them.
    good = [due for due, call in evidence.pairing.pairs if due.accepts_input(call.input)]
    lacking = topics(*(f"call:{call.id}" for call in others if call not in good))
    event = mixture.event if part is None else evidence.event_of_call(expected.id)
    return Defect(kind, about, event=event, part=part, invalidates=lacking, is_exact=True)


def _mixture_in(
    evidence: Evidence,
    expected: ExpectedCall,
    came: Any,
    mixtures: Mapping[str, Sequence[_Mixture]],
) -> _Mixture | None:
    """The calls from which the arguments of a call come; None if they are not of other calls."""
    own = evidence.upstream_id(expected.id)
    if isinstance(came, str):
        sent = [fragment for _, fragment in _fragments(evidence)]
        ids = _origins(came, own, sent)
        whole = "".join(each.value for id_ in ids for each in sent if each.call_id == id_)
        return _Mixture(came, ids, whole) if {*ids} - {own} else None
    for other in evidence.expected.calls if came else ():
        if other is not expected and other.accepts_input(came):
            return _Mixture(came, (evidence.upstream_id(other.id),))
    for mixture in mixtures.get(own, ()) if came else ():
        read = read_arguments(mixture.arguments)
        if read.kind == "object" and same_json(read.value, came):
            return mixture
    return None


def _fragments(evidence: Evidence) -> Iterator[tuple[str, _Fragment]]:
    """The fragments of arguments in order, each with the call that was announced last before it."""
    last = ""
    for entry in evidence.turn.entries:
        last = entry.announces[-1] if entry.announces else last
        for call_id, value in entry.fragments:
            if value and call_id:
                yield last or call_id, _Fragment(entry.event, call_id, value)


def _own_arguments(evidence: Evidence) -> Mapping[str, str]:
    """The fragments of each call joined, by its id."""
    own: dict[str, str] = {}
    for _, fragment in _fragments(evidence):
        own[fragment.call_id] = own.get(fragment.call_id, "") + fragment.value
    return own


_MOST_FRAGMENTS = 4000


def _origins(text: str, own: str, sent: Sequence[_Fragment]) -> tuple[str, ...]:
    """The calls whose fragments, joined in the order of sending, are a text; empty if none are.

    As much as possible of the text is taken for the call's own.
    """
    if len(sent) > _MOST_FRAGMENTS:
        return ()
    best: dict[int, tuple[int, tuple[str, ...]]] = {0: (0, ())}
    for fragment in sent:
        for at, (foreign, ids) in sorted(best.items(), reverse=True):
            if text.startswith(fragment.value, at):
                cost = foreign + (len(fragment.value) if fragment.call_id != own else 0)
                end = at + len(fragment.value)
                if end not in best or cost < best[end][0]:
                    best[end] = cost, tuple(dict.fromkeys((*ids, fragment.call_id)))
    return best[len(text)][1] if text and len(text) in best else ()


def _mixtures(evidence: Evidence) -> Mapping[str, Sequence[_Mixture]]:
    """For each call, the arguments that wrong ways of joining fragments give it.

    Fragments are given to the call that was announced last; one buffer is kept for all calls; or
    all calls, or two neighbours, are taken for one.
    """
    by_last: dict[str, list[_Fragment]] = {}
    by_call: dict[str, list[_Fragment]] = {}
    for last, fragment in _fragments(evidence):
        by_last.setdefault(last, []).append(fragment)
        by_call.setdefault(fragment.call_id, []).append(fragment)
    sent = [fragment for _, fragment in _fragments(evidence)]
    in_turn = [fragment for fragments in by_call.values() for fragment in fragments]
    found: dict[str, list[_Mixture]] = {}
    texts = {id_: "".join(each.value for each in of) for id_, of in by_call.items()}
    next_to = dict(pairwise(by_call))
    for id_ in by_call:
        following = by_call.get(next_to.get(id_, ""), [])
        completed = evidence.event_of_call(id_)
        so_far = [each for each in sent if completed is None or each.event <= completed]
        ways = (by_last.get(id_, []), so_far, [*by_call[id_], *following], in_turn, sent)
        for n, way in enumerate(ways):
            foreign = next((each.event for each in way if each.call_id != id_), None)
            if foreign is not None:
                origins = tuple(dict.fromkeys(each.call_id for each in way))
                text, whole = (
                    "".join(each.value for each in way),
                    "".join(texts[each] for each in origins),
                )
                found.setdefault(id_, []).append(_Mixture(text, origins, whole, foreign, n))
    return found


_ABOUT_ARGUMENTS = re.compile(r"argument|input|json|parse", re.I)
_LEAST_QUOTED = 6


def _fails_with(arguments: str, own: str, call: ExpectedCall, message: str) -> bool:
    """Whether an error is that of parsing arguments: by its words, its place, or what it quotes.

    A quotation must go on where the call's ``own`` arguments end. Where the call's arguments are
    JSON, an error about the arguments of the call by its name is of other ones.
    """
    if read_arguments(arguments).kind == "object":
        return False
    try:
        json.loads(arguments)
    except ValueError as error:
        at = getattr(error, "pos", -1)
        is_same_place = re.search(rf"\b(?:char|position) {at}\b", message)
        if str(error) in message or is_same_place:
            return True
    shared = common_prefix_length(arguments, own)
    quotes = arguments[: shared + _LEAST_QUOTED] in message
    names = repr(call.name) in message or bool(call.bare_id and call.bare_id in message)
    return bool(_ABOUT_ARGUMENTS.search(message)) and (quotes or names)
