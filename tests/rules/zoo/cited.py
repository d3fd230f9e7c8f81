"""Citations and data."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from conformance.dialects.openresponses.reference.machine import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.zoo.animal import (
    CITES_AS_DATA,
    Animal,
    Data,
    Heard,
    Part,
    Wrapped,
    adapter,
    items_of,
    machined,
    wrapped,
)

# citation-routed


class CitesTwice(ResponsesToVscode):
    """A citation leaves with its event, and again with the finished part."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.annotation.added":
            for item in self._by_index.values():
                item.citations.clear()
        return parts


class HearsCitationEventsAlone(Heard):
    """It does not look for citations in what is finished."""

    def mishear(self, data: Data) -> None:
        parts = [data.get("part"), *(p for item in items_of(data) for p in item.get("content", ()))]
        for part in parts:
            if part:
                part["annotations"] = []


class CitesAtTheEnd(Heard):
    """It does not hear of citations before the text is over."""

    def mishear(self, data: Data) -> None:
        if data["type"] == "response.output_text.annotation.added":
            data["type"] = "passed over"


class LinksToNowhere(Heard):
    """Its links are made without a look at what there is to link to."""

    def mishear(self, data: Data) -> None:
        annotation = data.get("annotation") or {}
        if annotation.get("type") == "url_citation":
            annotation.setdefault("url", "undefined")


class CitesInAnyOrder(Wrapped):
    """Its citations come sorted, when the run is over."""

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
    """Its data parts tell where a source is and not what it is called."""

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
    """Each preview of an image is an image to it."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if preview := data.get("partial_image_b64"):
            parts += [{"type": "data", "mimeType": "image/png", "data": preview}]
        return parts


class TakesAllImagesForPng(Wrapped):
    """It does not look at the format of an image."""

    def part(self, part: Part, emit: Emit) -> None:
        emit({**part, "mimeType": "image/png"} if part["type"] == "data" else part)


class ShowsImagesTwice(ResponsesToVscode):
    """An image leaves with its item, and again with the final response."""

    def _finished(self, item: Any, source: Mapping[str, Any], complete: bool) -> None:
        item.image_emitted = False
        super()._finished(item, source, complete)


ANIMALS = [
    Animal("citation-routed", lambda: adapter(annotations="hidden"), "DropsCitations"),
    Animal("citation-routed", lambda: adapter(annotations="data"), "CitesInDataParts"),
    Animal("citation-routed", lambda: adapter(annotations="link"), "LinksAnyway", CITES_AS_DATA),
    machined("citation-routed", CitesTwice),
    Animal(
        "citation-routed",
        lambda: adapter(CitesTwice, annotations="data"),
        "CitesTwiceAsData",
        CITES_AS_DATA,
    ),
    machined("citation-routed", HearsCitationEventsAlone),
    machined("citation-routed", CitesAtTheEnd),
    machined("citation-routed", LinksToNowhere),
    wrapped("citation-routed", CitesInAnyOrder, CITES_AS_DATA),
    wrapped("citation-routed", ForgetsTitles, CITES_AS_DATA),
    machined("data-exact", TakesPreviewsForImages),
    wrapped("data-exact", TakesAllImagesForPng),
    machined("data-exact", ShowsImagesTwice),
]
