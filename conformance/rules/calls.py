"""Rules about tool calls: each is emitted once, complete, and with the upstream's name and id."""

from collections.abc import Iterator
from typing import Any

from conformance.contract.reading import ReadCall
from conformance.expectation.projection import ExpectedCall
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import CallValue, FailureInstead
from conformance.rules.alternatives import failure_instead, right_call
from conformance.rules.evidence import Evidence
from conformance.rules.mixed_calls import ArgumentsOfAnotherCall, CallsMerged, find_mixed_calls


class EmittedAgain(Kind, weighs="harm"):
    """A call is emitted more than once."""

    call: str
    times: int
    again: int
    other_id: str = ""

    message = (
        "the call {call!r} was emitted {times} times, again as part {again}"
        "[[ with the id {other_id!r}]]"
    )
    right = "one part for the call {call!r}, however many events complete it"


class _OneId(Kind, weighs="harm"):
    """Two calls have one id."""

    id: str
    first: CallValue
    second: CallValue

    message = "the calls {first:input} and {second:input} have one id, {id!r}"


class TwoCallsOneId(_OneId):
    """Two different calls are emitted under one id, so that one result would answer both."""

    is_second_due: bool
    or_failure: FailureInstead

    message = "two different calls came out with one id, {id!r}: {first:input} and {second:input}"
    right = (
        "[[{is_second_due:if}an id of its own for {second:input}|one call with the id {id!r}]]"
        "{or_failure:or-failure}"
    )
    headline = "two different calls came out with one id, {id!r}"


class IdOfAnotherCall(_OneId):
    """A call that may have any id is emitted under the id of another call."""

    or_failure: FailureInstead

    right = "an id of its own for {second:input}{or_failure:or-failure}"


@rule(
    holds="exactly one part per call: arguments done, item done, response completed",
    source="lm-stream-semantics § 3.2; rfc-00022 § Function Call Flow",
    kinds=(EmittedAgain, TwoCallsOneId, IdOfAnotherCall),
)
def call_once(evidence: Evidence) -> Iterator[Defect]:
    instead = failure_instead(evidence)
    for shared in evidence.pairing.sharing:
        id_, first, second = shared.call.id, right_call(shared.first), right_call(shared.second)
        kind: Kind = IdOfAnotherCall(id_, first, second, instead)
        yield evidence.defect_of_call(kind, id_, shared.call.part)
    doubled: dict[str, list[tuple[ExpectedCall, ReadCall]]] = {}
    for expected, again in evidence.pairing.repeated:
        doubled.setdefault(expected.id, []).append((expected, again))
    for call_id, repeated in doubled.items():
        again = repeated[0][1]
        if other := next((call for due, call in repeated if not due.accepts(call)), None):
            kind = _two_calls(evidence, other)
        else:
            other_id = again.id if again.id != call_id else ""
            kind = EmittedAgain(call_id, len(repeated) + 1, again.part, other_id)
        yield evidence.defect_of_call(kind, call_id, again.part)


def _two_calls(evidence: Evidence, call: ReadCall) -> TwoCallsOneId:
    first = next(c for c in evidence.reading.calls if c.id == call.id)
    is_due = any(
        expected.accepts(call)
        for alternative in evidence.alternatives
        for expected in alternative.calls
        if expected.id != call.id
    )
    instead = failure_instead(evidence)
    return TwoCallsOneId(call.id, _value_of(first), _value_of(call), is_due, instead)


def _value_of(call: ReadCall) -> CallValue:
    return CallValue(call.name, call.input, call.id)


class OtherName(Kind, weighs="harm"):
    """A call has another name than the upstream gave it."""

    call: str
    came: str
    due: str
    or_failure: FailureInstead

    message = "the call {call!r} has the name {came!r}, not {due!r}"
    right = "the name as the upstream gave it, once{or_failure:or-failure}"


@rule(
    holds="the name is the upstream's, unchanged",
    source="lm-stream-semantics § 3.1",
    kinds=(OtherName,),
)
def call_name(evidence: Evidence) -> Iterator[Defect]:
    for expected, call in evidence.pairing.pairs:
        if not expected.accepts_name(call.name):
            kind = OtherName(expected.id, call.name, expected.name, failure_instead(evidence))
            yield evidence.defect_of_call(kind, expected.id, call.part)


class _WrongCall(Kind):
    """A call is emitted with another id or input than it should have, which is that of ``due``."""

    call: str
    due: CallValue
    or_failure: FailureInstead

    right = "{due:call}{or_failure:or-failure}"


class IdOfTheItem(_WrongCall, weighs="falsehood"):
    """A call has the id of its item in the response, which no result can name."""

    id: str

    message = "the call {call!r}: it has the item's id, not the call's: {id!r}"


class OtherId(_WrongCall, weighs="falsehood"):
    """A call has an id that the upstream never gave it."""

    id: str

    message = "the call {call!r}: it has another id: {id!r}"


class OtherInput(_WrongCall, weighs="harm"):
    """The input of a call is not what the upstream sent; its id may be wrong as well."""

    input: Any
    item_id: str = ""
    other_id: str = ""

    message = (
        "the call {call!r}: [[it has the item's id, not the call's: {item_id!r}; ]]"
        "[[it has another id: {other_id!r}; ]]its input is {input:json}, not {due.input:json}"
    )


class OwnIdTwice(_OneId):
    """The adapter made one id for two calls, so that nobody knows whose a result is."""

    right = "an id of its own for each call, by which its result is known"


@rule(
    holds="name, id and a parsed input object; arguments equal as JSON, Unicode exact",
    source="lm-stream-semantics § 3.2, § 3.4; RFC 8259 § 6",
    kinds=(ArgumentsOfAnotherCall, CallsMerged, IdOfTheItem, OtherId, OtherInput, OwnIdTwice),
)
def call_complete(evidence: Evidence) -> Iterator[Defect]:
    mixed = list(find_mixed_calls(evidence))
    yield from mixed
    told = {defect.part for defect in mixed}
    for expected, call in evidence.pairing.pairs:
        if call.part not in told and (kind := _wrong_call(evidence, expected, call)):
            yield evidence.defect_of_call(kind, expected.id, call.part)
    yield from _shared_ids(evidence)


def _wrong_call(evidence: Evidence, expected: ExpectedCall, call: ReadCall) -> Kind | None:
    """What is wrong in the id or the input of a call; None if nothing is."""
    wrong = expected.id, right_call(expected), failure_instead(evidence)
    has_id = not expected.id or call.id in (expected.id, expected.bare_id)
    is_items = evidence.upstream_id(call.id) in evidence.item_ids
    if not expected.accepts_input(call.input):
        ids = ("", "") if has_id else (call.id, "") if is_items else ("", call.id)
        return OtherInput(*wrong, call.input, *ids)
    if has_id:
        return None
    return (IdOfTheItem if is_items else OtherId)(*wrong, call.id)


def _shared_ids(evidence: Evidence) -> Iterator[Defect]:
    """Ids that the adapter made for more than one call."""
    if evidence.traits.call_id != "own":
        return
    seen: dict[str, ReadCall] = {}
    for call in evidence.turn.reading.calls:
        if call.id in seen:
            yield Defect(
                OwnIdTwice(call.id, _value_of(seen[call.id]), _value_of(call)),
                about=topics(f"own-id:{call.id}"),
                part=call.part,
                # A call that is emitted twice is another finding.
                needs=topics(*(f"call:{expected.id}" for expected in evidence.expected.calls)),
            )
        seen.setdefault(call.id, call)


class Lost(Kind, weighs="loss"):
    """A call that the upstream completed is not emitted."""

    call: CallValue
    or_failure: FailureInstead

    message = "[[the call {call.id!r}|a call {call.name!r}]][[{call.id:if} ({call.name})]] was lost"
    right = "one part: {call:call}{or_failure:or-failure}"


class LostWithFailure(Lost, weighs="manners"):
    """A call that the upstream completed before it failed is not emitted."""


@rule(
    holds="a call that completed is emitted, also when deltas never came, "
    "or it appears only in the final response",
    source="rfc-00022 § Function Call Flow",
    kinds=(Lost, LostWithFailure),
)
def call_none_lost(evidence: Evidence) -> Iterator[Defect]:
    for expected in evidence.pairing.missing:
        kind = LostWithFailure if evidence.expected.calls_may_be_lost else Lost
        lost = kind(right_call(expected), failure_instead(evidence))
        yield evidence.defect_of_call(lost, expected.id, None)


class LacksPrefix(Kind, weighs="falsehood"):
    """The id of a call does not have the prefix that the adapter declares."""

    id: str
    prefix: str

    message = "the id {id!r} does not carry the declared prefix {prefix!r}"
    right = "{prefix}{id}"


@rule(
    holds="ids carry the declared prefix",
    source="lm-stream-semantics § 3.3, § 8.2",
    kinds=(LacksPrefix,),
)
def call_namespaced(evidence: Evidence) -> Iterator[Defect]:
    for expected, call in evidence.pairing.pairs:
        if call.id != expected.id and call.id == expected.bare_id:
            kind = LacksPrefix(call.id, evidence.traits.call_id_prefix)
            yield Defect(kind, about=topics("namespace"), part=call.part)
            return
