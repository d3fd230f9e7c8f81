"""The rule about citations: they are emitted where the adapter declares, once and in order."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from conformance.contract.citations import IDENTITY, link_forms
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import Declared
from conformance.rules.alternatives import trait_of
from conformance.rules.evidence import Evidence
from mockserver.scenario.script import Citation

# "nowhere" is tried first: if no citation has a URL, text without links equals text with links.
_CITATIONS_WENT = {"hidden": "nowhere", "link": "into the text", "data": "into data parts"}
_IN_ORDER = ", once, in the order of the upstream"


class _Misrouted(Kind):
    """Citations are not where the adapter declares."""

    declared: Declared

    right = "{declared.value:phrase}"
    phrases = {
        "went": _CITATIONS_WENT,
        "declared.value": {
            "hidden": "no citation",
            "link": f"each citation into the text{_IN_ORDER}",
            "data": f"each citation into data parts{_IN_ORDER}",
        },
    }


class CitationsElsewhere(_Misrouted, weighs="loss"):
    """All citations are emitted elsewhere than the adapter declares, or not at all."""

    went: str

    message = "the citations went {went:phrase}; {declared:declared}"
    right = "{declared.value:phrase}; if it is meant so, declare the trait annotations: {went}"
    same_by = ("went",)


class LinkMissing(_Misrouted, weighs="loss"):
    """The text lacks the link to a source that the upstream cites."""

    link: str

    message = "the text lacks {link!r}"


class LinkTooOften(_Misrouted, weighs="falsehood"):
    """The text has a link more often than the upstream cites its source."""

    link: str

    message = "the text has once too often {link!r}"


class LinksMisplaced(_Misrouted, weighs="falsehood"):
    """The text has the right links at other places than where the upstream cites."""

    message = "the links do not stand where the upstream cites"


class CitationsInData(_Misrouted, weighs="falsehood"):
    """Citations are emitted in data parts, although the adapter declares that they are hidden."""

    came: tuple[Mapping[str, str], ...]

    message = "{declared:declared}, but citations came out in data parts: {came:json}"
    right = "{declared.value:phrase}; if it is meant so, declare the trait annotations: data"


class CitationsNotOnlyLinked(_Misrouted, weighs="falsehood"):
    """Citations are emitted in data parts in place of links, or as well if the text is right."""

    came: tuple[Mapping[str, str], ...]
    is_linked_too: bool

    message = "citations came out in data parts[[{is_linked_too:if} as well]]: {came:json}"


class NoCitation(Kind, weighs="loss"):
    """No citation is emitted in a data part, where the adapter declares them."""

    due: tuple[Mapping[str, str], ...]

    message = "no citation came out in a data part"
    right = "{due:json}"


class OtherCitations(Kind, weighs="loss"):
    """The citations in data parts are not those of the upstream."""

    due: tuple[Mapping[str, str], ...]
    came: tuple[Mapping[str, str], ...]

    message = "the citations in data parts are {came:json}"
    right = "{due:json}"


class CitationLacks(Kind, weighs="manners"):
    """A citation in a data part has lost its title or another field."""

    source: str
    lost: tuple[str, ...]
    due: Mapping[str, str]

    message = "the citation of {source!r} has lost its {lost:and}"
    right = "{due:json}"
    same_by = ("lost",)


@rule(
    holds="citations go where the trait says, whole, once and in order",
    source="rfc-00022 § Gap 2; stream-mapping § Priority 2: Source/Citation Support",
    kinds=(
        CitationsElsewhere,
        LinkMissing,
        LinkTooOften,
        LinksMisplaced,
        CitationsInData,
        CitationsNotOnlyLinked,
        NoCitation,
        OtherCitations,
        CitationLacks,
    ),
)
def citation_routed(evidence: Evidence) -> Iterator[Defect]:
    """A citation is emitted where the adapter declares, complete, once and in order.

    ``link`` means at the place where the upstream cites: the link comes with the event (rfc-00022
    § Gap 2). A citation that has no event, and is only in the finished part, the finished item or
    the final response, is linked after what was sent by then. Without a URL there is no link.
    Inside a word good adapters differ, since some hold the link back to the end of the word or
    sentence: a scenario that cites there lists all three places.

    In a data part the source must be the cited one. Its title or file name is a ``should``, since
    stream-mapping shows a part without them.
    """
    if not evidence.content.citations and not evidence.reading.citations:
        return
    if evidence.fits_text_and_citations(evidence.expected):
        yield from _nameless(evidence)
    elif elsewhere := _cited_elsewhere(evidence):
        declared = trait_of(evidence, "annotations")
        yield _misrouted(evidence, CitationsElsewhere(declared, elsewhere))
    elif _only_links_differ(evidence):
        yield _misrouted(evidence, _wrong_links(evidence))
    elif not evidence.fits_citations(evidence.expected) and not _has_searched_sources(evidence):
        yield _wrong_parts(evidence)


def _has_searched_sources(evidence: Evidence) -> bool:
    """Whether the citations are right but for the sources that a search of the upstream found.

    Some libraries make a source of each page or file that a search names, once.
    """
    searches = (tool for tool in evidence.sent_items.tools if tool.tool in _SEARCHES and tool.given)
    found = {name for tool in searches if tool.given for name in tool.given.named}
    due = [_source(each) for each in evidence.expected.citations]
    came = [_source(read.citation) for read in evidence.reading.citations]
    others = [each for each in came if each not in due]
    return len(came) == len(set(came)) and {*due} <= {*came} and found >= {*others} != set()


_SEARCHES = ("web_search", "file_search")


def _cited_elsewhere(evidence: Evidence) -> str:
    """The trait that explains all differences, by where the citations went; empty if none does."""
    for went in _CITATIONS_WENT:
        others = (
            evidence.expected_with(annotations=went) if went != evidence.traits.annotations else ()
        )
        if any(evidence.fits_text_and_citations(other) for other in others):
            return went
    return ""


def _misrouted(
    evidence: Evidence, kind: Kind, about: tuple[str, ...] = ("text", "citations")
) -> Defect:
    return Defect(
        kind,
        about=topics(*about),
        event=evidence.first_event_with("citation"),
        part=next((read.part for read in evidence.reading.citations), None),
    )


def _only_links_differ(evidence: Evidence) -> bool:
    """Whether the text without links and the data parts are right."""
    plain = _any_link(evidence).sub("", evidence.reading.text)
    hidden = evidence.expected_with(annotations="hidden")
    return evidence.fits_citations(evidence.expected) and any(o.text.fits(plain) for o in hidden)


def _any_link(evidence: Evidence) -> re.Pattern[str]:
    """A pattern for links to a citation in any form, and for its title or URL with any target."""
    cited = evidence.content.citations
    forms = {form for citation in cited for form in link_forms(citation) if form}
    names = {name for c in cited for name in (c.title, c.url) if name}
    written = [_either(forms)] if forms else []
    elsewhere = [rf" ?\[(?:{_either(names)})\]\([^()\s]*\)"] if names else []
    return re.compile("|".join([*written, *elsewhere]) or r"(?!)")


def _either(texts: set[str]) -> str:
    return "|".join(sorted(map(re.escape, texts), key=len, reverse=True))


def _wrong_links(evidence: Evidence) -> Kind:
    declared = trait_of(evidence, "annotations")
    cited = (s.value for s in evidence.content.segments if s.citation and s.value)
    due = Counter(cited) if declared.value == "link" else Counter[str]()
    got = Counter(_any_link(evidence).findall(evidence.reading.text))
    for kind, links in ((LinkMissing, due - got), (LinkTooOften, got - due)):
        if links:
            return kind(declared, next(iter(links)))
    return LinksMisplaced(declared)


def _wrong_parts(evidence: Evidence) -> Defect:
    got = tuple(read.citation.fields() for read in evidence.reading.citations)
    declared = trait_of(evidence, "annotations")
    if got and declared.value == "hidden":
        return _misrouted(evidence, CitationsInData(declared, got))
    if got and declared.value == "link":
        as_well = evidence.expected.text.fits(evidence.reading.text)
        return _misrouted(evidence, CitationsNotOnlyLinked(declared, got, as_well))
    due = tuple(citation.fields() for citation in evidence.expected.citations)
    return _misrouted(
        evidence, OtherCitations(due, got) if got else NoCitation(due), ("citations",)
    )


def _nameless(evidence: Evidence) -> Iterator[Defect]:
    due = evidence.expected.citations
    for expected, read in zip(due, evidence.reading.citations, strict=False):
        fields = expected.fields()
        if lost := tuple(sorted(fields.keys() - read.citation.fields().keys())):
            kind = CitationLacks(_source(expected), lost, fields)
            yield Defect(kind, topics("citations"), part=read.part)
            return


def _source(citation: Citation) -> str:
    known = citation.fields()
    return next((known[name] for name in IDENTITY if name in known), citation.title)
