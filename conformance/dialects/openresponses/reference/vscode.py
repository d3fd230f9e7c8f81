"""The reference adapter from OpenResponses to VS Code: its endpoint, its requests, its parts.

`machine` reads the events; read that first. `client.transport` is the HTTP client.
"""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from itertools import groupby

from conformance.dialects.client import transport
from conformance.dialects.client.content import (
    CITATION_PARTS,
    call_part,
    data_part,
    reasoning_parts,
    text_parts,
)
from conformance.dialects.client.fields import (
    Event,
    Part,
    functions,
    object_,
    objects,
    options,
    rename_fields,
    string,
)
from conformance.dialects.client.transport import Traits, Upstream
from conformance.dialects.openresponses.reference.items import (
    REASONING,
    REFUSAL,
    SUMMARY,
    TEXT,
    Call,
    Cited,
    Item,
)
from conformance.dialects.openresponses.reference.machine import Responses

DIALECT = "openresponses"

TOOL_FIELDS = {"name": "name", "description": "description", "input_schema": "parameters"}


class ResponsesToVscode(Responses):
    """Converts one response to parts of the `vscode` vocabulary."""

    def __init__(self, traits: Event | None = None) -> None:
        prefix = str((traits or {}).get("call_id_prefix") or "")
        super().__init__(lambda chosen: VscodeEmitter(chosen, prefix), traits)


class VscodeEmitter:
    """Collects the parts to emit until `take` returns them.

    `refusal` is the text of refusals if they are reported as errors.
    """

    def __init__(self, traits: Event, prefix: str) -> None:
        """`prefix` is put before call ids."""
        self._traits = traits
        self._prefix = prefix
        self._routes = {
            TEXT: "text",
            REFUSAL: self._traits["refusal"],
            REASONING: self._traits["reasoning"],
            SUMMARY: self._traits["reasoning"],
        }
        self.refusal = ""
        self._out: list[Part] = []
        self._calls_for_end: list[Part] = []

    def take(self) -> list[Part]:
        """Return the collected parts, and forget them."""
        parts, self._out = self._out, []
        return parts

    def text(self, item: Item, channel: str, index: int, text: str) -> None:
        """Emit a piece of text of any channel; ``index`` is that of its part in the item."""
        route = self._routes[channel]
        if route == "error":
            self.refusal += text
        else:
            # The id identifies the block of a part, so no separator is needed.
            block = f"{item.id}:{index}" if item.id and index else item.id
            self._out += reasoning_parts(route, text, block)

    def encrypted(self, item: Item, encrypted: str) -> None:
        """Emit the encrypted reasoning of an item once; the host sends it back later."""
        if encrypted and not item.encrypted_emitted and self._routes[REASONING] == "thinking":
            metadata = {"encrypted_content": encrypted}
            self._out += reasoning_parts("thinking", "", item.id, metadata)
        item.encrypted_emitted = item.encrypted_emitted or bool(encrypted)

    def citations(self, _item: Item, cited: list[Cited]) -> None:
        for source, _ in cited:
            self._out += CITATION_PARTS[self._traits["annotations"]](source)

    def image(self, item: Item, source: Event) -> None:
        """Emit a generated image once, whatever its status; partial images are not results."""
        parts = [] if item.image_emitted else _image_parts(source)
        item.image_emitted = item.image_emitted or bool(parts)
        self._out += parts

    def call_part(self, call: Call, input_: Mapping[str, object]) -> Part:
        """The part of a call, to compare or to emit."""
        return call_part(self._prefix + call.call_id, call.name, input_)

    def call(self, _call: Call, part: Part) -> None:
        """Emit a call now or at the end, as the trait ``emit_call_at`` says."""
        at_end = self._traits.get("emit_call_at") == "end"
        (self._calls_for_end if at_end else self._out).append(part)

    def end(self, error_text: str) -> None:
        """Emit the calls that wait for the end, and the text of a failure that is shown as text."""
        self._out += self._calls_for_end + text_parts(error_text)


def _image_parts(item: Event) -> list[Part]:
    """The image in an item's `result` as a data part; none unless the result is base64."""
    try:
        data = b64decode(string(item, "result"), validate=True)
    except ValueError:
        return []
    return [data_part(f"image/{string(item, 'output_format') or 'png'}", data)] if data else []


class Adapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an OpenResponses upstream; keeps no state."""

    def __init__(
        self, traits: Traits | None = None, machine: type[ResponsesToVscode] = ResponsesToVscode
    ) -> None:
        """Raises ValueError if a trait has a value that the machine does not know."""
        upstream = Upstream("reference-openresponses-vscode", DIALECT, "/responses", request)
        super().__init__(upstream, machine, traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return Adapter(traits)


def gateway(traits: Traits | None = None) -> Adapter:
    """Create the adapter of rfc-00022, which prefixes call ids with `gw-`."""
    return Adapter({"call_id_prefix": "gw-", **(traits or {})})


def request(run: Event, prefix: str = "") -> dict[str, object]:
    """The request body of a run; `prefix`, which this adapter adds to call ids, is removed."""
    body = {**options(run), "model": run.get("model"), "stream": True}
    body["input"] = [item for m in objects(run, "messages") for item in _items(m, prefix)]
    tools = [{"type": "function", **rename_fields(tool, TOOL_FIELDS)} for tool in functions(run)]
    return {**body, "tools": tools} if tools else body


def _items(message: Event, prefix: str) -> Iterator[dict[str, object]]:
    """A message as input items; reasoning without encrypted content is left out."""
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        call_id = string(message, "callId").removeprefix(prefix)
        yield {"type": "function_call_output", "call_id": call_id, "output": content}
    elif role != "assistant":
        yield {"type": "message", "role": role, "content": content}
    else:
        for kind, parts in groupby(objects(message, "content"), lambda part: part.get("type")):
            if kind == "text":
                text = "".join(string(part, "value") for part in parts)
                yield {"type": "message", "role": role, "content": text}
            elif kind == "toolCall":
                yield from (_call_item(part, prefix) for part in parts)
            elif kind == "thinking":
                yield from _reasoning(list(parts))


def _reasoning(parts: list[Event]) -> Iterator[dict[str, object]]:
    """The reasoning items that have encrypted content; upstreams have no use for others."""
    shown: list[str] = []
    for part in parts:
        shown.append(string(part, "value"))
        if encrypted := string(object_(part, "metadata"), "encrypted_content"):
            summary = [{"type": "summary_text", "text": "".join(shown)}] if any(shown) else []
            yield {"type": "reasoning", "summary": summary, "encrypted_content": encrypted}
            shown = []


def _call_item(part: Event, prefix: str) -> dict[str, object]:
    return {
        "type": "function_call",
        "call_id": string(part, "callId").removeprefix(prefix),
        "name": part.get("name"),
        "arguments": json.dumps(part.get("input")),
    }
