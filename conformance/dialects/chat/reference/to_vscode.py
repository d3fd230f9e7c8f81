"""The reference adapter from chat completions to VS Code: its endpoint and its factory."""

from __future__ import annotations

from functools import partial

from conformance.dialects.chat.reference.adapter import ChatAdapter
from conformance.dialects.chat.reference.request import PartContent
from conformance.dialects.chat.reference.vscode_emitter import VscodeEmitter
from conformance.dialects.client.fields import Event, object_, string
from conformance.dialects.client.transport import Traits


def part_content(part: Event) -> PartContent:
    """The content of an emitted part, for later requests."""
    kind = part.get("type")
    if kind == "text":
        return PartContent(text=string(part, "value"))
    if kind == "thinking":
        return PartContent(reasoning_pieces=((string(part, "value"), object_(part, "metadata")),))
    if kind == "toolCall":
        return PartContent(
            calls=((string(part, "callId"), string(part, "name"), part.get("input")),)
        )
    return PartContent()


Adapter = partial(ChatAdapter, "reference-chat-vscode", part_content, emitter=VscodeEmitter)
"""Creates an adapter from its traits, and optionally another machine and emitter."""


def adapter(traits: Traits | None = None) -> ChatAdapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return Adapter(traits)
