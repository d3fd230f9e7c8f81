"""Reads the events and the final response of Pydantic AI's models."""

import json

from failures import failed
from pydantic_ai.messages import (
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)
from sources import document

# The normalised citations have no files that the model created, and no paths.
SETTINGS = {"openai_include_raw_annotations": True}
DELTAS = {
    TextPart: ("text-delta", "content"),
    TextPartDelta: ("text-delta", "content_delta"),
    ThinkingPart: ("reasoning-delta", "content"),
    ThinkingPartDelta: ("reasoning-delta", "content_delta"),
}
FINISH = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content-filter",
    "tool_call": "tool-calls",
    "error": "error",
}


def emit_event(event, emit):
    """Emit the text or thinking that an event adds.

    Raw reasoning, of which a part has no content but details, is emitted when the part has ended.
    """
    match event:
        case PartStartEvent(part=piece) | PartDeltaEvent(delta=piece):
            type_, field = DELTAS.get(type(piece), ("", ""))
            text = getattr(piece, field) if type_ else ""
        case PartEndEvent(part=ThinkingPart(content="", provider_details={"raw_content": raw})):
            type_, text = "reasoning-delta", "".join(raw)
        case _:
            return
    if text:
        emit({"type": type_, "id": str(event.index), "delta": text})


def ended(response, emit):
    """Emit the citations and the calls of the final response, and return the ending."""
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            emit(tool_call(part))
        for cited in (part.provider_details or {}).get("annotations", ()):
            if cited and (known := source(cited)):
                emit(known)
    if response.state == "incomplete":
        return failed("truncated", "the state of the response is incomplete")
    done = {"outcome": "completed"}
    reason = response.finish_reason or (response.provider_details or {}).get("finish_reason")
    if reason:
        done["finish"] = FINISH.get(reason, "other")
    usage = response.usage
    if usage.unmeasured_requests:
        return done
    return {**done, "usage": {"input": usage.input_tokens, "output": usage.output_tokens}}


def tool_call(part):
    args = part.args if isinstance(part.args, str) else json.dumps(part.args or {})
    call = {"toolCallId": part.tool_call_id, "toolName": part.tool_name, "input": args}
    return {"type": "tool-call", **call}


def source(cited):
    """The part for an annotation as the upstream sent it, or None if it cites nothing."""
    page = cited.get("url_citation") or cited
    if page.get("url"):
        known = {name: page[name] for name in ("url", "title") if page.get(name)}
        return {"type": "source", "sourceType": "url", "id": page["url"], **known}
    if not cited.get("file_id"):
        return None
    return document(cited["file_id"], cited.get("container_id"), cited.get("filename"))


def reason_of(error):
    """The kind, message and code of an exception of the library."""
    return "upstream", str(error), str(getattr(error, "provider_error_code", None) or "")
