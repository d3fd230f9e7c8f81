"""citation-routed: a citation goes where the adapter declares, whole, once and in order.

``link`` means the place at which the upstream cites: the link comes with the event (rfc-00022
§ Gap 2). Where no event tells of a citation, and only a finished part, the finished item or the
final response has it, its link follows what was sent by then. What has no URL is not linked to.
Inside a word good adapters differ, some hold the link back to its end or to that of the sentence:
a scenario that cites there lists all three places, and no other scenario cites there.

In a data part the source must be the cited one; that its title or file name came along is a matter
of ``should``, since stream-mapping shows a part without.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from conformance.contract.citations import IDENTITY, link
from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence
    from mockserver.scenario.model import Citation

# Nowhere comes first: where nothing can be linked to, a text without links looks like linked text.
_WENT = {
    "hidden": "nowhere",
    "link": "into the text",
    "data": "into data parts",
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    if evidence.cites(evidence.expected):
        yield from _nameless(evidence)
    elif elsewhere := _elsewhere(evidence):
        declared = evidence.traits.annotations
        yield _defect(
            evidence,
            f"the citations went {elsewhere}; the adapter declares annotations: {declared}",
        )
    elif _only_links_differ(evidence):
        yield _defect(evidence, _links(evidence))
    elif not evidence.reads_citations(evidence.expected):
        yield _parts(evidence)


def _elsewhere(evidence: Evidence) -> str:
    """Where the citations went instead, if that explains all."""
    for went, where in _WENT.items():
        others = evidence.under(annotations=went) if went != evidence.traits.annotations else ()
        if any(evidence.cites(other) for other in others):
            return where
    return ""


def _defect(evidence: Evidence, message: str) -> Defect:
    declared = evidence.traits.annotations
    return Defect(
        message,
        right=f"each citation {_WENT[declared]}, once, in the order of the upstream",
        about=topics("text", "citations"),
        event=next((e.event for e in evidence.entries if e.has("citation")), None),
        part=next((read.part for read in evidence.reading.citations), None),
    )


def _only_links_differ(evidence: Evidence) -> bool:
    """Is the text right where all links are taken out of it, and are the data parts right?"""
    plain = _any_link(evidence).sub("", evidence.reading.text)
    hidden = evidence.under(annotations="hidden")
    return evidence.reads_citations(evidence.expected) and any(o.text.fits(plain) for o in hidden)


def _any_link(evidence: Evidence) -> re.Pattern[str]:
    """What looks like a link to something that was cited, wherever it leads."""
    names = {name for c in evidence.story.citations for name in (c.title, c.url) if name}
    either = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf" ?\[(?:{either})\]\([^()\s]*\)" if names else r"(?!)")


def _links(evidence: Evidence) -> str:
    linked = evidence.traits.annotations == "link"
    due = Counter(link(c) for c in evidence.story.citations if c.url) if linked else Counter[str]()
    got = Counter(_any_link(evidence).findall(evidence.reading.text))
    for what, links in (("lacks", due - got), ("has once too often", got - due)):
        if links:
            return f"the text {what} {next(iter(links))!r}"
    return "the links do not stand where the upstream cites"


def _parts(evidence: Evidence) -> Defect:
    got = [read.citation.fields() for read in evidence.reading.citations]
    return Defect(
        f"the citations in data parts are {got}",
        right=f"{[citation.fields() for citation in evidence.expected.citations]}",
        about=topics("citations"),
        event=next((e.event for e in evidence.entries if e.has("citation")), None),
        part=next((read.part for read in evidence.reading.citations), None),
    )


def _nameless(evidence: Evidence) -> Iterator[Defect]:
    due = evidence.expected.citations
    for expected, read in zip(due, evidence.reading.citations, strict=False):
        lost = expected.fields().keys() - read.citation.fields().keys()
        if lost:
            yield Defect(
                f"the citation of {_source(expected)!r} has lost its {' and '.join(sorted(lost))}",
                right=f"{expected.fields()}",
                about=topics("citations"),
                part=read.part,
                level="should",
            )
            return


def _source(citation: Citation) -> str:
    known = citation.fields()
    return next((known[name] for name in IDENTITY if name in known), citation.title)


RULE = Rule(
    id="citation-routed",
    holds="citations go where the trait says, whole, once and in order",
    source="rfc-00022 § Gap 2; stream-mapping § Priority 2: Source/Citation Support",
    check=_check,
)
