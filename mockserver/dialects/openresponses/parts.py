"""The four kinds of streamed parts: answer text, refusal, raw reasoning, reasoning summary.

They are streamed in the same way and differ in names: the type of their item, their list in the
item, the field with their index, and the type of the part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockserver.dialects.openresponses.items import Item, Items
from mockserver.foundation.json_fields import mapping, text

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
    """A kind of streamed part.

    ``item`` is the type of its item, ``where`` its list there, ``index`` the field with its index
    in the list, ``part`` its type, and ``text`` the field with its text.
    """

    item: str
    where: str
    index: str
    part: str
    text: str = "text"

    def added(self, items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The default fields of an event that starts a part."""
        ids, item = items.child(fields, self.item)
        n = fields.get(self.index, item.count(self.where) if item else 0)
        return {**ids, self.index: n, "part": _EMPTY[self.part]}

    def ended(self, items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The default fields of an event that ends a part."""
        fields, held = self._part_of(items, fields)
        return {**fields, "part": held or _EMPTY[self.part]}

    def delta(self, items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The default fields of an event with a delta of a part's text."""
        fields, _ = self._part_of(items, fields)
        return {**fields, "delta": "", **self._logprobs()}

    def done(self, items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The default fields of an event with the complete text of a part."""
        fields, held = self._part_of(items, fields)
        return {**fields, self.text: held.get(self.text, ""), **self._logprobs()}

    def _part_of(
        self, items: Items, fields: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        ids, item = items.child(fields, self.item)
        n = fields.get(self.index, item.newest(self.where) if item else 0)
        return {**ids, self.index: n}, item.part(self.where, n) if item else {}

    def _logprobs(self) -> dict[str, Any]:
        # Required by OpenAI's types, optional in OpenResponses.
        return {"logprobs": []} if self.part == "output_text" else {}

    def note(self, items: Items, data: Mapping[str, Any]) -> None:
        """Update the state of a part from an event that is sent."""
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
RAW_REASONING = PartKind("reasoning", "content", "content_index", "reasoning_text")
SUMMARY = PartKind("reasoning", "summary", "summary_index", "summary_text")

_BY_PART = {kind.part: kind for kind in (TEXT, REFUSAL, RAW_REASONING, SUMMARY)}


def content_kind(items: Items, fields: Mapping[str, Any]) -> PartKind:
    """The kind of a content part, by its type or its item: three kinds share the same events."""
    if named := text(mapping(fields.get("part")).get("type")):
        return _BY_PART.get(named, TEXT)
    item = items.find(fields)
    if item is None:
        return TEXT
    held = item.part("content", fields.get("content_index", item.newest("content")))
    by_item = RAW_REASONING if item.type == "reasoning" else TEXT
    return _BY_PART.get(text(held.get("type")), by_item)


def citation(items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The default fields of an event that adds an annotation to a text."""
    ids, item = items.child(fields, "message")
    n = fields.get("content_index", item.newest("content") if item else 0)
    return {**ids, "content_index": n, "annotation_index": len(_annotations(item, n))}


def note_citation(items: Items, data: Mapping[str, Any]) -> None:
    """Add the annotation of an event to the state of its part."""
    item, n = items.at(data.get("output_index")), data.get("content_index", 0)
    if item and item.part("content", n) and isinstance(data.get("annotation"), dict):
        annotations = [*_annotations(item, n), data["annotation"]]
        item.parts["content", n] = {**item.part("content", n), "annotations": annotations}


def _annotations(item: Item | None, n: Any) -> list[Any]:
    held = item.part("content", n).get("annotations") if item else None
    return held if isinstance(held, list) else []
