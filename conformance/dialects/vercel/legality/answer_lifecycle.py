"""answer-lifecycle: a provider's parts end with one finish, or with an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule
from conformance.dialects.vercel.grammar import ANSWER, breaches, late, unended

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.dialects.vercel.stream import Parts

_RIGHT = "stream-start before what the model says, and once; finish as the last part"


def _check(stream: Parts) -> Iterator[Defect]:
    yield from late(stream)
    yield from breaches(stream, ANSWER, _RIGHT, level="should")
    yield from unended(stream)


RULE = Rule(
    id="answer-lifecycle",
    holds="finish is once and last, and an error may stand before it or in its place; stream-start "
    "is once and before what the model says, where there is one (should)",
    source="@ai-sdk/provider; ai; observed",
    check=_check,
)
