"""Undoes the exceptions of the upstreams that stream OpenResponses events.

Each function rewrites one deviation, and nothing else, to what the specification has.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.contract.transcript import SentEvent
from conformance.dialects.profile_exception import Json, Undo, change_each, rewrite
from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import PREAMBLE, TERMINAL
from mockserver.foundation.json_fields import integer, listed, mapping, text

_ADDED = "response.output_item.added"
LIFECYCLE = PREAMBLE | TERMINAL


def _response(data: Json) -> dict[str, Any] | None:
    """The response object of a lifecycle event."""
    response = data.get("response") if text(data.get("type")) in LIFECYCLE else None
    return response if isinstance(response, dict) else None


def fill_missing(fields: Mapping[str, Any], types: frozenset[str] = LIFECYCLE) -> Undo:
    """Undo missing fields of the response object: fill each with a neutral value.

    A value may be a function of the event's data. Only events of ``types`` are changed.
    """

    def fill(data: Json) -> Json:
        response = _response(data)
        if response is None or data["type"] not in types:
            return data
        missing = {
            name: value(data) if callable(value) else value
            for name, value in fields.items()
            if name not in response
        }
        return {**data, "response": {**response, **missing}} if missing else data

    return change_each(fill)


def completed_at(data: Json) -> int | None:
    """A valid ``completed_at``: the creation time if the response is completed, else None."""
    completed = data.get("type") == "response.completed"
    return integer(mapping(data["response"]).get("created_at")) if completed else None


def fill_nulls(fields: Mapping[str, Any]) -> Undo:
    """Undo null in fields of the response object that must be numbers: fill in the given values."""

    def fill(data: Json) -> Json:
        response = _response(data)
        null = (
            {} if response is None else {k: v for k, v in fields.items() if _is_null(response, k)}
        )
        return {**data, "response": {**mapping(response), **null}} if null else data

    return change_each(fill)


def _is_null(response: Json, name: str) -> bool:
    return name in response and response[name] is None


def drop_null_encrypted(data: Json) -> Json:
    """Undo a null ``encrypted_content`` of reasoning, which has none."""
    changed = dict(data)
    if "item" in data:
        changed["item"] = _drop_null_encrypted(data["item"])
    if (response := _response(data)) is not None and isinstance(response.get("output"), list):
        output = [_drop_null_encrypted(item) for item in response["output"]]
        changed["response"] = {**response, "output": output}
    return changed if changed != data else data


def _drop_null_encrypted(item: Any) -> Any:
    if _type(item) != "reasoning" or not _is_null(item, "encrypted_content"):
        return item
    return {name: value for name, value in item.items() if name != "encrypted_content"}


def fill_citations(data: Json) -> Json:
    """Undo citations of pages without their titles and places in the text."""
    changed = _fill_citations(data)
    return changed if changed != data else data


_WITHIN = frozenset({"annotation", "annotations", "content", "item", "output", "part", "response"})
_CITATION = {"start_index": 0, "end_index": 0, "title": ""}


def _fill_citations(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_fill_citations, value))
    if not isinstance(value, dict):
        return value
    inner = {name: _fill_citations(v) if name in _WITHIN else v for name, v in value.items()}
    return {**_CITATION, **inner} if value.get("type") == "url_citation" else inner


def restore_sealed(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo what is sealed anew in the final response: give each item what it had when done."""
    done = [mapping(mapping(e.data).get("item")) for e in events if e.type == _DONE]
    sealed = {item["id"]: _sealed(item) for item in done if text(item.get("id"))}

    def restore(item: Any) -> Any:
        held = _sealed(mapping(item))
        before = sealed.get(text(mapping(item).get("id")), {})
        return {**item, **{name: v for name, v in before.items() if name in held}} if held else item

    def change(data: Json) -> Json:
        response = _response(data)
        output = listed(mapping(response).get("output"))
        again = list(map(restore, output))
        return (
            data
            if again == output
            else {**data, "response": {**mapping(response), "output": again}}
        )

    return change_each(change)(events)


_DONE = "response.output_item.done"
_SEALED = ("encrypted_content", "fingerprint")


def _sealed(item: Json) -> dict[str, str]:
    return {name: item[name] for name in _SEALED if text(item.get(name))}


def rename_events(names: Mapping[str, str]) -> Undo:
    """Undo other event names, given by stem: ``old.delta`` and ``old.done`` become ``new.…``."""
    types = {f"{old}.{end}": f"{new}.{end}" for old, new in names.items() for end in _ENDS}

    def rename(data: Json) -> Json:
        type_ = text(data.get("type"))
        return {**data, "type": types[type_]} if type_ in types else data

    return change_each(rename)


_ENDS = ("delta", "done")


def prefix_keepalives(slug: str) -> Undo:
    """Undo a missing vendor's prefix on keepalive events, which have nothing but their number."""

    def prefix(data: Json) -> Json:
        is_keepalive = data.get("type") == "keepalive" and data.keys() <= _NUMBERED
        return {**data, "type": f"{slug}:keepalive"} if is_keepalive else data

    return change_each(prefix)


_NUMBERED = frozenset({"type", "sequence_number"})


def prefix_vendor_types(
    slug: str, types: frozenset[str], others: frozenset[str] = frozenset()
) -> Undo:
    """Undo a missing vendor's prefix on the vendor's own item types and their events.

    An event belongs to such an item if it has the item's output index, and its name begins with the
    item's type. ``others`` are the vendor's event types that belong to no such item.
    """

    def undo(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
        own = _types_by_index(events, types)

        def prefix(data: Json) -> Json:
            if (type_ := text(data.get("type"))) in others:
                return {**data, "type": f"{slug}:{type_.removeprefix('response.')}"}
            return _prefix(data, slug, types, own)

        return [rewrite(event, prefix) for event in events]

    return undo


def _types_by_index(events: Sequence[SentEvent], types: frozenset[str]) -> dict[int, str]:
    """The type of each item that is one of ``types``, by its output index."""
    own: dict[int, str] = {}
    for event in events:
        data = mapping(event.data)
        type_, index = _type(data.get("item")), integer(data.get("output_index"))
        if data.get("type") == _ADDED and type_ in types and index is not None:
            own[index] = type_
    return own


def _type(item: Any) -> str:
    return text(mapping(item).get("type"))


def _prefix(data: Json, slug: str, types: frozenset[str], own: Mapping[int, str]) -> Json:
    type_ = text(data.get("type"))
    index = integer(data.get("output_index"))
    mine = own.get(index) if index is not None else None
    if mine and type_.startswith(f"response.{mine}"):
        return {**data, "type": f"{slug}:{type_.removeprefix('response.')}"}
    if isinstance(item := data.get("item"), dict) and _type(item) in types:
        return {**data, "item": _prefix_item(item, slug, types)}
    response = _response(data)
    output = listed(mapping(response).get("output"))
    if response is None or not any(_type(one) in types for one in output):
        return data
    return {
        **data,
        "response": {**response, "output": [_prefix_item(o, slug, types) for o in output]},
    }


def _prefix_item(item: Any, slug: str, types: frozenset[str]) -> Any:
    return {**item, "type": f"{slug}:{item['type']}"} if _type(item) in types else item


def end_with_done(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo a missing ``[DONE]``: add it after the terminal event, if nothing follows that event."""
    last = events[-1] if events else None
    if last is None or last.kind != "event" or text(mapping(last.data).get("type")) not in TERMINAL:
        return events
    return [*events, SentEvent(last.n + 1, last.at, "done", "[DONE]")]


def restore_ids(events: Sequence[SentEvent]) -> Sequence[SentEvent]:
    """Undo ids that change in every event: give each item, by output index, its first id.

    Only an id that occurs once in the stream is replaced. So an event that carries the id of
    another item is not changed, and still found.
    """
    names = _FirstIds(events)
    return [rewrite(event, names.restore) for event in events]


class _FirstIds:
    """The first id of the response and of each item, and how often every id occurs."""

    def __init__(self, events: Sequence[SentEvent]) -> None:
        self.items: dict[int, str] = {}
        self.response = ""
        self._counted: dict[str, int] = {}
        for event in events:
            self._note(mapping(event.data) if event.kind == "event" else {})

    def _note(self, data: Json) -> None:
        item, response = mapping(data.get("item")), mapping(_response(data))
        ids = [data.get("item_id"), item.get("id"), response.get("id")]
        ids += [mapping(one).get("id") for one in listed(response.get("output"))]
        for id_ in ids:
            if isinstance(id_, str):
                self._counted[id_] = self._counted.get(id_, 0) + 1
        index = integer(data.get("output_index"))
        if data.get("type") == _ADDED and index is not None and isinstance(item.get("id"), str):
            self.items.setdefault(index, item["id"])
        if not self.response and isinstance(response.get("id"), str):
            self.response = response["id"]

    def _id(self, id_: Any, first: str | None) -> Any:
        fresh = isinstance(id_, str) and self._counted[id_] == 1
        return first if first and fresh else id_

    def restore(self, data: Json) -> Json:
        """The data with the ids of its items and its response replaced by their first ids."""
        if (response := _response(data)) is not None:
            return self._lifecycle(data, response)
        index = integer(data.get("output_index"))
        first = None if index is None else self.items.get(index)
        changed = dict(data)
        if "item_id" in data:
            changed["item_id"] = self._id(data["item_id"], first)
        if isinstance(item := data.get("item"), dict):
            changed["item"] = self._item(item, first)
        return changed if changed != data else data

    def _lifecycle(self, data: Json, response: dict[str, Any]) -> Json:
        changed = dict(response)
        if "id" in response:
            changed["id"] = self._id(response["id"], self.response)
        if isinstance(output := response.get("output"), list):
            changed["output"] = [self._item(o, self.items.get(n)) for n, o in enumerate(output)]
        return {**data, "response": changed} if changed != response else data

    def _item(self, item: Any, first: str | None) -> Any:
        named = isinstance(item, dict) and "id" in item
        return {**item, "id": self._id(item["id"], first)} if named else item


HOSTED = frozenset(openai_types.ITEMS)
"""The item types of OpenAI that OpenResponses does not have (openai-openapi, OutputItem)."""

_OF_NO_HOSTED_ITEM = frozenset(
    type_ for type_, event in openai_types.EVENTS.items() if event.item not in HOSTED
)
"""The event types of OpenAI about speech, which is no item, and about items of OpenResponses."""

UNDO: Mapping[str, Undo] = {
    "no-completed-at": fill_missing({"completed_at": completed_at}),
    "no-penalties": fill_missing({"presence_penalty": 0, "frequency_penalty": 0}),
    "hosted-items": prefix_vendor_types("openai", HOSTED, _OF_NO_HOSTED_ITEM),
    "keepalive-events": prefix_keepalives("openai"),
    "reasoning-text": rename_events({"response.reasoning_text": "response.reasoning"}),
    "no-done": end_with_done,
    "rotating-ids": restore_ids,
    "no-cache-key": fill_missing({"prompt_cache_key": None}),
    "null-encrypted": change_each(drop_null_encrypted),
    "sparse-response": fill_missing(
        {
            "background": False,
            "instructions": None,
            "max_tool_calls": None,
            "prompt_cache_key": None,
            "safety_identifier": None,
            "service_tier": "default",
            "top_logprobs": 0,
            "truncation": "disabled",
        }
    ),
    "no-error": fill_missing({"error": None}, LIFECYCLE - {"response.failed"}),
    "late-usage": fill_missing({"usage": None}, PREAMBLE),
    "null-sampling": fill_nulls({"temperature": 1, "top_p": 1}),
    "bare-citations": change_each(fill_citations),
    "sealed-anew": restore_sealed,
}
"""The functions that undo the exceptions, which ``exceptions.yaml`` describes, by id."""
