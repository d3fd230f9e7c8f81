"""Rules on the parts about the response as such: its start and its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings.finding import Defect, Kind, Rule, topics
from conformance.rules.framing.judged import ANYWHERE, framing_is_not_judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


class StartNotFirst(Kind):
    """A ``stream-start`` comes after another part."""

    before: str

    message = "stream-start comes after {before}"
    right = "stream-start once, as the first part"


def _stream_start_first(evidence: Evidence) -> Iterator[Defect]:
    """``stream-start`` is optional. The core of the AI SDK 5 drops the warnings of a later one."""
    before = ""
    for part in evidence.stream_parts:
        if part.type == "stream-start" and before:
            yield Defect(
                StartNotFirst(before),
                about=topics("stream-start"),
                part=part.n,
                needs=topics(f"part:{part.n}"),
            )
            return
        if part.type not in ANYWHERE:
            before = before or part.written


STREAM_START_FIRST = Rule(
    id="stream-start-first",
    holds="stream-start, where there is one, is the first part, and comes once",
    source="@ai-sdk/provider § LanguageModelV4StreamPart; ai § streamText",
    check=_stream_start_first,
    kinds=(StartNotFirst,),
    level="should",
    not_applicable=framing_is_not_judged(_stream_start_first, "should"),
)


_METADATA = ("id", "timestamp", "modelId")


class MetadataAgain(Kind):
    """The metadata of the response comes again with fields that came before."""

    fields: tuple[str, ...]

    message = "response-metadata comes again with {fields:list}"
    right = "each field of the metadata once"
    same_by = ("fields",)


def _metadata_once(evidence: Evidence) -> Iterator[Defect]:
    """Hosts merge several parts field by field, so a field may come later, and comes once."""
    known: set[str] = set()
    for part in evidence.stream_parts:
        if part.type != "response-metadata":
            continue
        given = {name for name in _METADATA if part.fields.get(name) is not None}
        if again := sorted(given & known):
            yield Defect(
                MetadataAgain(tuple(again)),
                about=topics("response-metadata"),
                part=part.n,
                needs=topics(f"part:{part.n}"),
            )
            return
        known |= given


METADATA_ONCE = Rule(
    id="metadata-once",
    holds="response-metadata gives each of its fields once",
    source="@ai-sdk/provider § LanguageModelV4ResponseMetadata; ai § streamText",
    check=_metadata_once,
    kinds=(MetadataAgain,),
    level="should",
    not_applicable=framing_is_not_judged(_metadata_once, "should"),
)
