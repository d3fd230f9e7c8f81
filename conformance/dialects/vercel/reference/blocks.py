"""The state of one step of a full stream: its calls, and its open blocks of text and reasoning."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from conformance.dialects.client.fields import Event
from conformance.dialects.openresponses.reference.response_state import EmittedText
from conformance.dialects.vercel.reference.calls import Calls, Ids


@dataclass(slots=True)
class ReasoningBlock:
    """A block of reasoning; `metadata` is the provider's metadata that was not emitted yet."""

    id: str = ""
    emitted: EmittedText = field(default_factory=EmittedText)
    metadata: Event = field(default_factory=dict)

    def take_metadata(self) -> Event:
        """Return the metadata and clear it."""
        metadata, self.metadata = self.metadata, {}
        return metadata


@dataclass(slots=True)
class Step:
    """One call of the model; the ids of its blocks and calls may be used again in the next step."""

    calls: Calls
    reasoning_ids: Ids
    texts: defaultdict[str, EmittedText] = field(default_factory=lambda: defaultdict(EmittedText))
    reasoning_blocks: dict[str, ReasoningBlock] = field(default_factory=dict)
    finished: bool = False
    reason: str = ""

    def reasoning(self, id_: str, *, begins: bool = False) -> ReasoningBlock:
        """The open block with this id, or a new one; some streams never send its start."""
        if begins or id_ not in self.reasoning_blocks:
            self.reasoning_blocks[id_] = ReasoningBlock(self.reasoning_ids.new(id_) if id_ else "")
        return self.reasoning_blocks[id_]
