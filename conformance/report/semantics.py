"""Reads the paragraphs of ``docs/semantics.md``, which ships with the package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from conformance.report.sources import anchor_of, clauses, link
from mockserver.foundation.shipped import folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_HEADING = re.compile(r"^(##|###) (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A section of the page: its anchor, the heading of its subject, and its text in Markdown."""

    anchor: str
    subject: str
    text: str

    @property
    def plain(self) -> str:
        """The text on one line, each link as the words that it is under."""
        return _LINK.sub(r"\1", " ".join(self.text.split()))


@cache
def paragraphs() -> Mapping[str, Paragraph]:
    """All paragraphs by anchor, in the order of the page. The anchor of a rule's is its id."""
    text = folder("docs").joinpath("semantics.md").read_text("utf-8")
    return {each.anchor: each for each in read(text)}


def read(text: str) -> Iterator[Paragraph]:
    """The paragraphs of a page: headings of level 2 are subjects, those of level 3 anchors."""
    subject = ""
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        if heading[1] == "##":
            subject = heading[2]
        else:
            yield Paragraph(heading[2], subject, text[heading.end() : end].strip())


def cited(sources: Iterable[str]) -> list[Paragraph]:
    """The paragraphs that these sources are links to, each once, in the order of the page."""
    anchors = {anchor_of(link(clause)) for source in sources for clause in clauses(source)}
    return [each for anchor, each in paragraphs().items() if anchor in anchors]
