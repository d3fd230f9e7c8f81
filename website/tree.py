"""The pages of the site, and the files beside them."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mockserver.dialects import DIALECTS
from tests.docs.pages import ROOT
from website import event_pages, hosted, reference_pages, rule_pages, scenario_pages, start
from website.links import find_place, rewrite_links

_HERE = Path(__file__).parent
ASSETS = _HERE / "assets"
CONFIG = _HERE / "mkdocs.yml"

# Pages outside of docs/ that are pages of the site, too. The README has several.
_OUTSIDE = (
    *("CONTRIBUTING.md", "CHANGELOG.md"),
    *(f"{folder}/README.md" for folder in ("adapters", "benchmarks", "node")),
)

# Pages about everything: the search shows others before them.
_LONG = ("findings/", "changelog.md")
_FOUND_LATE = "---\nsearch: {boost: 0.3}\n---\n\n"

_MADE: tuple[Callable[[], Mapping[str, str]], ...] = (
    lambda: {"catalogue.md": scenario_pages.catalogue_page()},
    lambda: {"rules.md": rule_pages.list_page()},
    lambda: {"hosted.md": hosted.page()},
    scenario_pages.pages,
    rule_pages.pages,
    event_pages.pages,
    reference_pages.pages,
)
"""Each makes pages from the project: their texts by place, with links as if they were in docs/."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The texts of all pages by their place in the site, and the files to copy, by place."""

    pages: Mapping[str, str]
    files: Mapping[str, Path]

    def write(self, folder: Path) -> None:
        """Write all pages and files below a folder."""
        for place, text in self.pages.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        for place, source in self.files.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, path)


def tree() -> Tree:
    """All pages of the site, and the files that they link to."""
    pages: dict[str, str] = {}
    linked: set[str] = set()
    readme = _text("README.md")
    sections = start.places(readme)
    written = [("README.md", place, text) for place, text in start.pages(readme).items()]
    written += [(path, find_place(path), _text(path)) for path in project_pages()]
    written += [(f"docs/{at}", at, text) for make in _MADE for at, text in make().items()]
    for path, place, text in written:
        found, files = rewrite_links(text, path, place, sections)
        pages[place] = _FOUND_LATE + found if place.startswith(_LONG) else found
        linked |= files
    assets = {f"assets/{path.name}": path for path in sorted(ASSETS.iterdir())}
    return Tree(pages, {**assets, **{find_place(path): ROOT / path for path in sorted(linked)}})


def settings() -> str:
    """The settings of the generator: ``mkdocs.yml``, with a page of events for each dialect."""
    events = "          - reference/events.md\n"
    pages = "".join(f"          - {name}: reference/events/{name}.md\n" for name in DIALECTS)
    return CONFIG.read_text("utf-8").replace(events, events + pages)


def project_pages() -> list[str]:
    """The pages of the project, without those of npm packages that its examples install."""
    paths = (path.relative_to(ROOT) for path in ROOT.joinpath("docs").rglob("*.md"))
    return [*sorted(p.as_posix() for p in paths if "node_modules" not in p.parts), *_OUTSIDE]


def _text(path: str) -> str:
    return ROOT.joinpath(path).read_text("utf-8")
