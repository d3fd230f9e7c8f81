"""A run of drive/1 as what a chat's transport posts: its messages, as a browser keeps them.

There an answer is one message with all of its steps, and the part of a call takes up what its tool
gave (ai, UIMessage). The tools themselves stand with the server. What a browser would have been
told as data or as a source, the model never said, so nothing of it goes back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.client.fields import Event, object_, objects, string
from conformance.dialects.vercel.reference.fullstream_request import Json, messages, options

Says = tuple[object, list[Json]]


def request(run: Event, prefix: str = "") -> Json:
    """The upstream request of a run; `prefix` is what the adapter put before call ids."""
    told = {"id": string(run, "id"), "model": run.get("model"), "trigger": "submit-message"}
    said = enumerate(_kept(messages(run, prefix)))
    kept = [{"id": f"msg-{n}", "role": role, "parts": parts} for n, (role, parts) in said]
    return {**options(run), **told, "messages": kept}


def _kept(told: list[Json]) -> list[Says]:
    """Who says what; results stand where their calls do, the last of that id if there are more."""
    kept: list[Says] = []
    calls: dict[str, Json] = {}
    for message in told:
        role = message["role"]
        if role == "tool":
            _answer(calls, message)
            continue
        parts = _parts(message)
        calls |= {string(part, "toolCallId"): part for part in parts if "toolCallId" in part}
        if role == "assistant" and kept and kept[-1][0] == role:
            kept[-1][1].extend(parts)
        else:
            kept.append((role, parts))
    return kept


def _answer(calls: Mapping[str, Json], message: Json) -> None:
    for result in objects(message, "content"):
        if call := calls.get(string(result, "toolCallId")):
            call |= {"state": "output-available", "output": object_(result, "output")["value"]}


def _parts(message: Json) -> list[Json]:
    if message["role"] != "assistant":
        return [{"type": "text", "text": message["content"]}]
    said = objects(message, "content")
    return [{"type": "step-start"}, *(KEPT[string(part, "type")](part) for part in said)]


def _text(part: Event) -> Json:
    return {"type": "text", "text": part["text"], "state": "done"}


def _reasoning(part: Event) -> Json:
    sealed = part.get("providerOptions")
    metadata = {"providerMetadata": sealed} if sealed else {}
    return {"type": "reasoning", "text": part["text"], "state": "done", **metadata}


def _call(part: Event) -> Json:
    told = {"toolCallId": part["toolCallId"], "input": part["input"]}
    return {"type": f"tool-{string(part, 'toolName')}", "state": "input-available", **told}


def _file(part: Event) -> Json:
    media_type = string(part, "mediaType")
    url = f"data:{media_type};base64,{string(part, 'data')}"
    return {"type": "file", "mediaType": media_type, "url": url}


KEPT: Mapping[str, Callable[[Event], Json]] = {
    "text": _text,
    "reasoning": _reasoning,
    "tool-call": _call,
    "file": _file,
}
