"""turn-opaque: what only the upstream can read of its reasoning goes back unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import thoughts, unread, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    came = thoughts(sent.told)
    for due in sent.opaque:
        if due in came:
            continue
        changed = [each for each in came if each not in sent.opaque]
        yield wrong(
            f"the encrypted reasoning {due[:40]!r} went upstream as {changed[0][:40]!r}"
            if changed
            else f"the encrypted reasoning {due[:40]!r} did not go back upstream",
            right="the same text, byte for byte",
            about=topics(f"opaque:{due}"),
            # An upstream takes a request without it, and thinks anew.
            level="must" if changed else "should",
        )


RULE = Rule(
    id="turn-opaque",
    holds="encrypted reasoning goes back unchanged",
    source="OpenResponses § Reasoning items; lm-stream-semantics § 9.5",
    check=_check,
    unfit=unread,
)
