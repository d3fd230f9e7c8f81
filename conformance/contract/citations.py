"""The two forms in which adapters emit a citation: a link in the text, or a data part.

The link is exactly ` [title](url)`, at the place of the citation (rfc-00022 § Gap 2). Without a
title the URL is used as the title; without a URL there is no link. A data part holds JSON with the
media type ``MEDIA_TYPE`` (stream-mapping § Priority 2: Source/Citation Support). The fields of
``Citation`` are read from it, in snake case or camel case; an adapter may add others.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockserver.scenario.script import Citation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MEDIA_TYPE = "application/vnd.vscode.citation+json"

IDENTITY = ("url", "file_id", "container_id")
"""The fields that identify a source; the others are its title and its file name."""

_NAMES = {
    "url": ("url",),
    "title": ("title",),
    "file_id": ("file_id", "fileId"),
    "filename": ("filename", "fileName"),
    "container_id": ("container_id", "containerId"),
}


def link(citation: Citation) -> str:
    """The Markdown link to a source, with the blank before it; empty if there is no URL."""
    return f" [{citation.title or citation.url}]({citation.url})" if citation.url else ""


def citation_from(fields: Mapping[str, Any]) -> Citation:
    """A citation from JSON fields in snake or camel case; an empty one if they name no source."""
    found = {
        name: value
        for name, spellings in _NAMES.items()
        for spelling in spellings
        if isinstance(value := fields.get(spelling), str)
    }
    return Citation(**found)


def citation_of_source_part(part: Mapping[str, Any]) -> Citation:
    """A citation from a source part of the AI SDK or of Effect; an empty one if it names none.

    The ids of a document are in the metadata of its provider, or of several that agree.
    """
    metadata = part.get("providerMetadata", part.get("metadata"))
    entries = metadata.values() if isinstance(metadata, dict) else ()
    providers = [entry for entry in entries if isinstance(entry, dict)]
    fields = {name: _agreed(providers, name) for name in ("fileId", "containerId")}
    fields |= {
        name: part[name] for name in part if name in ("url", "title", "filename", "fileName")
    }
    citation = citation_from(fields)
    # The title of a document is required here, so a file name or an id stands in for a missing one.
    bare = (citation.filename, citation.filename or citation.file_id)
    return replace(citation, title="") if citation.title in bare else citation


def _agreed(providers: Iterable[Mapping[str, Any]], name: str) -> str | None:
    """The one text that providers have for a name; None if there is none, or more than one.

    The order of providers must not matter, since JavaScript does not keep the order of JSON.
    """
    texts = {text for each in providers if isinstance(text := each.get(name), str) and text}
    return texts.pop() if len(texts) == 1 else None


def encode(citation: Citation) -> str:
    """The body of a data part that holds this citation: JSON in base64."""
    return b64encode(json.dumps({"type": "citation", **citation.fields()}).encode()).decode()


def decode(data: str) -> Citation | None:
    """The citation in the body of a data part; None if the body is not a citation."""
    try:
        fields = json.loads(b64decode(data, validate=True))
    except (ValueError, RecursionError):
        return None
    citation = citation_from(fields) if isinstance(fields, dict) else Citation()
    return citation if citation.fields() else None


def same_source(read: Citation, sent: Citation) -> bool:
    """Whether a citation has the source that was sent; its title and file name may be missing."""
    got, due = read.fields(), sent.fields()
    known_by = all(got.get(name) == due.get(name) for name in IDENTITY)
    return known_by and all(got.get(name, value) == value for name, value in due.items())


def citation_of_data_part(part: Mapping[str, Any]) -> Citation | None:
    """The citation in a ``vscode`` data part; None if the part holds something else."""
    is_one = part.get("type") == "data" and part.get("mimeType") == MEDIA_TYPE
    return decode(str(part.get("data", ""))) if is_one else None
