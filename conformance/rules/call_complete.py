"""call-complete: a call has its own id and its whole input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.reading import ReadCall
    from conformance.expectation.projection import ExpectedCall
    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    for expected, call in evidence.pairing.pairs:
        if wrong := list(_wrong(evidence, expected, call)):
            yield Defect(
                f"the call {expected.id!r}: {'; '.join(wrong)}",
                right=f"{expected.name}({expected.right_input!r}) with id {expected.id!r}",
                about=topics(f"call:{expected.id}"),
                event=evidence.event_of_call(expected.id),
                part=call.part,
            )


def _wrong(evidence: Evidence, expected: ExpectedCall, call: ReadCall) -> Iterator[str]:
    if expected.id and call.id not in (expected.id, expected.bare_id):
        is_items = evidence.item_ids.get(evidence.bare(call.id))
        what = "the item's id, not the call's" if is_items else "another id"
        yield f"it has {what}: {call.id!r}"
    if not expected.takes(call.input):
        yield f"its input is {call.input!r}"


RULE = Rule(
    id="call-complete",
    holds="name, id and a parsed input object; arguments equal as JSON, Unicode exact",
    source="lm-stream-semantics § 3.2, § 3.4; RFC 8259 § 6",
    check=_check,
)
