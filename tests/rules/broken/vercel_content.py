"""Broken adapters of full streams: text and reasoning, parts to ignore, files and sources."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from conformance.dialects.client.content import Source, text_parts
from conformance.dialects.client.fields import string
from conformance.dialects.vercel.reference.attachments import source_of
from conformance.dialects.vercel.reference.fields import DATA
from conformance.dialects.vercel.reference.machine import HANDLERS, FullStream
from tests.rules.broken.broken_adapter import Data, Part
from tests.rules.broken.vercel import ChangedParts, WithMemory, of_full_stream

# Blocks.


class KnowsTextsByIdAlone(WithMemory):
    """Ignores a text block whose id an earlier block used, also in another step."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "text-end":
            self.seen.add(data["id"])
        before = data.get("type") == "text-delta" and data.get("id") in self.seen
        return [] if before else super().event(data)


class ThrowsOnUnknownEnds(WithMemory):
    """Raises KeyError for a `text-end` without a `text-start`."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "text-start":
            self.seen.add(data["id"])
        if data.get("type") == "text-end":
            self.seen.remove(data["id"])
        return super().event(data)


class WaitsForTextEnd(WithMemory):
    """Holds text until its block ends or another part follows."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data.get("type") == "text-delta":
            return self.hold(parts)
        return self.release() + parts if parts or data.get("type") == "text-end" else []


class KnowsReasoningByIdAlone(WithMemory):
    """Ignores a reasoning block whose id an earlier block used."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "reasoning-end":
            self.seen.add(data["id"])
        before = data.get("type") == "reasoning-delta" and data.get("id") in self.seen
        return [] if before else super().event(data)


class WaitsForReasoningEnd(WithMemory):
    """Holds reasoning until its block ends, and loses it if the block does not end."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data.get("type") == "reasoning-delta":
            return self.hold(parts)
        return self.release() + parts if data.get("type") == "reasoning-end" else parts


class BreaksLinesBetweenBlocks(FullStream):
    """Emits an empty line between text blocks."""

    texts = 0

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") != "text-start":
            return super().event(data)
        self.texts += 1
        return [*super().event(data), *text_parts("\n\n" if self.texts > 1 else "")]


class TrimsBlankDeltas(ChangedParts):
    """Drops deltas that are only white space."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "text-delta" and not str(data.get("text") or "").strip():
            data["text"] = ""
            data.pop("textDelta", None)


# Parts to ignore.


class ThrowsOnUnknownParts(FullStream):
    """Raises an exception for a part of an unknown type."""

    KNOWN = frozenset(
        {*HANDLERS, "start", "text-start", "text-end", "tool-input-end", "raw"}
        | {"tool-approval-request", "tool-output-denied"}
    )

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if not self.ended and string(data, "type") not in self.KNOWN:
            raise ValueError(f"unhandled part: {data.get('type')}")
        return super().event(data)


class ShowsWhateverHasText(FullStream):
    """Emits `text` or `delta` of a part of any type as text."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if not self.ended and string(data, "type") not in HANDLERS:
            return text_parts(string(data, "text") or string(data, "delta"))
        return super().event(data)


class ShowsRawChunks(FullStream):
    """Emits the text inside `raw` parts, which are the provider's own chunks."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        raw = data.get("rawValue")
        if not isinstance(raw, dict):
            return super().event(data)
        (choice,) = raw.get("choices") or [{"delta": {"content": raw.get("delta") or ""}}]
        return text_parts(choice["delta"].get("content", ""))


# Files, sources and data.


class FilesAsText(FullStream):
    """Emits a `text/*` file as text in place of data."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        (part,) = super().file(data)
        if str(part["mimeType"]).startswith("text/"):
            return text_parts(b64decode(str(part["data"])).decode())
        return [part]


class NeedsMimeType(ChangedParts):
    """Reads the MIME type of a file from `mimeType` only, as in ai 4."""

    def change(self, kind: str, data: Data) -> None:
        if "mediaType" in (file := data.get("file", {})):
            file["mediaType"] = file.get("mimeType", "application/octet-stream")


class EncodesTwice(FullStream):
    """Encodes base64 data as base64 again."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        return [_encoded(part, str(part["data"]).encode()) for part in super().file(data)]


class DecodesAsText(FullStream):
    """Decodes the bytes of files as UTF-8, so that invalid bytes are replaced."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().file(data)
        return [
            _encoded(p, b64decode(str(p["data"])).decode(errors="replace").encode()) for p in parts
        ]


def _encoded(part: Part, data: bytes) -> Part:
    return {**part, "data": b64encode(data).decode()}


class DropsFiles(FullStream):
    """Ignores `file` parts."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        del data
        return []


class LinksToNothing(FullStream):
    """Emits a link to `undefined` for a source without a URL."""

    def source(self, data: Mapping[str, Any]) -> list[Part]:
        source: Source = source_of(data)
        if "url" in source:
            return super().source(data)
        return text_parts(f" [{source.get('title', 'undefined')}](undefined)")


class ShowsCustomData(FullStream):
    """Emits `data-*` parts of the application as text."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        custom = string(data, "type").startswith(DATA)
        return text_parts(str(data.get("data"))) if custom else super().event(data)


BROKEN = [
    of_full_stream("text-exact", KnowsTextsByIdAlone),
    of_full_stream("end-honest", ThrowsOnUnknownEnds),
    of_full_stream("text-incremental", WaitsForTextEnd, "text-exact"),
    of_full_stream("thinking-routed", KnowsReasoningByIdAlone),
    of_full_stream("thinking-routed", WaitsForReasoningEnd),
    of_full_stream("text-exact", BreaksLinesBetweenBlocks),
    of_full_stream("text-exact", TrimsBlankDeltas),
    # Some of the types that it does not know carry an ending in other generations.
    of_full_stream("ignored-silently", ThrowsOnUnknownParts, "end-honest"),
    of_full_stream("ignored-silently", ShowsWhateverHasText),
    # Where unknown parts stand beside raw ones, the finding may name them instead.
    of_full_stream("text-exact", ShowsRawChunks, "ignored-silently"),
    of_full_stream("data-exact", FilesAsText, "text-exact"),
    of_full_stream("data-exact", NeedsMimeType),
    of_full_stream("data-exact", EncodesTwice),
    of_full_stream("data-exact", DecodesAsText),
    of_full_stream("data-exact", DropsFiles),
    of_full_stream("text-exact", LinksToNothing),
    of_full_stream("ignored-silently", ShowsCustomData),
]
