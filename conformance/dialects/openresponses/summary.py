"""Describes an OpenResponses event on one line: its type, its output index and its content."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from conformance.dialects.short_text import clip, compact, failure, quoted
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.contract.transcript import SentEvent

_CARRIED = ("delta", "text", "refusal", "arguments", "code", "diff", "input", "command")
# The statuses of an item that its event says already.
_USUAL = ("in_progress", "completed")


def summary(type_: str, data: Mapping[str, Any]) -> str:
    """The type without ``response.``, the output index, and the content of the event."""
    index = data.get("output_index")
    place = "" if index is None else f"[{index}]"
    return " ".join(filter(None, (type_.removeprefix("response."), place, _carried(type_, data))))


def _carried(type_: str, data: Mapping[str, Any]) -> str:
    if type_ == "error":
        return failure(data.get("error") or data)
    for name in _CARRIED:
        if isinstance(data.get(name), str):
            return quoted(data[name])
    for name in (*_CARRIED, "annotation", "part", "item"):
        if name in data and not isinstance(data[name], dict):
            return f"{name}: {compact(data[name])}"
    if isinstance(cited := data.get("annotation"), dict):
        source = (cited.get(name) for name in ("url", "filename", "file_id", "type"))
        return clip(str(next((name for name in source if name), ""))) or compact(cited)
    item, response = data.get("item"), data.get("response")
    if isinstance(item, dict):
        return " ".join(_item(type_, item))
    error = response.get("error") if isinstance(response, dict) else None
    return failure(data.get("error") or error or data) or clip(text(data.get("errorText")))


def _item(type_: str, item: Mapping[str, Any]) -> Iterator[str]:
    """An item in words: its type, the id of its call, and what is unusual about it."""
    yield text(item.get("type"))
    if "call_id" in item:
        yield text(item["call_id"]) or compact(item["call_id"]).replace('""', "''")
    blank = ["name"] if item.get("name") == "" else []
    if item.get("arguments") == "" and type_.endswith(".done"):
        blank.append("arguments")
    yield from (f"{name} ''" for name in blank)
    if (status := text(item.get("status"))) and status not in _USUAL:
        yield status


def unusual_ids(sent: Sequence[SentEvent]) -> dict[int, str]:
    """The ids of items and responses in the events, by the events' numbers, where they matter.

    They do if the events of one item or response have several ids, or two items have the same.
    """
    by_index: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for event in sent:
        data = mapping(event.data)
        item, response = mapping(data.get("item")), mapping(data.get("response"))
        if id_ := text(data.get("item_id")) or text(item.get("id")) or text(response.get("id")):
            by_index[compact(data.get("output_index"))][event.n] = id_
    ids = {index: set(found.values()) for index, found in by_index.items()}
    shared = {id_ for id_ in set().union(*ids.values()) if sum(id_ in s for s in ids.values()) > 1}
    return {
        n: id_
        for index, found in by_index.items()
        if len(ids[index]) > 1 or ids[index] & shared
        for n, id_ in found.items()
    }
