"""Emits the parts of each item by the table of its kind.

Source: makeStreamResponse Alignment § Stream Events Reference, and `doStream` of the AI SDK's
provider for OpenAI, which has more rows. Where its versions differ, the tables follow version 4,
with six exceptions:

- A citation becomes a source at once (makeStreamResponse Alignment), not at the end of the stream.
  So the pages that a search has read are in its result only, and no page is a source twice.
- A function call is complete when its arguments are, if the upstream says so before the item is
  done (rfc-00022).
- A remote call whose approval was asked for in the same response is its result alone: the request
  came with the call, and a call comes once.
- Every call for the host finishes with `tool-calls`, shells included.
- The JSON of a call's input has its fields in the order of its deltas.
- The result of a tool has what the tool gave, and not again the type, the name and the input of its
  call.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from conformance.dialects.client.content import blank
from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.openresponses.reference.items import (
    REASONING_CHANNELS,
    REFUSAL,
    Call,
    Cited,
    Item,
)
from conformance.dialects.openresponses.reference.openai_stream import blocks, calls, hosted
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    ADDED,
    DONE,
    Block,
    Response,
    Tables,
    advance,
)
from conformance.dialects.openresponses.reference.openai_stream.calls import (
    escape_surrogates,
    to_json,
)
from mockserver.foundation.call_arguments import read_arguments

TABLES: Tables = {
    "message": blocks.MESSAGE,
    "reasoning": blocks.SECTION,
    **calls.TABLES,
    **hosted.TABLES,
}
"""The table of each kind. Types of items without one are ignored, as the specification asks."""


def kind_of(item: Event) -> str:
    """The type of an item, with what else decides about its parts."""
    type_ = string(item, "type")
    deletes = string(object_(item, "operation"), "type") == "delete_file"
    if type_ == "apply_patch_call" and deletes:
        return calls.DELETE_FILE
    if type_ == "computer_call" and not string(item, "call_id"):
        return calls.COMPUTER_WITHOUT_CALL
    if type_ == "tool_search_call" and item.get("execution") == "client":
        return calls.TOOL_SEARCH_BY_HOST
    return type_


WITH_CALL_ID = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "apply_patch_call",
        calls.DELETE_FILE,
        "local_shell_call",
        "shell_call",
        "shell_call_output",
        "program",
        "program_output",
        "computer_call",
        calls.TOOL_SEARCH_BY_HOST,
    }
)
"""The kinds whose parts have the call id: the host answers under it, or the provider does."""

EVENTS = (
    calls.CUSTOM_INPUT_DELTA,
    calls.CUSTOM_INPUT_DONE,
    calls.DIFF_DELTA,
    calls.DIFF_DONE,
    hosted.CODE_DELTA,
    hosted.CODE_DONE,
    hosted.PARTIAL_IMAGE,
)
"""The events of tools besides functions."""

LEFT_OUT: Mapping[str, tuple[str, Callable[[Event], Event]]] = {
    "code_interpreter_call": (hosted.CODE_DONE, lambda item: item),
    "apply_patch_call": (calls.DIFF_DONE, lambda item: object_(item, "operation")),
}
"""The event that an upstream may leave out, which a finished item has the fields of."""


@dataclass(slots=True)
class StreamEmitter:
    """Collects the parts of one response until `take` returns them."""

    tables: Tables
    response: Response = field(default_factory=Response)
    refusal: str = ""
    parts: list[Part] = field(default_factory=list)
    _items: list[tuple[Item, Block]] = field(default_factory=list)
    _calls: list[tuple[Call, Block]] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def take(self) -> list[Part]:
        parts, self.parts = self.parts, []
        return parts

    # Items.

    def added(self, item: Item, source: Event) -> Block | None:
        """The block of an item of this type, which begins with this if it is new.

        None if the type has no table.
        """
        if block := self._known(item):
            return block
        kind = kind_of(source)
        if kind not in self.tables or kind == "function_call":
            return None
        id_ = string(source, "call_id" if kind in WITH_CALL_ID else "id") or kind
        block = Block(kind, id_, source, self.response)
        self._items.append((item, block))
        self._advance(block, ADDED, source)
        return block

    def event(self, item: Item, event: str, data: Event) -> None:
        """An event of a tool or of a summary; ignored before its item is known."""
        if block := self._known(item):
            self._advance(block, event, data)

    def finished(self, item: Item, source: Event) -> None:
        """The end of an item, after the events that the upstream has left out."""
        if (block := self.added(item, source)) is None:
            return
        # Some upstreams change the id in every event; the first one names the parts.
        block.item = {**block.item, **source, "id": block.item.get("id")}
        event, fields = LEFT_OUT.get(block.kind, ("", dict))
        if event and event not in block.received:
            self._advance(block, event, fields(source))
        self._advance(block, DONE, source)

    # Contents, each of which comes once.

    def text(self, item: Item, channel: str, index: int, text: str) -> None:
        if not text:
            return
        if channel in REASONING_CHANNELS:
            self._think(item, index, text)
        elif block := self.added(item, {"type": "message", "id": item.id}):
            event = blocks.REFUSAL_DELTA if channel == REFUSAL else blocks.TEXT_DELTA
            self._advance(block, event, {"delta": text})

    def _think(self, item: Item, index: int, text: str) -> None:
        if block := self.added(item, {"type": "reasoning", "id": item.id}):
            if index not in block.sections:
                self._advance(block, blocks.PART_ADDED, {"summary_index": index})
            self._advance(block, blocks.SECTION_DELTA, {"summary_index": index, "delta": text})

    def citations(self, item: Item, cited: list[Cited]) -> None:
        for _, annotation in cited:
            if block := self.added(item, {"type": "message", "id": item.id}):
                self._advance(block, blocks.ANNOTATION, annotation)

    def encrypted(self, item: Item, encrypted: str) -> None:
        """Nothing: the end of a reasoning item has its encrypted content."""

    def image(self, item: Item, source: Event) -> None:
        """Nothing: an image is the result of its call."""

    # Function calls.

    def call_known(self, item: Item, call: Call) -> None:
        """Begin a call as soon as its id and name are known, with its input so far."""
        if not (call.call_id and call.name) or self._block_of(call):
            return
        source = {"id": item.id, "name": call.name}
        block = Block("function_call", call.call_id, source, self.response)
        if call.call_id in self._ids:
            block.state = calls.CALLED_AGAIN
        self._ids.add(call.call_id)
        self._calls.append((call, block))
        self._advance(block, ADDED, source)
        self.arguments(call, "".join(call.deltas))

    def arguments(self, call: Call, delta: str) -> None:
        if block := self._block_of(call):
            self._advance(block, calls.ARGUMENTS_DELTA, {"delta": delta})

    def call_part(self, call: Call, input_: Mapping[str, object]) -> Part:
        """What identifies a call, to compare it with others of its id."""
        return {"toolCallId": call.call_id, "toolName": call.name, "input": input_}

    def call(self, call: Call, part: Part) -> None:
        if block := self._block_of(call):
            self._advance(block, DONE, {"arguments": _arguments(call, part["input"])})

    def end(self, error_text: str) -> None:
        """End the texts whose items were never done; the machine creates the parts of the end."""
        del error_text
        for _, block in self._items:
            if block.kind == "message":
                self._advance(block, DONE, {})

    # Blocks.

    def _known(self, item: Item) -> Block | None:
        return next((block for known, block in self._items if known is item), None)

    def _block_of(self, call: Call) -> Block | None:
        return next((block for known, block in self._calls if known is call), None)

    def _advance(self, block: Block, event: str, data: Event) -> None:
        block.received.add(event)
        table = self.tables[block.kind]
        if block.kind != "reasoning":
            self.parts += advance(table, block, event, data)
            return
        for section, each in list(blocks.section_events(block, event, data)):
            block.state = block.sections.get(section, "")
            self.parts += advance(table, block, each, {**data, "summary_index": section})
            if block.state:
                block.sections[section] = block.state


def _arguments(call: Call, input_: object) -> str:
    """The arguments as they were sent, unless they are blank or encoded twice."""
    sent = call.arguments()
    if isinstance(sent, str) and not blank(sent) and not read_arguments(sent).twice_encoded:
        return escape_surrogates(sent)
    return to_json(input_)
