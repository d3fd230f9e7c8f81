"""Parts, upstream events and findings in a few words, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.contract.citations import citation_of
from conformance.dialects import KIT
from conformance.dialects.words import clip, compact, quoted
from mockserver.conversation import Message, ToolCall, ToolResult
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from conformance.contract.finding import Finding
    from conformance.contract.transcript import Part, Plain, SentEvent
    from mockserver.conversation import Entry

__all__ = [
    "clip",
    "compact",
    "of_answer",
    "of_entry",
    "of_event",
    "of_finding",
    "of_part",
    "of_right",
    "quoted",
    "visible",
]

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


def of_event(event: SentEvent, dialect: str) -> str:
    """An upstream event: its type, its item, and what it carries."""
    if event.kind == "comment":
        return f": {clip(str(event.data))}"
    if event.kind == "raw":
        return f"raw {quoted(str(event.data))}"
    if event.kind == "done" or not isinstance(event.data, dict):
        return event.type
    return KIT[dialect].summary(event.type, event.data)


def of_entry(entry: Entry) -> str:
    """One thing that a request tells of the conversation so far."""
    match entry:
        case Message(role, said):
            return f"{role} {quoted(said, _MOST_ENTRY)}"
        case ToolCall(id_, name):
            return f"the call {id_} {name}"
        case ToolResult(id_):
            return f"the result of {id_}"
    return "reasoning"


def of_answer(status: int, answer: Plain) -> list[str]:
    """A plain answer: its status, its headers, and how its body begins, a line each."""
    headers = [clip(f"{name}: {value}") for name, value in answer.headers.items()]
    return [f"HTTP {status}", *headers, clip(answer.body) or "(no body)"]


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
