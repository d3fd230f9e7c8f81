"""limits-passed: the most output that the host allows is told to the upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import unread, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    # Options are in the dialect's own terms, so they are read as a request is.
    due, came = sent.read(dict(sent.asked.options)).limit, sent.inbound.limit
    if due is not None and came != due:
        how = "did not reach the upstream" if came is None else f"went upstream as {came}"
        yield wrong(
            f"the limit of {due} output tokens {how}",
            right=f"{due}, under the dialect's own name for it",
            about=topics("limit"),
        )


RULE = Rule(
    id="limits-passed",
    holds="an output limit in the host's options reaches the upstream as its own limit",
    source="stream-mapping § Fix Priority; OpenAI § max_completion_tokens",
    check=_check,
    unfit=unread,
)
