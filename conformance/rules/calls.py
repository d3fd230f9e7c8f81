"""Rules about tool calls: each is emitted once, complete, and with the upstream's name and id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.contract.traits import or_declared, stated
from conformance.dialects.short_text import as_json
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.after_the_end import end_before_call
from conformance.rules.alternatives import call_in_words, or_a_failure, without_id
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.contract.reading import ReadCall
    from conformance.expectation.projection import ExpectedCall
    from conformance.rules.evidence import Evidence


def _call_once(evidence: Evidence) -> Iterator[Defect]:
    """Each call is emitted once, even if several events complete it."""
    yield from _under_the_id_of_another(evidence)
    doubled: dict[str, list[tuple[ExpectedCall, ReadCall]]] = {}
    for expected, again in evidence.pairing.repeated:
        doubled.setdefault(expected.id, []).append((expected, again))
    for call_id, repeated in doubled.items():
        other = next((again for expected, again in repeated if _is_other(expected, again)), None)
        calls = [again for _, again in repeated]
        message, right = _two_calls(evidence, other) if other else _one_call(call_id, calls)
        yield prose_defect(
            message,
            right=right,
            about=topics(f"call:{call_id}"),
            event=evidence.event_of_call(call_id),
            part=calls[0].part,
        )


def _one_call(call_id: str, again: Sequence[ReadCall]) -> tuple[str, str]:
    """What is said of a call that was emitted again, and what would be right."""
    first = again[0]
    return (
        f"the call {call_id!r} was emitted {len(again) + 1} times, again as part {first.part}"
        f"{_other_id(first, call_id)}",
        f"one part for the call {call_id!r}, however many events complete it",
    )


def _is_other(expected: ExpectedCall, call: ReadCall) -> bool:
    """Whether a call with the id of an expected one has another name or input."""
    return not (expected.accepts_name(call.name) and expected.accepts_input(call.input))


def _two_calls(evidence: Evidence, call: ReadCall) -> tuple[str, str]:
    """What is said of two different calls that came out with one id, and what would be right."""
    first = next(c for c in evidence.reading.calls if c.id == call.id)
    one, other = (f"{c.name}({as_json(c.input)})" for c in (first, call))
    known = any(
        not _is_other(expected, call)
        for alternative in evidence.alternatives
        for expected in alternative.calls
        if expected.id != call.id
    )
    right = f"an id of its own for {other}" if known else f"one call with the id {call.id!r}"
    message = f"two different calls came out with one id, {call.id!r}: {one} and {other}"
    return message, right + or_a_failure(evidence)


def _other_id(call: ReadCall, call_id: str) -> str:
    """The id of a call that was emitted again, if it is another one."""
    return "" if call.id == call_id else f" with the id {call.id!r}"


def _under_the_id_of_another(evidence: Evidence) -> Iterator[Defect]:
    """Calls that are two, and came under one id, so that one result would answer both."""
    for shared in evidence.pairing.sharing:
        first, second = (without_id(c) for c in (shared.first, shared.second))
        yield prose_defect(
            f"the calls {first} and {second} have one id, {shared.call.id!r}",
            right=f"an id of its own for {second}{or_a_failure(evidence)}",
            about=topics(f"call:{shared.call.id}"),
            event=evidence.event_of_call(shared.call.id),
            part=shared.call.part,
        )


CALL_ONCE = Rule(
    id="call-once",
    holds="exactly one part per call: arguments done, item done, response completed",
    source="lm-stream-semantics § 3.2; rfc-00022 § Function Call Flow",
    check=_call_once,
)


def _call_name(evidence: Evidence) -> Iterator[Defect]:
    """A call has the name that the upstream gave it."""
    for expected, call in evidence.pairing.pairs:
        if not expected.accepts_name(call.name):
            yield prose_defect(
                f"the call {expected.id!r} has the name {call.name!r}, not {expected.name!r}",
                right=f"the name as the upstream gave it, once{or_a_failure(evidence)}",
                about=topics(f"call:{expected.id}"),
                event=evidence.event_of_call(expected.id),
                part=call.part,
            )


CALL_NAME = Rule(
    id="call-name",
    holds="the name is the upstream's, unchanged",
    source="lm-stream-semantics § 3.1",
    check=_call_name,
)


def _call_complete(evidence: Evidence) -> Iterator[Defect]:
    """A call has its id and its complete input."""
    for expected, call in evidence.pairing.pairs:
        if wrong := list(_wrong_in(evidence, expected, call)):
            yield prose_defect(
                f"the call {expected.id!r}: {'; '.join(wrong)}",
                right=call_in_words(expected) + or_a_failure(evidence),
                about=topics(f"call:{expected.id}"),
                event=evidence.event_of_call(expected.id),
                part=call.part,
            )
    yield from _shared_ids(evidence)


def _shared_ids(evidence: Evidence) -> Iterator[Defect]:
    """Ids that the adapter made for more than one call."""
    if evidence.traits.call_id != "own":
        return
    seen: dict[str, ReadCall] = {}
    for call in evidence.emitted_reading.calls:
        if call.id in seen:
            one, other = (f"{c.name}({as_json(c.input)})" for c in (seen[call.id], call))
            yield prose_defect(
                f"the calls {one} and {other} have one id, {call.id!r}",
                right="an id of its own for each call, by which its result is known",
                about=topics(f"own-id:{call.id}"),
                part=call.part,
                # A call that is emitted twice is another finding.
                needs=topics(*(f"call:{expected.id}" for expected in evidence.expected.calls)),
            )
        seen.setdefault(call.id, call)


def _wrong_in(evidence: Evidence, expected: ExpectedCall, call: ReadCall) -> Iterator[str]:
    """What is wrong in a call: its id or its input, as words for a message."""
    if expected.id and call.id not in (expected.id, expected.bare_id):
        is_items = evidence.item_ids.get(evidence.upstream_id(call.id))
        what = "the item's id, not the call's" if is_items else "another id"
        yield f"it has {what}: {call.id!r}"
    if not expected.accepts_input(call.input):
        yield f"its input is {as_json(call.input)}, not {as_json(expected.right_input)}"


CALL_COMPLETE = Rule(
    id="call-complete",
    holds="name, id and a parsed input object; arguments equal as JSON, Unicode exact",
    source="lm-stream-semantics § 3.2, § 3.4; RFC 8259 § 6",
    check=_call_complete,
)


def _call_none_invented(evidence: Evidence) -> Iterator[Defect]:
    """No call is emitted that the upstream did not complete, with ``{}`` or any other input."""
    announced = {id_ for entry in evidence.entries for id_ in entry.announces}
    announced |= {*evidence.item_ids, *evidence.item_ids.values()}
    for call in evidence.pairing.invented:
        why, right = _why_none(evidence, call, announced)
        yield prose_defect(
            f"{_anonymous(call)} came out, {why}; its input is {as_json(call.input)}",
            right=right,
            about=topics(f"part:{call.part}"),
            part=call.part,
        )


def _anonymous(call: ReadCall) -> str:
    """A call by its name and id, as far as it has them."""
    name = repr(call.name) if call.name else "without a name"
    return f"a call {name} with id {call.id!r}" if call.id else f"a call {name} and without an id"


def _why_none(evidence: Evidence, call: ReadCall, announced: set[str]) -> tuple[str, str]:
    """Why there should be no such call, as the end of a sentence, and what would be right."""
    id_ = evidence.upstream_id(call.id)
    if call.name in evidence.expected.unoffered:
        return "whose tool the host did not offer", _NONE
    if (end := end_before_call(evidence, id_)) is not None:
        return f"which was sent after the end (event {end})", "nothing after the end"
    if _arguments_are_unreadable(evidence, id_):
        return (
            "whose arguments do not parse as JSON",
            "no part for a call whose arguments cannot be read",
        )
    if _is_of_another_choice(evidence, call):
        return (
            f"which is of another choice than the first; {stated(evidence.traits, 'choices')}",
            f"no call of an alternative answer{or_declared('choices', 'merge')}",
        )
    if id_ in announced:
        return "which the upstream never sent in a way that can be executed", _NONE
    return "which the upstream never made", _NONE


def _is_of_another_choice(evidence: Evidence, call: ReadCall) -> bool:
    """Whether the call is right once all choices are one answer, which is not declared."""
    if evidence.traits.choices == "merge":
        return False
    merged = (due for each in evidence.expected_with(choices="merge") for due in each.calls)
    return any(call.id in (due.id, due.bare_id) and due.accepts_input(call.input) for due in merged)


def _arguments_are_unreadable(evidence: Evidence, call_id: str) -> bool:
    """Whether an event that completes a call has arguments for it that are not JSON."""
    completing = {entry.event for entry in evidence.entries if call_id in entry.calls}
    data = (event.data for event in evidence.answer if event.n in completing)
    said = (arguments for each in data for arguments in _arguments_in(mapping(each)))
    return any(read_arguments(arguments).kind == "not JSON" for arguments in said)


def _arguments_in(data: Mapping[str, Any]) -> Iterator[str]:
    """The arguments of a call in an event or in its item."""
    for holder in (data, mapping(data.get("item"))):
        yield from filter(None, (text(holder.get(name)) for name in ("arguments", "input")))


_NONE = "no part for a call that the upstream did not complete"


CALL_NONE_INVENTED = Rule(
    id="call-none-invented",
    holds="a cut-off call is not executed; no {} in place of arguments that broke",
    source="lm-stream-semantics § 3.4",
    check=_call_none_invented,
)


def _call_none_lost(evidence: Evidence) -> Iterator[Defect]:
    """A call that the upstream completed is emitted."""
    for expected in evidence.pairing.missing:
        yield prose_defect(
            f"{_named(expected)} was lost",
            right=f"one part: {call_in_words(expected)}{or_a_failure(evidence)}",
            about=topics(f"call:{expected.id}"),
            event=evidence.event_of_call(expected.id),
            level="should" if evidence.expected.calls_may_be_lost else "must",
        )


def _named(expected: ExpectedCall) -> str:
    """A call by its id and its tool's name; by the name alone if it may have any id."""
    if not expected.id:
        return f"a call {expected.name!r}"
    return f"the call {expected.id!r} ({expected.name})"


CALL_NONE_LOST = Rule(
    id="call-none-lost",
    holds="a call that completed is emitted, also when deltas never came, "
    "or it appears only in the final response",
    source="rfc-00022 § Function Call Flow",
    check=_call_none_lost,
)


def _call_namespaced(evidence: Evidence) -> Iterator[Defect]:
    """The ids of calls have the prefix that the adapter declares."""
    bare = [
        call
        for expected, call in evidence.pairing.pairs
        if call.id != expected.id and call.id == expected.bare_id
    ]
    if bare:
        prefix = evidence.traits.call_id_prefix
        yield prose_defect(
            f"the id {bare[0].id!r} does not carry the declared prefix {prefix!r}",
            right=f"{prefix}{bare[0].id}",
            about=topics("namespace"),
            part=bare[0].part,
        )


CALL_NAMESPACED = Rule(
    id="call-namespaced",
    holds="ids carry the declared prefix",
    source="lm-stream-semantics § 3.3, § 8.2",
    check=_call_namespaced,
    level="should",
)
