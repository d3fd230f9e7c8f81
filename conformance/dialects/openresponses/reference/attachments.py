"""Citations and generated images of a Responses stream, as parts."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from conformance.dialects.client.fields import Event, Part, objects, string

Source = dict[str, str]

SOURCES = {  # the known types of annotations, and their fields that describe the source
    "url_citation": ("url", "title"),
    "file_citation": ("file_id", "filename"),
    "container_file_citation": ("container_id", "file_id", "filename"),
    "file_path": ("file_id",),
}
CITATION = "application/vnd.vscode.citation+json"


class Cited(NamedTuple):
    """A source, and the annotation that cites it."""

    source: Source
    annotation: Event


def sources(*annotations: object) -> list[Cited]:
    """The sources of annotations; unknown types, and fields that are null or empty, are skipped."""
    found = []
    for annotation in objects({"all": list(annotations)}, "all"):
        names = SOURCES.get(string(annotation, "type"), ())
        if source := {name: value for name in names if (value := string(annotation, name))}:
            found.append(Cited(source, annotation))
    return found


_IN_TITLES = {ord(each): f"\\{each}" for each in "\\`[]<>"} | {ord("\n"): " ", ord("\r"): " "}
_IN_URLS = re.compile(r"[\s()<>\\]")


def link(source: Source) -> list[Part]:
    """A source as a Markdown link in a text part (rfc-00022 § Gap 2); empty without a URL.

    Title and URL are written by the author of the page, so what Markdown would read in them is
    escaped, and a URL that is not one of the web is not linked.
    """
    url = source.get("url", "")
    title = (source.get("title") or url).translate(_IN_TITLES)
    target = _IN_URLS.sub(lambda found: quote(found[0], safe=""), url)
    of_the_web = url.lower().startswith(("http:", "https:"))
    value = f" [{title}]({target})" if of_the_web else f" {title}"
    return [{"type": "text", "value": value}] if url else []


def citation(source: Source) -> list[Part]:
    """A source as a data part (stream-mapping § Priority 2)."""
    body = json.dumps({"type": "citation", **source}).encode()
    return [{"type": "data", "mimeType": CITATION, "data": b64encode(body).decode()}]


def image(item: Event) -> list[Part]:
    """The image in an item's ``result`` as a data part; empty unless the result is base64."""
    try:
        data = b64decode(string(item, "result"), validate=True)
    except ValueError:
        return []
    format_ = string(item, "output_format") or "png"
    part: Part = {"type": "data", "mimeType": f"image/{format_}", "data": b64encode(data).decode()}
    return [part] if data else []


@dataclass(slots=True)
class EmittedCitations:
    """The citations emitted for one part; they have no ids, so repetitions are counted."""

    emitted: list[Cited] = field(default_factory=list)

    def add(self, new: list[Cited]) -> list[Cited]:
        """Record the citations of an annotation event, which are always new, and return them."""
        self.emitted += new
        return new

    def unseen(self, listed: list[Cited]) -> list[Cited]:
        """Record and return the citations of a finished part that were not emitted yet."""
        left = [source_key(cited.source) for cited in self.emitted]
        new = []
        for cited in listed:
            if source_key(cited.source) in left:
                left.remove(source_key(cited.source))
            else:
                new.append(cited)
        return self.add(new)


def source_key(source: Source) -> tuple[str, ...]:
    """The fields that identify a source. The title does not: some events leave it out."""
    return tuple(source.get(name, "") for name in ("url", "container_id", "file_id"))
