"""One-line summaries of parts, upstream events, answers and findings.

The bytes that a scenario sends as ``raw`` are summarized as an event if they are one with JSON for
its data.
"""

import json
from collections import Counter
from typing import Any

from conformance.contract.citations import citation_of_data_part
from conformance.contract.transcript import Part, PlainAnswer, ReportedError, Request, SentEvent
from conformance.dialects import KIT
from conformance.dialects.entry import DATA_KINDS, Piece
from conformance.dialects.entry import Entry as LedgerEntry
from conformance.dialects.short_text import clip, compact, quoted
from conformance.findings.finding import Finding
from conformance.findings.words import message_of, right_of
from mockserver.dialects.conversation import (
    ApprovalRequest,
    ApprovalResponse,
    Entry,
    Message,
    StoredItem,
    ToolCall,
    ToolResult,
)
from mockserver.foundation.json_fields import mapping, text

_DONE = "[DONE]"
_MAX_MESSAGE = 400
_MAX_DATA = 40
_MAX_ENTRY = 30

# The parts that begin and end a block, of which the id says all.
_BOUNDS = frozenset(
    {
        *("text-start", "text-end", "reasoning-start", "reasoning-end"),
        *("tool-input-end", "tool-params-end"),
    }
)


def of_part(part: Part) -> str:
    """A part: its type and its content."""
    match part:
        case (
            {"type": "text" | "thinking" as kind, "value": str(value)}
            | {"type": "text-delta" | "reasoning-delta" as kind, "delta": str(value)}
            | {"type": "text-delta" | "reasoning-delta" as kind, "text": str(value)}
        ):
            return f"{kind} {quoted(value)}"
        case {"type": "toolCall", "callId": id_, "name": name, "input": input_}:
            return f"toolCall {_named(id_, name)} {compact(input_)}"
        case {"type": "data", "mimeType": str(mime), "data": str(value)}:
            cited = citation_of_data_part(part)
            return f"data {mime} {compact(cited.fields()) if cited else clip(value, _MAX_DATA)}"
        case {"type": "start-step" as kind} | {"type": "stream-start" as kind, "warnings": []}:
            return str(kind)
        case {"type": str(kind), "id": str(id_)} if kind in _BOUNDS:
            return clip(f"{kind} {_named(id_)}")
        case {"type": "tool-input-start" as kind, "id": str(id_), "toolName": str(name)} | {
            "type": "tool-params-start" as kind,
            "id": str(id_),
            "name": str(name),
        }:
            return clip(f"{kind} {_named(id_, name)}")
        case {
            "type": "tool-input-delta" | "tool-params-delta" as kind,
            "id": str(id_),
            "delta": str(value),
        }:
            return f"{kind} {_named(id_)} {quoted(value)}"
        case {"type": "response-metadata" as kind, "id": str(id_) | {"value": str(id_)}}:
            return clip(f"{kind} {id_}")
        case {"type": "source", "url": str(url)}:
            return f"source {clip(url)} {quoted(text(part.get('title')))}".removesuffix(" ''")
        case {"type": "error", "error": {"message": str(said)} as error}:
            return f"error {clip(' '.join(filter(None, (text(error.get('name')), said))))}"
        case (
            {"type": "finish-step" | "finish" as kind, "finishReason": str(reason)}
            | {"type": "finish" as kind, "finishReason": {"unified": str(reason)}}
            | {"type": "finish" | "completion" as kind, "reason": str(reason)}
        ):
            return f"{kind} {reason}"
        case {"type": "delta", "delta": dict(delta)}:
            filled = [(name, value) for name, value in delta.items() if value]
            empty = [(name, value) for name, value in delta.items() if value == ""]
            return " ".join(["delta", *(_delta_field(*field) for field in filled or empty)])
        case {"type": "tool-result", "toolCallId": str(id_)} | {
            "type": "tool-result",
            "id": str(id_),
        }:
            preliminary = " preliminary" if part.get("preliminary") is True else ""
            result = part.get("result", part.get("output"))
            name = part.get("toolName", part.get("name"))
            return (
                f"tool-result {_named(id_, *[name] if name else [])}{preliminary} {compact(result)}"
            )
        case {"type": "tool-approval-request" as kind, "approvalId": str(id_)}:
            call_id = part.get("toolCallId", mapping(part.get("toolCall")).get("toolCallId"))
            return clip(f"{kind} {_named(id_)} for {_named(call_id)}")
        case {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_} | {
            "type": "tool-call",
            "id": id_,
            "name": name,
            "params": input_,
        }:
            said = clip(input_ or "''") if isinstance(input_, str) else compact(input_)
            invalid = " (invalid)" if part.get("invalid") is True else ""
            return f"tool-call {_named(id_, name)} {said}{invalid}"
    return compact(part)


def _named(*names: Any) -> str:
    """Ids and names in words; an empty one is shown as such."""
    return " ".join("''" if name == "" else str(name) for name in names)


# Short names of some fields of a delta; other fields keep their names.
_SHORT = {
    "beginToolCalls": "begin",
    "copilotToolCallStreamUpdates": "update",
    "copilotToolCalls": "call",
}


def _delta_field(name: str, value: Any) -> str:
    """A field of a delta as emitted by Copilot Chat's parser."""
    if isinstance(value, str):
        return f"{name} {quoted(value)}"
    if name in _SHORT and isinstance(value, list):
        words = [" ".join(filter(None, map(text, mapping(each).values()))) for each in value]
        return clip(f"{_SHORT[name]} {', '.join(words)}")
    return f"{name} {compact(value)}"


def of_event(event: SentEvent, dialect: str) -> str:
    """An upstream event: its type, its item and its content."""
    if event.kind == "comment":
        return f": {clip(str(event.data))}"
    if event.kind == "raw":
        if ends_stream(event):
            return _DONE
        found = read_raw(str(event.data))
        return KIT[dialect].summary(*found) if found else f"raw {quoted(str(event.data))}"
    if event.kind == "done" or not isinstance(event.data, dict):
        return event.type
    return KIT[dialect].summary(event.type, event.data)


def data_of(event: SentEvent) -> Any:
    """The data of an event; of raw bytes, the JSON object in them if they are one whole event."""
    if event.kind != "raw":
        return event.data
    found = read_raw(str(event.data))
    return found[1] if found else event.data


def read_raw(said: str) -> tuple[str, dict[str, Any]] | None:
    """The type and the data of the one event in raw bytes; None unless its data is an object."""
    try:
        data = json.loads(_data_in(said))
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    named = (value.strip() for name, value in _fields_of(said) if name == "event")
    return next(named, "") or text(data.get("type")), data


def ends_stream(event: SentEvent) -> bool:
    """Whether an event is the end of the stream, ``[DONE]``, also if it is sent as raw bytes."""
    return event.kind == "done" or (event.kind == "raw" and _data_in(str(event.data)) == _DONE)


def _data_in(said: str) -> str:
    """The data of the one event in raw bytes; empty if they are something else."""
    lines = _fields_of(said)
    values = [value.removeprefix(" ") for name, value in lines if name == "data"]
    return "" if any(not name for name, _ in lines) else "\n".join(values)


def _fields_of(said: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in said.strip().splitlines())
    return [(name, value) for name, _, value in lines]


def of_added(entry: LedgerEntry, shown: str) -> str:
    """What an event adds to the answer, if its summary does not show that; empty otherwise."""
    if "'" in shown or '"' in shown:
        return ""
    words = (
        of_piece(piece).removeprefix(f"{piece.kind} " if piece.kind in shown else "")
        for piece in entry.adds
        if piece.value not in shown and piece.kind not in DATA_KINDS
    )
    return clip(", ".join(words))


def of_piece(piece: Piece) -> str:
    """Content of the ledger: its kind, and its text, its id or its address."""
    if piece.kind == "citation" and piece.source:
        return f"citation {piece.source.url or piece.source.filename or piece.source.file_id}"
    return f"{piece.kind} {piece.value if piece.kind == 'call' else quoted(piece.value)}"


def of_entry(entry: Entry) -> str:
    """One entry of the conversation in a request: a message, a call, a result or reasoning."""
    match entry:
        case Message(role, content):
            return f"{role} {quoted(content, _MAX_ENTRY)}"
        case ToolCall(id_, name):
            return f"the call {id_} {name}"
        case ToolResult(id_):
            return f"the result of {id_}"
        case ApprovalRequest(id_):
            return f"the approval request {id_}"
        case ApprovalResponse(id_, approve):
            return f"the {'approval' if approve else 'refusal'} of {id_}"
        case StoredItem(id_):
            return f"a reference to {id_}"
    return "reasoning"


def of_answer(status: int, answer: PlainAnswer) -> list[str]:
    """A non-streaming answer: a line each for its status, its headers and the start of its body."""
    headers = [clip(f"{name}: {value}") for name, value in answer.headers.items()]
    return [f"HTTP {status}", *headers, clip(answer.body) or "(no body)"]


def of_rejection(request: Request) -> list[str]:
    """A request that no turn answered: a line for the status, and lines for what is wrong."""
    because = request.problems[:1] or request.why.splitlines()
    return [f"HTTP {request.status}", *(clip(each) for each in because if each)]


def of_error(error: ReportedError) -> str:
    """The message of an error with which a run ended, longer than a finding quotes it."""
    return clip(error.message, _MAX_MESSAGE)


def of_right(finding: Finding) -> str:
    """What would have been right instead of what a finding reports."""
    return f"right: {clip(right_of(finding), _MAX_MESSAGE)}"


def of_finding(finding: Finding) -> str:
    """A finding's rule, level and message."""
    return f"✗ {finding.rule} ({finding.level}): {clip(message_of(finding), _MAX_MESSAGE)}"


_MAX_FOLLOW = 20


def of_explained(finding: Finding) -> list[str]:
    """The findings that a finding explains, one line each."""
    shown = finding.explains[:_MAX_FOLLOW]
    more = len(finding.explains) - len(shown)
    lines = [f"↳ {f.rule} ({f.level}): {clip(message_of(f), _MAX_MESSAGE)}" for f in shown]
    return [*lines, f"↳ … and {more:,} more that follow"] if more else lines


def of_how_many_follow(finding: Finding) -> str:
    """How many findings a finding explains, by rule, in words; empty if none."""
    counts = Counter(explained.rule for explained in finding.explains)
    rules = (f"{rule} ×{n:,}" if n > 1 else rule for rule, n in counts.items())
    return f"from the same cause: {', '.join(rules)}" if counts else ""
