"""Reasoning in a delta: five names for what may be shown, three for what may not be read.

Gateways mirror the same reasoning under two names in one delta, so of each kind the first name
that has any counts. What came under which name is kept, because an upstream wants it back so.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.dialects.client.fields import Event, string

SPELLINGS = ("cot_summary", "reasoning_text", "reasoning_content", "reasoning", "thinking")
OPAQUE = ("cot_id", "reasoning_opaque", "signature")


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of reasoning: a text, or what stands for it, each with the name it came under."""

    text: str = ""
    spelling: str = ""
    opaque: str = ""
    opaque_spelling: str = ""

    @property
    def metadata(self) -> dict[str, object]:
        """What is needed to send it back as it came."""
        spelling: dict[str, object] = {"spelling": self.spelling} if self.spelling else {}
        return spelling | ({self.opaque_spelling: self.opaque} if self.opaque else {})


def thought(delta: Event) -> Thought:
    """What a delta has of reasoning."""
    spelling = next((name for name in SPELLINGS if string(delta, name)), "")
    opaque = next((name for name in OPAQUE if string(delta, name)), "")
    return Thought(string(delta, spelling), spelling, string(delta, opaque), opaque)
