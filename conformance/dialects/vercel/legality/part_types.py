"""part-types: every part has the fields that its type must have."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.contract.finding import Rule
from conformance.dialects.departures import defects
from conformance.dialects.vercel.contracts import problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.dialects.vercel.stream import Parts

_RIGHT = "a part as the types of the SDK have it"


def _check(stream: Parts) -> Iterator[Defect]:
    yield from defects(stream.sent, stream.lost, partial(problem, stream.dialect), _RIGHT)


RULE = Rule(
    id="part-types",
    holds="every part has a type, the fields that its type must have in one of its releases, and "
    "in them what may stand there; other fields are legal",
    source="ai; @ai-sdk/provider",
    check=_check,
)
