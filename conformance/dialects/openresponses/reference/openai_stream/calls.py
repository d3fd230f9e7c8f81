"""The calls that the host executes: functions, custom tools, patches, shells and computers.

A patch streams as the text of its diff, and the adapter writes the JSON around it. So the deltas
joined, each escaped, are the input of the call. A file that is deleted has no diff: its input is
complete at once. The parts that calls of all kinds have, those of `hosted` too, stand first.
"""

import json
import re
from functools import partial

from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    ADDED,
    DONE,
    ENDED,
    OPEN,
    OVER,
    UNSEEN,
    Block,
    Maker,
    Step,
    Tables,
    begun_and_done,
    metadata,
    once,
)

DELETE_FILE = "apply_patch_call, delete_file"
COMPUTER_WITHOUT_CALL = "computer_call, without call_id"
TOOL_SEARCH_BY_HOST = "tool_search_call, client"
"""Kinds of items that are not told apart by their types."""

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
    """The name of the tool: its type, or that of the item."""
    return CALL_NAMES.get(string(block.item, "type")) or string(block.item, "name")


def to_json(value: object) -> str:
    return escape_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def escape_json_delta(delta: str) -> str:
    """A piece of text as it stands inside of a JSON string."""
    return to_json(delta)[1:-1]


def escape_surrogates(text: str) -> str:
    """Halves of characters, which cannot be encoded, as JSON escapes."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def input_start(block: Block, _data: Event, **fields: object) -> list[Part]:
    return [{"type": "tool-input-start", "id": block.id, "toolName": tool_name(block), **fields}]


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


def fields_of(item: Event, *names: str) -> dict[str, object]:
    """Fields of an item, under their names in camel case; null if the item does not have them."""
    return {_camel(name): item.get(name) for name in names}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


def without_nulls(fields: Event) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


ARGUMENTS_DELTA = "response.function_call_arguments.delta"
CUSTOM_INPUT_DELTA = "response.custom_tool_call_input.delta"
CUSTOM_INPUT_DONE = "response.custom_tool_call_input.done"
DIFF_DELTA = "response.apply_patch_call_operation_diff.delta"
DIFF_DONE = "response.apply_patch_call_operation_diff.done"

CALLED_AGAIN = "called again"
"""The state of a call whose id another call has: its input is not streamed."""


def _plain_delta(block: Block, data: Event) -> list[Part]:
    return input_delta(block, block.text.add(string(data, "delta")))


def _rest_of_arguments(block: Block, data: Event) -> list[Part]:
    """What the deltas lack; a call without deltas has none."""
    streamed = bool(block.text.text())
    return input_delta(block, block.text.complete(string(data, "arguments"))) if streamed else []


def _function_call(block: Block, data: Event) -> list[Part]:
    return [call(block, string(data, "arguments"))]


def _whole_text(block: Block, data: Event) -> list[Part]:
    return input_delta(block, block.text.complete(string(data, "input")))


def _custom_call(block: Block, item: Event) -> list[Part]:
    """The rest of the text, and the call; nothing if it was cut off.

    The deltas are the text, and the input is the text as JSON (``inputEncoding``).
    """
    if not is_completed(item):
        return []
    text = string(item, "input") or block.text.text()
    rest = input_delta(block, block.text.complete(text))
    return [*rest, *input_end(block, item), call(block, to_json(text))]


def _patch_input(block: Block, operation: Event) -> str:
    return to_json({"callId": block.id, "operation": operation})


def _operation(item: Event) -> dict[str, object]:
    """The operation of the finished item, with its fields in the order of the deltas."""
    known = object_(item, "operation")
    return {name: known[name] for name in ("type", "path", "diff") if name in known}


def _patch_opening(block: Block, _data: Event) -> list[Part]:
    operation = object_(block.item, "operation")
    known = {name: string(operation, name) for name in ("type", "path")}
    return input_delta(block, _patch_input(block, known).removesuffix("}}") + ',"diff":"')


def _deletion(block: Block, item: Event) -> list[Part]:
    return input_delta(block, _patch_input(block, _operation(item)))


def _diff_delta(block: Block, data: Event) -> list[Part]:
    return input_delta(block, escape_json_delta(block.text.add(string(data, "delta"))))


def _rest_of_diff(block: Block, data: Event) -> list[Part]:
    """The diff that was not streamed: all of it, if it had no deltas."""
    rest = block.text.complete(string(data, "diff"))
    return input_delta(block, escape_json_delta(rest))


def _patch_closing(block: Block, _data: Event) -> list[Part]:
    return input_delta(block, '"}}')


def _patch_call(block: Block, item: Event) -> list[Part]:
    if not is_completed(item):
        return []
    return [call(block, _patch_input(block, _operation(item)))]


_LOCAL_SHELL = ("command", "timeout_ms", "user", "working_directory", "env")
_SHELL = ("commands", "timeout_ms", "max_output_length")


def _local_shell_call(block: Block, item: Event) -> list[Part]:
    action = {"type": "exec", **fields_of(object_(item, "action"), *_LOCAL_SHELL)}
    return [call(block, to_json({"action": without_nulls(action)}))]


def _shell_call(block: Block, item: Event) -> list[Part]:
    """A shell in a container of the provider is executed there."""
    action = fields_of(object_(item, "action"), *_SHELL)
    is_hosted = string(object_(item, "environment"), "type").startswith("container")
    executed = HOSTED if is_hosted else {}
    return [call(block, to_json({"action": without_nulls(action)}), **executed)]


def _computer_call(block: Block, item: Event) -> list[Part]:
    """A computer of the host, as every item with a call id asks for one."""
    action = item.get("action")
    input_ = {
        "actions": item.get("actions") or ([action] if action else []),
        "pendingSafetyChecks": item.get("pending_safety_checks") or [],
        "status": item.get("status"),
    }
    text = to_json(without_nulls(input_))
    return [*input_delta(block, text), *input_end(block, item), call(block, text)]


def _computer_placeholder(block: Block, item: Event) -> list[Part]:
    """What an item has that the host cannot answer, since it has no call id.

    Source: makeStreamResponse Alignment § Computer Use Placeholder.
    """
    value = {"type": "computer_use_tool_result", "status": item.get("status")}
    return [call(block, "", **HOSTED), result(block, value)]


def _tool_search_call(block: Block, item: Event) -> list[Part]:
    """A search among the tools that were offered, by the host."""
    input_ = {"arguments": item.get("arguments"), "call_id": block.id}
    return [call(block, to_json(input_))]


TABLES: Tables = {
    "function_call": {
        (UNSEEN, ADDED): Step(OPEN, (input_start,)),
        (OPEN, ARGUMENTS_DELTA): Step(OPEN, (_plain_delta,)),
        (OPEN, DONE): Step(OVER, (_rest_of_arguments, input_end, _function_call)),
        (CALLED_AGAIN, DONE): Step(OVER, (_function_call,)),
    },
    "custom_tool_call": {
        (UNSEEN, ADDED): Step(OPEN, (text_input_start,)),
        (OPEN, CUSTOM_INPUT_DELTA): Step(OPEN, (_plain_delta,)),
        (OPEN, CUSTOM_INPUT_DONE): Step(OPEN, (_whole_text,)),
        (OPEN, DONE): Step(OVER, (_custom_call,)),
    },
    # The creation or update of a file: open while its diff streams.
    "apply_patch_call": {
        (UNSEEN, ADDED): Step(OPEN, (input_start, _patch_opening)),
        (OPEN, DIFF_DELTA): Step(OPEN, (_diff_delta,)),
        (OPEN, DIFF_DONE): Step(ENDED, (_rest_of_diff, _patch_closing, input_end)),
        (ENDED, DONE): Step(OVER, (_patch_call,)),
    },
    DELETE_FILE: {
        (UNSEEN, ADDED): Step(ENDED, (input_start, _deletion, input_end)),
        (ENDED, DONE): Step(OVER, (_patch_call,)),
    },
    "local_shell_call": begun_and_done((), _local_shell_call),
    "shell_call": begun_and_done((), _shell_call),
    "computer_call": begun_and_done((input_start,), _computer_call),
    COMPUTER_WITHOUT_CALL: begun_and_done((hosted_input_start,), input_end, _computer_placeholder),
    TOOL_SEARCH_BY_HOST: once(input_start, input_end, _tool_search_call),
}
