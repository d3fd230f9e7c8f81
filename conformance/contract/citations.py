"""Citations as adapters hand them on: a link in the text, or a data part of their own.

A link stands where the upstream cited: ` [title](url)`, to the letter (rfc-00022 § Gap 2). Where
there is no title, the URL stands for it; what has no URL has no link. A data part is JSON under
``MEDIA_TYPE`` (stream-mapping § Priority 2: Source/Citation Support). Of its fields those of a
``Citation`` are read, under their own names or as camel case; others are its adapter's affair.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockserver.scenario.model import Citation

if TYPE_CHECKING:
    from collections.abc import Mapping

MEDIA_TYPE = "application/vnd.vscode.citation+json"

IDENTITY = ("url", "file_id", "container_id")
"""What a source is known by; the rest names it."""

_NAMES = {
    "url": ("url",),
    "title": ("title",),
    "file_id": ("file_id", "fileId"),
    "filename": ("filename", "fileName"),
    "container_id": ("container_id", "containerId"),
}


def link(citation: Citation) -> str:
    """The link to a source, as it stands in the text; empty where there is nothing to link to."""
    return f" [{citation.title or citation.url}]({citation.url})" if citation.url else ""


def named(fields: Mapping[str, Any]) -> Citation:
    """The source that these fields tell of; nothing at all where they tell of none."""
    found = {
        name: value
        for name, spellings in _NAMES.items()
        for spelling in spellings
        if isinstance(value := fields.get(spelling), str)
    }
    return Citation(**found)


def of_source(part: Mapping[str, Any]) -> Citation:
    """The source of a part of the AI SDK or of Effect; nothing at all where it tells of none.

    What identifies a document stands in its provider's metadata.
    """
    metadata = part.get("providerMetadata", part.get("metadata"))
    providers = metadata.values() if isinstance(metadata, dict) else ()
    known: dict[str, Any] = {}
    for provider in providers:
        known |= provider if isinstance(provider, dict) else {}
    fields = {name: known[name] for name in known if name in ("fileId", "containerId")}
    fields |= {
        name: part[name] for name in part if name in ("url", "title", "filename", "fileName")
    }
    citation = named(fields)
    # A document has to have a title here, so that what it is known by has to serve.
    bare = (citation.filename, citation.filename or citation.file_id)
    return replace(citation, title="") if citation.title in bare else citation


def encoded(citation: Citation) -> str:
    """The body of a data part: JSON, in base64."""
    return b64encode(json.dumps({"type": "citation", **citation.fields()}).encode()).decode()


def decoded(data: str) -> Citation | None:
    """The source in the body of a data part; None where it holds none."""
    try:
        fields = json.loads(b64decode(data, validate=True))
    except (ValueError, RecursionError):
        return None
    citation = named(fields) if isinstance(fields, dict) else Citation()
    return citation if citation.fields() else None


def same_source(read: Citation, sent: Citation) -> bool:
    """Is this the source that was sent? What names it may be missing, not differ."""
    got, due = read.fields(), sent.fields()
    known_by = all(got.get(name) == due.get(name) for name in IDENTITY)
    return known_by and all(got.get(name, value) == value for name, value in due.items())


def citation_of(part: Mapping[str, Any]) -> Citation | None:
    """The source that a data part tells of; None where the part is another one."""
    is_one = part.get("type") == "data" and part.get("mimeType") == MEDIA_TYPE
    return decoded(str(part.get("data", ""))) if is_one else None
