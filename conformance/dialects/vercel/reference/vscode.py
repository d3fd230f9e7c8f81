"""The reference adapters from the layers of the AI SDK to VS Code: their endpoints and requests.

- `fullstream` sends the options of `streamText`. A result must name its tool, but the host gives
  only the id of its call, which may be in any earlier message. So the names of all calls are
  collected first (stream-mapping § Tool Result Message Format). System messages are sent as such,
  at any position. Lengths are not checked; the upstream reports what is too long.
- `gateway` sends what `@ai-sdk/gateway` sends to the AI Gateway. The messages are those of
  `streamText`, except that a user's content is a list of parts (@ai-sdk/provider,
  LanguageModelV3Prompt). The model and the version of the specification are in headers only.
- `ui` sends the UI messages of a browser's chat transport. The part of a call has the result of its
  tool (ai, UIMessage). The server has the model and the tools, so they are not sent. Data parts and
  sources, which the model did not write, are not sent back.

`machine` reads the answers.
"""

from collections.abc import Callable, Mapping
from functools import partial

from conformance.dialects.client import transport
from conformance.dialects.client.content import CITATION
from conformance.dialects.client.counting import Counting
from conformance.dialects.client.fields import Event, object_, objects, options, string
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.vercel.reference.machine import FullStream
from conformance.dialects.vercel.reference.provider_parts import headers, tools

UNKNOWN_TOOL = "unknown_tool"
HOST_DATA = (CITATION, "application/vnd.vercel.")
"""Media types of data parts that the adapter made for its host, which are not sent back."""

Json = dict[str, object]


def fullstream_request(run: Event, prefix: str) -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    offered = {tool["name"]: tool for tool in tools(run)}
    body = {**options(run), "model": run.get("model"), "messages": messages(run, prefix)}
    return {**body, "tools": offered}


def messages(run: Event, prefix: str) -> list[Json]:
    """The messages of a run."""
    names = tool_names(run)
    return [_message(message, prefix, names) for message in objects(run, "messages")]


def tool_names(run: Event) -> dict[str, str]:
    """The tool of each call in the messages, by the call id that the host uses."""
    parts = (p for message in objects(run, "messages") for p in objects(message, "content"))
    return {string(part, "callId"): string(part, "name") for part in parts}


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
    """Add a piece of reasoning to the open block with its id; metadata ends it."""
    id_ = string(part, "id")
    block = thoughts.get(id_)
    if block is None or "providerOptions" in block:
        block = thoughts[id_] = {"type": "reasoning", "text": ""}
        said.append(block)
    block["text"] = f"{block['text']}{string(part, 'value')}"
    if metadata := object_(object_(part, "metadata"), "providerMetadata"):
        block["providerOptions"] = metadata


def gateway_request(run: Event, prefix: str) -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    prompt = [_with_parts(message) for message in messages(run, prefix)]
    return {**options(run), "prompt": prompt, "tools": tools(run)}


def _with_parts(message: Json) -> Json:
    if message["role"] != "user":
        return message
    return {**message, "content": [{"type": "text", "text": message["content"]}]}


def ui_request(run: Event, prefix: str) -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    sent = messages(run, prefix)
    tools = (part for each in sent if each["role"] == "tool" for part in objects(each, "content"))
    results = {part["toolCallId"]: object_(part, "output")["value"] for part in tools}
    said = [each for each in sent if each["role"] != "tool"]
    kept = [{"role": each["role"], "parts": _ui_parts(each, results)} for each in said]
    return {**options(run), "messages": [{"id": f"msg-{n}", **each} for n, each in enumerate(kept)]}


def _ui_parts(message: Json, results: Mapping[object, object]) -> list[Json]:
    if message["role"] != "assistant":
        return [{"type": "text", "text": message["content"]}]
    return [UI_PARTS[string(part, "type")](part, results) for part in objects(message, "content")]


def _ui_text(part: Event, _: Mapping[object, object]) -> Json:
    return {"type": "text", "text": part["text"]}


def _ui_reasoning(part: Event, _: Mapping[object, object]) -> Json:
    metadata = object_(part, "providerOptions")
    return {"type": "reasoning", "text": part["text"], "providerMetadata": metadata}


def _ui_call(part: Event, results: Mapping[object, object]) -> Json:
    type_, id_ = f"tool-{string(part, 'toolName')}", part["toolCallId"]
    done = {"state": "output-available", "output": results.get(id_)}
    return {"type": type_, "toolCallId": id_, "input": part["input"], **done}


def _ui_file(part: Event, _: Mapping[object, object]) -> Json:
    media_type = string(part, "mediaType")
    url = f"data:{media_type};base64,{string(part, 'data')}"
    return {"type": "file", "mediaType": media_type, "url": url}


UI_PARTS: Mapping[str, Callable[[Event, Mapping[object, object]], Json]] = {
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
        traits: Traits | None = None,
        machine: type[FullStream] = FullStream,
    ) -> None:
        super().__init__(upstream, machine, traits)


_FULL_STREAM = Upstream(
    "reference-fullstream-vscode", "vercel-fullstream", "/full-stream", fullstream_request
)
_GATEWAY = Upstream(
    "reference-gateway-vscode", "vercel-gateway", "/language-model", gateway_request, headers
)
_UI = Upstream("reference-ui-vscode", "vercel-ui", "/chat", ui_request)

FullStreamAdapter = partial(Adapter, _FULL_STREAM)
GatewayAdapter = partial(Adapter, _GATEWAY)
UiAdapter = partial(Adapter, _UI)
"""Create an adapter from its traits, and optionally another machine."""


def fullstream(traits: Traits | None = None) -> Counting:
    """Create the adapter of full streams, which counts tokens, and prefixes call ids with `gw-`."""
    return Counting(FullStreamAdapter({"call_id_prefix": "gw-", **(traits or {})}))


def gateway(traits: Traits | None = None) -> Adapter:
    """Create the adapter of the AI Gateway's parts; `adapter.yaml` may name it."""
    return GatewayAdapter(traits)


def ui(traits: Traits | None = None) -> Adapter:
    """Create the adapter of UI message streams; `adapter.yaml` may name it."""
    return UiAdapter(traits)
