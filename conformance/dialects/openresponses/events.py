"""What single events of OpenResponses say: usage, ending, ids and tools, and a summary."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.transcript import SentEvent
from conformance.dialects.dialect import Ending, Tool, Usage
from conformance.dialects.json_search import fields_of_text, usage_by_side
from conformance.dialects.openresponses.items import TOOLS
from conformance.dialects.short_text import clip, compact, failure, quoted
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Send

_ENDINGS: Mapping[str, Ending] = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "error": "failed",
}
_SIDES = {
    "input": ("input_tokens",),
    "output": ("output_tokens",),
    "cached": ("input_tokens_details.cached_tokens",),
    "reasoning": ("output_tokens_details.reasoning_tokens",),
}

# The hosted tools of an upstream, by the type of the item that is a call of them.
_HOSTED = {
    **{type_: kind for type_, kind in TOOLS.items() if kind != "custom"},
    "mcp_list_tools": "mcp",
    "program": "programmatic_tool_calling",
}
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "code_interpreter": {"container": {"type": "auto"}},
    "file_search": {"vector_store_ids": ["vs_1"]},
    "mcp": {"server_url": "https://mcp.example"},
}


def recognises(data: Mapping[str, Any]) -> bool:
    """Whether the data is an event of a response; other wires do not number their errors."""
    type_ = text(data.get("type"))
    return type_.startswith("response.") or (type_ == "error" and "sequence_number" in data)


def begins(data: Mapping[str, Any]) -> str:
    """The id of the response, if the event is its ``response.created`` or ``response.queued``."""
    first = data.get("type") in ("response.created", "response.queued")
    return text(mapping(data.get("response")).get("id")) if first else ""


def usages(data: Mapping[str, Any]) -> Iterator[Usage]:
    """The usage in the response object of an event, then that in the event itself."""
    return usage_by_side((mapping(data.get("response")).get("usage"), data.get("usage")), _SIDES)


def find_encrypted(sent: Sequence[SentEvent]) -> Iterator[str]:
    """Every ``encrypted_content`` of complete items, including repetitions.

    An item that is only announced has an earlier value, if any; api.openai.com sends another one
    when the item is done.
    """
    complete = (event for event in sent if event.type != "response.output_item.added")
    fields = (field for event in complete for field in fields_of_text(event.data))
    return (value for name, value in fields if name == "encrypted_content")


def call_ids(sent: Iterable[SentEvent]) -> dict[str, str]:
    """The call id of each item that is a call, by item id."""
    found: dict[str, str] = {}
    for event in sent:
        item = mapping(mapping(event.data).get("item"))
        if item.get("call_id") and item.get("id"):
            found[str(item["id"])] = str(item["call_id"])
    return found


def tools(step: Send) -> Iterator[Tool]:
    """The tool that an item calls; an item without a type counts as a ``function_call``."""
    item = step.fields.get("item")
    if not isinstance(item, Mapping):
        return
    type_, name = item.get("type", "function_call"), item.get("name")
    if not isinstance(type_, str):
        return
    if hosted := _HOSTED.get(type_):
        label = item.get("server_label") if hosted == "mcp" else None
        options = {**_OPTIONS.get(hosted, {}), **({"server_label": label} if label else {})}
        place = text(mapping(item.get("environment")).get("type"))
        if hosted == "shell" and place.startswith("container"):
            options["environment"] = {"type": "container_auto"}
        yield {"type": hosted, "name": str(label or hosted), "options": options}
    elif isinstance(name, str) and name and type_ == "function_call":
        yield {"name": name}
    elif isinstance(name, str) and name and type_ == "custom_tool_call":
        yield {"type": "custom", "name": name}


def ending(type_: str, data: Mapping[str, Any]) -> Ending:
    """How the response ends by the word of an event; a failed status or an error comes first."""
    response = mapping(data.get("response"))
    has_failed = response.get("status") == "failed" or (not type_ and "error" in data)
    return "failed" if has_failed else _ENDINGS.get(type_, "")


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
