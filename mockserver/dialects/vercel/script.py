"""Translates a neutral script into the parts of one of the three dialects, which a ``Layer`` makes.

The order of parts is the same in all of them: blocks of text and reasoning start, stream and end,
possibly interleaved; the input of a call is streamed, and then a part has the complete call.
Refusals are sent as text, since no dialect has them.

Source: @ai-sdk/provider (LanguageModelV3StreamPart, JSONParseError, TypeValidationError),
@ai-sdk/gateway; ai (TextStreamPart, UIMessageChunk, parseToolCall, InvalidToolInputError); AI SDK
UI § Stream Protocols; stream-mapping § fullStream Chunk Types, § AI SDK toUIMessageStream() Chunks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from mockserver.dialects.translator import Block, Translator
from mockserver.dialects.vercel import parts, usage
from mockserver.dialects.vercel.field_names import NAMES, FieldNames
from mockserver.dialects.vercel.parts import UI, V6
from mockserver.foundation.call_arguments import Arguments, read_arguments
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import (
    Citation,
    Cite,
    Failed,
    Finish,
    Incomplete,
    Send,
    Start,
    Usage,
)

_BLANK = Arguments("blank", {})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call whose ``arguments`` were read."""

    id: str
    name: str
    arguments: str = ""
    read: Arguments = _BLANK

    @property
    def input(self) -> dict[str, Any] | None:
        """The parsed arguments; None if they are not a JSON object."""
        return self.read.input


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a response: its finish reason, in the SDK's spelling and in the model's (``raw``).

    Without ``usage``, the usage report is sent without its counts.
    """

    reason: str
    raw: str
    usage: Usage | None


class Layer(Protocol):
    """Makes the parts of one dialect: provider parts, ``fullStream``, or UI message chunks."""

    @property
    def names(self) -> FieldNames:
        """The field names of its parts."""

    def start(self) -> Iterator[Send]:
        """The parts at the start of a response."""

    def extend_block(self, kind: str, id_: str, value: str) -> Iterator[Send]:
        """The part with the next piece of a block, whose kind is ``text`` or ``reasoning``."""

    def start_call(self, call: Call) -> Iterator[Send]:
        """The part at the start of a call, whose arguments are not known yet."""

    def extend_call(self, id_: str, value: str) -> Iterator[Send]:
        """The part with the next piece of a call's arguments."""

    def end_call(self, call: Call) -> Iterator[Send]:
        """The parts that complete a call."""

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        """The part that cites a source."""

    def fail(self, message: str, code: str) -> Iterator[Send]:
        """The part with an error."""

    def finish(self, ending: Ending) -> Iterator[Send]:
        """The parts at the end of a response."""


class Parts:
    """The parts that the dialects have in common, apart from the names of their fields."""

    names: FieldNames
    has_empty_text = False
    """Whether empty deltas of text are sent, which the SDK's core filters."""

    def extend_block(self, kind: str, id_: str, value: str) -> Iterator[Send]:
        if value or kind != "text" or self.has_empty_text:
            yield Send(f"{kind}-delta", {"id": id_, self.names.delta(kind): value})

    def start_call(self, call: Call) -> Iterator[Send]:
        yield Send("tool-input-start", {self.names.input_id: call.id, "toolName": call.name})

    def extend_call(self, id_: str, value: str) -> Iterator[Send]:
        fields = {self.names.input_id: id_, self.names.input_delta: value}
        yield Send("tool-input-delta", fields)

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "url" if citation.url else "document"
        yield Send("source", {"sourceType": kind, **_source(citation, id_, self.names.source_id)})

    def fail(self, message: str, code: str) -> Iterator[Send]:
        error = {"message": message, **({"code": code} if code else {})}
        yield Send("error", {self.names.error: error})


def _source(citation: Citation, id_: str, name: str) -> dict[str, Any]:
    """The fields of a source; ``name`` is the field for its id.

    A document must have a title, so its file name or id is used if it has none. The ids of a file
    are in the provider metadata.
    """
    if citation.url:
        titled = {"title": citation.title} if citation.title else {}
        return {name: id_, "url": citation.url, **titled}
    own = {"fileId": citation.file_id, "containerId": citation.container_id}
    named = {"filename": citation.filename} if citation.filename else {}
    return {
        name: id_,
        "mediaType": "text/plain" if citation.filename else "application/octet-stream",
        "title": citation.title or citation.filename or citation.file_id,
        **named,
        "providerMetadata": {"openai": {key: value for key, value in own.items() if value}},
    }


# Calls whose arguments are not a JSON object. The SDK parses the arguments and validates them by
# the tool's schema, so an invalid call has one of two causes. Its input is the parsed value, or the
# text if it cannot be parsed.


def _input_of_invalid(call: Call) -> Any:
    return call.read.value if call.read.kind == "not an object" else call.arguments


def _error_of_invalid(call: Call) -> dict[str, Any]:
    """The error as the SDK reports it, with its cause."""
    cause = _object_error(call) if call.read.kind == "not an object" else _json_error(call)
    return {
        "name": "AI_InvalidToolInputError",
        "message": f"Invalid input for tool {call.name}: {cause['message']}",
        "cause": cause,
        "toolInput": call.arguments,
        "toolName": call.name,
    }


def _json_error(call: Call) -> dict[str, Any]:
    why = {"name": "SyntaxError", "message": "Unexpected token in JSON"}
    return {
        "name": "AI_JSONParseError",
        "message": f"JSON parsing failed: Text: {call.arguments}.\nError message: {why['message']}",
        "cause": why,
        "text": call.arguments,
    }


def _object_error(call: Call) -> dict[str, Any]:
    why = {"name": "Error", "message": "expected an object"}
    value = dump(call.read.value)
    return {
        "name": "AI_TypeValidationError",
        "message": f"Type validation failed: Value: {value}.\nError message: {why['message']}",
        "cause": why,
        "value": call.read.value,
    }


class Provider(Parts):
    """Makes provider parts, which the SDK's core reads; ``specifications`` has other versions."""

    names = NAMES[parts.GATEWAY]
    has_empty_text = True

    def start(self) -> Iterator[Send]:
        yield Send("stream-start")
        yield Send("response-metadata")

    def end_call(self, call: Call) -> Iterator[Send]:
        names = self.names
        yield Send("tool-input-end", {names.input_id: call.id})
        known = {names.call_id: call.id, "toolName": call.name}
        yield Send("tool-call", {**known, names.input: call.arguments})

    def finish(self, ending: Ending) -> Iterator[Send]:
        reason = {"unified": ending.reason, "raw": ending.raw}
        name = self.names.usage
        used = {name: usage.provider(ending.usage)} if ending.usage else {}
        unknown = () if ending.usage else tuple((name, *count) for count in usage.PROVIDER_COUNTS)
        yield Send("finish", {**used, "finishReason": reason}, absent=unknown)


class Core(Parts):
    """Makes parts of ``fullStream``, which a program reads."""

    names = NAMES[V6]

    def start(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def end_call(self, call: Call) -> Iterator[Send]:
        names = self.names
        yield Send("tool-input-end", {names.input_id: call.id})
        known = {names.call_id: call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-call", {**known, names.input: call.input})
            return
        fields = {**known, names.input: _input_of_invalid(call), "dynamic": True}
        error = _error_of_invalid(call)
        yield Send("tool-call", {**fields, "invalid": True, names.error: error})
        yield Send("tool-error", {**fields, names.error: error["message"]})

    def finish(self, ending: Ending) -> Iterator[Send]:
        why = {"finishReason": ending.reason, "rawFinishReason": ending.raw}
        for type_, name in (("finish-step", "usage"), ("finish", self.names.usage)):
            used = {name: usage.v6(ending.usage)} if ending.usage else {}
            unknown = () if ending.usage else tuple((name, *count) for count in usage.COUNTS)
            yield Send(type_, {**why, **used}, absent=unknown)


class MessageChunks(Parts):
    """Makes UI message chunks, which a browser reads."""

    names = NAMES[UI]

    def start(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def end_call(self, call: Call) -> Iterator[Send]:
        names = self.names
        known = {names.call_id: call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-input-available", {**known, names.input: call.input})
            return
        error = {names.error: _error_of_invalid(call)["message"]}
        yield Send("tool-input-error", {**known, names.input: _input_of_invalid(call), **error})
        yield Send("tool-output-error", {names.call_id: call.id, **error})

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "source-url" if citation.url else "source-document"
        yield Send(kind, _source(citation, id_, self.names.source_id))

    def fail(self, message: str, code: str) -> Iterator[Send]:  # noqa: ARG002
        yield Send("error", {self.names.error: message})

    def finish(self, ending: Ending) -> Iterator[Send]:
        yield Send("finish-step")
        yield Send("finish", {"finishReason": ending.reason})


_BLOCKS = {"text": "text", "refusal": "text", "reasoning": "reasoning"}
_PREFIXES = {"text": "txt", "refusal": "txt", "reasoning": "rs", "call": ""}


@dataclass
class _Block(Block):
    """Each part of a reasoning gets an id of its own, which ends with the number of the part."""

    id: str = ""
    part: int = 0
    in_block: bool = False

    @property
    def type(self) -> str:
        return _BLOCKS[self.start.kind]

    @property
    def part_id(self) -> str:
        """The ``id`` of its parts."""
        return f"{self.id}:{self.part}" if self.start.kind == "reasoning" else self.id

    def open_part(self) -> Iterator[Send]:
        self.in_block = True
        yield Send(f"{self.type}-start", {"id": self.part_id})

    def close_part(self, encrypted: str = "") -> Iterator[Send]:
        if self.in_block:
            metadata = {"providerMetadata": {"openai": {"reasoningEncryptedContent": encrypted}}}
            yield Send(f"{self.type}-end", {"id": self.part_id, **(metadata if encrypted else {})})
        self.in_block = False


class PartTranslator(Translator[_Block]):
    """Translates the steps of a script into the parts that a layer makes."""

    _cited = 0

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self._layer = layer

    def begin(self) -> Iterator[Send]:
        return self._layer.start()

    def make_block(self, step: Start) -> _Block:
        return _Block(step, id=f"{_PREFIXES[step.kind]}_{len(self.blocks)}")

    def start(self, block: _Block) -> Iterator[Send]:
        if block.start.kind == "call":
            yield from self._layer.start_call(Call(block.start.call_id, block.start.name))
        elif block.start.kind != "reasoning":
            yield from block.open_part()

    def extend(self, block: _Block, delta: str) -> Iterator[Send]:
        if block.start.kind == "call":
            yield from self._layer.extend_call(block.start.call_id, delta)
            return
        if not block.in_block:
            yield from block.open_part()
        yield from self._layer.extend_block(block.type, block.part_id, delta)

    def start_part(self, block: _Block) -> Iterator[Send]:
        yield from block.close_part()
        block.part += 1
        yield from block.open_part()

    def cite(self, _block: _Block, step: Cite) -> Iterator[Send]:
        yield from self._layer.cite(step.citation, f"source_{self._cited}")
        self._cited += 1

    def end(self, block: _Block) -> Iterator[Send]:
        start = block.start
        if start.kind == "call":
            read = read_arguments(block.text)
            yield from self._layer.end_call(Call(start.call_id, start.name, block.text, read))
            return
        if start.encrypted and not block.in_block:
            yield from block.open_part()
        yield from block.close_part(start.encrypted)

    def finish(self, step: Finish) -> Iterator[Send]:
        return self._end_response(step.reason)

    def cut_short(self, step: Incomplete) -> Iterator[Send]:
        for block in self.open.values():
            yield from block.close_part()
        yield from self._end_response(step.reason, step.word)

    def fail(self, step: Failed) -> Iterator[Send]:
        yield from self._layer.fail(step.message, step.code)
        yield from self._end_response("error")

    def _end_response(self, reason: str, raw: str = "") -> Iterator[Send]:
        return self._layer.finish(Ending(reason, raw or reason.replace("-", "_"), self.usage))
