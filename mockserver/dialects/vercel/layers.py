"""``Layer``: what makes the parts of one of the three dialects when a script is translated.

Source: @ai-sdk/provider (LanguageModelV3StreamPart, JSONParseError, TypeValidationError),
@ai-sdk/gateway; ai (TextStreamPart, UIMessageChunk, parseToolCall, InvalidToolInputError); AI SDK
UI § Stream Protocols; stream-mapping § fullStream Chunk Types, § AI SDK toUIMessageStream() Chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from mockserver.dialects.vercel import parts, usage
from mockserver.dialects.vercel.field_names import NAMES, FieldNames
from mockserver.dialects.vercel.parts import UI, V6
from mockserver.foundation.call_arguments import Arguments
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import Citation, Send, Usage

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
