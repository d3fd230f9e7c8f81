"""Files, sources and an application's own data in a full stream, as data parts and sources.

A generated file has its bytes in base64, under another name if the object was serialised, or as an
array; other layers send a `data:` URL. Bytes and media type are unchanged. A file that is only
referred to is not fetched.
"""

import json
from base64 import b64decode
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from conformance.dialects.client.content import Source, data_part
from conformance.dialects.client.fields import Event, Part, object_, string
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
    json_text = json.dumps(data.get("data"), separators=(",", ":"))
    return [data_part(f"application/vnd.vercel.{name}+json", json_text.encode())]


def file_part(data: Event, layer: Layer) -> list[Part]:
    """A `file` part as a data part; empty without bytes. In ai 4, its fields are not nested."""
    source = object_(data, "file") or data
    forms = (read(source.get(name)) for name, read in FORMS.items())
    found = next((each for each in forms if each is not None), None)
    media_type = first(source, layer.media_type) or first(data, layer.media_type)
    return [] if found is None else [data_part(media_type, found)]


def _base64(value: object) -> bytes | None:
    if not isinstance(value, str):
        return None
    try:
        return b64decode(value, validate=True)
    except ValueError:
        return None


def _array(value: object) -> bytes | None:
    """Decode an array of bytes: a list, a `Uint8Array` as JSON, or a serialised `Buffer`."""
    if isinstance(value, dict):
        value = value["data"] if "data" in value else list(value.values())
    if not isinstance(value, list) or not all(type(each) is int for each in value):
        return None
    try:
        return bytes(value)
    except ValueError:
        return None


def _url(value: object) -> bytes | None:
    """Decode a URL of RFC 2397: `data:[<media type>][;base64],<data>`."""
    if not isinstance(value, str) or not value.lower().startswith("data:"):
        return None
    head, _, body = value[len("data:") :].partition(",")
    raw = unquote_to_bytes(body)
    return _base64(raw.decode("latin-1")) if head.endswith(";base64") else raw


FORMS: dict[str, Callable[[object], bytes | None]] = {
    "base64": _base64,
    "base64Data": _base64,
    "uint8Array": _array,
    "uint8ArrayData": _array,
    "data": _base64,
    "url": _url,
}
