"""Reads the reasoning in a delta: five field names for text, three for encrypted content.

Gateways may repeat the same reasoning under two names in one delta, so of each kind only the first
field is read. The field names are kept, because upstreams want the reasoning back under the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.dialects.client.fields import Event, string

TEXT_FIELDS = ("cot_summary", "reasoning_text", "reasoning_content", "reasoning", "thinking")
ENCRYPTED_FIELDS = ("cot_id", "reasoning_opaque", "signature")


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """Reasoning text and encrypted reasoning, each with the name of its field; all may be empty."""

    text: str = ""
    text_field: str = ""
    encrypted: str = ""
    encrypted_field: str = ""

    @property
    def metadata(self) -> dict[str, object]:
        """The metadata of its part: the field names that are needed to send it back."""
        text_field: dict[str, object] = {"spelling": self.text_field} if self.text_field else {}
        return text_field | ({self.encrypted_field: self.encrypted} if self.encrypted else {})


def reasoning_of(delta: Event) -> ReasoningPiece:
    """The reasoning in a delta."""
    text_field = next((name for name in TEXT_FIELDS if string(delta, name)), "")
    encrypted_field = next((name for name in ENCRYPTED_FIELDS if string(delta, name)), "")
    text, encrypted = string(delta, text_field), string(delta, encrypted_field)
    return ReasoningPiece(text, text_field, encrypted, encrypted_field)
