"""Files, sources and an application's own data in a full stream, as data parts and sources.

A generated file has its bytes in base64; if the object was serialised, under another name, or as an
array. Other layers send a `data:` URL. Bytes and media type are unchanged. A file that is only
referred to is not fetched.
"""

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from conformance.dialects.client.content import Source, data_part
from conformance.dialects.client.fields import Event, Part, object_, string
from conformance.dialects.vercel.reference.fields import DATA, MEDIA_TYPE, first

OWN_FILES = {"file_id": "fileId", "container_id": "containerId"}
"""The ids of a provider's file in its metadata: field of a source, field of the metadata."""


def source_of(data: Event) -> Source:
    """The source in a part; in ai 4, it is a nested object."""
    source = object_(data, "source") or data
    found = {name: string(source, name) for name in ("url", "title", "filename")}
    metadata = object_(source, "providerMetadata")
    for own in (object_(metadata, provider) for provider in metadata):
        found |= {ours: string(own, theirs) for ours, theirs in OWN_FILES.items()}
    return {name: value for name, value in found.items() if value}


def own_data(data: Event) -> list[Part]:
    """A `data-*` part as a data part of JSON (stream-mapping § Priority 5)."""
    name = string(data, "type").removeprefix(DATA)
    return [data_part(f"application/vnd.vercel.{name}+json", json.dumps(data["data"]).encode())]


def file_part(data: Event) -> list[Part]:
    """A `file` part as a data part; empty without bytes. In ai 4, its fields are not nested."""
    source = object_(data, "file") or data
    contents = (read(source[name]) for name, read in FORMS.items() if name in source)
    content = next(filter(None, contents), b"")
    return [data_part(first(source, MEDIA_TYPE), content)] if content else []


def _array(value: Any) -> bytes:
    """Decode a `Uint8Array` as it is in JSON: an object with numbers for keys."""
    return bytes(value.values())


def _url(value: Any) -> bytes:
    """Decode a URL of RFC 2397: `data:[<media type>][;base64],<data>`."""
    head, _, body = value.partition(",")
    raw = unquote_to_bytes(body) if head.startswith("data:") else b""
    return b64decode(raw) if head.endswith(";base64") else raw


FORMS: dict[str, Callable[[Any], bytes]] = {
    "base64": b64decode,
    "base64Data": b64decode,
    "uint8ArrayData": _array,
    "data": b64decode,
    "url": _url,
}
