"""What comes with a text or in its place: sources that it cites, images that were generated."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass, field

from conformance.dialects.client.fields import Event, Part, objects, string

Source = dict[str, str]

SOURCES = {  # the types of annotations that are known, and what they tell of their source
    "url_citation": ("url", "title"),
    "file_citation": ("file_id", "filename"),
    "container_file_citation": ("container_id", "file_id", "filename"),
    "file_path": ("file_id",),
}
CITATION = "application/vnd.vscode.citation+json"


def sources(*annotations: object) -> list[Source]:
    """The sources of annotations, without what is unknown, null or empty."""
    told = []
    for annotation in objects({"all": list(annotations)}, "all"):
        names = SOURCES.get(string(annotation, "type"), ())
        if source := {name: value for name in names if (value := string(annotation, name))}:
            told.append(source)
    return told


def link(source: Source) -> list[Part]:
    """A source as rfc-00022 § Gap 2 shows it; one without a URL cannot be shown so."""
    url = source.get("url")
    title = source.get("title") or url
    return [{"type": "text", "value": f" [{title}]({url})"}] if url else []


def citation(source: Source) -> list[Part]:
    """A source as a part of its own (stream-mapping § Priority 2)."""
    body = json.dumps({"type": "citation", **source}).encode()
    return [{"type": "data", "mimeType": CITATION, "data": b64encode(body).decode()}]


def image(item: Event) -> list[Part]:
    """The image of an item that has one; what is no base64 is none."""
    try:
        data = b64decode(string(item, "result"), validate=True)
    except ValueError:
        return []
    format_ = string(item, "output_format") or "png"
    part: Part = {"type": "data", "mimeType": f"image/{format_}", "data": b64encode(data).decode()}
    return [part] if data else []


@dataclass(slots=True)
class Cited:
    """What left of one part's citations. They have no ids, so copies are told by counting."""

    heard: list[Source] = field(default_factory=list)

    def add(self, told: list[Source]) -> list[Source]:
        """What an event tells of is new, whatever came before."""
        self.heard += told
        return told

    def beyond(self, whole: list[Source]) -> list[Source]:
        """What the list of a finished part has beyond what left."""
        left = [known_by(source) for source in self.heard]
        new = []
        for source in whole:
            if known_by(source) in left:
                left.remove(known_by(source))
            else:
                new.append(source)
        return self.add(new)


def known_by(source: Source) -> tuple[str, ...]:
    """What tells a source from others: its title may be there in one place and not in another."""
    return tuple(source.get(name, "") for name in ("url", "container_id", "file_id"))
