"""Translates a neutral script into the parts of one of the three dialects, which a ``Layer`` makes.

The order of parts is the same in all of them: blocks of text and reasoning start, stream and end,
possibly interleaved; the input of a call is streamed, and then a part has the complete call.
Refusals are sent as text, since no dialect has them.

Source: @ai-sdk/provider (LanguageModelV3StreamPart, JSONParseError, TypeValidationError),
@ai-sdk/gateway; ai (TextStreamPart, UIMessageChunk, parseToolCall, InvalidToolInputError); AI SDK
UI § Stream Protocols; stream-mapping § fullStream Chunk Types, § AI SDK toUIMessageStream() Chunks.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Call:
    """A complete tool call, whose ``arguments`` were read."""

    id: str
    name: str
    arguments: str
    read: Arguments


class Layer(ABC):
    """Makes the parts of one dialect: provider parts, ``fullStream``, or UI message chunks.

    ``names`` are the names of their fields, ``begins`` the types of the parts that begin a
    response. ``has_empty_text`` is whether empty deltas of text are sent, which the SDK's core
    filters.
    """

    names: FieldNames
    begins = ("start", "start-step")
    has_empty_text = False

    def extend_block(self, kind: str, id_: str, value: str) -> Iterator[Send]:
        """The part with the next piece of a block, whose kind is ``text`` or ``reasoning``."""
        if value or kind != "text" or self.has_empty_text:
            yield Send(f"{kind}-delta", {"id": id_, self.names.delta(kind): value})

    def start_call(self, id_: str, name: str) -> Iterator[Send]:
        """The part at the start of a call, whose arguments are not known yet."""
        yield Send("tool-input-start", {self.names.input_id: id_, "toolName": name})

    def extend_call(self, id_: str, value: str) -> Iterator[Send]:
        """The part with the next piece of a call's arguments."""
        fields = {self.names.input_id: id_, self.names.input_delta: value}
        yield Send("tool-input-delta", fields)

    @abstractmethod
    def end_call(self, call: Call) -> Iterator[Send]:
        """The parts that complete a call."""

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        """The part that cites a source."""
        kind = "url" if citation.url else "document"
        yield Send("source", {"sourceType": kind, **_source(citation, id_, self.names.source_id)})

    def fail(self, message: str, code: str) -> Iterator[Send]:
        """The part with an error."""
        error = {"message": message, **({"code": code} if code else {})}
        yield Send("error", {self.names.error: error})

    @abstractmethod
    def finish(self, reason: str, raw: str, used: Usage | None) -> Iterator[Send]:
        """The parts at the end of a response.

        The finish reason is in the SDK's spelling and in the model's (``raw``). Without usage, the
        usage report is sent without its counts.
        """

    def _named(self, call: Call) -> dict[str, Any]:
        return {self.names.call_id: call.id, "toolName": call.name}


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


def _invalid(call: Call) -> tuple[Any, dict[str, Any]]:
    """The input of an invalid call, and the error with its cause as the SDK reports it."""
    input_, text = call.read.value, call.arguments
    if call.read.kind == "not an object":
        what = f"Type validation failed: Value: {dump(input_)}"
        cause = _cause("AI_TypeValidationError", what, "Error", "expected an object")
        cause["value"] = input_
    else:
        input_, what = text, f"JSON parsing failed: Text: {text}"
        cause = _cause("AI_JSONParseError", what, "SyntaxError", "Unexpected token in JSON")
        cause["text"] = text
    message = f"Invalid input for tool {call.name}: {cause['message']}"
    error = {"name": "AI_InvalidToolInputError", "message": message, "cause": cause}
    return input_, {**error, "toolInput": text, "toolName": call.name}


def _cause(name: str, what: str, inner: str, message: str) -> dict[str, Any]:
    said = f"{what}.\nError message: {message}"
    return {"name": name, "message": said, "cause": {"name": inner, "message": message}}


def _report(
    name: str, used: Usage | None, counts: Callable[[Usage], Any], paths: Iterable[tuple[str, ...]]
) -> tuple[dict[str, Any], tuple[tuple[str, ...], ...]]:
    """The usage field of this name, and the paths of the counts that it lacks."""
    if used:
        return {name: counts(used)}, ()
    return {}, tuple((name, *path) for path in paths)


class Provider(Layer):
    """Makes provider parts, which the SDK's core reads; ``specifications`` has other versions."""

    names = NAMES[parts.GATEWAY]
    begins = ("stream-start", "response-metadata")
    has_empty_text = True

    def end_call(self, call: Call) -> Iterator[Send]:
        yield Send("tool-input-end", {self.names.input_id: call.id})
        yield Send("tool-call", {**self._named(call), self.names.input: call.arguments})

    def finish(self, reason: str, raw: str, used: Usage | None) -> Iterator[Send]:
        counts = usage.provider, usage.PROVIDER_COUNTS
        report, unknown = _report(self.names.usage, used, *counts)
        why = {"finishReason": {"unified": reason, "raw": raw}}
        yield Send("finish", {**report, **why}, absent=unknown)


class Core(Layer):
    """Makes parts of ``fullStream``, which a program reads."""

    names = NAMES[V6]

    def end_call(self, call: Call) -> Iterator[Send]:
        names, named = self.names, self._named(call)
        yield Send("tool-input-end", {names.input_id: call.id})
        if call.read.input is not None:
            yield Send("tool-call", {**named, names.input: call.read.input})
            return
        input_, error = _invalid(call)
        fields = {**named, names.input: input_, "dynamic": True}
        yield Send("tool-call", {**fields, "invalid": True, names.error: error})
        yield Send("tool-error", {**fields, names.error: error["message"]})

    def finish(self, reason: str, raw: str, used: Usage | None) -> Iterator[Send]:
        why = {"finishReason": reason, "rawFinishReason": raw}
        for type_, name in (("finish-step", "usage"), ("finish", self.names.usage)):
            report, unknown = _report(name, used, usage.v6, usage.COUNTS)
            yield Send(type_, {**why, **report}, absent=unknown)


class MessageChunks(Layer):
    """Makes UI message chunks, which a browser reads."""

    names = NAMES[UI]

    def end_call(self, call: Call) -> Iterator[Send]:
        names, named = self.names, self._named(call)
        if call.read.input is not None:
            yield Send("tool-input-available", {**named, names.input: call.read.input})
            return
        input_, error = _invalid(call)
        said = {names.error: error["message"]}
        yield Send("tool-input-error", {**named, names.input: input_, **said})
        yield Send("tool-output-error", {names.call_id: call.id, **said})

    def cite(self, citation: Citation, id_: str) -> Iterator[Send]:
        kind = "source-url" if citation.url else "source-document"
        yield Send(kind, _source(citation, id_, self.names.source_id))

    def fail(self, message: str, code: str) -> Iterator[Send]:  # noqa: ARG002
        yield Send("error", {self.names.error: message})

    def finish(self, reason: str, raw: str, used: Usage | None) -> Iterator[Send]:  # noqa: ARG002
        yield Send("finish-step")
        yield Send("finish", {"finishReason": reason})


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
        yield from map(Send, self._layer.begins)

    def make_block(self, step: Start) -> _Block:
        return _Block(step, id=f"{_PREFIXES[step.kind]}_{len(self.blocks)}")

    def start(self, block: _Block) -> Iterator[Send]:
        if block.start.kind == "call":
            yield from self._layer.start_call(block.start.call_id, block.start.name)
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
        return self._layer.finish(reason, raw or reason.replace("-", "_"), self.usage)
