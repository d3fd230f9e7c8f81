"""The steps of calls in ``copilot``, the vocabulary that announces calls before they are complete.

A call begins, is updated with all of its arguments so far, and is emitted. Steps have the order of
their parts; within a part, text comes first, then begins, updates and calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from conformance.vocabularies.fold import objects_in
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.transcript import Emitted

StepKind = Literal["text", "begin", "update", "call"]

_LISTS: dict[str, StepKind] = {
    "beginToolCalls": "begin",
    "copilotToolCallStreamUpdates": "update",
    "copilotToolCalls": "call",
    "_deprecatedCopilotFunctionCalls": "call",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step in one choice: text, or the begin, an update or the completion of a call.

    ``part`` is the number of the part, ``id`` the call's id (empty if it has none), and ``text``
    the text or the arguments.
    """

    kind: StepKind
    choice: int
    part: int
    id: str = ""
    text: str = ""


def steps(parts: Sequence[Emitted]) -> Iterator[Step]:
    """The steps in all choices, in order; none in vocabularies without such parts."""
    for emitted in parts:
        part: Any = emitted.part
        delta = part.get("delta") if isinstance(part, dict) else None
        if not isinstance(delta, dict) or type(choice := part.get("index")) is not int:
            continue
        if words := text(delta.get("text")):
            yield Step("text", choice, emitted.n, text=words)
        for name, kind in _LISTS.items():
            for call in objects_in(delta.get(name)):
                arguments = text(call.get("arguments"))
                yield Step(kind, choice, emitted.n, text(call.get("id")), arguments)
