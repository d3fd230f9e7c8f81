"""turn-no-half-call: no call goes back that was not completed, and none goes back changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Rule, topics
from conformance.contract.reading import same_json
from conformance.rules.requests.evidence import unread, wrong
from mockserver.conversation import Called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    for entry in sent.told:
        if not isinstance(entry, Called):
            continue
        made = sent.calls.get(sent.own(entry.id))
        if made is None:
            yield wrong(
                f"the call {entry.id!r} ({entry.name}) went upstream; it was never completed there",
                right="the calls that the host handed over, and no other",
                about=topics(f"call:{entry.id}", f"result:{entry.id}"),
            )
        elif not same_json(_parsed(entry.arguments), _parsed(made.arguments)):
            yield wrong(
                f"the call {entry.id!r} went upstream with the arguments {entry.arguments[:80]!r}",
                right=f"arguments that say {made.arguments[:80]}",
                about=topics(f"call:{entry.id}"),
            )


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return None


RULE = Rule(
    id="turn-no-half-call",
    holds="no call goes back upstream that it did not complete; arguments go back as they came",
    source="lm-stream-semantics § 3.4; OpenResponses § FunctionCall",
    check=_check,
    unfit=unread,
)
