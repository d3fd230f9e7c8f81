"""run-lifecycle: a full stream starts, goes from step to step, and finishes once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule
from conformance.dialects.vercel.grammar import RUN, breaches, late, unended

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.dialects.vercel.stream import Parts

_RIGHT = "start; start-step, its parts and finish-step, as often as there are steps; finish"
_OF_AI_4 = "step-start, its parts and step-finish, as often as there are steps; finish"


def _check(stream: Parts) -> Iterator[Defect]:
    yield from late(stream)
    if stream.of_ai_4:
        yield from breaches(stream, RUN, _OF_AI_4, state="begun")
    else:
        yield from breaches(stream, RUN, _RIGHT)
    yield from unended(stream)


RULE = Rule(
    id="run-lifecycle",
    holds="start is first (ai 4 has none); what the model says stands in steps that start and "
    "finish; finish is once, outside of steps, and last; abort or an error may end it too",
    source="ai; AI SDK Core § streamText; observed",
    check=_check,
)
