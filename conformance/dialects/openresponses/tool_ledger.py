"""What each event of a stream adds to the items of OpenAI's tools: input, calls, results, images.

An adapter that knows only the specification ignores all of it, so it is no part of the answer.
The input of a call is credited to the first event that has it, like a text.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.dialects.entry import ToolPiece
from mockserver.dialects.openresponses.openai_types import (
    ITEMS,
    STREAMED,
    OwnEvent,
    own_event,
    unprefixed,
)
from mockserver.foundation.json_fields import mapping, text

_SILENCE = {
    "start": "a tool's item, which may be ignored",
    "input": "a tool's input, which may be ignored",
    "end": "a tool's input, which may be ignored",
    "call": "a tool's call, which may be ignored",
    "result": "a tool's result, which may be ignored",
    "preview": "a partial image, which may be ignored",
    "approval": "a request for approval, which may be ignored",
}
_OF_CONTENT = ("added", "delta", "complete")

_TEXT_PATHS = {each.item: each.path for each in STREAMED.values()}
_COMPLETE = {each.item: each.complete for each in STREAMED.values()}

# The items that are complete calls when their text is, before their tool has run.
_CALLED_EARLY = frozenset({"code_interpreter_call", "mcp_call"})

RESULTS = {
    "code_interpreter_call": "outputs",
    "computer_call_output": "output",
    "custom_tool_call_output": "output",
    "file_search_call": "results",
    "image_generation_call": "result",
    "local_shell_call_output": "output",
    "mcp_call": "output",
    "mcp_list_tools": "tools",
    "program_output": "result",
    "shell_call_output": "output",
    "tool_search_output": "tools",
    "web_search_call": "action",
}
"""The field of a finished item that holds what its tool gave, by the type of the item."""


class ToolReader:
    """Reads what the events of one stream add to the items of tools."""

    def __init__(self) -> None:
        self._inputs: defaultdict[Any, str] = defaultdict(str)
        self._called: set[Any] = set()

    def read(self, type_: str, data: Mapping[str, Any], item: Any) -> tuple[ToolPiece, ...]:
        """The pieces of the next event, which is about this item; empty for other events."""
        if own := own_event(type_):
            return tuple(self._event(own, data, item))
        held = mapping(data.get("item"))
        if type_ == "response.output_item.added" and is_of_tool(data):
            return (ToolPiece("start", unprefixed(text(held.get("type"))), item, ""),)
        if type_ == "response.output_item.done":
            return tuple(self._finished(held, item))
        return ()

    def _event(self, own: OwnEvent, data: Mapping[str, Any], item: Any) -> Iterator[ToolPiece]:
        if own.step == "partial":
            yield ToolPiece("preview", own.item, item, text(data.get("partial_image_b64")))
        elif own.step == "delta" and own.item == "shell_call_output":
            yield ToolPiece("result", own.item, item, data.get("delta"))
        elif own.step == "delta" and own.item:
            yield from self._input(own.item, item, text(data.get("delta")))
        elif own.step == "complete" and own.item in _COMPLETE:
            full = text(data.get(_COMPLETE[own.item]))
            yield from self._rest(own.item, item, full)
            yield ToolPiece("end", own.item, item, full)
            if own.item in _CALLED_EARLY:
                yield from self._call(own.item, item)

    def _input(self, type_: str, item: Any, piece: str) -> Iterator[ToolPiece]:
        self._inputs[item] += piece
        if piece:
            yield ToolPiece("input", type_, item, piece)

    def _rest(self, type_: str, item: Any, full: str) -> Iterator[ToolPiece]:
        """What a full text has beyond its deltas; nothing if it contradicts them."""
        if full.startswith(self._inputs[item]):
            yield from self._input(type_, item, full[len(self._inputs[item]) :])

    def _call(self, type_: str, item: Any, call_id: str = "") -> Iterator[ToolPiece]:
        if item not in self._called:
            self._called.add(item)
            yield ToolPiece("call", type_, item, self._inputs[item], call_id)

    def _finished(self, held: Mapping[str, Any], item: Any) -> Iterator[ToolPiece]:
        type_ = unprefixed(text(held.get("type")))
        if type_ not in ITEMS:
            return
        if type_ in _TEXT_PATHS:
            value: Any = held
            for name in _TEXT_PATHS[type_]:
                value = mapping(value).get(name)
            yield from self._rest(type_, item, text(value))
        if type_ == "mcp_approval_request":
            yield ToolPiece("approval", type_, item, text(held.get("arguments")))
        elif type_.endswith("_call") or type_ == "program":
            yield from self._call(type_, item, text(held.get("call_id")))
        if type_ in RESULTS:
            yield ToolPiece("result", type_, item, held.get(RESULTS[type_]))


def silence(type_: str, data: Mapping[str, Any], pieces: tuple[ToolPiece, ...]) -> str:
    """Why an event of OpenAI's tools adds nothing to the answer; empty if it is of no tool."""
    if pieces:
        return _SILENCE[pieces[-1].kind]
    own = own_event(type_)
    if own and not own.item:
        return "speech, which may be ignored"
    if own and own.step in _OF_CONTENT:
        return _SILENCE["result" if own.item.endswith("_output") else "input"]
    if own:
        return "a tool's progress, which may be ignored"
    return _SILENCE["start"] if is_of_tool(data) else ""


def is_of_tool(data: Mapping[str, Any]) -> bool:
    """Whether the item in an event is one of OpenAI's tools."""
    return unprefixed(text(mapping(data.get("item")).get("type"))) in ITEMS
