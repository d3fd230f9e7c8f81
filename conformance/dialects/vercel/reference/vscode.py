"""The reference adapters from the layers of the AI SDK to VS Code: their endpoints and requests.

- `fullstream` sends the options of `streamText`. A result must name its tool, but the host gives
  only the id of its call, which may be in any earlier message. So the names of all calls are
  collected first (stream-mapping § Tool Result Message Format). System messages are sent as such,
  at any position. Lengths are not checked; the upstream reports what is too long.
- `gateway` sends what `@ai-sdk/gateway` sends to the AI Gateway. The messages are those of
  `streamText`, except that a user's content is a list of parts (@ai-sdk/provider,
  LanguageModelV3Prompt). The model and the version of the specification are in headers only.
- `ui` sends the UI messages of a browser's chat transport. An answer is one message with all its
  steps, and the part of a call has the result of its tool (ai, UIMessage). The server has the
  tools, so they are not sent. Data parts and sources, which the model did not write, are not sent
  back.

`machine` reads the answers.
"""

from collections.abc import Callable, Mapping
from functools import partial

from conformance.dialects.client import transport
from conformance.dialects.client.content import CITATION
from conformance.dialects.client.counting import Counting
from conformance.dialects.client.fields import (
    Event,
    functions,
    object_,
    objects,
    options,
    rename_fields,
    string,
)
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.fields import FULL_STREAM, PROVIDER, UI, Layer
from conformance.dialects.vercel.reference.machine import FullStream

UNKNOWN_TOOL = "unknown_tool"
TOOL_FIELDS = {"description": "description", "input_schema": "inputSchema"}
HOST_DATA = (CITATION, "application/vnd.vercel.")
"""Media types of data parts that the adapter made for its host, which are not sent back."""

Json = dict[str, object]
UiMessage = tuple[object, list[Json]]

SPECIFICATION = "3"
"""The version of the provider specification that the gateway is told."""


def fullstream_request(run: Event, prefix: str = "") -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    body = {**options(run), "model": run.get("model"), "messages": messages(run, prefix)}
    return {**body, "tools": tools} if (tools := dict(named_tools(run))) else body


def messages(run: Event, prefix: str) -> list[Json]:
    """The messages of a run; messages without content are left out."""
    names = tool_names(run)
    converted = (_message(message, prefix, names) for message in objects(run, "messages"))
    return [each for each in converted if each["content"]]


def named_tools(run: Event) -> list[tuple[str, Json]]:
    """The function tools of a run, with their names."""
    return [(string(tool, "name"), rename_fields(tool, TOOL_FIELDS)) for tool in functions(run)]


def tool_names(run: Event) -> dict[str, str]:
    """The tool of each call in the messages, by the call id that the host uses."""
    parts = (p for message in objects(run, "messages") for p in objects(message, "content"))
    return {string(p, "callId"): string(p, "name") for p in parts if p.get("type") == "toolCall"}


def _message(message: Event, prefix: str, names: Mapping[str, str]) -> Json:
    role = message.get("role")
    if role == "tool":
        return {"role": role, "content": [_result(message, prefix, names)]}
    if role == "assistant":
        return {"role": role, "content": _assistant_content(objects(message, "content"), prefix)}
    return {"role": role, "content": message.get("content")}


def _result(message: Event, prefix: str, names: Mapping[str, str]) -> Json:
    call_id = string(message, "callId")
    return {
        "type": "tool-result",
        "toolCallId": call_id.removeprefix(prefix),
        "toolName": names.get(call_id) or UNKNOWN_TOOL,
        "output": {"type": "text", "value": message.get("content")},
    }


def _assistant_content(parts: list[Event], prefix: str) -> list[Json]:
    """The content of an assistant's message, in which adjacent texts and thoughts are joined."""
    said: list[Json] = []
    thoughts: dict[str, Json] = {}
    for part in parts:
        kind = string(part, "type")
        if kind == "thinking":
            _add_reasoning(said, thoughts, part)
        elif kind == "text" and said and said[-1]["type"] == "text":
            said[-1]["text"] = f"{said[-1]['text']}{string(part, 'value')}"
        elif kind in PART_READERS:
            said += PART_READERS[kind](part, prefix)
    return said


def _text_part(part: Event, _: str) -> list[Json]:
    return [{"type": "text", "text": string(part, "value")}]


def _call_part(part: Event, prefix: str) -> list[Json]:
    call_id = string(part, "callId").removeprefix(prefix)
    name, input_ = part.get("name"), part.get("input")
    return [{"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": input_}]


def _file_part(part: Event, _: str) -> list[Json]:
    media_type = string(part, "mimeType")
    if media_type.startswith(HOST_DATA):
        return []
    return [{"type": "file", "data": part.get("data"), "mediaType": media_type}]


PART_READERS: Mapping[str, Callable[[Event, str], list[Json]]] = {
    "text": _text_part,
    "toolCall": _call_part,
    "data": _file_part,
}


def _add_reasoning(said: list[Json], thoughts: dict[str, Json], part: Event) -> None:
    """Add a piece of reasoning to the block with its id.

    Without ids, it belongs to the last block, if that is the last part and has no metadata yet.
    """
    id_, metadata = string(part, "id"), object_(object_(part, "metadata"), "providerMetadata")
    open_ = thoughts.get(id_)
    if open_ and not id_ and (open_ is not said[-1] or "providerOptions" in open_):
        open_ = None
    if open_ is None:
        open_ = thoughts[id_] = {"type": "reasoning", "text": ""}
        said.append(open_)
    open_["text"] = f"{open_['text']}{string(part, 'value')}"
    if metadata:
        open_["providerOptions"] = metadata


def gateway_request(run: Event, prefix: str = "") -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    tools = [{"type": "function", "name": name, **tool} for name, tool in named_tools(run)]
    prompt = [_with_parts(message) for message in messages(run, prefix)]
    return {**options(run), "prompt": prompt, **({"tools": tools} if tools else {})}


def _gateway_headers(run: Event) -> dict[str, str]:
    """The headers with the model and the versions of the protocol and the specification."""
    return {
        "ai-gateway-protocol-version": "0.0.1",
        "ai-gateway-auth-method": "api-key",
        "ai-language-model-specification-version": SPECIFICATION,
        "ai-language-model-id": string(run, "model"),
        "ai-language-model-streaming": "true",
    }


def _with_parts(message: Json) -> Json:
    if message["role"] != "user":
        return message
    return {**message, "content": [{"type": "text", "text": message["content"]}]}


def ui_request(run: Event, prefix: str = "") -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    fields = {"id": string(run, "id"), "model": run.get("model"), "trigger": "submit-message"}
    numbered = enumerate(_merge_answers(messages(run, prefix)))
    kept = [{"id": f"msg-{n}", "role": role, "parts": parts} for n, (role, parts) in numbered]
    return {**options(run), **fields, "messages": kept}


def _merge_answers(sent: list[Json]) -> list[UiMessage]:
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
        parts = _ui_parts(message)
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


def _ui_parts(message: Json) -> list[Json]:
    if message["role"] != "assistant":
        return [{"type": "text", "text": message["content"]}]
    said = objects(message, "content")
    return [{"type": "step-start"}, *(UI_PARTS[string(part, "type")](part) for part in said)]


def _ui_text(part: Event) -> Json:
    return {"type": "text", "text": part["text"], "state": "done"}


def _ui_reasoning(part: Event) -> Json:
    options = part.get("providerOptions")
    metadata = {"providerMetadata": options} if options else {}
    return {"type": "reasoning", "text": part["text"], "state": "done", **metadata}


def _ui_call(part: Event) -> Json:
    fields = {"toolCallId": part["toolCallId"], "input": part["input"]}
    return {"type": f"tool-{string(part, 'toolName')}", "state": "input-available", **fields}


def _ui_file(part: Event) -> Json:
    media_type = string(part, "mediaType")
    url = f"data:{media_type};base64,{string(part, 'data')}"
    return {"type": "file", "mediaType": media_type, "url": url}


UI_PARTS: Mapping[str, Callable[[Event], Json]] = {
    "text": _ui_text,
    "reasoning": _ui_reasoning,
    "tool-call": _ui_call,
    "file": _ui_file,
}


class Adapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an upstream that streams a layer of the AI SDK."""

    def __init__(
        self,
        upstream: Upstream,
        layer: Layer,
        traits: Traits | None = None,
        machine: type[FullStream] = FullStream,
    ) -> None:
        super().__init__(upstream, lambda given: machine(given, layer), traits)


_FULL_STREAM = Upstream(
    "reference-fullstream-vscode", "vercel-fullstream", "/full-stream", fullstream_request
)
_GATEWAY = Upstream(
    "reference-gateway-vscode",
    "vercel-gateway",
    "/language-model",
    gateway_request,
    _gateway_headers,
)
_UI = Upstream("reference-ui-vscode", "vercel-ui", "/chat", ui_request)

FullStreamAdapter = partial(Adapter, _FULL_STREAM, FULL_STREAM)
GatewayAdapter = partial(Adapter, _GATEWAY, PROVIDER)
UiAdapter = partial(Adapter, _UI, UI)
"""Create an adapter from its traits, and optionally another machine."""


def fullstream(traits: Traits | None = None) -> Counting:
    """Create the adapter of full streams, with token counting; `adapter.yaml` may name it."""
    return Counting(FullStreamAdapter(traits))


def gateway(traits: Traits | None = None) -> Adapter:
    """Create the adapter of the AI Gateway's parts; `adapter.yaml` may name it."""
    return GatewayAdapter(traits)


def ui(traits: Traits | None = None) -> Adapter:
    """Create the adapter of UI message streams; `adapter.yaml` may name it."""
    return UiAdapter(traits)
