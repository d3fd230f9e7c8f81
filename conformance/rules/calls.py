"""Rules about tool calls: each is emitted once, complete, and with the upstream's name and id."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.contract.reading import ReadCall
from conformance.expectation.projection import ExpectedCall
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import CallValue, Declared, FailureInstead
from conformance.rules.alternatives import failure_instead, right_call, trait_of
from conformance.rules.differences import end_before_call
from conformance.rules.evidence import Evidence
from conformance.rules.mixed_calls import ArgumentsOfAnotherCall, CallsMerged, find_mixed_calls
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text


class EmittedAgain(Kind):
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


class TwoCallsOneId(Kind):
    """Two different calls are emitted under one id, so that one result would answer both."""

    id: str
    first: CallValue
    second: CallValue
    is_second_due: bool
    or_failure: FailureInstead

    message = "two different calls came out with one id, {id!r}: {first:input} and {second:input}"
    right = (
        "[[{is_second_due:if}an id of its own for {second:input}|one call with the id {id!r}]]"
        "{or_failure:or-failure}"
    )
    headline = "two different calls came out with one id, {id!r}"


class IdOfAnotherCall(Kind):
    """A call that may have any id is emitted under the id of another call."""

    id: str
    first: CallValue
    second: CallValue
    or_failure: FailureInstead

    message = "the calls {first:input} and {second:input} have one id, {id!r}"
    right = "an id of its own for {second:input}{or_failure:or-failure}"


@rule(
    holds="exactly one part per call: arguments done, item done, response completed",
    source="lm-stream-semantics § 3.2; rfc-00022 § Function Call Flow",
    kinds=(EmittedAgain, TwoCallsOneId, IdOfAnotherCall),
)
def call_once(evidence: Evidence) -> Iterator[Defect]:
    instead = failure_instead(evidence)
    for shared in evidence.pairing.sharing:
        first, second = right_call(shared.first), right_call(shared.second)
        yield Defect(
            IdOfAnotherCall(shared.call.id, first, second, instead),
            about=topics(f"call:{shared.call.id}"),
            event=evidence.event_of_call(shared.call.id),
            part=shared.call.part,
        )
    doubled: dict[str, list[tuple[ExpectedCall, ReadCall]]] = {}
    for expected, again in evidence.pairing.repeated:
        doubled.setdefault(expected.id, []).append((expected, again))
    for call_id, repeated in doubled.items():
        other = next((again for expected, again in repeated if _is_other(expected, again)), None)
        again = repeated[0][1]
        other_id = again.id if again.id != call_id else ""
        yield Defect(
            _two_calls(evidence, other)
            if other
            else EmittedAgain(call_id, len(repeated) + 1, again.part, other_id),
            about=topics(f"call:{call_id}"),
            event=evidence.event_of_call(call_id),
            part=again.part,
        )


def _is_other(expected: ExpectedCall, call: ReadCall) -> bool:
    """Whether a call with the id of an expected one has another name or input."""
    return not (expected.accepts_name(call.name) and expected.accepts_input(call.input))


def _two_calls(evidence: Evidence, call: ReadCall) -> TwoCallsOneId:
    first = next(c for c in evidence.reading.calls if c.id == call.id)
    is_due = any(
        not _is_other(expected, call)
        for alternative in evidence.alternatives
        for expected in alternative.calls
        if expected.id != call.id
    )
    instead = failure_instead(evidence)
    return TwoCallsOneId(call.id, _value_of(first), _value_of(call), is_due, instead)


def _value_of(call: ReadCall) -> CallValue:
    return CallValue(call.name, call.input, call.id)


class OtherName(Kind):
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
            yield Defect(
                OtherName(expected.id, call.name, expected.name, failure_instead(evidence)),
                about=topics(f"call:{expected.id}"),
                event=evidence.event_of_call(expected.id),
                part=call.part,
            )


class _WrongCall(Kind):
    """A call is emitted with another id or input than it should have, which is that of ``due``."""

    call: str
    due: CallValue
    or_failure: FailureInstead

    right = "{due:call}{or_failure:or-failure}"


class IdOfTheItem(_WrongCall):
    """A call has the id of its item in the response, which no result can name."""

    id: str

    message = "the call {call!r}: it has the item's id, not the call's: {id!r}"


class OtherId(_WrongCall):
    """A call has an id that the upstream never gave it."""

    id: str

    message = "the call {call!r}: it has another id: {id!r}"


class OtherInput(_WrongCall):
    """The input of a call is not what the upstream sent; its id may be wrong as well."""

    input: Any
    item_id: str = ""
    other_id: str = ""

    message = (
        "the call {call!r}: [[it has the item's id, not the call's: {item_id!r}; ]]"
        "[[it has another id: {other_id!r}; ]]its input is {input:json}, not {due.input:json}"
    )


class OwnIdTwice(Kind):
    """The adapter made one id for two calls, so that nobody knows whose a result is."""

    id: str
    first: CallValue
    second: CallValue

    message = "the calls {first:input} and {second:input} have one id, {id!r}"
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
            yield Defect(
                kind,
                about=topics(f"call:{expected.id}"),
                event=evidence.event_of_call(expected.id),
                part=call.part,
            )
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


_CAME = (
    "a call [[{call.name!r}|without a name]][[ with id {call.id!r}| and without an id]] came out"
)
_ITS_INPUT = "; its input is {call.input:json}"
_SHORT = "[[the call {call.id!r}|a call {call.name!r}]] came out"


class _Invented(Kind):
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
    ),
)
def call_none_invented(evidence: Evidence) -> Iterator[Defect]:
    announced = {id_ for entry in evidence.turn.entries for id_ in entry.announces}
    announced |= {*evidence.item_ids, *evidence.item_ids.values()}
    for call in evidence.pairing.invented:
        kind = _invented(evidence, call, announced)
        yield Defect(kind, about=topics(f"part:{call.part}"), part=call.part)


def _invented(evidence: Evidence, call: ReadCall, announced: set[str]) -> Kind:
    """Why there should be no such call."""
    id_, value = evidence.upstream_id(call.id), _value_of(call)
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


class Lost(Kind):
    """A call that the upstream completed is not emitted."""

    call: CallValue
    or_failure: FailureInstead

    message = "[[the call {call.id!r}|a call {call.name!r}]][[{call.id:if} ({call.name})]] was lost"
    right = "one part: {call:call}{or_failure:or-failure}"


@rule(
    holds="a call that completed is emitted, also when deltas never came, "
    "or it appears only in the final response",
    source="rfc-00022 § Function Call Flow",
    kinds=(Lost,),
)
def call_none_lost(evidence: Evidence) -> Iterator[Defect]:
    for expected in evidence.pairing.missing:
        yield Defect(
            Lost(right_call(expected), failure_instead(evidence)),
            about=topics(f"call:{expected.id}"),
            event=evidence.event_of_call(expected.id),
            level="should" if evidence.expected.calls_may_be_lost else "must",
        )


class LacksPrefix(Kind):
    """The id of a call does not have the prefix that the adapter declares."""

    id: str
    prefix: str

    message = "the id {id!r} does not carry the declared prefix {prefix!r}"
    right = "{prefix}{id}"


@rule(
    holds="ids carry the declared prefix",
    source="lm-stream-semantics § 3.3, § 8.2",
    level="should",
    kinds=(LacksPrefix,),
)
def call_namespaced(evidence: Evidence) -> Iterator[Defect]:
    for expected, call in evidence.pairing.pairs:
        if call.id != expected.id and call.id == expected.bare_id:
            kind = LacksPrefix(call.id, evidence.traits.call_id_prefix)
            yield Defect(kind, about=topics("namespace"), part=call.part)
            return
