"""Where what is right is written: links of sources, paragraphs on semantics, and remedies.

Rules, scenarios and the exceptions of profiles name a source by a short text, such as
``lm-stream-semantics § 3.2``, ``RFC 9110 § 15`` or ``vercel/ai#18548``. ``link`` gives the address
of each: of a specification's section, of a schema or type, of an issue, or of a paragraph of
``docs/semantics.md``, which states what the source says. ``sources.yaml``, here and in the folders
of the dialects, has the documents and their clauses. Issues, RFCs and files on GitHub need no row.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.dialects.tables import folders, table, tables
from mockserver.foundation.shipped import folder

PAGE = "docs/semantics.md"
"""The page that restates the stream semantics; a link to it has a paragraph's anchor."""

_ISSUE = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)")
_FILE = re.compile(r"([\w.-]+/[\w.-]+)(?:@(\w+))?, ([\w./-]+)(?:: .+)?")
_RFC = re.compile(r"RFC (\d+) § ([\d.]+)")
_PARAGRAPH = re.compile(r"semantics § ([\w-]+)")
_ADDRESS = re.compile(r"https://[\w./%#@-]+")
_HEADING = re.compile(r"^(##|###) (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")


@cache
def clauses(source: str) -> tuple[str, ...]:
    """The single sources in the text of a rule: ``A § 1, § 2; B`` names two clauses of A, and B."""
    found: list[str] = []
    for one in source.split("; "):
        first, *others = one.split(", § ")
        document = first.split(" § ")[0]
        found += [first, *(f"{document} § {other}" for other in others)]
    return tuple(found)


def link(clause: str) -> str:
    """The link of a single source; empty if it is unknown, as a scenario of one's own may have it.

    A link is an address on the web, or ``docs/semantics.md#anchor``.
    """
    if named := _PARAGRAPH.fullmatch(clause):
        return f"{PAGE}#{named[1]}"
    return links().get(clause) or _by_form(clause)


def links() -> Mapping[str, str]:
    """The links of the clauses in the tables, by the names of the clauses."""
    return _links_of(folders())


@cache
def _links_of(_folders: tuple[str, ...]) -> Mapping[str, str]:
    return {name: link for each in _tables() for name, link in _links_in(each)}


def documents() -> Mapping[str, str]:
    """What the documents in the tables are, in Markdown, by the names of the documents."""
    return {
        name: document["about"]
        for each in _tables()
        for name, document in each.items()
        if "about" in document
    }


def _tables() -> Iterator[Mapping[str, Any]]:
    yield table("conformance.report", "sources")
    yield from tables("sources")


def _links_in(read: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for document, held in read.items():
        if address := held.get("address"):
            yield document, address
        for pattern, clauses_ in held.get("clauses", {}).items():
            places = clauses_ if isinstance(clauses_, dict) else {each: each for each in clauses_}
            for clause, place in places.items():
                yield _name(document, clause), pattern.replace("{}", place)


def _name(document: str, clause: str) -> str:
    """How a clause is cited: ``openai: Tool``, ``OpenAI § stream``, or by its name alone."""
    if not document:
        return clause
    return f"{document} {clause}" if document.endswith(":") else f"{document} § {clause}"


def anchor_of(link_: str) -> str:
    """The anchor in a link to ``docs/semantics.md``; empty for other links."""
    page, _, anchor = link_.partition("#")
    return anchor if page == PAGE else ""


def with_links(source: str) -> str:
    """The text of a source, with the link of each clause after it in parentheses."""
    links_ = ((clause, link(clause)) for clause in clauses(source))
    return "; ".join(f"{clause} ({address})" if address else clause for clause, address in links_)


def _by_form(clause: str) -> str:
    if issue := _ISSUE.fullmatch(clause):
        return f"https://github.com/{issue[1]}/issues/{issue[2]}"
    if _ADDRESS.fullmatch(clause):
        return clause
    if section := _RFC.fullmatch(clause):
        return f"https://www.rfc-editor.org/rfc/rfc{section[1]}#section-{section[2]}"
    if file := _FILE.fullmatch(clause):
        return f"https://github.com/{file[1]}/blob/{file[2] or 'HEAD'}/{file[3]}"
    return ""


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
    """All paragraphs of ``docs/semantics.md`` by anchor, in the order of the page.

    The anchor of a rule's paragraph is the rule's id.
    """
    text = folder("docs").joinpath("semantics.md").read_text("utf-8")
    return {each.anchor: each for each in paragraphs_in(text)}


def paragraphs_in(text: str) -> Iterator[Paragraph]:
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


def remedies() -> Mapping[str, str]:
    """How to mend what breaks each rule, in Markdown, each on one line, by the id of the rule.

    The texts about runs and requests, and those that several dialects share, are in
    ``conformance/rules/remedies.yaml``, the others in the folders of the dialects.
    """
    read = (*tables("remedies"), table("conformance.rules", "remedies"))
    return {rule: remedy.strip() for each in read for rule, remedy in each.items()}
