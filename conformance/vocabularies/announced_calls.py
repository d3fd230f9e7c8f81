"""The life of calls in a vocabulary that announces calls before they are complete.

That is ``copilot``: a call begins, grows in updates that have all of its arguments so far, and
leaves. What is told of one part of a choice has the order of the parts; inside a part a begin
stands before updates, and these before calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from conformance.vocabularies.fold import objects
from mockserver.dialects.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.transcript import Emitted

Kind = Literal["text", "begin", "update", "call"]

_LISTS: dict[str, Kind] = {
    "beginToolCalls": "begin",
    "copilotToolCallStreamUpdates": "update",
    "copilotToolCalls": "call",
    "_deprecatedCopilotFunctionCalls": "call",
}


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened in a choice; ``id`` is empty where it has none."""

    kind: Kind
    choice: int
    part: int
    id: str = ""
    text: str = ""  # the words, or the arguments


def steps(parts: Sequence[Emitted]) -> Iterator[Step]:
    """What happened in all choices, in order; none in vocabularies without such parts."""
    for emitted in parts:
        part: Any = emitted.part
        delta = part.get("delta") if isinstance(part, dict) else None
        if not isinstance(delta, dict) or type(choice := part.get("index")) is not int:
            continue
        if words := text(delta.get("text")):
            yield Step("text", choice, emitted.n, text=words)
        for name, kind in _LISTS.items():
            for call in objects(delta.get(name)):
                arguments = text(call.get("arguments"))
                yield Step(kind, choice, emitted.n, text(call.get("id")), arguments)
