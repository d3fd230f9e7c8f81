"""One step of a full stream: its calls, and its open blocks of text and reasoning."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from conformance.dialects.client.fields import Event
from conformance.dialects.openresponses.reference.response_state import EmittedText
from conformance.dialects.vercel.reference.calls import Calls, Ids


@dataclass(slots=True)
class Thought:
    """A block of reasoning; `sealed` is what came with it and has not left yet."""

    id: str = ""
    said: EmittedText = field(default_factory=EmittedText)
    sealed: Event = field(default_factory=dict)

    def unseal(self) -> Event:
        sealed, self.sealed = self.sealed, {}
        return sealed


@dataclass(slots=True)
class Step:
    """What one call of the model says; blocks are known by ids that the next step may use again."""

    calls: Calls
    thought_ids: Ids
    texts: defaultdict[str, EmittedText] = field(default_factory=lambda: defaultdict(EmittedText))
    thoughts: dict[str, Thought] = field(default_factory=dict)
    over: bool = False
    reason: str = ""

    def thought(self, id_: str, *, begins: bool = False) -> Thought:
        """The open block of this id; streams were seen that never open one."""
        if begins or id_ not in self.thoughts:
            self.thoughts[id_] = Thought(self.thought_ids.new(id_) if id_ else "")
        return self.thoughts[id_]
