"""Reads the calls of OpenAI's tools from the items of a response: inputs, results, failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conformance.dialects.openresponses.item_slots import leaves
from conformance.dialects.sent_items import Given, SentTool
from mockserver.call_arguments import read_arguments
from mockserver.dialects.json_fields import listed, mapping, text

if TYPE_CHECKING:
    from conformance.dialects.openresponses.item_slots import Slot

Item = Mapping[str, Any]

TOOLS: Mapping[str, str] = {
    "apply_patch_call": "apply_patch",
    "code_interpreter_call": "code_interpreter",
    "computer_call": "computer",
    "custom_tool_call": "custom",
    "file_search_call": "file_search",
    "image_generation_call": "image_generation",
    "local_shell_call": "local_shell",
    "mcp_approval_request": "mcp",
    "mcp_call": "mcp",
    "program": "program",
    "shell_call": "shell",
    "tool_search_call": "tool_search",
    "web_search_call": "web_search",
}
"""The kind of the tool of each type of item that is a call."""

_BY_HOST = frozenset({"apply_patch", "custom", "local_shell"})
_OUTPUTS = {
    "program_output": "program",
    "shell_call_output": "shell",
    "tool_search_output": "tool_search",
}


def sent_tools(slots: Sequence[Slot]) -> Iterator[SentTool]:
    """The calls of tools among the items, each with the item that has its result."""
    outputs = [slot for slot in slots if slot.type in _OUTPUTS and slot.finished is not None]
    for slot in slots:
        if slot.type in TOOLS:
            yield _tool(slot, _take_output(outputs, slot))


def _take_output(outputs: list[Slot], slot: Slot) -> Slot | None:
    """The item with the result of a call: by its call id, or in order where it has none."""
    call_id = text(slot.held.get("call_id"))
    for output in outputs:
        answers = text(output.held.get("call_id"))
        if _OUTPUTS[output.type] == TOOLS[slot.type] and answers in (call_id, ""):
            outputs.remove(output)
            return output
    return None


def _tool(slot: Slot, output: Slot | None) -> SentTool:
    item, tool = slot.held, TOOLS[slot.type]
    is_known = slot.finished is not None or slot.has_text
    asks = slot.type == "mcp_approval_request"
    by_host = _is_for_host(tool, item, output)
    gives = output if tool in _OUTPUTS.values() else slot
    is_finished = gives is not None and gives.finished is not None
    is_given = is_finished and tool in _RESULTS and not (asks or by_host)
    return SentTool(
        tool,
        frozenset(slot.ids | (output.ids if output else set())),
        text(item.get("name")),
        by_host,
        slot.finished is not None,
        slot.finished,
        tuple(_TEXTS[tool](item)) if is_known and tool in _TEXTS else (),
        _arguments(item) if is_known and tool == "mcp" else None,
        slot.deltas,
        _given(tool, gives.held) if is_given and gives else None,
        slot.finished is not None and _has_failed(item),
        tuple(_texts(item.get("error"))),
        tuple(slot.previews),
        text(item.get("approval_request_id")) if not asks else "",
        text(item.get("approval_request_id")) or text(item.get("id")) if asks else "",
        (slot.index, output.index) if output else (slot.index,),
    )


def _is_for_host(tool: str, item: Item, output: Slot | None) -> bool:
    if tool == "computer":
        # The first computers had no call id, so that no host could answer.
        return bool(text(item.get("call_id")))
    if tool == "shell":
        in_container = text(mapping(item.get("environment")).get("type")).startswith("container")
        return not in_container and output is None
    if tool == "tool_search":
        return item.get("execution") == "client"
    return tool in _BY_HOST


def _has_failed(item: Item) -> bool:
    return item.get("status") in ("failed", "incomplete") or item.get("error") is not None


def _arguments(item: Item) -> Any:
    return read_arguments(item.get("arguments")).value


def _texts(value: Any, *without: str) -> Iterator[str]:
    """The texts in a JSON value that are not empty, without types and these members."""
    if isinstance(value, dict):
        value = {name: v for name, v in value.items() if name not in ("type", *without)}
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str) and value:
        yield value


def _members(item: Item, *names: str) -> Iterator[str]:
    yield from (value for name in names if (value := text(item.get(name))))


def _operation(item: Item) -> Iterator[str]:
    yield from _members(mapping(item.get("operation")), "type", "path", "diff")


# The texts of the input of each kind of tool that has one.
_TEXTS: Mapping[str, Callable[[Item], Iterator[str]]] = {
    "apply_patch": _operation,
    "code_interpreter": lambda item: _members(item, "code"),
    "computer": lambda item: _texts([item.get("action"), item.get("actions")]),
    "custom": lambda item: _members(item, "input"),
    "local_shell": lambda item: _texts(mapping(item.get("action")).get("command")),
    "program": lambda item: _members(item, "code"),
    "shell": lambda item: _texts(mapping(item.get("action")).get("commands")),
    "tool_search": lambda item: _texts(item.get("arguments")),
}

_RESULTS = {
    "code_interpreter": "outputs",
    "file_search": "results",
    "image_generation": "result",
    "mcp": "output",
    "program": "result",
    "shell": "output",
    "tool_search": "tools",
    "web_search": "action",
}


def _given(tool: str, item: Item) -> Given:
    """What a finished item gave. Its details are those that only some libraries pass on."""
    value = item.get(_RESULTS[tool])
    named = frozenset(leaf for leaf in leaves(item) if isinstance(leaf, str) and leaf)
    if tool == "web_search":
        return Given(value, details=tuple(_texts(value, "sources", "status")), named=named)
    if tool == "file_search":
        found = [each for each in value if isinstance(each, dict)] if value else []
        texts = tuple(t for each in found for t in _members(each, "text", "file_id"))
        return Given(value, texts, tuple(_texts(item.get("queries"))), named)
    if tool == "tool_search":
        found = [each for each in value if isinstance(each, dict)] if value else []
        return Given(value, tuple(t for each in found for t in _members(each, "name")), (), named)
    return Given(value, tuple(_texts(value)), tuple(_timeouts(tool, value)), named)


def _timeouts(tool: str, value: Any) -> Iterator[str]:
    """The outcome of commands that ran into their time limit, which have no exit code."""
    outcomes = [mapping(mapping(each).get("outcome")) for each in listed(value)]
    ended = (text(outcome.get("type")) for outcome in outcomes if tool == "shell")
    return (each for each in ended if each == "timeout")
