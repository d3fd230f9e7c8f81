"""Citations as adapters emit them, and the forms of a Markdown link to a cited page.

A citation is a link in the text, or a data part. The link is exactly ` [title](url)`, at the place
of the citation (rfc-00022 § Gap 2). Without a title the URL is used as the title; without a URL
there is no link. A data part holds JSON with the media type ``MEDIA_TYPE``
(stream-mapping § Priority 2: Source/Citation Support). The fields of ``Citation`` are read from it,
in snake case or camel case; an adapter may add others.

The author of a page has chosen its title and URL. A title may have brackets or HTML in it, and a
URL may run a command instead of opening a page (lm-stream-semantics § 2.6). So an adapter may
escape what Markdown would read in them, and leave out the link if its URL is not one of the web.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote

from mockserver.scenario.script import Citation

Change = Callable[[str], str]

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


_WEB = ("http", "https")
_RUNNING = ("command", "data", "javascript", "vbscript")
_UNSAFE_IN_URL = re.compile(r"[\s()<>\\]")
_HTML_OR_IMAGE = re.compile(r"<[a-z/!][^<>]*>|!\[[^\]]*\]\(", re.IGNORECASE)


def _escaped(special: str) -> Change:
    """Puts a backslash before special characters, and a blank in place of line breaks."""
    escapes = {ord(each): f"\\{each}" for each in special} | {ord("\n"): " ", ord("\r"): " "}
    return lambda title: title.translate(escapes)


def _encoded(url: str) -> str:
    return _UNSAFE_IN_URL.sub(lambda found: quote(found[0], safe=""), url)


_SPELLINGS: tuple[tuple[Change, Change], ...] = (
    (str, str),
    (_escaped("[]"), str),
    (_escaped("[]"), _encoded),
    (_escaped("\\`[]<>"), _encoded),
)
"""The ways to write a title and a URL; the first one changes nothing."""

_OFF_THE_WEB: tuple[Callable[[str, str], str], ...] = (
    lambda linked, _title: linked,
    lambda _linked, title: f" {title}",
    lambda _linked, _title: "",
)
"""What may be shown of a source that is not of the web, from its link and its title."""


def link_forms(citation: Citation) -> tuple[str, ...]:
    """The link to a source in each way of writing links, ``citations.link`` first.

    The number is the same for all sources. Most have the same form in all ways.
    """
    ways = [(title, url, show) for title, url in _SPELLINGS for show in _OFF_THE_WEB]
    if not citation.url:
        return ("",) * len(ways)
    of_the_web = scheme_of(citation.url) in _WEB
    forms = []
    for change_title, change_url, show in ways:
        title = change_title(citation.title or citation.url)
        linked = f" [{title}]({change_url(citation.url)})"
        forms.append(linked if of_the_web else show(linked, title))
    return tuple(forms)


def scheme_of(url: str) -> str:
    """The scheme of a URL, in lower case; empty if it has none."""
    return url.partition(":")[0].strip().lower() if ":" in url else ""


@dataclass(frozen=True, slots=True)
class Danger:
    """What the title or the URL of a link does besides linking: it holds markup, or runs code."""

    place: Literal["title", "URL"]
    value: str
    does: Literal["hold markup", "end the link", "run code"]
    markup: str = ""


def danger_in(citation: Citation) -> Danger | None:
    """What ``citations.link`` would show or run besides a link to the source, if anything."""
    title = citation.title or citation.url
    if not link(citation):
        return None
    if found := _HTML_OR_IMAGE.search(title):
        return Danger("title", title, "hold markup", found[0])
    if "](" in title or not _balanced(title):
        return Danger("title", title, "end the link")
    is_running = scheme_of(citation.url) in _RUNNING
    return Danger("URL", citation.url, "run code") if is_running else None


def _balanced(title: str) -> bool:
    """Whether the brackets in a title come in pairs, as Markdown allows in a link."""
    depth = 0
    for character in title:
        depth += (character == "[") - (character == "]")
        if depth < 0:
            return False
    return depth == 0
