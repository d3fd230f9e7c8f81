"""Reads the items of OpenAI's tools, the messages and the reasoning from the events of a response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.openresponses.item_slots import Slot, slots_of
from conformance.dialects.openresponses.item_tools import sent_tools
from conformance.dialects.sent_items import SentItems, SentMessage, SentReasoning
from mockserver.dialects.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import SentEvent


def items_sent(sent: Sequence[SentEvent]) -> SentItems:
    """The items in the events of one response."""
    slots = slots_of(sent)
    return SentItems(
        tuple(sent_tools(slots)),
        tuple(_message(each) for each in slots if each.type == "message"),
        tuple(_reasoning(each) for each in slots if each.type == "reasoning"),
    )


def _message(slot: Slot) -> SentMessage:
    return SentMessage(
        text(slot.held.get("id")), slot.finished is not None, tuple(slot.annotations)
    )


def _reasoning(slot: Slot) -> SentReasoning:
    return SentReasoning(
        frozenset(slot.ids),
        slot.ended,
        slot.finished,
        text(slot.first.get("encrypted_content")),
        text(slot.held.get("encrypted_content")) if slot.finished is not None else "",
    )
