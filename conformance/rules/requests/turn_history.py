"""turn-history: what was said before stands in the request, in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import texts, unread, wrong
from mockserver.conversation import Called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack

_WHO = {"user": "user's", "assistant": "model's"}


def _check(sent: SentBack) -> Iterator[Defect]:
    for role, whose in _WHO.items():
        left = [_own(sent, said) for said in texts(sent.told, role)]
        for said in texts(sent.due, role):
            if _own(sent, said) in left:
                left = left[left.index(_own(sent, said)) + 1 :]
                continue
            yield wrong(
                f"the {whose} words {said[:80]!r} are missing from the request, or out of order",
                right="the original messages, each as it was",
                about=topics(f"said:{said}"),
            )
    came = {sent.own(entry.id) for entry in sent.told if isinstance(entry, Called)}
    for entry in sent.due:
        if isinstance(entry, Called) and entry.id not in came:
            yield wrong(
                f"the call {entry.id!r} ({entry.name}) is missing from the request",
                right="each call that was made, before its result",
                about=topics(f"call:{entry.id}"),
            )


def _own(sent: SentBack, said: str) -> str:
    """What was said without the adapter's own blank, which nobody has to send back."""
    return said.removesuffix(" ") if sent.traits.blank_before_call else said


RULE = Rule(
    id="turn-history",
    holds="the original messages are kept",
    source="lm-stream-semantics § 7; copilot-annex § Example Trace",
    check=_check,
    unfit=unread,
)
