"""The annotations of a text as source parts, by the type of the annotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.client.fields import Event, Part, integer, string
from conformance.dialects.openresponses.reference.openai_stream.block import metadata

PLAIN, UNKNOWN = "text/plain", "application/octet-stream"


def source(annotation: Event) -> list[Part]:
    """The source of an annotation; empty if its type is unknown or it names no source."""
    make = SOURCES.get(string(annotation, "type"))
    return make(annotation) if make else []


def _url(annotation: Event) -> list[Part]:
    url, title = string(annotation, "url"), string(annotation, "title")
    part: Part = {"type": "source", "sourceType": "url", "id": url, "url": url}
    return [part | ({"title": title} if title else {})] if url else []


def _file(annotation: Event) -> list[Part]:
    about = {"fileId": string(annotation, "file_id"), "index": integer(annotation, "index")}
    return _document(annotation, PLAIN, string(annotation, "filename"), about)


def _container_file(annotation: Event) -> list[Part]:
    about = {
        "fileId": string(annotation, "file_id"),
        "containerId": string(annotation, "container_id") or None,
    }
    return _document(annotation, PLAIN, string(annotation, "filename"), about)


def _path(annotation: Event) -> list[Part]:
    file_id = string(annotation, "file_id")
    about = {"fileId": file_id, "index": integer(annotation, "index")}
    return _document(annotation, UNKNOWN, file_id, about)


def _document(annotation: Event, media_type: str, filename: str, about: Event) -> list[Part]:
    """A document, which must have a title: its file name, or else its id."""
    file_id = string(annotation, "file_id")
    if not file_id:
        return []
    part: Part = {
        "type": "source",
        "sourceType": "document",
        "id": file_id,
        "mediaType": media_type,
        "title": filename or file_id,
    }
    part |= {"filename": filename} if filename else {}
    return [{**part, **metadata(type=annotation.get("type"), **about)}]


SOURCES: Mapping[str, Callable[[Event], list[Part]]] = {
    "url_citation": _url,
    "file_citation": _file,
    "container_file_citation": _container_file,
    "file_path": _path,
}
