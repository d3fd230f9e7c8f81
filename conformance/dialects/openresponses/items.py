"""Reads the items of a response from its events: calls of OpenAI's tools, messages and reasoning.

Events are assigned to items by ``output_index``, because some upstreams change ids between events.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.contract.transcript import SentEvent
from conformance.dialects.openresponses.tool_ledger import RESULTS
from conformance.dialects.sent_items import (
    Given,
    SentArguments,
    SentCompaction,
    SentItems,
    SentMessage,
    SentReasoning,
    SentTool,
)
from mockserver.dialects.openresponses.openai_types import STREAMED, own_event, unprefixed
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import listed, mapping, merge, text
from mockserver.foundation.json_text import dump

_ADDED = "response.output_item.added"
_DONE = "response.output_item.done"
_ANNOTATION = "response.output_text.annotation.added"
_CONTENT_DONE = "response.content_part.done"
_PART_DONE = "response.reasoning_summary_part.done"
_ARGUMENTS_DELTA = "response.function_call_arguments.delta"
_FINAL = frozenset({"response.completed", "response.incomplete", "response.failed"})

_COMPLETE = {each.item: (each.complete, each.path) for each in STREAMED.values()}


@dataclass(slots=True)
class Slot:
    """One item of the output while its events are read: its fields so far, and all of its ids.

    ``index`` is its index in the output, or its id if events have no index. ``first`` are the
    fields that it began with. ``finished`` is the event that finished it, and ``ended`` has the
    events that ended the parts of its summary. ``has_text`` says whether an event had all of its
    streamed text; ``finished_parts`` are contents of a message with annotations; ``arguments`` are
    the deltas of a function's.
    """

    index: int | str
    held: dict[str, Any] = field(default_factory=dict)
    first: dict[str, Any] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    finished: int | None = None
    deltas: int = 0
    arguments: list[str] = field(default_factory=list)
    has_text: bool = False
    previews: list[str] = field(default_factory=list)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    finished_parts: list[Any] = field(default_factory=list)
    ended: dict[int, int] = field(default_factory=dict)

    @property
    def type(self) -> str:
        return unprefixed(text(self.held.get("type")))


def _collect_slots(sent: Sequence[SentEvent]) -> list[Slot]:
    """The items in the events of one response, in the order in which they began."""
    slots: dict[Any, Slot] = {}
    for event in sent:
        if isinstance(event.data, dict):
            _read(slots, event.type, event.data, event.n)
    return list(slots.values())


def _read(slots: dict[Any, Slot], type_: str, data: dict[str, Any], n: int) -> None:
    if type_ in _FINAL:
        _read_final(slots, mapping(data.get("response")).get("output"), n)
        return
    index = data.get("output_index", data.get("item_id"))
    if not isinstance(index, int | str):
        return
    slot = slots.setdefault(index, Slot(index))
    slot.ids |= {text(data.get("item_id"))} - {""}
    if type_ in (_ADDED, _DONE):
        _hold(slot, mapping(data.get("item")))
        if type_ == _DONE:
            slot.finished = n
            slot.finished_parts.append(slot.held.get("content"))
    elif type_ == _ANNOTATION:
        slot.annotations.append(mapping(data.get("annotation")))
    elif type_ == _CONTENT_DONE:
        slot.finished_parts.append(data.get("part"))
    elif type_ == _PART_DONE and isinstance(part := data.get("summary_index"), int):
        slot.ended.setdefault(part, n)
    elif type_ == _ARGUMENTS_DELTA:
        slot.arguments += filter(None, [text(data.get("delta"))])
    else:
        _tool_event(slot, type_, data)


def _read_final(slots: dict[Any, Slot], output: Any, n: int) -> None:
    """Read the items of a final response, which finishes those that no event has finished."""
    for index, item in enumerate(output if isinstance(output, list) else ()):
        if isinstance(item, dict):
            # Indexes may have gaps, which the list of the final response does not have.
            same = (each for each in slots.values() if text(item.get("id")) in each.ids)
            slot = next(same, None) or slots.setdefault(index, Slot(index))
            slot.finished_parts.append(item.get("content"))
            if slot.finished is None:
                _hold(slot, item)
                slot.finished = n


def _hold(slot: Slot, item: dict[str, Any]) -> None:
    slot.held = {**slot.held, **item}
    slot.first = slot.first or item
    slot.ids |= {text(item.get("id")), text(item.get("call_id"))} - {""}


def _tool_event(slot: Slot, type_: str, data: dict[str, Any]) -> None:
    """Read an event of a tool: a partial image, a delta of its input, or its complete input."""
    own = own_event(type_)
    if own is None:
        return
    if own.step == "partial":
        slot.previews.append(text(data.get("partial_image_b64")))
    elif own.step == "delta":
        slot.deltas += bool(text(data.get("delta")))
    elif own.step == "complete" and own.item in _COMPLETE:
        name, path = _COMPLETE[own.item]
        value: Any = data.get(name)
        for key in reversed(path):
            value = {key: value}
        slot.held = merge(slot.held, value)
        slot.has_text = True


def read_items(sent: Sequence[SentEvent]) -> SentItems:
    """The items in the events of one response."""
    slots = _collect_slots(sent)
    return SentItems(
        tuple(_read_tools(slots)),
        tuple(_message(each) for each in slots if each.type == "message"),
        tuple(_reasoning(each) for each in slots if each.type == "reasoning"),
        tuple(each for slot in slots if slot.type == "compaction" for each in _compactions(slot)),
        tuple(SentArguments(frozenset(s.ids), tuple(s.arguments)) for s in slots if s.arguments),
        frozenset(filter(None, map(_response_id, sent))),
    )


def _response_id(event: SentEvent) -> str:
    return text(mapping(mapping(event.data).get("response")).get("id"))


def _compactions(slot: Slot) -> Iterator[SentCompaction]:
    encrypted = text(slot.held.get("encrypted_content"))
    if encrypted and slot.finished is not None:
        yield SentCompaction(text(slot.held.get("id")), encrypted, slot.finished)


def _message(slot: Slot) -> SentMessage:
    later: list[dict[str, Any]] = []
    for each in _annotations(slot.finished_parts):
        if each not in (*slot.annotations, *later):
            later.append(each)
    id_ = text(slot.held.get("id"))
    return SentMessage(id_, slot.finished is not None, tuple(slot.annotations), tuple(later))


def _annotations(parts: Any) -> Iterator[dict[str, Any]]:
    """The annotations in finished parts of a message."""
    if isinstance(parts, list):
        for each in parts:
            yield from _annotations(each)
    elif isinstance(parts, dict) and isinstance(found := parts.get("annotations"), list):
        yield from (each for each in found if isinstance(each, dict))


def _reasoning(slot: Slot) -> SentReasoning:
    return SentReasoning(
        frozenset(slot.ids),
        slot.ended,
        slot.finished,
        text(slot.first.get("encrypted_content")),
        text(slot.held.get("encrypted_content")) if slot.finished is not None else "",
    )


# The calls of tools

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


def _read_tools(slots: Sequence[Slot]) -> Iterator[SentTool]:
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
    is_finished = gives is not None and gives.finished is not None and gives.type in RESULTS
    is_given = is_finished and not (asks or by_host)
    return SentTool(
        tool,
        frozenset(slot.ids | (output.ids if output else set())),
        text(item.get("name")),
        by_host,
        slot.finished is not None,
        slot.finished,
        tuple(_TEXTS[tool](item)) if is_known and tool in _TEXTS else (),
        read_arguments(item.get("arguments")).value if is_known and tool == "mcp" else None,
        slot.deltas,
        _given(tool, gives) if is_given and gives else None,
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


def _texts(value: Any) -> Iterator[str]:
    """The texts in a JSON value that are not empty, without types and states."""
    return _strings(value, {"type", "status"})


def _strings(value: Any, without: Collection[str] = ()) -> Iterator[str]:
    if isinstance(value, dict):
        value = [each for name, each in value.items() if name not in without]
    if isinstance(value, list):
        for each in value:
            yield from _strings(each, without)
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


def _given(tool: str, slot: Slot) -> Given:
    """What a finished item gave, with what of it a result must have."""
    item = slot.held
    value = item.get(RESULTS[slot.type])
    found = [each for each in listed(value) if isinstance(each, dict)]
    if tool == "file_search":
        hits = (found_text for each in found for found_text in _hit(each))
        due = [*_texts(item.get("queries")), *hits]
    elif tool == "tool_search":
        due = [name for each in found for name in _members(each, "name")]
    elif tool == "web_search" and _has_failed(item):
        due = []  # it opened nothing
    else:
        due = [*_texts(value), *(_outcome(each) for each in found if tool == "shell")]
    return Given(value, tuple(filter(None, due)), frozenset(_strings(item)))


def _hit(found: Item) -> Iterator[str]:
    """The texts of a file that was found, and its score and attributes as JSON."""
    yield from _members(found, "text", "file_id", "filename")
    yield from (dump(found[name]) for name in ("score", "attributes") if found.get(name))


def _outcome(output: Item) -> str:
    """How a command ended: its exit code, or that it ran into its time limit."""
    outcome = mapping(output.get("outcome"))
    return dump(outcome["exit_code"]) if "exit_code" in outcome else text(outcome.get("type"))
