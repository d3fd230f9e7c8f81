"""Expected content as rendered by a dialect: what its wire cannot express is not expected."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from mockserver.dialects import CODES, REFUSALS

if TYPE_CHECKING:
    from collections.abc import Set

    from conformance.expectation.content import ExpectedContent, Kind, Moment, Segment


def as_rendered(content: ExpectedContent, capabilities: Set[str]) -> ExpectedContent:
    """The content limited to the ``capabilities`` of a dialect.

    Without ``REFUSALS`` a refusal is ordinary text; without ``CODES`` errors have no code.
    """
    if CODES not in capabilities and content.error:
        content = replace(content, error=replace(content.error, code=""))
    if REFUSALS in capabilities or not any(
        segment.kind == "refusal" for segment in content.segments
    ):
        return content
    calls = tuple(
        replace(
            call, earliest=_refusals_as_text(call.earliest), latest=_refusals_as_text(call.latest)
        )
        for call in content.calls
    )
    return replace(content, segments=tuple(map(_text, content.segments)), calls=calls)


def _text(segment: Segment) -> Segment:
    """The segment, with a refusal turned into text in a separate block."""
    if segment.kind != "refusal":
        return segment
    return replace(segment, kind="text", block=f"refusal {segment.block}")


def _refusals_as_text(moment: Moment) -> Moment:
    """The moment with refusals counted as text."""
    counts: Counter[Kind] = Counter(moment)
    counts["text"] += counts.pop("refusal", 0)
    return counts
