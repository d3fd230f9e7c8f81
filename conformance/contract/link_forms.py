"""The forms of a Markdown link to a cited page, whose title and URL its author has chosen.

``citations.link`` is a link as rfc-00022 § Gap 2 has it. A title may have brackets or HTML in it,
and a URL may run a command instead of opening a page (lm-stream-semantics § 2.6). So an adapter may
escape what Markdown would read in them, and leave out the link if its URL is not one of the web.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from conformance.contract.citations import link

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockserver.scenario.script import Citation

    Change = Callable[[str], str]

_WEB = ("http", "https")
_RUNNING = ("command", "data", "javascript", "vbscript")
_UNSAFE_IN_URL = re.compile(r"[\s()<>\\]")
_HTML_OR_IMAGE = re.compile(r"<[a-z/!][^<>]*>|!\[[^\]]*\]\(", re.IGNORECASE)


def _escaped(special: str) -> Change:
    """Puts a backslash before special characters, and a blank in place of line breaks."""
    escapes = {ord(each): f"\\{each}" for each in special} | {ord("\n"): " ", ord("\r"): " "}
    return lambda title: title.translate(escapes)


def _encoded(url: str) -> str:
    return _UNSAFE_IN_URL.sub(lambda found: quote(found[0], safe=""), url)


_SPELLINGS: tuple[tuple[Change, Change], ...] = (
    (str, str),
    (_escaped("[]"), str),
    (_escaped("[]"), _encoded),
    (_escaped("\\`[]<>"), _encoded),
)
"""The ways to write a title and a URL; the first one changes nothing."""

_OFF_THE_WEB: tuple[Callable[[str, str], str], ...] = (
    lambda linked, _title: linked,
    lambda _linked, title: f" {title}",
    lambda _linked, _title: "",
)
"""What may be shown of a source that is not of the web, from its link and its title."""


def link_forms(citation: Citation) -> tuple[str, ...]:
    """The link to a source in each way of writing links, ``citations.link`` first.

    The number is the same for all sources. Most have the same form in all ways.
    """
    ways = [(title, url, show) for title, url in _SPELLINGS for show in _OFF_THE_WEB]
    if not citation.url:
        return ("",) * len(ways)
    of_the_web = scheme_of(citation.url) in _WEB
    forms = []
    for change_title, change_url, show in ways:
        title = change_title(citation.title or citation.url)
        linked = f" [{title}]({change_url(citation.url)})"
        forms.append(linked if of_the_web else show(linked, title))
    return tuple(forms)


def scheme_of(url: str) -> str:
    """The scheme of a URL, in lower case; empty if it has none."""
    return url.partition(":")[0].strip().lower() if ":" in url else ""


@dataclass(frozen=True, slots=True)
class Danger:
    """What the title or the URL of a link does besides linking: it holds markup, or runs code."""

    place: Literal["title", "URL"]
    value: str
    does: Literal["hold markup", "end the link", "run code"]
    markup: str = ""


def danger_in(citation: Citation) -> Danger | None:
    """What ``citations.link`` would show or run besides a link to the source, if anything."""
    title = citation.title or citation.url
    if not link(citation):
        return None
    if found := _HTML_OR_IMAGE.search(title):
        return Danger("title", title, "hold markup", found[0])
    if "](" in title or not _balanced(title):
        return Danger("title", title, "end the link")
    is_running = scheme_of(citation.url) in _RUNNING
    return Danger("URL", citation.url, "run code") if is_running else None


def _balanced(title: str) -> bool:
    """Whether the brackets in a title come in pairs, as Markdown allows in a link."""
    depth = 0
    for character in title:
        depth += (character == "[") - (character == "]")
        if depth < 0:
            return False
    return depth == 0
