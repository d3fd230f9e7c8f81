"""The streamed texts of an item: answer, refusal, raw reasoning and its summary.

All four grow alike and differ in names: the item that they belong to, the list that holds them
there, the field that counts them, and the part that they end up as.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.openresponses.items import Item, Items

if TYPE_CHECKING:
    from collections.abc import Mapping

_EMPTY: dict[str, dict[str, Any]] = {
    "output_text": {"type": "output_text", "text": "", "annotations": [], "logprobs": []},
    "refusal": {"type": "refusal", "refusal": ""},
    "reasoning_text": {"type": "reasoning_text", "text": ""},
    "summary_text": {"type": "summary_text", "text": ""},
}


@dataclass(frozen=True, slots=True)
class PartKind:
    """A kind of streamed text: its item, its list there, its index field and its part."""

    item: str
    where: str
    index: str
    part: str
    text: str = "text"

    def added(self, items: Items, given: Mapping[str, Any]) -> dict[str, Any]:
        """What an event says by default that opens a part."""
        ids, item = items.child(given, self.item)
        n = given.get(self.index, item.count(self.where) if item else 0)
        return {**ids, self.index: n, "part": _EMPTY[self.part]}

    def ended(self, items: Items, given: Mapping[str, Any]) -> dict[str, Any]:
        """What an event says by default that closes a part."""
        fields, held = self._of_part(items, given)
        return {**fields, "part": held or _EMPTY[self.part]}

    def delta(self, items: Items, given: Mapping[str, Any]) -> dict[str, Any]:
        """What an event says by default that adds to the text of a part."""
        fields, _ = self._of_part(items, given)
        return {**fields, "delta": "", **self._logprobs()}

    def done(self, items: Items, given: Mapping[str, Any]) -> dict[str, Any]:
        """What an event says by default that sums up the text of a part."""
        fields, held = self._of_part(items, given)
        return {**fields, self.text: held.get(self.text, ""), **self._logprobs()}

    def _of_part(
        self, items: Items, given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        ids, item = items.child(given, self.item)
        n = given.get(self.index, item.newest(self.where) if item else 0)
        return {**ids, self.index: n}, item.part(self.where, n) if item else {}

    def _logprobs(self) -> dict[str, Any]:
        # OpenAI's own types require the list; OpenResponses allows it.
        return {"logprobs": []} if self.part == "output_text" else {}

    def keep(self, items: Items, data: Mapping[str, Any]) -> None:
        """Remember a part, or the text that was added to it."""
        item, n = items.at(data.get("output_index")), data.get(self.index)
        if item is None or not isinstance(n, int):
            return
        held = item.part(self.where, n) or _EMPTY[self.part]
        if isinstance(part := data.get("part"), dict):
            held = part
        elif "delta" in data:
            held = {**held, self.text: text(held.get(self.text)) + text(data["delta"])}
        elif self.text in data:
            held = {**held, self.text: data[self.text]}
        item.parts[self.where, n] = held


TEXT = PartKind("message", "content", "content_index", "output_text")
REFUSAL = PartKind("message", "content", "content_index", "refusal", "refusal")
THOUGHT = PartKind("reasoning", "content", "content_index", "reasoning_text")
SUMMARY = PartKind("reasoning", "summary", "summary_index", "summary_text")

_BY_PART = {kind.part: kind for kind in (TEXT, REFUSAL, THOUGHT, SUMMARY)}


def content_kind(items: Items, given: Mapping[str, Any]) -> PartKind:
    """Content parts of three kinds share their two events; the part, or its item, says which."""
    if named := text(mapping(given.get("part")).get("type")):
        return _BY_PART.get(named, TEXT)
    item = items.find(given)
    if item is None:
        return TEXT
    held = item.part("content", given.get("content_index", item.newest("content")))
    by_item = THOUGHT if item.type == "reasoning" else TEXT
    return _BY_PART.get(text(held.get("type")), by_item)


def citation(items: Items, given: Mapping[str, Any]) -> dict[str, Any]:
    """What an event says by default that adds an annotation to a text."""
    ids, item = items.child(given, "message")
    n = given.get("content_index", item.newest("content") if item else 0)
    return {**ids, "content_index": n, "annotation_index": len(_annotations(item, n))}


def keep_citation(items: Items, data: Mapping[str, Any]) -> None:
    """Remember an annotation with the part that it stands in."""
    item, n = items.at(data.get("output_index")), data.get("content_index", 0)
    if item and item.part("content", n) and isinstance(data.get("annotation"), dict):
        annotations = [*_annotations(item, n), data["annotation"]]
        item.parts["content", n] = {**item.part("content", n), "annotations": annotations}


def _annotations(item: Item | None, n: Any) -> list[Any]:
    held = item.part("content", n).get("annotations") if item else None
    return held if isinstance(held, list) else []
