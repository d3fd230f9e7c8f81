"""Rules about tool calls: each is emitted once, complete, and with the upstream's name and id."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Defect, Rule, topics
from conformance.rules.alternatives import or_a_failure
from mockserver.call_arguments import read_arguments
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.contract.reading import ReadCall
    from conformance.expectation.projection import ExpectedCall
    from conformance.rules.evidence import Evidence


def _call_once(evidence: Evidence) -> Iterator[Defect]:
    """Each call is emitted once, even if several events complete it."""
    yield from _under_the_id_of_another(evidence)
    doubled = evidence.pairing.repeated
    times = Counter(expected.id for expected, _ in doubled)
    first = {expected.id: again for expected, again in reversed(doubled)}
    for call_id, more in times.items():
        yield Defect(
            f"the call {call_id!r} was emitted {more + 1} times, again as part "
            f"{first[call_id].part}{_other_id(first[call_id], call_id)}",
            right=f"one part for the call {call_id!r}, however many events complete it",
            about=topics(f"call:{call_id}"),
            event=evidence.event_of_call(call_id),
            part=first[call_id].part,
        )


def _other_id(call: ReadCall, call_id: str) -> str:
    """The id of a call that was emitted again, if it is another one."""
    return "" if call.id == call_id else f" with the id {call.id!r}"


def _under_the_id_of_another(evidence: Evidence) -> Iterator[Defect]:
    """Calls that are two, and came under one id, so that one result would answer both."""
    for shared in evidence.pairing.sharing:
        first, second = (f"{c.name}({c.right_input!r})" for c in (shared.first, shared.second))
        yield Defect(
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
            yield Defect(
                f"the call {expected.id!r} has the name {call.name!r}, not {expected.name!r}",
                right="the name as the upstream gave it, once",
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
            yield Defect(
                f"the call {expected.id!r}: {'; '.join(wrong)}",
                right=f"{expected.name}({expected.right_input!r}) with id {expected.id!r}",
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
            one, other = (f"{c.name}({c.input!r})" for c in (seen[call.id], call))
            yield Defect(
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
        yield f"its input is {call.input!r}, not {expected.right_input!r}"


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
        why = _why_none(evidence, call, announced)
        yield Defect(
            f"a call {call.name!r} with id {call.id!r} came out, {why}; its input is "
            f"{call.input!r}",
            right=_RIGHT.get(why, "no part for a call that the upstream did not complete"),
            about=topics(f"part:{call.part}"),
            part=call.part,
        )


def _why_none(evidence: Evidence, call: ReadCall, announced: set[str]) -> str:
    """Why there should be no such call, as the end of a sentence."""
    if call.name in evidence.expected.unoffered:
        return "whose tool the host did not offer"
    if _arguments_are_unreadable(evidence, evidence.upstream_id(call.id)):
        return _UNREADABLE
    if evidence.upstream_id(call.id) in announced:
        return "which the upstream never sent in a way that can be executed"
    return "which the upstream never made"


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


_UNREADABLE = "whose arguments do not parse as JSON"
_RIGHT = {_UNREADABLE: "no part for a call whose arguments cannot be read"}


CALL_NONE_INVENTED = Rule(
    id="call-none-invented",
    holds="a cut-off call is not executed; no {} in place of arguments that broke",
    source="lm-stream-semantics § 3.4",
    check=_call_none_invented,
)


def _call_none_lost(evidence: Evidence) -> Iterator[Defect]:
    """A call that the upstream completed is emitted."""
    for expected in evidence.pairing.missing:
        yield Defect(
            f"{_named(expected)} was lost",
            right=f"one part: {expected.name}({expected.right_input!r})",
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
        yield Defect(
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
