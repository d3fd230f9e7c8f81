"""Variations of the fields of OpenResponses events: changed, added or left out."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.variations.steps import (
    index_of,
    item_of,
    map_items,
    output_of,
    set_output,
)
from mockserver.foundation.json_fields import mapping, omit, text
from mockserver.wire.event import Data, Event, Step, events_in, map_events
from mockserver.wire.variation import EVERYWHERE, Variation

_OBFUSCATED = frozenset(
    {
        "response.output_text.delta",
        "response.reasoning.delta",
        "response.reasoning_text.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
        "response.shell_call_command.delta",
        *(f"{stem}.delta" for stem in openai_types.STREAMED),
    }
)


def _rotate_ids(n: int, data: Data) -> Data:
    """Give each event other ids for its item and its response."""
    changed = map_items(
        data, lambda item, _: {**item, "id": f"{item['id']}-{n}"} if "id" in item else item
    )
    if "item_id" in data:
        changed["item_id"] = f"{data['item_id']}-{n}"
    if isinstance(response := changed.get("response"), dict):
        changed["response"] = {**response, "id": f"resp-{n}"}
    return changed


def _check_ids(steps: Sequence[Step]) -> str:
    """Why the output index does not identify each item, which it must without ids; else empty."""
    announced: dict[int, Any] = {}
    for event in events_in(steps):
        item, index = item_of(event.data), index_of(event.data)
        if event.ignorable or not (item or "item_id" in event.data):
            continue
        if index is None:
            return f"{event.type} has no output index, so only the id says which item it is about"
        added = event.type == "response.output_item.added"
        if added and announced.setdefault(index, item.get("id")) != item.get("id"):
            return f"two items have the output index {index}, so only the ids tell them apart"
    return ""


def _pad_deltas(steps: Sequence[Step]) -> Sequence[Step]:
    """Add padding of varying length to every delta; a client may decline it."""
    return [
        replace(
            step,
            data={**step.data, "obfuscation": "x7Qz"[: n % 4 + 1]},
            declinable=("obfuscation",),
        )
        if isinstance(step, Event) and text(step.data.get("type")) in _OBFUSCATED
        else step
        for n, step in enumerate(steps)
    ]


def _flat_error(_n: int, data: Data) -> Data:
    if data.get("type") != "error" or not isinstance(data.get("error"), dict):
        return data
    error = {name: data["error"].get(name) for name in ("code", "message", "param")}
    fields = {name: value for name, value in error.items() if value is not None}
    return omit(data, ("error",)) | fields


_TOKEN = re.compile(r"\s*\S+|\s+")
_LOGPROB = -0.25


def _add_logprobs(_n: int, data: Data) -> Data:
    """Add invented log probabilities to every text of the answer."""
    stem, _, kind = text(data.get("type")).rpartition(".")
    if stem == "response.output_text" and kind in ("delta", "done"):
        return {**data, "logprobs": _logprobs(data.get("delta" if kind == "delta" else "text"))}
    changed = map_items(data, _add_to_item)
    if "part" in data:
        changed["part"] = _add_to_part(data["part"])
    return changed


def _logprobs(value: Any) -> list[Data]:
    return [
        {
            "token": token,
            "logprob": _LOGPROB,
            "bytes": list(token.encode("utf-8", "replace")),
            "top_logprobs": [],
        }
        for token in _TOKEN.findall(text(value))
    ]


def _add_to_part(part: Any) -> Any:
    if mapping(part).get("type") != "output_text":
        return part
    return {**part, "logprobs": _logprobs(part.get("text"))}


def _add_to_item(item: Data, _index: int | None) -> Data:
    if not isinstance(item.get("content"), list):
        return item
    return {**item, "content": [_add_to_part(part) for part in item["content"]]}


_OPTIONAL = frozenset({"logprobs", "input_tokens_details", "output_tokens_details"})


def _prune(value: Any) -> Any:
    """A value without optional fields, and without empty ``annotations``, at any depth."""
    if isinstance(value, list):
        return [_prune(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _prune(one)
        for name, one in value.items()
        if name not in _OPTIONAL and (name, one) != ("annotations", [])
    }


def _empty_output(_n: int, data: Data) -> Data:
    return set_output(data, []) if _completes(data) and output_of(data) else data


def _completes(data: Data) -> bool:
    return data.get("type") == "response.completed"


def _check_output(steps: Sequence[Step]) -> str:
    """Why the final output has content that no earlier event has; else empty."""
    done: list[Data] = []
    for event in events_in(steps):
        if event.type == "response.output_item.done":
            done.append(omit(item_of(event.data), _OF_ONE_EVENT))
        for item in output_of(event.data) if _completes(event.data) else ():
            if omit(mapping(item), _OF_ONE_EVENT) not in done:
                return "the final response has an item that no earlier event has in full"
    return ""


_OF_ONE_EVENT = ("id", "status")


FIELDS = (
    Variation(
        "rotating-ids",
        "items and the response have a new id in every event, as GitHub Copilot's upstream sends "
        "them",
        change_steps=map_events(_rotate_ids),
        departs_in=EVERYWHERE,
        misfit=_check_ids,
    ),
    Variation(
        "obfuscation",
        "deltas have a padding field unless the request declines it (OpenResponses, "
        "stream_options.include_obfuscation)",
        change_steps=_pad_deltas,
    ),
    Variation(
        "logprobs",
        "output texts have log probabilities (OpenResponses, message.output_text.logprobs)",
        change_steps=map_events(_add_logprobs),
    ),
    Variation(
        "flat-error",
        "the error event is flat, as in the types of the openai packages",
        change_steps=map_events(_flat_error),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "no-optional-fields",
        "log probabilities, empty annotations and the details of usage are left out, as by many "
        "servers",
        change_steps=map_events(lambda _n, data: _prune(data)),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "empty-completed-output",
        "the completed response has no output, as Codex's backend sends it",
        change_steps=map_events(_empty_output),
        departs_in=EVERYWHERE,
        misfit=_check_output,
    ),
)
