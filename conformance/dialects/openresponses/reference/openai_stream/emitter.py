"""Emits the parts of each item by the table of its kind.

Source: makeStreamResponse Alignment § Stream Events Reference, and `doStream` of the AI SDK's
provider for OpenAI, which has more rows. Where its versions differ, the tables follow version 4,
with these exceptions:

- A citation becomes a source at once (makeStreamResponse Alignment), not at the end of the stream.
  So the pages that a search has read are in its result only, and no page is a source twice.
- A function call is complete when its arguments are, if the upstream says so before the item is
  done (rfc-00022).
- A remote call whose approval was asked for in the same response is its result alone: the request
  came with the call, and a call comes once.
- Every call for the host finishes with `tool-calls`, shells included.
- The JSON of a call's input has its fields in the order of its deltas, and not the id of the call.
- A refusal finishes as any other text does, since the response has completed.
- A call of a computer without a call id has no parts, as nobody can answer it.
- The result of a tool has what the tool gave, and not again the type, the name and the input of its
  call.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.openresponses.reference.items import REASONING_CHANNELS, Call, Cited, Item
from conformance.dialects.openresponses.reference.openai_stream import blocks, calls, hosted
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    ADDED,
    DONE,
    Block,
    Response,
    Tables,
    advance,
)
from conformance.dialects.openresponses.reference.openai_stream.calls import to_json

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
        return ""  # Nobody can answer it.
    if type_ == "tool_search_call" and item.get("execution") == "client":
        return calls.TOOL_SEARCH_BY_HOST
    return type_


EVENTS = (
    calls.CUSTOM_INPUT_DELTA,
    calls.DIFF_DELTA,
    calls.DIFF_DONE,
    hosted.CODE_DELTA,
    hosted.CODE_DONE,
    hosted.PARTIAL_IMAGE,
)
"""The events of tools besides functions."""


@dataclass(slots=True)
class StreamEmitter:
    """Collects the parts of one response until `take` returns them."""

    tables: Tables
    response: Response = field(default_factory=Response)
    refusal: str = ""
    parts: list[Part] = field(default_factory=list)
    _items: list[tuple[Item, Block]] = field(default_factory=list)
    _calls: dict[str, Block] = field(default_factory=dict)

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
        id_ = string(source, "call_id") or string(source, "id") or kind
        block = Block(kind, id_, source, self.response)
        self._items.append((item, block))
        self._advance(block, ADDED, source)
        return block

    def event(self, item: Item, event: str, data: Event) -> None:
        """An event of a tool or of a summary; ignored before its item is known."""
        if block := self._known(item):
            self._advance(block, event, data)

    def finished(self, item: Item, source: Event) -> None:
        if block := self.added(item, source):
            self._advance(block, DONE, source)

    # Contents, each of which comes once.

    def text(self, item: Item, channel: str, index: int, text: str) -> None:
        if channel in REASONING_CHANNELS:
            self._think(item, index, text)
        elif block := self.added(item, {"type": "message"}):
            self._advance(block, blocks.TEXT_DELTA, {"delta": text})

    def _think(self, item: Item, index: int, text: str) -> None:
        if block := self._known(item):
            self._advance(block, blocks.PART_ADDED, {"summary_index": index})
            self._advance(block, blocks.SECTION_DELTA, {"summary_index": index, "delta": text})

    def citations(self, item: Item, cited: list[Cited]) -> None:
        for _, annotation in cited:
            if block := self._known(item):
                self._advance(block, blocks.ANNOTATION, annotation)

    def encrypted(self, item: Item, encrypted: str) -> None:
        """Nothing: the end of a reasoning item has its encrypted content."""

    def image(self, item: Item, source: Event) -> None:
        """Nothing: an image is the result of its call."""

    # Function calls.

    def call_known(self, item: Item, call: Call) -> None:
        """Begin a call as soon as its name is known."""
        if not call.name or call.call_id in self._calls:
            return
        source = {"id": item.id, "name": call.name}
        block = Block("function_call", call.call_id, source, self.response)
        self._calls[call.call_id] = block
        self._advance(block, ADDED, source)

    def arguments(self, call: Call, delta: str) -> None:
        if block := self._calls.get(call.call_id):
            self._advance(block, calls.ARGUMENTS_DELTA, {"delta": delta})

    def call_part(self, call: Call, input_: Mapping[str, object]) -> Part:
        """What identifies a call, to compare it with others of its id."""
        return {"toolName": call.name, "input": input_}

    def call(self, call: Call, part: Part) -> None:
        self._advance(self._calls[call.call_id], DONE, {"arguments": to_json(part["input"])})

    def end(self, error_text: str) -> None:
        """End the texts whose items were never done; the machine creates the parts of the end."""
        del error_text
        for _, block in self._items:
            if block.kind == "message":
                self._advance(block, DONE, {})

    # Blocks.

    def _known(self, item: Item) -> Block | None:
        return next((block for known, block in self._items if known is item), None)

    def _advance(self, block: Block, event: str, data: Event) -> None:
        table = self.tables[block.kind]
        if block.kind != "reasoning":
            self.parts += advance(table, block, event, data)
            return
        for section, each in list(blocks.section_events(block, event, data)):
            block.state = block.sections.get(section, "")
            self.parts += advance(table, block, each, {**data, "summary_index": section})
            if block.state:
                block.sections[section] = block.state
