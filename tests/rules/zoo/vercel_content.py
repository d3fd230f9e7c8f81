"""Adapters of full streams: blocks, what comes beside the answer, and what says nothing."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from conformance.dialects.client.fields import string
from conformance.dialects.openresponses.reference.attachments import Source
from conformance.dialects.vercel.reference.attachments import source_of
from conformance.dialects.vercel.reference.fields import DATA
from conformance.dialects.vercel.reference.machine import HANDLERS, FullStream
from tests.rules.zoo.animal import Data, Part
from tests.rules.zoo.vercel import SINCE_V5, HeardOtherwise, Remembering, of_full_stream

# Blocks.


class KnowsTextsByIdAlone(Remembering):
    """A text whose id was there before is one that was heard before, in whichever step."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "text-end":
            self.seen.add(data["id"])
        before = data.get("type") == "text-delta" and data.get("id") in self.seen
        return [] if before else super().event(data)


class NeedsTextStart(Remembering):
    """Words of a text that never began belong nowhere."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "text-start":
            self.seen.add(data["id"])
        strays = data.get("type") == "text-delta" and data.get("id") not in self.seen
        return [] if strays else super().event(data)


class ThrowsOnUnknownEnds(Remembering):
    """It looks up the text that ends, and there has to be one."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "text-start":
            self.seen.add(data["id"])
        if data.get("type") == "text-end":
            self.seen.remove(data["id"])
        return super().event(data)


class WaitsForTextEnd(Remembering):
    """A text is shown when it has ended, or something else comes."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data.get("type") == "text-delta":
            return self.hold(parts)
        return self.let_go() + parts if parts or data.get("type") == "text-end" else []


class KnowsThoughtsByIdAlone(Remembering):
    """A thought whose id was there before is one that was thought before."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "reasoning-end":
            self.seen.add(data["id"])
        before = data.get("type") == "reasoning-delta" and data.get("id") in self.seen
        return [] if before else super().event(data)


class WaitsForReasoningEnd(Remembering):
    """A thought is shown when it has ended."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data.get("type") == "reasoning-delta":
            return self.hold(parts)
        return self.let_go() + parts if data.get("type") == "reasoning-end" else parts


class BreaksLinesBetweenBlocks(FullStream):
    """Each text but the first begins with an empty line."""

    texts = 0

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") != "text-start":
            return super().event(data)
        self.texts += 1
        return [*super().event(data), *self._emit_text("\n\n" if self.texts > 1 else "")]


class TrimsBlankDeltas(HeardOtherwise):
    """White space alone is no text."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "text-delta" and not str(data.get("text") or "").strip():
            data["text"] = ""
            data.pop("textDelta", None)


# Parts that say nothing.


class ThrowsOnUnknownParts(FullStream):
    """It knows all types of parts that there are."""

    KNOWN = frozenset({*HANDLERS, "start", "raw", "tool-approval-request", "tool-output-denied"})

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if not self.ended and string(data, "type") not in self.KNOWN:
            raise ValueError(f"unhandled part: {data.get('type')}")
        return super().event(data)


class ShowsWhateverHasText(FullStream):
    """What has a text is text, whatever it is called."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if not self.ended and string(data, "type") not in HANDLERS:
            return self._emit_text(string(data, "text") or string(data, "delta"))
        return super().event(data)


class ShowsRawChunks(FullStream):
    """The provider's own words are words."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        raw = data.get("rawValue")
        if not isinstance(raw, dict):
            return super().event(data)
        (choice,) = raw.get("choices") or [{"delta": {"content": raw.get("delta") or ""}}]
        return self._emit_text(choice["delta"].get("content", ""))


# What comes beside the answer.


class FilesAsText(FullStream):
    """A file of text is text."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        (part,) = super().file(data)
        if str(part["mimeType"]).startswith("text/"):
            return self._emit_text(b64decode(str(part["data"])).decode())
        return [part]


class NeedsMimeType(HeardOtherwise):
    """The type of a file is its `mimeType`, as in ai 4."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "file":
            data.get("file", {}).pop("mediaType", None)


class EncodesTwice(FullStream):
    """What is base64 already is encoded once more."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        return [_encoded(part, str(part["data"]).encode()) for part in super().file(data)]


class DecodesAsText(FullStream):
    """Bytes are characters on their way, and some are none."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().file(data)
        return [
            _encoded(p, b64decode(str(p["data"])).decode(errors="replace").encode()) for p in parts
        ]


def _encoded(part: Part, data: bytes) -> Part:
    return {**part, "data": b64encode(data).decode()}


class DropsFiles(FullStream):
    """It has no case for `file`."""

    def file(self, data: Mapping[str, Any]) -> list[Part]:
        del data
        return []


class LinksToNothing(FullStream):
    """Every source has a URL."""

    def source(self, data: Mapping[str, Any]) -> list[Part]:
        source: Source = source_of(data, self.layer)
        title = source.get("title") or source.get("url", "undefined")
        return self._emit_text(f" [{title}]({source.get('url', 'undefined')})")


class ShowsCustomData(FullStream):
    """What an application sends for itself is shown as text."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        custom = string(data, "type").startswith(DATA)
        return self._emit_text(str(data.get("data"))) if custom else super().event(data)


ANIMALS = [
    of_full_stream("text-exact", KnowsTextsByIdAlone),
    of_full_stream("text-exact", NeedsTextStart, claims=SINCE_V5),
    of_full_stream("end-honest", ThrowsOnUnknownEnds),
    of_full_stream("text-incremental", WaitsForTextEnd, "text-exact"),
    of_full_stream("thinking-routed", KnowsThoughtsByIdAlone),
    of_full_stream("thinking-routed", WaitsForReasoningEnd),
    of_full_stream("text-exact", BreaksLinesBetweenBlocks),
    of_full_stream("text-exact", TrimsBlankDeltas),
    # What one generation does not know, another has.
    of_full_stream("ignored-silently", ThrowsOnUnknownParts, "end-honest"),
    of_full_stream("ignored-silently", ShowsWhateverHasText, "text-exact"),
    # Where foreign parts stand beside the raw ones, they may be what is blamed.
    of_full_stream("text-exact", ShowsRawChunks, "ignored-silently"),
    of_full_stream("data-exact", FilesAsText, "text-exact"),
    of_full_stream("data-exact", NeedsMimeType),
    of_full_stream("data-exact", EncodesTwice),
    of_full_stream("data-exact", DecodesAsText),
    of_full_stream("data-exact", DropsFiles),
    of_full_stream("text-exact", LinksToNothing),
    of_full_stream("ignored-silently", ShowsCustomData),
]
