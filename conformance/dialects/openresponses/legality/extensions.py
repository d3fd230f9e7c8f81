"""extensions: what OpenResponses does not have carries a vendor's prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from mockserver.dialects.openresponses.events import ITEM_TYPES, is_extension

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream

# How OpenAI and rfc-00022 spell events that OpenResponses has under another name
_SPELLINGS = {
    "response.reasoning_text.delta": "response.reasoning.delta",
    "response.reasoning_text.done": "response.reasoning.done",
    "response.reasoning_summary.delta": "response.reasoning_summary_text.delta",
    "response.reasoning_summary.done": "response.reasoning_summary_text.done",
}


def _check(stream: Stream) -> Iterator[Defect]:
    """One defect for each foreign type; an item's own events go with the item."""
    foreign = [item for item in stream.items.values() if _is_foreign(item)]
    types: dict[str, list[Event]] = {}
    for item in foreign:
        types.setdefault(item.type, []).append(item.events[0])
    for type_, firsts in types.items():
        yield _defect(f"the item type {type_!r}", firsts, _prefixed(type_))
    explained = {item.index for item in foreign}
    events: dict[str, list[Event]] = {}
    for event in stream.all:
        known = event.lane and event.type not in _SPELLINGS
        if not known and not event.is_extension and event.index("output_index") not in explained:
            events.setdefault(event.type, []).append(event)
    for type_, found in events.items():
        right = _SPELLINGS.get(type_) or _prefixed(type_.removeprefix("response."))
        yield _defect(f"the event type {type_!r}", found, right)


def _is_foreign(item: Item) -> bool:
    return bool(item.type) and item.type not in ITEM_TYPES and not is_extension(item.type)


def _prefixed(type_: str) -> str:
    return f"a type of the specification, or one with a vendor's prefix, like acme:{type_}"


def _defect(what: str, events: list[Event], right: str) -> Defect:
    more = f" ({len(events)} times)" if len(events) > 1 else ""
    return Defect(
        f"{what} is not one of OpenResponses and carries no vendor's prefix{more}",
        right=right,
        about=topics(f"foreign:{what}"),
        event=events[0].n,
    )


RULE = Rule(
    id="extensions",
    holds="events and items that the specification does not have carry a vendor's prefix",
    source="OpenResponses § Extending Streaming Events; OpenResponses § Items",
    check=_check,
)
