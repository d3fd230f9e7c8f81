"""result-follows-call: a result, an error or a question about a call comes behind the call.

Calls of an earlier answer are told of before the first step. A provider may give the result of its
own tool as late as in the next answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.vercel.stream import CALLS, numbers
from mockserver.dialects.vercel.parts import GATEWAY, UI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.vercel.stream import Part, Parts

_FOLLOWS = frozenset(
    {
        "tool-result",
        "tool-error",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
        "tool-approval-request",
    }
)
_BEGINS = frozenset({"start-step", "step-start"})


def _check(stream: Parts) -> Iterator[Defect]:
    known: set[str] = set()
    is_begun = not stream.has_steps
    for part in stream.parts:
        is_begun = is_begun or part.type in _BEGINS
        if part.type in CALLS and _is_told(stream, part):
            known.add(part.call)
        elif part.type in _FOLLOWS and is_begun and part.call and part.call not in known:
            yield _defect(stream, part)


def _is_told(stream: Parts, part: Part) -> bool:
    """A message has a part for a call as soon as its input starts."""
    return stream.dialect == UI or CALLS[part.type] == "called"


def _defect(stream: Parts, part: Part) -> Defect:
    deferred = stream.dialect == GATEWAY or part.data.get("providerExecuted") is True
    return Defect(
        f"{part.type} is about {part.call!r}, which nobody has called",
        right="the call before what became of it, under the same id",
        about=topics(f"result:{part.n}"),
        event=part.n,
        level="should" if deferred and stream.dialect != UI else None,
        needs=numbers([part]) | topics("generation", "lost", f"call:{part.call}"),
    )


RULE = Rule(
    id="result-follows-call",
    holds="a result, an error, a denial or a request for approval is about a call that came before "
    "it; what a provider has run itself may be of an earlier answer (should)",
    source="ai; observed",
    check=_check,
)
