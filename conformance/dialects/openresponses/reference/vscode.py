"""The reference adapter from OpenResponses to VS Code: its endpoint, its requests, its factories.

`machine` turns events into parts; read that first. `client.transport` is the HTTP client.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, object_, objects, string
from conformance.dialects.client.requests import functions, options, renamed
from conformance.dialects.client.transport import Traits, Upstream, http_failure
from conformance.dialects.openresponses.reference.machine import ResponsesToVscode

__all__ = ["DIALECT", "Adapter", "adapter", "gateway", "http_failure", "request"]

DIALECT = "openresponses"

TOOL_FIELDS = {"name": "name", "description": "description", "input_schema": "parameters"}


def adapter(traits: Traits | None = None) -> Adapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return Adapter(traits)


class Adapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an OpenResponses upstream; keeps no state."""

    def __init__(
        self, traits: Traits | None = None, machine: type[ResponsesToVscode] = ResponsesToVscode
    ) -> None:
        """Raises ValueError if a trait has a value that the machine does not know."""
        upstream = Upstream("reference-openresponses-vscode", DIALECT, "/responses", request)
        super().__init__(upstream, machine, traits)


def request(run: Event, prefix: str = "") -> dict[str, object]:
    """The request body of a run; `prefix`, which this adapter adds to call ids, is removed."""
    body = {**options(run), "model": run.get("model"), "stream": True}
    body["input"] = [item for m in objects(run, "messages") for item in _items(m, prefix)]
    tools = [{"type": "function", **renamed(tool, TOOL_FIELDS)} for tool in functions(run)]
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


def gateway() -> Adapter:
    """Create the adapter of rfc-00022, which prefixes call ids with `gw-`."""
    return Adapter({"call_id_prefix": "gw-"})
