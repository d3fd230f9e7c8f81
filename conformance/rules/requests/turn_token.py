"""turn-token: the token of an invocation stays between the host and its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import unread, wrong
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    if sent.asked.token and sent.asked.token in dump(sent.body):
        yield wrong(
            "the request carries the token of the tools' invocation",
            right="nothing of it: it is the host's, for its tools alone",
            about=topics("token"),
        )


RULE = Rule(
    id="turn-token",
    holds="a toolInvocationToken reaches the tool, and never the upstream",
    source="copilot-annex § Notes & Edge Cases",
    check=_check,
    unfit=unread,
)
