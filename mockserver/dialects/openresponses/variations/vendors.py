"""Variations towards real upstreams: their response objects and items, and names of events.

Shown by recordings in vercel/ai at ed857f5, ``packages/openai/src/responses/__fixtures__``:
``programmatic-tool-calling.1.chunks.txt`` (api.openai.com, July 2026) and
``github-copilot-id-rotation.1.chunks.txt`` (GitHub Copilot, August 2026). Older recordings of
api.openai.com have fewer fields.
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

_IMAGE_TOKENS: Data = {"image_tokens": 0, "text_tokens": 0}
_RESPONSE: Data = {
    "moderation": None,
    "prompt_cache_retention": mark("prompt_cache_retention"),
    "reasoning": mark("full_reasoning"),
    "store": mark("stored_by_default"),
    "text": mark("full_text"),
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
    "user": mark("user"),
}
_ENCRYPTED_AT_FIRST = "Z0FBQUFBLWJlZ2lucw=="


def _imitate_openai(steps: Sequence[Step]) -> Sequence[Step]:
    """Fill the response object and the items of reasoning as api.openai.com does."""
    encrypted = {
        index_of(event.data)
        for event in events_in(steps)
        if event.type == "response.output_item.done" and item_of(event.data).get(_ENCRYPTED)
    }
    return map_events(lambda _n, data: _fill(data, encrypted))(steps)


_ENCRYPTED = "encrypted_content"


def _fill(data: Data, encrypted: set[int | None]) -> Data:
    changed = map_items(data, _fill_item)
    is_added = data.get("type") == "response.output_item.added" and item_of(data)
    if is_added and index_of(data) in encrypted:
        changed["item"] = {_ENCRYPTED: _ENCRYPTED_AT_FIRST} | changed["item"]
    if isinstance(response := changed.get("response"), dict):
        known = {name: value for name, value in _RESPONSE.items() if not _is_set(response, name)}
        changed["response"] = {**response, **known, **_usage(response)}
    return changed


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
        "null, as xAI sends it",
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
