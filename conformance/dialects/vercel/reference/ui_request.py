"""Builds the request of a browser's chat transport, with UI messages, from a run of drive/1.

An answer is one UI message with all its steps, and the part of a call has the result of its tool
(ai, UIMessage). The server has the tools, so they are not sent. Data parts and sources, which the
model did not write, are not sent back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.client.fields import Event, object_, objects, string
from conformance.dialects.client.requests import options
from conformance.dialects.vercel.reference.fullstream_request import Json, messages

UiMessage = tuple[object, list[Json]]


def request(run: Event, prefix: str = "") -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    fields = {"id": string(run, "id"), "model": run.get("model"), "trigger": "submit-message"}
    numbered = enumerate(_ui_messages(messages(run, prefix)))
    kept = [{"id": f"msg-{n}", "role": role, "parts": parts} for n, (role, parts) in numbered]
    return {**options(run), **fields, "messages": kept}


def _ui_messages(sent: list[Json]) -> list[UiMessage]:
    """Merge an answer's messages to one, with each result in the part of its call.

    If several calls have the same id, the result is added to the last one.
    """
    kept: list[UiMessage] = []
    calls: dict[str, Json] = {}
    for message in sent:
        role = message["role"]
        if role == "tool":
            _add_results(calls, message)
            continue
        parts = _parts(message)
        calls |= {string(part, "toolCallId"): part for part in parts if "toolCallId" in part}
        if role == "assistant" and kept and kept[-1][0] == role:
            kept[-1][1].extend(parts)
        else:
            kept.append((role, parts))
    return kept


def _add_results(calls: Mapping[str, Json], message: Json) -> None:
    for result in objects(message, "content"):
        if call := calls.get(string(result, "toolCallId")):
            call |= {"state": "output-available", "output": object_(result, "output")["value"]}


def _parts(message: Json) -> list[Json]:
    if message["role"] != "assistant":
        return [{"type": "text", "text": message["content"]}]
    said = objects(message, "content")
    return [{"type": "step-start"}, *(PART_READERS[string(part, "type")](part) for part in said)]


def _text(part: Event) -> Json:
    return {"type": "text", "text": part["text"], "state": "done"}


def _reasoning(part: Event) -> Json:
    options = part.get("providerOptions")
    metadata = {"providerMetadata": options} if options else {}
    return {"type": "reasoning", "text": part["text"], "state": "done", **metadata}


def _call(part: Event) -> Json:
    fields = {"toolCallId": part["toolCallId"], "input": part["input"]}
    return {"type": f"tool-{string(part, 'toolName')}", "state": "input-available", **fields}


def _file(part: Event) -> Json:
    media_type = string(part, "mediaType")
    url = f"data:{media_type};base64,{string(part, 'data')}"
    return {"type": "file", "mediaType": media_type, "url": url}


PART_READERS: Mapping[str, Callable[[Event], Json]] = {
    "text": _text,
    "reasoning": _reasoning,
    "tool-call": _call,
    "file": _file,
}
