"""The contents of chunks, the five event names that scenarios use for them, and scripts as chunks.

On the wire, events have no type: each ``data:`` line has a chunk or an error. A scenario names the
kind of chunk, so that the fields which every chunk has can be filled in.

Source: OpenAI, "Chat completion chunk object"; the Copilot proxy's own fields.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.dialects.translator import Block, Translator
from mockserver.foundation.json_fields import listed, mapping, merge, remove_fields, text
from mockserver.scenario.script import BlockKind, Failed, Finish, Incomplete, Send, Start
from mockserver.wire.event import Event
from mockserver.wire.slots import mark

CHUNK, DELTA, FINISH, USAGE, ERROR = "chunk", "delta", "finish", "usage", "error"
KINDS = (CHUNK, DELTA, FINISH, USAGE, ERROR)

DONE = "[DONE]"

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "cot_summary", "thinking")
"""The fields of a delta in which different upstreams stream reasoning; that of most of them first.

Source of the first: DeepSeek, "Thinking Mode"; recordings of Moonshot, xAI, Alibaba and Azure have
it, too.
"""

ENCRYPTED_FIELDS = ("reasoning_opaque", "cot_id", "signature")
"""The fields of a delta in which Copilot's proxy streams the encrypted form of reasoning."""


def choices(data: Any) -> Iterator[Mapping[str, Any]]:
    """The choices of a chunk; none if it is not a chunk."""
    yield from map(mapping, listed(mapping(data).get("choices")))


def index(choice: Mapping[str, Any]) -> int:
    """The index of a choice; 0 if it has none."""
    found = choice.get("index")
    return found if isinstance(found, int) else 0


def finish_reasons(data: Any) -> list[str]:
    """The finish reasons in the choices of a chunk."""
    return [reason for choice in choices(data) if (reason := text(choice.get("finish_reason")))]


def error_in(data: Any) -> Any:
    """The error in an error event or in a chunk; None if there is none."""
    return mapping(data).get("error")


def calls(delta: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The fragments of tool calls in a delta."""
    return [mapping(each) for each in listed(delta.get("tool_calls"))]


def pieces(delta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The name and text of each piece, if the content is a list: a text, or what was thought.

    Source: mistralai/client-python, docs/models/thinkchunk.md.
    """
    for piece in map(mapping, listed(delta.get("content"))):
        if isinstance(thinking := piece.get("thinking"), list):
            yield "thinking", "".join(text(mapping(each).get("text")) for each in thinking)
        elif said := text(piece.get("text")):
            yield "text", said


_ERROR = {
    "message": "The model failed to answer.",
    "type": "server_error",
    "param": None,
    "code": None,
}


_WITHOUT_REPORT = (CHUNK, DELTA, FINISH)
_USAGE_PATH = ("usage",)


@dataclass(frozen=True, slots=True)
class ChunkCompletion:
    """Fills in the fields that every chunk has; no chunk depends on those before it.

    The fields that a scenario sets are merged over these, and its ``absent`` fields are removed.
    Both apply to what the step is named after: the chunk, the delta, the choice of a finish, the
    usage, or the error.
    """

    reports_usage: bool = True
    """Whether the upstream supports the request for usage."""

    def preview(self, send: Send) -> Event:
        if not send.known:
            return Event(send.type, dict(send.fields), ignorable=True)
        return Event(
            send.type,
            _BUILDERS[send.type](send),
            on_request=send.on_request,
            nulls_on_request=_nulls_on_request(send) if self.reports_usage else (),
        )

    event = preview


def spell(_type: str, data: Mapping[str, Any]) -> list[Send]:
    """The sends that may have this data: by what is in the chunk, then as a chunk."""
    return [*_spell_by_content(data), Send(CHUNK)]


def _spell_by_content(data: Mapping[str, Any]) -> Iterator[Send]:
    if isinstance(error := data.get("error"), dict):
        yield Send(ERROR, error, absent=_missing(error, _ERROR))
    if isinstance(usage := data.get("usage"), dict):
        yield Send(USAGE, usage)
    if len(found := list(choices(data))) != 1:
        return
    choice = dict(found[0])
    missing = _missing(choice, _choice())
    if reason := choice.pop("finish_reason", None):
        yield Send(FINISH, {"reason": reason, **choice}, absent=missing)
    elif isinstance(delta := choice.get("delta"), dict):
        yield Send(DELTA, delta)


def _missing(fields: Mapping[str, Any], default: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The default fields that are not among these, as paths."""
    return tuple((name,) for name in default if name not in fields)


def _nulls_on_request(send: Send) -> tuple[str, ...]:
    """``usage``, which every chunk but the report has as null, unless the scenario removes it.

    Source: OpenAI, "stream_options.include_usage". Notices of Copilot's proxy, whose choices are
    null, are not chunks of the completion.
    """
    if send.type not in _WITHOUT_REPORT or _USAGE_PATH in send.absent:
        return ()
    return () if send.type == CHUNK and send.fields.get("choices", []) is None else ("usage",)


def _fill(default: Mapping[str, Any], send: Send) -> dict[str, Any]:
    return remove_fields(merge(default, dict(send.fields)), send.absent)


def _envelope(send: Send, **fields: Any) -> dict[str, Any]:
    return {
        "id": mark("id"),
        "object": "chat.completion.chunk",
        "created": mark("created_at"),
        "model": mark("model"),
        **send.shared,
        "choices": [],
        **fields,
    }


_OWN_FIELDS = ("id", "object", "created", "model", "choices", "usage", "error", "obfuscation")


def shared_fields(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The fields of a chunk that others may have, too; None if it is no chunk of a completion."""
    if not isinstance(data.get("choices"), list):
        return None
    return {name: value for name, value in data.items() if name not in _OWN_FIELDS}


def _choice(**fields: Any) -> dict[str, Any]:
    return {"index": 0, "delta": {}, "logprobs": None, "finish_reason": None, **fields}


def _finish(send: Send) -> dict[str, Any]:
    fields = dict(send.fields)
    choice = _choice(**{"finish_reason": fields.pop("reason", "stop"), **fields})
    return _envelope(send, choices=[remove_fields(choice, send.absent)])


_BUILDERS: dict[str, Callable[[Send], dict[str, Any]]] = {
    CHUNK: lambda send: _fill(_envelope(send), send),
    DELTA: lambda send: _envelope(send, choices=[_choice(delta=dict(send.fields))]),
    FINISH: _finish,
    USAGE: lambda send: _envelope(send, usage=dict(send.fields)),
    ERROR: lambda send: {"error": _fill(_ERROR, send)},
}


# A neutral script as chunks. Chunks have no items: consecutive texts are joined, a call is
# identified by its index, and nothing says that a single text or call has ended. Only the finish
# reason says how the response ended.

_FIELDS: dict[BlockKind, str] = {
    "text": "content",
    "reasoning": REASONING_FIELDS[0],
    "refusal": "refusal",
}
"""The field of a delta in which each kind of block is streamed, except calls."""

_REASONS = {
    "stop": "stop",
    "tool-calls": "tool_calls",
    "length": "length",
    "content-filter": "content_filter",
}


@dataclass
class _Block(Block):
    """``n`` is the index of a call among the calls."""

    n: int = 0

    def call(self, **fields: Any) -> Send:
        return Send(DELTA, {"tool_calls": [{"index": self.n, **fields}]})


class ChunkTranslator(Translator[_Block]):
    """Translates the steps of a script into chunks."""

    _calls = 0

    def make_block(self, step: Start) -> _Block:
        self._calls += step.kind == "call"
        return _Block(step, n=self._calls - 1)

    def begin(self) -> Iterator[Send]:
        yield Send(DELTA, {"role": "assistant", "content": ""})

    def start(self, block: _Block) -> Iterator[Send]:
        start = block.start
        if start.kind == "call":
            function = {"name": start.name, "arguments": ""}
            yield block.call(id=start.call_id, type="function", function=function)

    def extend(self, block: _Block, delta: str) -> Iterator[Send]:
        if block.start.kind == "call":
            yield block.call(function={"arguments": delta})
        else:
            yield Send(DELTA, {_FIELDS[block.start.kind]: delta})

    def end(self, _block: _Block) -> tuple[Send, ...]:
        return ()

    def finish(self, step: Finish | Incomplete) -> Iterator[Send]:
        yield Send(FINISH, {"reason": _REASONS[step.reason]})
        if used := self.usage:
            counts = {
                "prompt_tokens": used.input,
                "completion_tokens": used.output,
                "total_tokens": used.input + used.output,
            }
            yield Send(USAGE, counts, on_request=True)

    cut_short = finish

    def fail(self, step: Failed) -> Iterator[Send]:
        yield Send(ERROR, {"message": step.message, "code": step.code})
