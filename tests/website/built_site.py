"""Reads a built site: its links, and what its pages request."""

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads for a page by itself, by element and attribute.
_LOADED = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("link", "href"),
}
# Links of a page's head that say where it is, and load nothing.
_NAMES_ONLY = {"canonical", "prev", "next"}


class _Page(HTMLParser):
    """What a page loads, where it leads, and the ids that links may name."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = {name: value or "" for name, value in attrs}
        self.ids |= {fields[name] for name in ("id", "name") if fields.get(name)}
        if tag == "a" and "href" in fields:
            self.leads.append(fields["href"])
        if fields.get("rel") not in _NAMES_ONLY:
            self.loads += [value for name, value in fields.items() if (tag, name) in _LOADED]


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def pages(site: Path) -> list[Path]:
    """The pages of a site; the page of missing addresses has no place of its own."""
    return sorted(path for path in site.rglob("*.html") if path.name != "404.html")


def from_other_hosts(site: Path) -> Iterator[str]:
    """What pages or style sheets load that is not in the site."""
    for path in pages(site):
        for address in _read(path).loads:
            if urlsplit(address).netloc:
                yield f"{path.relative_to(site)}: {address}"
    for path in site.rglob("*.css"):
        if "url(http" in path.read_text("utf-8") or "@import" in path.read_text("utf-8"):
            yield f"{path.relative_to(site)}: a style sheet"


def broken_links(site: Path) -> Iterator[str]:
    """The links of a site, and what its pages load, that have no target in it."""
    for path in pages(site):
        page = _read(path)
        for address in {*page.leads, *page.loads}:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = path.parent.joinpath(unquote(parts.path)) if parts.path else path
            if not _has(target / "index.html" if target.is_dir() else target, parts.fragment):
                yield f"{path.relative_to(site)}: {address}"


def _has(target: Path, fragment: str) -> bool:
    """Whether a file is there, and has the anchor if one is named."""
    if not target.is_file():
        return False
    return target.suffix != ".html" or not fragment or unquote(fragment) in _ids(target)


def _ids(page: Path) -> set[str]:
    return _read(page.resolve()).ids
