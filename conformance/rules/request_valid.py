"""request-valid: what the adapter sends upstream is a request that a real upstream accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.rules.end_once import LOST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_EVERYTHING = topics("text", "thinking", "calls", "citations", "data", "end", "told")


def _check(evidence: Evidence) -> Iterator[Defect]:
    requests = evidence.transcript.posts
    cancelled = evidence.transcript.cancelled
    end = evidence.end
    # Whoever is cancelled before the first part need not begin; a refusal to play is an ending, and
    # that an adapter was lost before it could ask is told by `end-once`.
    may_not = (
        (cancelled and cancelled.parts == 0)
        or (end and end.outcome == "unsupported")
        or (end is None and evidence.transcript.verdict in LOST)
    )
    if not requests and not may_not:
        yield Defect(
            "no request reached the upstream",
            right="one POST to the base URL that the run was given",
            about=_EVERYTHING,
        )
    for request in requests:
        if request.problems:
            yield Defect(
                f"the upstream refused the request: {'; '.join(request.problems)}",
                right="a request that satisfies the dialect's request schema",
                about=_EVERYTHING,
            )
            return


RULE = Rule(
    id="request-valid",
    holds="a request is valid for its dialect, and it is made",
    source="OpenResponses § CreateResponseBody",
    check=_check,
)
