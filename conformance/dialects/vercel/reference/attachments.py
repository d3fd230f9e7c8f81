"""Sources and an application's own data in a full stream, as sources and data parts."""

from __future__ import annotations

import json
from base64 import b64encode

from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.openresponses.reference.attachments import Source
from conformance.dialects.vercel.reference.fields import DATA, Layer, first

OWN_FILES = {"file_id": "fileId", "container_id": "containerId"}
"""The ids of a provider's file in its metadata: field of a source, field of the metadata."""


def source_of(data: Event, layer: Layer) -> Source:
    """The source in a part; in ai 4, it is a nested object."""
    source = object_(data, "source") or data
    found = {name: string(source, name) for name in ("url", "title", "filename", "mediaType")}
    found["sourceId"] = first(source, layer.source_id)
    metadata = object_(source, "providerMetadata")
    for provider in metadata:
        for ours, theirs in OWN_FILES.items():
            found[ours] = found.get(ours) or string(object_(metadata, provider), theirs)
    return {name: value for name, value in found.items() if value}


def own_data(data: Event) -> list[Part]:
    """A `data-*` part as a data part of JSON (stream-mapping § Priority 5)."""
    name = string(data, "type").removeprefix(DATA)
    if not name or "data" not in data:
        return []
    mime_type = f"application/vnd.vercel.{name}+json"
    body = b64encode(_json(data["data"])).decode()
    return [{"type": "data", "mimeType": mime_type, "data": body}]


def _json(value: object) -> bytes:
    """The same text as `JSON.stringify` writes; if it has a lone surrogate, all is ASCII."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
