"""Maps parts of ``fullStream``, as ai 6 has them, to those of ai 4 and of ai 7."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.vercel import usage
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import V4, V6, V7
from mockserver.foundation.json_fields import mapping, text
from mockserver.wire.event import Data, Event, Step

PartMapping = Callable[[Data, Mapping[str, str]], list[Data]]
"""Maps a part to the parts that replace it; takes the part, and tool names by call id."""

Table = Mapping[str, PartMapping]
"""Mappings by part type; parts of other types are not changed."""


def drop(_part: Data, _names: Mapping[str, str]) -> list[Data]:
    """A mapping to no parts, which removes the part."""
    return []


def copy_fields(names: Mapping[str, str]) -> PartMapping:
    """A mapping that copies fields; ``names`` maps fields to the names of their copies."""

    def both(part: Data, _names: Mapping[str, str]) -> list[Data]:
        return [{**part, **{new: part[old] for old, new in names.items() if old in part}}]

    return both


def remove_fields(*names: str) -> PartMapping:
    """A mapping that removes these fields."""
    return lambda part, _names: [{k: value for k, value in part.items() if k not in names}]


# ai 4: no blocks, and other types and field names. Source: ai 4.3 (TextStreamPart).

_OLD, _NEW = NAMES[V4], NAMES[V6]
_REPEATED = ("response", "providerMetadata")


def _text(part: Data, _names: Mapping[str, str]) -> list[Data]:
    return [{"type": "text-delta", _OLD.text_delta: part.get(_NEW.text_delta)}]


def _reasoning(part: Data, _names: Mapping[str, str]) -> list[Data]:
    return [{"type": "reasoning", _OLD.reasoning_delta: part.get(_NEW.reasoning_delta)}]


def _reasoning_start(part: Data, _names: Mapping[str, str]) -> list[Data]:
    metadata = mapping(mapping(part.get("providerMetadata")).get("anthropic"))
    data = text(metadata.get("redactedData"))
    return [{"type": "redacted-reasoning", "data": data}] if data else []


def _reasoning_end(part: Data, _names: Mapping[str, str]) -> list[Data]:
    metadata = mapping(mapping(part.get("providerMetadata")).get("openai"))
    signature = text(metadata.get("reasoningEncryptedContent"))
    return [{"type": "reasoning-signature", "signature": signature}] if signature else []


def call_start(part: Data, _names: Mapping[str, str]) -> list[Data]:
    fields = {_OLD.input_id: part.get(_NEW.input_id), "toolName": part.get("toolName")}
    return [{"type": "tool-call-streaming-start", **fields}]


def call_delta(part: Data, names: Mapping[str, str]) -> list[Data]:
    id_ = part.get(_NEW.input_id)
    fields = {_OLD.input_id: id_, "toolName": names.get(text(id_), "")}
    return [{"type": "tool-call-delta", **fields, _OLD.input_delta: part.get(_NEW.input_delta)}]


def _call(part: Data, _names: Mapping[str, str]) -> list[Data]:
    """A call; ai 4 sends an error in place of an invalid call."""
    if part.get("invalid"):
        return [{"type": "error", "error": _invalid(mapping(part.get("error")))}]
    fields = {_OLD.call_id: part.get(_NEW.call_id), "toolName": part.get("toolName")}
    return [{"type": "tool-call", **fields, _OLD.input: part.get(_NEW.input)}]


def _invalid(error: Data) -> Data:
    words = text(error.get("message")).replace("Invalid input for", "Invalid arguments for", 1)
    renamed_ = {"toolArgs" if name == "toolInput" else name: error[name] for name in error}
    return {**renamed_, "name": "AI_InvalidToolArgumentsError", "message": words}


def _tool_error(part: Data, _names: Mapping[str, str]) -> list[Data]:
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


def _result(part: Data, _names: Mapping[str, str]) -> list[Data]:
    names = {_NEW.input: _OLD.input, _NEW.output: _OLD.output}
    return [{names.get(name, name): part[name] for name in part if name != "dynamic"}]


def _source(part: Data, _names: Mapping[str, str]) -> list[Data]:
    inner = {name: value for name, value in part.items() if name != "type"}
    return [{"type": "source", "source": inner}]


def _file(part: Data, _names: Mapping[str, str]) -> list[Data]:
    """A file, whose own fields are those of the part."""
    file = mapping(part.get("file"))
    content = {name: value for name, value in file.items() if name != _NEW.media_type}
    return [{"type": "file", **content, _OLD.media_type: file.get(_NEW.media_type)}]


def _start_step_v4(_part: Data, _names: Mapping[str, str]) -> list[Data]:
    return [{"type": "step-start", "messageId": "msg-1", "request": {}, "warnings": []}]


def _end_step(part: Data, _names: Mapping[str, str]) -> list[Data]:
    names = ("finishReason", "response", "providerMetadata")
    kept: Data = {name: part[name] for name in names if name in part}
    own = {"messageId": "msg-1", "isContinued": False, "request": {}, "warnings": []}
    return [{"type": "step-finish", **own, **kept, "usage": usage.to_v4(part.get("usage"))}]


def _finish(part: Data, _names: Mapping[str, str]) -> list[Data]:
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
    "start-step": _start_step_v4,
    "text-start": drop,
    "text-delta": _text,
    "text-end": drop,
    "reasoning-start": _reasoning_start,
    "reasoning-delta": _reasoning,
    "reasoning-end": _reasoning_end,
    "tool-input-start": call_start,
    "tool-input-delta": call_delta,
    "tool-input-end": drop,
    "tool-call": _call,
    "tool-result": _result,
    "tool-error": _tool_error,
    "source": _source,
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


def _error(part: Data, _names: Mapping[str, str]) -> list[Data]:
    return [{**part, "error": normalise(part.get("error"))}]


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


def _convert_counts(name: str) -> PartMapping:
    def convert(part: Data, _names: Mapping[str, str]) -> list[Data]:
        used = {name: usage.to_v7(mapping(part.get(name)))} if name in part else {}
        return [{**part, **used}]

    return convert


def _start_step_v7(part: Data, _names: Mapping[str, str]) -> list[Data]:
    return [part, {"type": "ping"}]


AI_7: Table = {
    "start-step": _start_step_v7,
    "error": _error,
    "finish-step": _convert_counts("usage"),
    "finish": _convert_counts(NAMES[V7].usage),
}
