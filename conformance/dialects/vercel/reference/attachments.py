"""What a full stream tells beside the answer: sources, and data of an application's own."""

from __future__ import annotations

import json
from base64 import b64encode

from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.openresponses.reference.attachments import Source
from conformance.dialects.vercel.reference.fields import DATA, Layer, first

OWN_FILES = {"file_id": "fileId", "container_id": "containerId"}
"""How a provider's metadata names a file that only it can open."""


def source_of(data: Event, layer: Layer) -> Source:
    """What is told of a source; generation v4 has it in an object of its own."""
    source = object_(data, "source") or data
    told = {name: string(source, name) for name in ("url", "title", "filename", "mediaType")}
    told["sourceId"] = first(source, layer.source_id)
    metadata = object_(source, "providerMetadata")
    for provider in metadata:
        for ours, theirs in OWN_FILES.items():
            told[ours] = told.get(ours) or string(object_(metadata, provider), theirs)
    return {name: value for name, value in told.items() if value}


def own_data(data: Event) -> list[Part]:
    """A `data-*` as JSON (stream-mapping § Priority 5: Custom Data Passthrough)."""
    name = string(data, "type").removeprefix(DATA)
    if not name or "data" not in data:
        return []
    mime_type = f"application/vnd.vercel.{name}+json"
    body = b64encode(_json(data["data"])).decode()
    return [{"type": "data", "mimeType": mime_type, "data": body}]


def _json(value: object) -> bytes:
    """To the letter as `JSON.stringify` has it; half of a character stays escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
