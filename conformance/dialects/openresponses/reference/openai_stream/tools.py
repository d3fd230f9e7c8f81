"""What all kinds of tool calls share: their parts, their names and their inputs as JSON."""

from __future__ import annotations

import json
import re
from functools import partial

from conformance.dialects.client.fields import Event, Part, string
from conformance.dialects.openresponses.reference.openai_stream.block import (
    Block,
    Maker,
    metadata,
)

HOSTED = {"providerExecuted": True}

CALL_NAMES = {
    "code_interpreter_call": "code_interpreter",
    "apply_patch_call": "apply_patch",
    "image_generation_call": "image_generation",
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "tool_search_call": "tool_search",
    "tool_search_output": "tool_search",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "shell_call_output": "shell",
    "program": "programmatic_tool_calling",
    "program_output": "programmatic_tool_calling",
    "computer_call": "computer",
}
"""The type of the tool of each type of item that has no name of its own."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def tool_name(block: Block) -> str:
    """The name of the tool: the one that was offered, or that of the item, or the type."""
    type_ = CALL_NAMES.get(string(block.item, "type"), "")
    return block.response.tool_names.get(type_, type_) or string(block.item, "name")


def to_json(value: object) -> str:
    return escape_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def escape_json_delta(delta: str) -> str:
    """A piece of text as it stands inside of a JSON string."""
    return to_json(delta)[1:-1]


def escape_surrogates(text: str) -> str:
    """Halves of characters, which cannot be encoded, as JSON escapes."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def input_start(block: Block, _data: Event, **fields: object) -> list[Part]:
    return [
        {"type": "tool-input-start", "id": block.id, "toolName": tool_name(block), **fields},
    ]


def input_delta(block: Block, delta: str) -> list[Part]:
    return [{"type": "tool-input-delta", "id": block.id, "delta": delta}] if delta else []


def input_end(block: Block, _data: Event) -> list[Part]:
    return [{"type": "tool-input-end", "id": block.id}]


def call(block: Block, input_: str, **fields: object) -> Part:
    about = metadata(itemId=block.item_id)
    known = {"toolCallId": block.id, "toolName": tool_name(block), "input": input_}
    return {"type": "tool-call", **known, **fields, **about}


def result(block: Block, value: Event, **fields: object) -> Part:
    known = {"toolCallId": block.id, "toolName": tool_name(block), "result": value}
    return {"type": "tool-result", **known, **fields}


hosted_input_start: Maker = partial(input_start, providerExecuted=True)
text_input_start: Maker = partial(input_start, inputEncoding="text")


def empty_call(block: Block, _data: Event) -> list[Part]:
    """The call of a hosted tool that has no input."""
    return [call(block, "{}", **HOSTED)]


def is_completed(item: Event) -> bool:
    """Whether an item says that it is completed, or says nothing about it."""
    return string(item, "status") in ("", "completed")


def without_nulls(fields: Event) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
