"""turn-asked: it is the upstream that says that a conversation is too long, not an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    end = sent.leg.end
    if sent.request or sent.leg.cancelled or end is None or end.outcome != "failed":
        return
    why = end.error.message if end.error else ""
    yield wrong(
        "the run failed before the upstream was asked" + (f": {why[:120]!r}" if why else ""),
        right="one POST to the base URL of the run: a size that is estimated is no reason to fail",
        about=topics("request"),
    )


RULE = Rule(
    id="turn-asked",
    holds="the upstream is asked, whatever an estimate of the size says",
    source="stream-mapping § Context Length Handling Architecture",
    check=_check,
)
