"""Broken adapters: text, thinking, citations, data parts and usage."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from unittest.mock import patch

from conformance.contract.traits import THINKING_PREFIX, Traits
from conformance.dialects.client.content import CITATION_PARTS, Source
from conformance.dialects.openresponses.reference.machine import ENDED
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import (
    CITES_AS_DATA,
    PREFIX,
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


class RepeatsWholeText(ResponsesToVscode):
    """Emits text with its deltas, and again at `output_text.done`."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.done":
            parts = [*parts, {"type": "text", "value": data["text"]}]
        return parts


class TrimsDeltas(ChangedEvents):
    """Trims the white space around each delta."""

    def change(self, data: Data) -> None:
        if data["type"] == "response.output_text.delta" and data["delta"]:
            data["delta"] = data["delta"].strip()
        elif data["type"].endswith(".done") or "response" in data:
            # Without the complete text, the machine does not notice what is missing.
            data.pop("text", None)
            data.pop("part", None)
            for item in items_of(data):
                item.pop("content", None)


class BreaksCharacters(Wrapped):
    """Emits U+FFFD for `本`, as an adapter does that decodes each read by itself."""

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text":
            part = {**part, "value": part["value"].replace("本", "\ufffd")}
        emit(part)


class ShowsFailuresInHtml(Wrapped):
    """Declares `errors: text`, and emits errors as HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(errors="text")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text" and "**Error:**" in part["value"]:
            part = {**part, "value": part["value"].replace("**Error:**", "<b>Error:</b>")}
        emit(part)


# thinking-routed, for hosts without thinking parts

IN_PREFIXED_TEXT = Traits(call_id_prefix=PREFIX, reasoning="prefixed")


class PrefixesTheAnswer(Wrapped):
    """Declares `reasoning: prefixed`, and puts the prefix before the answer too."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(reasoning="prefixed")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text":
            part = {**part, "value": THINKING_PREFIX + part["value"].removeprefix(THINKING_PREFIX)}
        emit(part)


class PrefixesTheFirstThought(Wrapped):
    """Declares `reasoning: prefixed`, and puts the prefix before the first part of a thought."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(reasoning="prefixed")
        self.is_thinking = False

    def part(self, part: Part, emit: Emit) -> None:
        was_thinking = self.is_thinking
        self.is_thinking = part.get("value", "").startswith(THINKING_PREFIX)
        if was_thinking and self.is_thinking:
            part = {**part, "value": part["value"].removeprefix(THINKING_PREFIX)}
        emit(part)


class BuffersText(ResponsesToVscode):
    """Holds text until another part follows or the stream ends."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        held: list[Part] = self.__dict__.setdefault("kept", [])
        parts = super().event(data)
        if self.phase != ENDED and all(part["type"] == "text" for part in parts):
            held += parts
            return []
        parts, held[:] = [*held, *parts], []
        return parts

    def close(self) -> list[Part]:
        held: list[Part] = self.__dict__.pop("kept", [])
        return [*held, *super().close()]


class ReportsZeroUsage(Wrapped):
    """Reports a usage of zero in place of the upstream's."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "usage": {"input": 0, "output": 0}}


class CitesTwice(ResponsesToVscode):
    """Emits a citation at `annotation.added`, and again when its content part is done."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.annotation.added":
            for item in self._items.by_index.values():
                item.cited.clear()
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
    BrokenAdapter("thinking-routed", lambda: adapter(reasoning="text"), "ShowsThinking"),
    BrokenAdapter("thinking-routed", lambda: adapter(reasoning="hidden"), "DropsThinking"),
    *(
        BrokenAdapter("thinking-routed", make, name, IN_PREFIXED_TEXT)
        for name, make in {
            "ForgetsThePrefix": lambda: adapter(reasoning="text"),
            "DropsPrefixedThinking": lambda: adapter(reasoning="hidden"),
            "PrefixesTheAnswer": PrefixesTheAnswer,
            "PrefixesTheFirstThought": PrefixesTheFirstThought,
        }.items()
    ),
    wrapped("text-unicode", BreaksCharacters),
    wrapped("text-markup", ShowsFailuresInHtml, Traits(call_id_prefix=PREFIX, errors="text")),
    machined("text-exact", RepeatsWholeText),
    machined("text-exact", TrimsDeltas),
    wrapped("usage-last", ReportsZeroUsage),
    machined("text-incremental", BuffersText),
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
