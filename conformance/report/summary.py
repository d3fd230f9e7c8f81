"""Parts, upstream events and findings in a few words, one line each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import citation_of
from conformance.dialects.vercel import summary as gist_parts
from mockserver.conversation import Answered, Called, Said
from mockserver.dialects.chat import chunks
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.contract.finding import Finding
    from conformance.contract.transcript import Part, Plain, SentEvent
    from mockserver.conversation import Entry

_MOST = 160
_MOST_SEEN = 400
_MOST_DATA = 40
_MOST_ENTRY = 30


def of_part(part: Part) -> str:
    """A part: its type, and what it carries."""
    match part:
        case {"type": "text" | "thinking" as kind, "value": str(value)}:
            return f"{kind} {quoted(value)}"
        case {"type": "toolCall", "callId": id_, "name": name, "input": input_}:
            return f"toolCall {id_} {name} {compact(input_)}"
        case {"type": "data", "mimeType": str(mime), "data": str(value)}:
            cited = citation_of(part)
            return f"data {mime} {compact(cited.fields()) if cited else clip(value, _MOST_DATA)}"
        case {"type": "text-delta" | "reasoning-delta" as kind, "delta": str(value)}:
            return f"{kind} {quoted(value)}"
        case {"type": "delta", "delta": dict(delta)}:
            return f"delta {' '.join(_told(name, value) for name, value in delta.items() if value)}"
        case {"type": "completion", "reason": str(reason)}:
            return f"completion {reason}"
        case {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_}:
            return f"tool-call {id_} {name} {clip(str(input_))}"
    return compact(part)


# What the fields of a delta are called here; others are called by their names.
_SHORT = {
    "beginToolCalls": "begin",
    "copilotToolCallStreamUpdates": "update",
    "copilotToolCalls": "call",
}


def _told(name: str, value: Any) -> str:
    """A field of a delta that Copilot Chat's parser hands on."""
    if isinstance(value, str):
        return f"{name} {quoted(value)}"
    if name in _SHORT and isinstance(value, list):
        words = [" ".join(filter(None, map(text, mapping(each).values()))) for each in value]
        return clip(f"{_SHORT[name]} {', '.join(words)}")
    return f"{name} {compact(value)}"


def of_event(event: SentEvent) -> str:
    """An upstream event: its type, its item, and what it carries."""
    if event.kind == "comment":
        return f": {clip(str(event.data))}"
    if event.kind == "raw":
        return f"raw {quoted(str(event.data))}"
    if event.kind == "done" or not isinstance(event.data, dict):
        return event.type
    # Chunks of chat completions have no type of their own.
    if "type" in event.data and gist_parts.is_part(event.type):
        return " ".join(word for word in (event.type, *_of_sdk(event.data)) if word)
    index = event.data.get("output_index")
    place = "" if index is None else f"[{index}]"
    words = (event.type.removeprefix("response."), place, _carried(event.data))
    return " ".join(word for word in words if word)


def _of_sdk(part: Mapping[str, Any]) -> Iterator[str]:
    """A part of the AI SDK: what it is about, what it grows by or carries, and what went wrong."""
    yield from map(clip, gist_parts.names(part))
    if (said := gist_parts.grown(part)) is not None:
        yield quoted(said)
    for value in gist_parts.carried(part):
        yield clip(value) if isinstance(value, str) else compact(value)
    yield _failure(part.get("error")) or clip(text(part.get("errorText")))


def of_entry(entry: Entry) -> str:
    """One thing that a request tells of the conversation so far."""
    match entry:
        case Said(role, said):
            return f"{role} {quoted(said, _MOST_ENTRY)}"
        case Called(id_, name):
            return f"the call {id_} {name}"
        case Answered(id_):
            return f"the result of {id_}"
    return "reasoning"


def of_answer(status: int, answer: Plain) -> list[str]:
    """A plain answer: its status, its headers, and how its body begins, a line each."""
    headers = [clip(f"{name}: {value}") for name, value in answer.headers.items()]
    return [f"HTTP {status}", *headers, clip(answer.body) or "(no body)"]


_CARRIED = ("delta", "text", "refusal", "arguments")


def _carried(data: dict[str, Any]) -> str:
    if isinstance(data.get("choices"), list):
        return " ".join(word for choice in chunks.choices(data) for word in _chosen(choice))
    for name in _CARRIED:
        if isinstance(data.get(name), str):
            return quoted(data[name])
    if isinstance(cited := data.get("annotation"), dict):
        source = (cited.get(name) for name in ("url", "filename", "file_id", "type"))
        return clip(str(next((name for name in source if name), "")))
    item, response = data.get("item"), data.get("response")
    if isinstance(item, dict):
        words = (item.get("type"), item.get("call_id"), item.get("status"))
        return " ".join(str(word) for word in words if word and word != "in_progress")
    told = response.get("error") if isinstance(response, dict) else None
    return _failure(data.get("error") or told or data) or clip(text(data.get("errorText")))


def _chosen(choice: Mapping[str, Any]) -> Iterator[str]:
    """What one choice of a chunk says; the first is not numbered."""
    if at := chunks.index(choice):
        yield f"[{at}]"
    delta = mapping(choice.get("delta"))
    for name, value in delta.items():
        if name == "tool_calls":
            yield from map(_call, chunks.calls(delta))
        elif isinstance(value, str) and value and name != "role":
            yield f"{name} {quoted(value)}"
    yield from filter(None, [text(choice.get("finish_reason"))])


def _call(fragment: Mapping[str, Any]) -> str:
    function = mapping(fragment.get("function"))
    words = (text(fragment.get("id")), text(function.get("name")))
    arguments = function.get("arguments")
    told = quoted(arguments) if isinstance(arguments, str) and arguments else ""
    return " ".join(word for word in (*words, told) if word)


def _failure(error: Any) -> str:
    """A code and a message, where there are any; `error` events have carried both unwrapped."""
    if not isinstance(error, dict):
        return clip(text(error))
    words = (error.get("code"), error.get("message"))
    return clip(" ".join(str(word) for word in words if word))


def quoted(said: str, most: int = _MOST) -> str:
    """A text in quotes, as Python writes it: what cannot be seen is escaped, the rest is kept."""
    return repr(said) if len(said) <= most else repr(said[:most]) + "…"


def compact(value: Any) -> str:
    """JSON without spaces, on one line."""
    return clip(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def clip(said: str, most: int = _MOST) -> str:
    """A text cut to a length that can be read."""
    return said if len(said) <= most else said[: most - 1] + "…"


def visible(said: str) -> str:
    """What comes from an adapter or an upstream must not steer the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in said)


def of_right(finding: Finding) -> str:
    """What would have been right."""
    return f"right: {clip(finding.right, _MOST_SEEN)}"


def of_finding(finding: Finding) -> str:
    """A finding's rule, its level and what was seen."""
    return f"✗ {finding.rule} ({finding.level}): {clip(finding.message, _MOST_SEEN)}"


_MOST_FOLLOW = 20


def of_explained(finding: Finding) -> list[str]:
    """What follows from a finding, one line each."""
    told = finding.explains[:_MOST_FOLLOW]
    more = len(finding.explains) - len(told)
    lines = [f"↳ {f.rule} ({f.level}): {clip(f.message, _MOST_SEEN)}" for f in told]
    return [*lines, f"↳ … and {more:,} more that follow"] if more else lines


def of_how_many_follow(finding: Finding) -> str:
    """How many findings follow from a finding; empty where there are none."""
    count = len(finding.explains)
    follow = "follows" if count == 1 else "follow"
    return f"and {count:,} that {follow} from it" if count else ""
