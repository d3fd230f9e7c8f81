"""The calls that the host executes: functions, custom tools, patches, shells and computers.

A patch streams as the text of its diff, and the adapter writes the JSON around it. So the deltas
joined, each escaped, are the input of the call. A file that is deleted has no diff: its input is
complete at once. The parts that calls of all kinds have, those of `hosted` too, stand first.
"""

import json
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
TOOL_SEARCH_BY_HOST = "tool_search_call, client"
"""Kinds of items that are not told apart by their types."""

HOSTED = {"providerExecuted": True}


def tool_name(block: Block) -> str:
    """The name of the tool: that of the item, or its type."""
    type_ = string(block.item, "type").removesuffix("_output").removesuffix("_call")
    return string(block.item, "name") or type_


def to_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def escape_json_delta(delta: str) -> str:
    """A piece of text as it stands inside of a JSON string."""
    return to_json(delta)[1:-1]


def input_start(block: Block, _data: Event, **fields: object) -> list[Part]:
    return [{"type": "tool-input-start", "id": block.id, "toolName": tool_name(block), **fields}]


def input_delta(block: Block, delta: str) -> list[Part]:
    return [{"type": "tool-input-delta", "id": block.id, "delta": delta}]


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
    return item.get("status") == "completed"


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
DIFF_DELTA = "response.apply_patch_call_operation_diff.delta"
DIFF_DONE = "response.apply_patch_call_operation_diff.done"


def _plain_delta(block: Block, data: Event) -> list[Part]:
    return input_delta(block, block.text.add(string(data, "delta")))


def _function_call(block: Block, data: Event) -> list[Part]:
    return [call(block, string(data, "arguments"))]


def _custom_call(block: Block, item: Event) -> list[Part]:
    """The deltas are the text, and the input is the text as JSON (``inputEncoding``)."""
    made = [*input_end(block, item), call(block, to_json(string(item, "input")))]
    return made if is_completed(item) else []


def _patch_input(operation: Event) -> str:
    return to_json({"operation": operation})


def _operation(item: Event) -> dict[str, object]:
    """The operation of the finished item, with its fields in the order of the deltas."""
    known = object_(item, "operation")
    return {name: known[name] for name in ("type", "path", "diff") if name in known}


def _patch_opening(block: Block, _data: Event) -> list[Part]:
    operation = object_(block.item, "operation")
    known = {name: string(operation, name) for name in ("type", "path")}
    return input_delta(block, _patch_input(known).removesuffix("}}") + ',"diff":"')


def _deletion(block: Block, item: Event) -> list[Part]:
    return input_delta(block, _patch_input(_operation(item)))


def _diff_delta(block: Block, data: Event) -> list[Part]:
    return input_delta(block, escape_json_delta(block.text.add(string(data, "delta"))))


def _rest_of_diff(block: Block, data: Event) -> list[Part]:
    """The diff that was not streamed: all of it, if it had no deltas."""
    rest = block.text.complete(string(data, "diff"))
    return input_delta(block, escape_json_delta(rest))


def _rest_of_patch(block: Block, item: Event) -> list[Part]:
    return _rest_of_diff(block, object_(item, "operation"))


def _patch_closing(block: Block, _data: Event) -> list[Part]:
    return input_delta(block, '"}}')


def _patch_call(block: Block, item: Event) -> list[Part]:
    made = call(block, _patch_input(_operation(item)))
    return [made] if is_completed(item) else []


def _shell_call(block: Block, item: Event) -> list[Part]:
    """A shell in a container of the provider is executed there."""
    action = object_(item, "action")
    is_hosted = string(object_(item, "environment"), "type").startswith("container")
    input_ = to_json({"action": without_nulls(fields_of(action, *action))})
    return [call(block, input_, **(HOSTED if is_hosted else {}))]


def _computer_call(block: Block, item: Event) -> list[Part]:
    """A computer of the host, as every item with a call id asks for one."""
    actions = {"actions": item.get("actions") or [item.get("action")]}
    input_ = to_json({**actions, **fields_of(item, "pending_safety_checks")})
    return [*input_end(block, item), call(block, input_)]


def _tool_search_call(block: Block, item: Event) -> list[Part]:
    """A search among the tools that were offered, by the host."""
    return [call(block, to_json(fields_of(item, "arguments")))]


TABLES: Tables = {
    "function_call": {
        (UNSEEN, ADDED): Step(OPEN, (input_start,)),
        (OPEN, ARGUMENTS_DELTA): Step(OPEN, (_plain_delta,)),
        (OPEN, DONE): Step(OVER, (input_end, _function_call)),
    },
    "custom_tool_call": {
        (UNSEEN, ADDED): Step(OPEN, (text_input_start,)),
        (OPEN, CUSTOM_INPUT_DELTA): Step(OPEN, (_plain_delta,)),
        (OPEN, DONE): Step(OVER, (_custom_call,)),
    },
    # The creation or update of a file: open while its diff streams.
    "apply_patch_call": {
        (UNSEEN, ADDED): Step(OPEN, (input_start, _patch_opening)),
        (OPEN, DIFF_DELTA): Step(OPEN, (_diff_delta,)),
        (OPEN, DIFF_DONE): Step(ENDED, (_rest_of_diff, _patch_closing, input_end)),
        (OPEN, DONE): Step(OVER, (_rest_of_patch, _patch_closing, input_end, _patch_call)),
        (ENDED, DONE): Step(OVER, (_patch_call,)),
    },
    DELETE_FILE: {
        (UNSEEN, ADDED): Step(ENDED, (input_start, _deletion, input_end)),
        (ENDED, DONE): Step(OVER, (_patch_call,)),
    },
    "local_shell_call": once(_shell_call),
    "shell_call": once(_shell_call),
    "computer_call": begun_and_done((input_start,), _computer_call),
    TOOL_SEARCH_BY_HOST: once(input_start, input_end, _tool_search_call),
}
