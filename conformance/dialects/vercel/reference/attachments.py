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
    if not name or "data" not in data:
        return []
    return [data_part(f"application/vnd.vercel.{name}+json", _json(data["data"]))]


def _json(value: object) -> bytes:
    """The same text as `JSON.stringify` writes; if it has a lone surrogate, all is ASCII."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


UNKNOWN_MEDIA_TYPE = "application/octet-stream"
MAX_DEPTH = 3

File = tuple[bytes, str]


def file_part(data: Event, layer: Layer) -> list[Part]:
    """A `file` part as a data part; empty without bytes. In ai 4, its fields are not nested."""
    source = object_(data, "file") or data
    found = _bytes(source)
    if found is None:
        return []
    named = first(source, layer.media_type) or first(data, layer.media_type)
    media_type = named or found[1] or UNKNOWN_MEDIA_TYPE
    return [data_part(media_type, found[0])]


def _bytes(source: Event, depth: int = MAX_DEPTH) -> File | None:
    """The bytes in the first form that has any, and the media type that the form gives, if any."""
    for name, read in FORMS.items():
        value = source.get(name)
        if isinstance(value, dict) and name == "data" and depth:
            found = _bytes(value, depth - 1)
        else:
            found = read(value)
        if found is not None:
            return found
    return None


def _base64(value: object) -> File | None:
    """Decode base64 of either alphabet, with or without padding."""
    if not isinstance(value, str):
        return None
    text = "".join(value.split()).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(text + "=" * (-len(text) % 4), validate=True), ""
    except ValueError:
        return None


def _array(value: object) -> File | None:
    """Decode an array of bytes: a list, a `Uint8Array` as JSON, or a serialised `Buffer`."""
    if isinstance(value, dict):
        value = value["data"] if "data" in value else list(value.values())
    if not isinstance(value, list) or not all(type(each) is int for each in value):
        return None
    try:
        return bytes(value), ""
    except ValueError:
        return None


def _url(value: object) -> File | None:
    """Decode a URL of RFC 2397: `data:[<media type>][;base64],<data>`."""
    if not isinstance(value, str) or not value.lower().startswith("data:"):
        return None
    head, _, body = value[len("data:") :].partition(",")
    media_type = head.removesuffix(";base64")
    raw = unquote_to_bytes(body)
    if media_type == head:
        return raw, media_type
    found = _base64(raw.decode("latin-1"))
    return (found[0], media_type) if found else None


FORMS: dict[str, Callable[[object], File | None]] = {
    "base64": _base64,
    "base64Data": _base64,
    "uint8Array": _array,
    "uint8ArrayData": _array,
    "data": _base64,
    "url": _url,
}
