"""Broken adapters: citations and data parts."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from unittest.mock import patch

from conformance.dialects.client.content import CITATION_PARTS, Source
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import (
    CITES_AS_DATA,
    BrokenAdapter,
    ChangedEvents,
    Data,
    Part,
    Wrapped,
    adapter,
    items_of,
    machined,
    wrapped,
)

# citation-routed


class CitesTwice(ResponsesToVscode):
    """Emits a citation at `annotation.added`, and again when its content part is done."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.annotation.added":
            for item in self._items.by_index.values():
                item.citations.clear()
        return parts


class ReadsCitationEventsOnly(ChangedEvents):
    """Ignores annotations of finished parts, items and responses."""

    def change(self, data: Data) -> None:
        parts = [data.get("part"), *(p for item in items_of(data) for p in item.get("content", ()))]
        for part in parts:
            if part:
                part["annotations"] = []


class CitesAtTheEnd(ChangedEvents):
    """Ignores `annotation.added`, and emits citations when their text is done."""

    def change(self, data: Data) -> None:
        if data["type"] == "response.output_text.annotation.added":
            data["type"] = "passed over"


class LinksAsWritten(ResponsesToVscode):
    """Writes titles and URLs into links as they are, whatever Markdown reads in them."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        with patch.dict(cast("dict[str, Any]", CITATION_PARTS), link=_as_written):
            return super().event(data)


class LinksToNowhere(ChangedEvents):
    """Emits a link to `http://undefined` for a citation without a URL."""

    def change(self, data: Data) -> None:
        annotation = data.get("annotation") or {}
        if annotation.get("type") == "url_citation":
            annotation.setdefault("url", "http://undefined")


def _as_written(source: Source) -> list[Part]:
    url = source.get("url")
    return [{"type": "text", "value": f" [{source.get('title') or url}]({url})"}] if url else []


class CitesInAnyOrder(Wrapped):
    """Emits all citations at the end of the run, sorted by their content."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(annotations="data")
        self.cited: list[Part] = []

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "data" and "citation" in part["mimeType"]:
            self.cited.append(part)
        else:
            emit(part)

    def done(self, done: Data, emit: Emit) -> Data:
        for part in sorted(self.cited, key=lambda part: str(part["data"])):
            emit(part)
        self.cited.clear()
        return done


class ForgetsTitles(Wrapped):
    """Drops the title of each citation."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(annotations="data")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "data" and "citation" in part["mimeType"]:
            body = json.loads(b64decode(part["data"]))
            body = {name: value for name, value in body.items() if name != "title"}
            part = {**part, "data": b64encode(json.dumps(body).encode()).decode()}
        emit(part)


# data-exact


class TakesPreviewsForImages(ResponsesToVscode):
    """Emits each partial image as if it were the image."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if preview := data.get("partial_image_b64"):
            parts += [{"type": "data", "mimeType": "image/png", "data": preview}]
        return parts


class TakesAllImagesForPng(Wrapped):
    """Gives every data part the MIME type `image/png`."""

    def part(self, part: Part, emit: Emit) -> None:
        emit({**part, "mimeType": "image/png"} if part["type"] == "data" else part)


class ShowsImagesTwice(ResponsesToVscode):
    """Emits an image with its item, and again with the final response."""

    def _finished(self, item: Any, source: Mapping[str, Any], complete: bool) -> None:
        item.image_emitted = False
        super()._finished(item, source, complete)


BROKEN = [
    BrokenAdapter("citation-routed", lambda: adapter(annotations="hidden"), "DropsCitations"),
    BrokenAdapter("citation-routed", lambda: adapter(annotations="data"), "CitesInDataParts"),
    BrokenAdapter(
        "citation-routed", lambda: adapter(annotations="link"), "LinksAnyway", CITES_AS_DATA
    ),
    machined("citation-routed", CitesTwice),
    BrokenAdapter(
        "citation-routed",
        lambda: adapter(CitesTwice, annotations="data"),
        "CitesTwiceAsData",
        CITES_AS_DATA,
    ),
    machined("citation-routed", ReadsCitationEventsOnly),
    machined("citation-routed", CitesAtTheEnd),
    machined("citation-routed", LinksToNowhere),
    replace(machined("text-markup", LinksAsWritten), only="any/citations-with-hostile-titles"),
    wrapped("citation-routed", CitesInAnyOrder, CITES_AS_DATA),
    wrapped("citation-routed", ForgetsTitles, CITES_AS_DATA),
    machined("data-exact", TakesPreviewsForImages),
    wrapped("data-exact", TakesAllImagesForPng),
    machined("data-exact", ShowsImagesTwice),
]
