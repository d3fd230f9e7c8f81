"""The state of the output items of a stream and their parts, from which events are derived.

Fields of wrong types are ignored: scenarios may send them on purpose.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import ITEM_TYPES
from mockserver.foundation.json_fields import mapping, text

_ID_PREFIX = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fco",
    "reasoning": "rs",
    "compaction": "cmp",
    **{type_: item.prefix for type_, item in openai_types.ITEMS.items()},
}
_EMPTY: dict[str, dict[str, Any]] = {
    "message": {"status": "in_progress", "role": "assistant", "content": []},
    "function_call": {"status": "in_progress", "call_id": "", "name": "", "arguments": ""},
    "function_call_output": {"status": "in_progress", "call_id": "", "output": ""},
    "reasoning": {"summary": []},
    "compaction": {"encrypted_content": ""},
    **{type_: dict(item.has) for type_, item in openai_types.ITEMS.items()},
}
_EMPTY_OTHER: dict[str, Any] = {"status": "in_progress"}


@dataclass
class Item:
    """An output item with what has been streamed of it so far.

    ``previews`` is the number of partial images of a generated image.
    """

    index: int
    value: dict[str, Any]
    # Streamed parts by the name of their list in the item (content, summary) and their index in it.
    parts: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    done: bool = False
    previews: int = 0

    @property
    def type(self) -> str:
        return text(self.value.get("type"))

    def count(self, where: str) -> int:
        """The number of parts in a list."""
        return sum(key == where for key, _ in self.parts)

    def newest(self, where: str) -> int:
        """The highest index in a list that has a part; 0 if there is none."""
        return max((n for key, n in self.parts if key == where), default=0)

    def part(self, where: str, n: Any) -> dict[str, Any]:
        """The part at this index of a list; empty if there is none."""
        return self.parts.get((where, n), {}) if isinstance(n, int) else {}

    def completed(self) -> dict[str, Any]:
        """The complete item, with everything that was streamed."""
        lists: dict[str, list[Any]] = {}
        for (where, _), part in sorted(self.parts.items()):
            lists.setdefault(where, []).append(part)
        completed = {**_fields_at_end(self.type), **self.value, **lists}
        failed = self.value.get("status") == "failed"
        return completed if failed else {**completed, **_status_at_end(self.type)}


def _status_at_end(type_: str) -> dict[str, Any]:
    return {"status": "completed"} if "status" in _EMPTY.get(type_, _EMPTY_OTHER) else {}


def _fields_at_end(type_: str) -> dict[str, Any]:
    """The fields that an item of this type has at the latest when it is done."""
    own = openai_types.ITEMS.get(type_)
    return dict(own.at_end) if own else {}


@dataclass
class Items:
    """All items of one turn, by output index."""

    turn: int
    items: dict[int, Item] = field(default_factory=dict)

    def done(self) -> list[dict[str, Any]]:
        """The items that are done, ordered by output index."""
        return [item.value for _, item in sorted(self.items.items()) if item.done]

    def at(self, index: Any) -> Item | None:
        """The item with this output index, if there is one."""
        return self.items.get(index) if isinstance(index, int) else None

    def find(self, fields: Mapping[str, Any], type_: str = "") -> Item | None:
        """The item of an event: by output index, by id, or the newest open one of its type."""
        if "output_index" in fields:
            return self.at(fields["output_index"])
        item_id = fields.get("item_id") or mapping(fields.get("item")).get("id")
        candidates = [
            item
            for item in self.items.values()
            if (item.value.get("id") == item_id if item_id else not item.done)
            and (not type_ or item_id or item.type == type_)
        ]
        return candidates[-1] if candidates else None

    def child(self, fields: Mapping[str, Any], type_: str) -> tuple[dict[str, Any], Item | None]:
        """The ``item_id`` and ``output_index`` for an event inside an item, and the item."""
        if item := self.find(fields, type_):
            return {"item_id": item.value.get("id", ""), "output_index": item.index}, item
        index = fields.get("output_index", 0)
        return {"item_id": self._id(type_, index), "output_index": index}, None

    def _id(self, type_: str, index: Any) -> str:
        return f"{_ID_PREFIX.get(type_, 'item')}_{self.turn}{index}"

    def of_unknown_type(self, data: Mapping[str, Any]) -> bool:
        """Whether an event belongs to an item of a type that OpenResponses does not define."""
        item = self.at(data.get("output_index"))
        typed = item is not None and item.value.get("type") is not None
        return item is not None and typed and item.type not in ITEM_TYPES

    # The default fields of events about items.

    def added(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The default fields of ``response.output_item.added``."""
        index = fields.get("output_index", max(self.items, default=-1) + 1)
        return {"output_index": index, "item": self._new_item(index, mapping(fields.get("item")))}

    def _new_item(self, index: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
        type_ = fields.get("type", "message")
        id_ = self._id(text(type_), index)
        if id_ == fields.get("call_id"):
            id_ = self._id("", index)
        if text(type_) in openai_types.ITEMS:
            own = {**self._own_ids(type_, index), **openai_types.fields_of_new(type_, fields)}
            return {"type": type_, "id": id_, **own}
        return {"type": type_, "id": id_, **_EMPTY.get(text(type_), _EMPTY_OTHER)}

    def _own_ids(self, type_: str, index: Any) -> dict[str, str]:
        """The ids of a new item of OpenAI's besides its own: of its call and of its container."""
        own = openai_types.ITEMS[type_]
        ids = {"call_id": f"call_{self.turn}{index}", "container_id": f"cntr_{self.turn}"}
        if own.answers:
            calls = [item for item in self.items.values() if item.type == own.answers]
            return {"call_id": text(calls[-1].value.get("call_id")) if calls else ids["call_id"]}
        return {name: ids[name] for name in own.ids}

    def ended(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The default fields of ``response.output_item.done``."""
        if item := self.find(fields):
            return {"output_index": item.index, "item": item.completed()}
        default = self.added(fields)
        type_ = text(default["item"]["type"])
        return {
            **default,
            "item": {**_fields_at_end(type_), **default["item"], **_status_at_end(type_)},
        }

    # Updates of the state from events as they are sent.

    def note_added(self, data: Mapping[str, Any]) -> None:
        index, item = data.get("output_index"), data.get("item")
        if isinstance(index, int) and isinstance(item, dict):
            self.items[index] = Item(index, item)

    def note_ended(self, data: Mapping[str, Any]) -> None:
        if self.at(data.get("output_index")) is None:
            self.note_added(data)
        item = self.at(data.get("output_index"))
        if item and isinstance(data.get("item"), dict):
            item.value, item.done = data["item"], True


# Streamed parts: answer text, refusal, raw reasoning, reasoning summary. They are streamed in the
# same way and differ in names: the type of their item, their list in the item, the field with their
# index, and the type of the part.

_EMPTY_PART: dict[str, dict[str, Any]] = {
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
        return {**ids, self.index: n, "part": _EMPTY_PART[self.part]}

    def ended(self, items: Items, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The default fields of an event that ends a part."""
        fields, held = self._part_of(items, fields)
        return {**fields, "part": held or _EMPTY_PART[self.part]}

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
        held = item.part(self.where, n) or _EMPTY_PART[self.part]
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
