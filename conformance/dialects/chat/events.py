"""What single chunks say: their kind, usage, ending and encrypted reasoning, and a summary."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.transcript import SentEvent
from conformance.dialects.dialect import Ending, Usage
from conformance.dialects.json_search import fields_of_text, usage_by_side
from conformance.dialects.short_text import compact, failure, quoted
from mockserver.dialects.chat import chunks
from mockserver.dialects.chat.chunks import CHUNK, ERROR, choices, finish_reasons
from mockserver.foundation.json_fields import mapping, text

_ENDINGS: Mapping[str, Ending] = {
    "stop": "completed",
    "tool_calls": "completed",
    "function_call": "completed",
    "length": "incomplete",
    "content_filter": "incomplete",
}
_SIDES = {
    "input": ("prompt_tokens", "input_tokens"),
    "output": ("completion_tokens", "output_tokens"),
    "cached": ("prompt_tokens_details.cached_tokens",),
    "reasoning": ("completion_tokens_details.reasoning_tokens",),
}


def kind(data: Any) -> str:
    """The type of an event's data, a chunk or an error; empty if it is neither."""
    if not isinstance(data, dict) or "type" in data:
        return ""
    if "choices" in data or data.get("object") == "chat.completion.chunk":
        return CHUNK
    return ERROR if "error" in data else ""


def recognises(data: Mapping[str, Any]) -> bool:
    """Whether the data is a chunk or an error."""
    return bool(kind(data))


def begins(data: Mapping[str, Any]) -> str:
    """The id of the completion to which a chunk belongs."""
    return text(data.get("id")) if kind(data) == CHUNK else ""


def usages(data: Mapping[str, Any]) -> Iterator[Usage]:
    """The usage in a chunk, or in its choices, where some gateways put it."""
    places = (data.get("usage"), *(choice.get("usage") for choice in choices(data)))
    return usage_by_side(places, _SIDES)


def find_encrypted(sent: Sequence[SentEvent]) -> Iterator[str]:
    """The encrypted reasoning (``reasoning_opaque``), joined from all chunks."""
    fields = [field for event in sent for field in fields_of_text(event.data)]
    yield "".join(value for name, value in fields if name == "reasoning_opaque")


def ending(_type: str, data: Mapping[str, Any]) -> Ending:
    """How the response ends by the word of a chunk or an error."""
    if "choices" not in data or data.get("error"):
        is_error = data.get("error") or data.get("message") or data.get("detail")
        return "failed" if is_error else ""
    reasons = finish_reasons(data)
    return _ENDINGS.get(reasons[0], "other") if reasons else ""


_REASONS = {
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "content_filter": "content-filter",
}


def reasons(_type: str, data: Mapping[str, Any]) -> Iterator[str]:
    """The finish reasons of the choices in a chunk, under the names of the AI SDK."""
    return (_REASONS.get(each, each) for each in finish_reasons(data))


def summary(type_: str, data: Mapping[str, Any]) -> str:
    """The type of a chunk, the content of its choices, and its error."""
    words = [word for choice in chunks.choices(data) for word in _choice(choice)]
    is_chunk = isinstance(data.get("choices"), list)
    error = failure(data.get("error") or ({} if is_chunk else data))
    return " ".join(filter(None, (type_, *words, error)))


def _choice(choice: Mapping[str, Any]) -> Iterator[str]:
    """The content of one choice of a chunk; the index 0 is not shown."""
    if at := chunks.index(choice):
        yield f"[{at}]"
    delta = mapping(choice.get("delta"))
    for name, value in delta.items():
        if name == "tool_calls":
            yield from map(_call, chunks.calls(delta))
        elif isinstance(value, str) and value and name != "role":
            yield f"{name} {quoted(value)}"
    yield from (f"{name} {quoted(value)}" for name, value in chunks.pieces(delta))
    yield from filter(None, [text(choice.get("finish_reason")), failure(choice.get("error"))])


def _call(fragment: Mapping[str, Any]) -> str:
    """A fragment of a call: its id, its name and its piece of the arguments."""
    function = mapping(fragment.get("function") or fragment.get("custom"))
    named = (fragment.get("id"), function.get("name"))
    # An empty id or name is shown: it differs from none.
    words = ("''" if word == "" else text(word) for word in named)
    arguments = function.get("arguments", function.get("input"))
    shown = quoted(arguments) if isinstance(arguments, str) and arguments else ""
    without = "" if function else f"call[{compact(fragment.get('index', 0))}] without function"
    return " ".join(word for word in (*words, shown, without) if word)
