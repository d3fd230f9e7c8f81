"""Maps parts of ``fullStream``, as ai 6 has them, to those of ai 4 and of ai 7."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.vercel import usage
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.mapping import PartMapping, Table, drop, rebuild
from mockserver.dialects.vercel.parts import V4, V6, V7
from mockserver.foundation.json_fields import mapping, omit, text
from mockserver.wire.event import Data, Event, Step, events_in, map_events


def convert_counts(
    name: str, convert: Callable[[Data], Data], without: tuple[str, ...] = ()
) -> PartMapping:
    """A mapping that converts the usage field of this name, and leaves out other fields."""

    def change(part: Data) -> list[Data]:
        used = {name: convert(mapping(part[name]))} if name in part else {}
        return [{**omit(part, without), **used}]

    return change


# ai 4: no blocks, and other types and field names. Source: ai 4.3 (TextStreamPart).

_OLD, _NEW = NAMES[V4], NAMES[V6]
_REPEATED = ("response", "providerMetadata")


CALL_START = rebuild(
    "tool-call-streaming-start", {_OLD.input_id: _NEW.input_id, "toolName": "toolName"}
)
_DELTA = {_OLD.input_id: _NEW.input_id, "toolName": "toolName", _OLD.input_delta: _NEW.input_delta}
CALL_DELTA = rebuild("tool-call-delta", _DELTA)
"""The part of a delta of an input to which ``name_deltas`` has added the tool."""

_REASONING = rebuild("reasoning", {_OLD.reasoning_delta: _NEW.reasoning_delta})
_CALL = rebuild(
    "tool-call", {_OLD.call_id: _NEW.call_id, "toolName": "toolName", _OLD.input: _NEW.input}
)


def name_deltas(steps: Sequence[Step]) -> Sequence[Step]:
    """Add the name of its tool to each delta of an input."""
    names = {
        text(event.data.get(_NEW.input_id)): text(event.data.get("toolName"))
        for event in events_in(steps)
        if event.type == "tool-input-start"
    }

    def add(_n: int, data: Data) -> Data:
        if data.get("type") != "tool-input-delta":
            return data
        return {**data, "toolName": names.get(text(data.get(_NEW.input_id)), "")}

    return map_events(add)(steps)


def _provider(part: Data, name: str) -> Data:
    """What the provider of this name says in the metadata of a part."""
    return mapping(mapping(part.get("providerMetadata")).get(name))


def _reasoning_start(part: Data) -> list[Data]:
    data = text(_provider(part, "anthropic").get("redactedData"))
    return [{"type": "redacted-reasoning", "data": data}] if data else []


def _reasoning_delta(part: Data) -> list[Data]:
    signature = text(_provider(part, "anthropic").get("signature"))
    if not signature:
        return _REASONING(part)
    told = _REASONING(part) if part.get(_NEW.reasoning_delta) else []
    return [*told, {"type": "reasoning-signature", "signature": signature}]


def _reasoning_end(part: Data) -> list[Data]:
    signature = text(_provider(part, "openai").get("reasoningEncryptedContent"))
    return [{"type": "reasoning-signature", "signature": signature}] if signature else []


def _call(part: Data) -> list[Data]:
    """A call; ai 4 sends an error in place of an invalid call."""
    if part.get("invalid"):
        return [{"type": "error", "error": _invalid(mapping(part.get("error")))}]
    return _CALL(part)


def _invalid(error: Data) -> Data:
    words = text(error.get("message")).replace("Invalid input for", "Invalid arguments for", 1)
    renamed_ = {"toolArgs" if name == "toolInput" else name: error[name] for name in error}
    return {**renamed_, "name": "AI_InvalidToolArgumentsError", "message": words}


def _tool_error(part: Data) -> list[Data]:
    """The error of a tool; nothing for an invalid call, whose error was already sent."""
    if part.get("dynamic") and not part.get("providerExecuted"):
        return []
    cause = part.get("error")
    message = mapping(cause).get("message", cause)
    name = part.get("toolName")
    error = {
        "name": "AI_ToolExecutionError",
        "message": f"Error executing tool {name}: {message}",
        "cause": cause,
        "toolArgs": part.get(_NEW.input),
        "toolName": name,
        "toolCallId": part.get(_NEW.call_id),
    }
    return [{"type": "error", "error": error}]


def _result(part: Data) -> list[Data]:
    names = {_NEW.input: _OLD.input, _NEW.output: _OLD.output}
    return [{names.get(name, name): part[name] for name in part if name != "dynamic"}]


def _file(part: Data) -> list[Data]:
    """A file, whose own fields are those of the part."""
    file = mapping(part.get("file"))
    content = omit(file, (_NEW.media_type,))
    return [{"type": "file", **content, _OLD.media_type: file.get(_NEW.media_type)}]


_STEP: Data = {"request": {}, "warnings": []}


def _end_step(part: Data) -> list[Data]:
    names = ("finishReason", "response", "providerMetadata")
    kept: Data = {name: part[name] for name in names if name in part}
    own = {"messageId": "msg-1", "isContinued": False, **_STEP}
    return [{"type": "step-finish", **own, **kept, "usage": usage.to_v4(part.get("usage"))}]


def _finish(part: Data) -> list[Data]:
    used = {_OLD.usage: usage.to_v4(part.get(_NEW.usage))}
    return [{"type": "finish", "finishReason": part.get("finishReason"), **used}]


def finish_v4(steps: Iterable[Step]) -> Iterator[Step]:
    """Move and add what depends on other parts.

    A streamed call starts at its first delta, from which ai 4 makes the start. A ``finish`` repeats
    fields of the last step.
    """
    waiting: dict[str, Event] = {}
    repeated: Data = {}
    for step in steps:
        if not isinstance(step, Event):
            yield step
            continue
        id_ = text(step.data.get(_OLD.input_id))
        match step.type:
            case "tool-call-streaming-start":
                waiting[id_] = step
                continue
            case "tool-call-delta" if id_ in waiting:
                yield waiting.pop(id_)
            case "step-finish":
                repeated = {name: step.data[name] for name in _REPEATED if name in step.data}
        yield replace(step, data={**step.data, **repeated}) if step.type == "finish" else step


AI_4: Table = {
    "start": drop,
    "start-step": lambda _part: [{"type": "step-start", "messageId": "msg-1", **_STEP}],
    "text-start": drop,
    "text-delta": rebuild("text-delta", {_OLD.text_delta: _NEW.text_delta}),
    "text-end": drop,
    "reasoning-start": _reasoning_start,
    "reasoning-delta": _reasoning_delta,
    "reasoning-end": _reasoning_end,
    "tool-input-start": CALL_START,
    "tool-input-delta": CALL_DELTA,
    "tool-input-end": drop,
    "tool-call": _call,
    "tool-result": _result,
    "tool-error": _tool_error,
    "source": lambda part: [{"type": "source", "source": omit(part, ("type",))}],
    "file": _file,
    "finish-step": _end_step,
    "finish": _finish,
}


# ai 7: wrapped errors, timings, other token counts.
# Source: ai 7 (TextStreamPart, StreamProviderError, normalizeStreamProviderError).

_STATUS = ("statusCode", "status_code", "status", "code")
_RETRYABLE = frozenset({408, 409, 429})
_ERROR_CODES = range(400, 600)
# These messages alone say what happened (ai 7, inferExactMessageMetadata).
_KNOWN_MESSAGES = {
    "overloaded": 503,
    "overloaded error": 503,
    "model overloaded": 503,
    "internal server error": 500,
    "service unavailable": 503,
}


def normalise(error: Any) -> Any:
    """The error of a provider, wrapped if it is an object with a message.

    An object with a name is an error of the SDK itself, which is not wrapped.
    """
    outer = mapping(error)
    levels = [mapping(mapping(outer.get("response")).get("error")), mapping(outer.get("error"))]
    details = next(filter(None, levels), outer)
    message = details.get("message")
    if not isinstance(message, str) or outer.get("name"):
        return error
    known = _KNOWN_MESSAGES.get(message.strip().lower())
    status = _status((details, outer)) or known
    optional = {
        "type": _first((details, outer), "type", str),
        "code": _first((details, outer), "code", str | int),
        "statusCode": status,
    }
    return {
        "name": "AI_StreamProviderError",
        "message": message,
        **{name: value for name, value in optional.items() if value is not None},
        "isRetryable": bool(known) or status in _RETRYABLE or (status or 0) >= 500,
        "data": error,
    }


def _first(levels: Sequence[Data], name: str, kind: Any) -> Any:
    values = (level.get(name) for level in levels)
    return next((value for value in values if isinstance(value, kind)), None)


def _status(levels: Sequence[Data]) -> int | None:
    values = (level.get(name) for name in _STATUS for level in levels)
    numbers = (int(v) if isinstance(v, str) and v.isdecimal() else v for v in values)
    return next((n for n in numbers if isinstance(n, int) and n in _ERROR_CODES), None)


AI_7: Table = {
    "start-step": lambda part: [part, {"type": "ping"}],
    "error": lambda part: [{**part, "error": normalise(part.get("error"))}],
    "finish-step": convert_counts("usage", usage.to_v7),
    "finish": convert_counts(NAMES[V7].usage, usage.to_v7),
}
