"""call-ids: each call has an id of its own, which is not its item's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    owners: dict[str, int] = {}
    for item in stream.items.values():
        for event in (item.added, item.done):
            call_id = event.item.get("call_id") if event else None
            if event is None or item.type != "function_call" or not isinstance(call_id, str):
                continue
            owner = owners.setdefault(call_id, item.index)
            if wrong := _wrong(call_id, event, None if owner == item.index else owner):
                yield Defect(
                    f"{item} {wrong}",
                    right="a call_id that no other call has, and that is not the item's id",
                    about=topics(f"call-id:{item.index}"),
                    event=event.n,
                    needs=topics(f"item:{item.index}", f"identity:{item.index}"),
                )


def _wrong(call_id: str, event: Event, owner: int | None) -> str:
    if not call_id:
        return "has an empty call_id"
    if call_id == event.item.get("id"):
        return f"has the call_id {call_id!r}, which is its own id"
    if owner is not None:
        return f"has the call_id {call_id!r}, which is that of item {owner}"
    return ""


RULE = Rule(
    id="call-ids",
    holds="call_id is not empty, unique in the response, and different from the item's id",
    source="streamproof; observed",
    check=_check,
    level="should",
)
