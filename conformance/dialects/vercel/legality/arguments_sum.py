"""arguments-sum: what an input grew by is the input of the call.

They are compared as JSON, since the SDK's own providers have written the same object in another
order. The core may lay defaults of a schema over an input, and repair one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.arguments import shown
from conformance.dialects.openresponses.sums import joined
from conformance.dialects.vercel.stream import CALLS, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.vercel.stream import Parts


def _check(stream: Parts) -> Iterator[Defect]:
    for (_, id_), several in stream.calls().items():
        call = next((part for part in several if CALLS[part.type] == "called"), None)
        before = several[: several.index(call)] if call else []
        sum_ = joined([part.piece for part in before if part.piece is not None])
        if call and sum_.strip() and not _same(sum_, call.input):
            yield Defect(
                f"the input of the call {id_!r} is {shown(_written(call.input))}, and streamed "
                f"before was {shown(sum_)}",
                right="the deltas joined as the input of the call",
                about=topics(f"input:{call.n}"),
                event=call.n,
                needs=numbers(several)
                | topics("generation", "lost", f"call:{id_}", f"input:{call.n}"),
            )


def _same(streamed: str, told: Any) -> bool:
    """Do both mean the same? The input of a custom tool is a text, which streams as it is."""
    meant = _value(told)
    return streamed in (told, meant) or _value(streamed) == meant


def _value(told: Any) -> Any:
    if not isinstance(told, str):
        return told
    try:
        return json.loads(told) if told.strip() else {}
    except (ValueError, RecursionError):
        return told


def _written(told: Any) -> str:
    return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)


RULE = Rule(
    id="arguments-sum",
    holds="the deltas of an input joined are the input of the call, as JSON",
    source="ai; observed",
    check=_check,
    level="should",
)
