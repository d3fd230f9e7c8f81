"""The ways to write the links of a content: a version of the content for each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.contract.link_forms import link_forms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.traits import Traits
    from conformance.expectation.content import ContentCall, ExpectedContent, Moment


def link_spellings(content: ExpectedContent, traits: Traits) -> Iterator[ExpectedContent]:
    """The content with its links written in each right way, as ``citations.link`` does first.

    That is the content alone if the adapter emits no links, or if all ways are the same.
    """
    yield content
    if traits.annotations != "link" or not content.citations:
        return
    verbatim, *others = dict.fromkeys(zip(*map(link_forms, content.citations), strict=True))
    for forms in others:
        yield _written(content, forms, sum(map(len, forms)) - sum(map(len, verbatim)))


def _written(content: ExpectedContent, forms: tuple[str, ...], growth: int) -> ExpectedContent:
    """The content with these links, which are longer by ``growth`` code points together."""
    links = iter(forms)
    segments = tuple(
        replace(segment, value=next(links)) if segment.citation else segment
        for segment in content.segments
    )
    calls = tuple(_within(call, growth) for call in content.calls)
    return replace(content, segments=segments, calls=calls)


def _within(call: ContentCall, growth: int) -> ContentCall:
    """The call with bounds that hold wherever the longer or shorter links are."""
    return replace(
        call,
        earliest=_shifted(call.earliest, min(growth, 0)),
        latest=_shifted(call.latest, max(growth, 0)),
    )


def _shifted(moment: Moment, by: int) -> Moment:
    return {**moment, "citation": moment.get("citation", 0) + by}
