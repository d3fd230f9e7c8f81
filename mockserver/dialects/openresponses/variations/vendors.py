"""Variations towards real upstreams: their response objects and items, and names of events.

Shown by recordings in vercel/ai at ed857f5, in folders ``__fixtures__`` of ``packages``:

- ``openai/src/responses``: ``programmatic-tool-calling.1.chunks.txt`` (api.openai.com, July 2026)
  and ``github-copilot-id-rotation.1.chunks.txt`` (GitHub Copilot, August 2026). Older recordings of
  api.openai.com have fewer fields.
- ``azure/src``: ``azure-text.1.chunks.txt`` (February 2026); until December 2025, the filters were
  null in the last event, too.
- ``xai/src/responses``: ``xai-image-generation-tool.1.chunks.txt`` (Grok 4.5), whose response
  object has all fields; in 2025, many were missing (``xai-text-streaming.1.chunks.txt``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mockserver.dialects.openresponses.events import PREAMBLE, TERMINAL
from mockserver.dialects.openresponses.variations.steps import (
    index_of,
    item_of,
    map_items,
    remove_events,
)
from mockserver.foundation.json_fields import mapping, omit, text
from mockserver.wire.event import Change, Data, Event, Step, events_in, map_events
from mockserver.wire.slots import mark
from mockserver.wire.variation import EVERYWHERE, Variation

# Fields of the response object.
_STORED: Data = {
    "reasoning": mark("known_reasoning"),
    "store": mark("stored_by_default"),
    "user": mark("user"),
}
_AZURE: Data = {
    **_STORED,
    "prompt_cache_retention": mark("prompt_cache_retention"),
    "text": mark("full_text"),
}
_IMAGE_TOKENS: Data = {"image_tokens": 0, "text_tokens": 0}
_OPENAI: Data = {
    **_AZURE,
    "moderation": None,
    "reasoning": mark("full_reasoning"),
    "tool_usage": {
        "image_gen": {
            "input_tokens": 0,
            "input_tokens_details": _IMAGE_TOKENS,
            "output_tokens": 0,
            "output_tokens_details": _IMAGE_TOKENS,
            "total_tokens": 0,
        },
        "web_search": {"num_requests": 0},
    },
}
_ENCRYPTED = "encrypted_content"
_ENCRYPTED_AT_FIRST = "Z0FBQUFBLWJlZ2lucw=="


def _announce_encrypted(steps: Sequence[Step]) -> Sequence[Step]:
    """Give the announcement of an item of reasoning encrypted content if its end has some."""
    encrypted = {
        index_of(event.data)
        for event in events_in(steps)
        if event.type == "response.output_item.done" and item_of(event.data).get(_ENCRYPTED)
    }

    def announce(_n: int, data: Data) -> Data:
        is_added = data.get("type") == "response.output_item.added" and item_of(data)
        if not is_added or index_of(data) not in encrypted:
            return data
        return {**data, "item": {_ENCRYPTED: _ENCRYPTED_AT_FIRST} | data["item"]}

    return map_events(announce)(steps)


def _imitate_openai(steps: Sequence[Step]) -> Sequence[Step]:
    """Fill the response object and the items of reasoning as api.openai.com does."""
    return map_events(lambda _n, data: _openai_event(data))(_announce_encrypted(steps))


def _openai_event(data: Data) -> Data:
    changed = map_items(data, _fill_item)
    if isinstance(response := changed.get("response"), dict):
        changed["response"] = {**_fill(response, _OPENAI), **_usage(response)}
    return changed


def _fill(response: Data, fields: Data) -> Data:
    """The response object with these fields, but for those that a scenario sets."""
    return response | {k: value for k, value in fields.items() if not _is_set(response, k)}


def _is_set(response: Data, name: str) -> bool:
    """Whether a scenario sets this field of the response; a mark is filled in by the request."""
    return name in response and response[name] != mark(name)


def _fill_item(item: Data, _index: int | None) -> Data:
    """An item; one of reasoning has content, which is usually empty."""
    return {"content": [], **item} if item.get("type") == "reasoning" else item


def _usage(response: Data) -> Data:
    usage = mapping(response.get("usage"))
    details = mapping(usage.get("input_tokens_details"))
    if not details:
        return {}
    return {"usage": {**usage, "input_tokens_details": {"cache_write_tokens": 0, **details}}}


def _imitate_azure(steps: Sequence[Step]) -> Sequence[Step]:
    """Fill the response object as Azure OpenAI does."""
    return map_events(lambda _n, data: _azure_event(data))(_announce_encrypted(steps))


def _azure_event(data: Data) -> Data:
    if not isinstance(response := data.get("response"), dict):
        return data
    filters = _FILTERS if data.get("type") in TERMINAL else None
    return {**data, "response": {"content_filters": filters, **_fill(response, _AZURE)}}


_SAFE: Data = {"filtered": False, "severity": "safe"}
_HARMS = ("hate", "self_harm", "sexual", "violence")
_UNDETECTED: Data = {"filtered": False, "detected": False}
_FILTERS = [
    {
        "blocked": False,
        "source_type": source,
        "content_filter_raw": None,
        "content_filter_results": {
            **dict.fromkeys(_HARMS, _SAFE),
            **dict.fromkeys(detectors, _UNDETECTED),
        },
        "content_filter_offsets": {"start_offset": 0, "end_offset": 1000, "check_offset": 0},
    }
    for source, detectors in (
        ("prompt", ("jailbreak",)),
        ("completion", ("protected_material_text", "protected_material_code")),
    )
]


def _imitate_xai(_n: int, data: Data) -> Data:
    """Fill the response object and its usage as xAI does."""
    changed = map_items(data, _xai_item)
    if isinstance(response := changed.get("response"), dict):
        usage = mapping(response.get("usage"))
        counted = {"usage": {**usage, **_SERVED, "context_details": _context(usage)}}
        used = counted if usage else {}
        changed["response"] = {**_fill(response, _XAI), **used}
    return changed


_XAI: Data = {**_STORED, "metadata": mark("fingerprinted_metadata")}
_SERVER_TOOLS = (
    "web_search", "x_search", "code_interpreter", "file_search", "mcp", "document_search",
    "image_generation",
)  # fmt: skip
_SERVED: Data = {
    "num_sources_used": 0,
    "num_server_side_tools_used": 0,
    "cost_in_usd_ticks": 0,
    "server_side_tool_usage_details": {f"{tool}_calls": 0 for tool in _SERVER_TOOLS},
}


def _context(usage: Data) -> Data:
    return {name: usage.get(name, 0) for name in ("input_tokens", "output_tokens")}


def _xai_item(item: Data, _index: int | None) -> Data:
    """An item; one of reasoning has a status."""
    return {"status": "completed", **item} if item.get("type") == "reasoning" else item


def _imitate_copilot(steps: Sequence[Step]) -> Sequence[Step]:
    """Add the phase of messages and the account of the proxy, and leave out the cache key."""
    indexes = [n for event in events_in(steps) if (n := index_of(event.data)) is not None]
    last = max(indexes, default=0)
    return map_events(lambda _n, data: _copilot_event(data, last))(steps)


def _copilot_event(data: Data, last: int) -> Data:
    changed = map_items(data, lambda item, index: _copilot_item(item, index == last))
    if isinstance(response := changed.get("response"), dict):
        changed["response"] = omit(response, ("prompt_cache_key",))
        if text(data.get("type")) in TERMINAL and response.get("usage"):
            changed["copilot_usage"] = _account(mapping(response["usage"]))
    return changed


def _copilot_item(item: Data, is_last: bool) -> Data:
    match item.get("type"):
        case "message":
            return {"phase": "final_answer" if is_last else "commentary", **item}
        case "reasoning":
            return {_ENCRYPTED: None, **item}
        case _:
            return item


def _account(usage: Data) -> Data:
    counts = {"input": usage.get("input_tokens", 0), "cache_read": 0, "cache_write": 0}
    counts["output"] = usage.get("output_tokens", 0)
    details = [
        {"batch_size": 1_000_000, "cost_per_batch": 0, "token_count": count, "token_type": kind}
        for kind, count in counts.items()
    ]
    return {"token_details": details, "total_nano_aiu": 0}


VENDORS = (
    Variation(
        "openai-response",
        "the response object has fields of OpenAI's (use of hosted tools, moderation, user, "
        "retention of the cache) and never a null reasoning; items of reasoning have content",
        change_steps=_imitate_openai,
    ),
    Variation(
        "azure-response",
        "the response object has the results of the content filters, fields of OpenAI's and never "
        "a null reasoning, as Azure OpenAI sends it",
        change_steps=_imitate_azure,
    ),
    Variation(
        "xai-response",
        "the response object has a fingerprint in its metadata and never a null reasoning, the "
        "usage has sources, tools and cost, and reasoning has a status, as xAI sends them",
        change_steps=map_events(_imitate_xai),
    ),
    Variation(
        "copilot-response",
        "messages have a phase, reasoning always encrypted_content, the last event the account of "
        "the proxy, and the response object no prompt_cache_key, as GitHub Copilot's upstream "
        "sends them",
        change_steps=_imitate_copilot,
        departs_in=EVERYWHERE,
    ),
)


_LEFT_OUT = frozenset(
    {
        "background", "completed_at", "error", "frequency_penalty", "instructions",
        "max_tool_calls", "presence_penalty", "prompt_cache_key", "safety_identifier",
        "service_tier", "top_logprobs", "truncation",
    }
)  # fmt: skip
_NULL: Data = {"temperature": None, "top_p": None}


def _prune_response(_n: int, data: Data) -> Data:
    """Remove fields that have no value; a failed response keeps its error."""
    if not isinstance(response := data.get("response"), dict):
        return data
    left_out = _LEFT_OUT | {"usage"} if data.get("type") in PREAMBLE else _LEFT_OUT
    if mapping(response.get("error")):
        left_out = left_out - {"error"}
    return {**data, "response": {**omit(response, left_out), **_NULL}}


SPARSE = (
    Variation(
        "sparse-response",
        "the response object lacks thirteen of its required fields, and sampling parameters are "
        "null, as xAI sent it in 2025",
        change_steps=map_events(_prune_response),
        departs_in=EVERYWHERE,
    ),
)


def _rename_types(names: Mapping[str, str]) -> Change:
    """Rename event types; each name is a type without its suffix ``.delta`` or ``.done``."""
    types = {f"{old}.{end}": f"{new}.{end}" for old, new in names.items() for end in _SUFFIXES}

    def rename(step: Step) -> Step:
        if not isinstance(step, Event) or step.type not in types:
            return step
        type_ = types[step.type]
        data = {**step.data, "type": type_} if step.data.get("type") == step.type else step.data
        return replace(step, type=type_, data=data)

    return lambda steps: [rename(step) for step in steps]


_SUFFIXES = ("delta", "done")

SPELLINGS = (
    Variation(
        "reasoning-text",
        "raw reasoning is sent as response.reasoning_text, as by OpenAI and LM Studio",
        change_steps=_rename_types({"response.reasoning": "response.reasoning_text"}),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "reasoning-summary",
        "summaries of reasoning are sent as response.reasoning_summary, as in rfc-00022",
        change_steps=_rename_types(
            {"response.reasoning_summary_text": "response.reasoning_summary"}
        ),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "no-preamble",
        "the stream starts without response.created and response.in_progress",
        change_steps=remove_events(lambda event: event.type in PREAMBLE),
    ),
)
