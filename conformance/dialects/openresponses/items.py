"""Reads the calls of OpenAI's tools, the messages and the reasoning in a response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.openresponses.item_slots import Slot, slots_of
from conformance.dialects.openresponses.item_tools import sent_tools
from conformance.dialects.sent_items import (
    SentArguments,
    SentCompaction,
    SentItems,
    SentMessage,
    SentReasoning,
)
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.transcript import SentEvent


def items_sent(sent: Sequence[SentEvent]) -> SentItems:
    """The items in the events of one response."""
    slots = slots_of(sent)
    return SentItems(
        tuple(sent_tools(slots)),
        tuple(_message(each) for each in slots if each.type == "message"),
        tuple(_reasoning(each) for each in slots if each.type == "reasoning"),
        tuple(each for slot in slots if slot.type == "compaction" for each in _compactions(slot)),
        tuple(SentArguments(frozenset(s.ids), tuple(s.arguments)) for s in slots if s.arguments),
        frozenset(filter(None, map(_response_id, sent))),
    )


def _response_id(event: SentEvent) -> str:
    return text(mapping(mapping(event.data).get("response")).get("id"))


def _compactions(slot: Slot) -> Iterator[SentCompaction]:
    encrypted = text(slot.held.get("encrypted_content"))
    if encrypted and slot.finished is not None:
        yield SentCompaction(text(slot.held.get("id")), encrypted, slot.finished)


def _message(slot: Slot) -> SentMessage:
    later: list[dict[str, Any]] = []
    for each in _annotations(slot.finished_parts):
        if each not in (*slot.annotations, *later):
            later.append(each)
    id_ = text(slot.held.get("id"))
    return SentMessage(id_, slot.finished is not None, tuple(slot.annotations), tuple(later))


def _annotations(parts: Any) -> Iterator[dict[str, Any]]:
    """The annotations in finished parts of a message."""
    if isinstance(parts, list):
        for each in parts:
            yield from _annotations(each)
    elif isinstance(parts, dict) and isinstance(found := parts.get("annotations"), list):
        yield from (each for each in found if isinstance(each, dict))


def _reasoning(slot: Slot) -> SentReasoning:
    return SentReasoning(
        frozenset(slot.ids),
        slot.ended,
        slot.finished,
        text(slot.first.get("encrypted_content")),
        text(slot.held.get("encrypted_content")) if slot.finished is not None else "",
    )
