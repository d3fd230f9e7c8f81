"""Rewrites the links of a page of the project for its place in the site."""

import posixpath
import re
from collections.abc import Mapping

from conformance.report.sources import remedies
from tests.docs.pages import ROOT

FILES = "files"
"""The folder of the site with files of the project that pages link to."""

_SEMANTICS = "docs/semantics.md"
# Blocks of code, and lines of HTML: they have no links of Markdown.
_VERBATIM = re.compile(r"(^(`{3,}).*?^\2$|^<(?:div|details)\b.*?$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<picture>!?)\[(?P<text>(?:`[^`]*`|[^]`])*)\]\((?!https?://)(?P<target>[^)\s]+)\)"
)

# Pages that are not in docs/, and tables of which pages are made, by their place in the project.
_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "adapters/README.md": "bindings.md",
    "benchmarks/README.md": "benchmarks.md",
    "node/README.md": "node-package.md",
    "scenarios": "catalogue.md",
    "schemas/events": "reference/events.md",
    "mockserver/dialects/profile.py": "profiles.md",
    "conformance/rules/__init__.py": "rules.md",
    "conformance/rules/framing/__init__.py": (
        "rules.md#how-it-frames-the-parts-of-stream-and-fullstream"
    ),
    "conformance/rules/requests/__init__.py": "rules.md#what-an-adapter-sends-back-upstream",
    "conformance/rules/counting/__init__.py": "rules.md#what-an-adapter-counts",
    "conformance/rules/streams.py": "rules.md#what-an-upstream-sends",
}


def find_place(path: str) -> str:
    """The place in the site of a file of the project, both as paths from the root."""
    if path in _PAGES:
        return _PAGES[path]
    folder, _, below = path.partition("/")
    if folder == "docs":
        return below
    if folder == "scenarios" and path.endswith(".yaml"):
        return f"{path.removesuffix('.yaml')}.md"
    return f"{FILES}/{path}"


def rewrite_links(
    text: str, path: str, place: str, sections: Mapping[str, str] | None = None
) -> tuple[str, set[str]]:
    """A page of the project at ``path`` with the links that it needs at ``place`` of the site.

    Also returns the files of the project that it links to. ``sections`` has the places of the
    README's sections by their anchors. A link to a folder becomes its text, and a path that is the
    text of a link to a page becomes the page's title. The name of a rule leads to the rule's page,
    in place of the paragraph about it.
    """
    files: set[str] = set()

    def link(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        picture, words, target = found.group("picture", "text", "target")
        named, _, anchor = target.partition("#")
        of = posixpath.normpath(posixpath.join(posixpath.dirname(path), named)) if named else path
        if ROOT.joinpath(of).is_dir() and of not in _PAGES:
            return words
        there, _, within = find_place(of).partition("#")
        anchor = anchor or within
        if of == "README.md" and sections and anchor in sections:
            there = sections[anchor]
        if of == _SEMANTICS and words == f"`{anchor}`" and anchor in remedies():
            there, anchor = f"rules/{anchor}.md", ""
        if not there.endswith(".md"):
            files.add(of)
        if words.strip("`") in (named, posixpath.basename(named)) and of.endswith(".md"):
            words = ROOT.joinpath(of).read_text("utf-8").partition("\n")[0].removeprefix("# ")
        to = "" if there == place else posixpath.relpath(there, posixpath.dirname(place) or ".")
        return f"{picture}[{words}]({to}{'#' + anchor if anchor else ''})"

    done, end = [], 0
    for verbatim in _VERBATIM.finditer(text):
        done += [_LINK.sub(link, text[end : verbatim.start()]), verbatim[0]]
        end = verbatim.end()
    return "".join([*done, _LINK.sub(link, text[end:])]), files
