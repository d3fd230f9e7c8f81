"""Everything that pages show is tested: each page is played from top to bottom."""

import json
import re
from pkgutil import resolve_name
from shutil import which

import pytest

from tests.docs.pages import PAGES, ROOT, blocks
from tests.docs.project_copy import Stage
from tests.docs.run_blocks import installs, play

_SHOWING = [
    pytest.param(page, marks=pytest.mark.installs) if installs(page) else page
    for page in PAGES
    if blocks(page)
]
_READMES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*/README.md", "streamproof/_commands/skeletons/*/README.md")
    for path in ROOT.glob(pattern)
)
_LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)")
_PATH = re.compile(
    r"`((?:\.ci|conformance|docs|mockserver|node|scenarios|schemas|streamproof|tests)/[\w./-]*)`"
)
# What the npm package exports looks like a path, too.
_EXPORTS = json.loads(ROOT.joinpath("node", "package.json").read_text("utf-8"))["exports"]
_MODULES = {f"streamproof{name.removeprefix('.')}" for name in _EXPORTS}
_CODE = re.compile(r"`((?:conformance|mockserver|streamproof)(?:\.\w+)+)`")


@pytest.mark.parametrize("page", _SHOWING)
def test_what_a_page_shows_is_right(page: str, stage: Stage) -> None:
    shown = blocks(page)
    for program in ("curl", "npm"):
        if any(f"{program} " in block.text for block in shown) and which(program) is None:
            pytest.skip(f"the page shows commands of {program}, which is not installed")
    quiet: set[str] = set()
    for block in shown:
        # A command without output that a page shows again is run once.
        if block.language == "sh" and block.output is None and block.text in quiet:
            continue
        quiet.add(block.text)
        play(stage, block)


def test_links_have_a_target() -> None:
    for page in [*PAGES, *_READMES]:
        for path, anchor in _LINK.findall(_text(page)):
            target = (ROOT / page).parent / path if path else ROOT / page
            assert target.exists(), f"{page}: {path}"
            if anchor:
                assert anchor in _anchors(target.read_text("utf-8")), f"{page}: {path}#{anchor}"


def test_named_paths_exist() -> None:
    for page in PAGES:
        for path in _PATH.findall(_text(page)):
            assert path in _MODULES or ROOT.joinpath(path).exists(), f"{page}: {path}"


def test_named_code_exists() -> None:
    for page in PAGES:
        for name in _CODE.findall(_text(page)):
            try:
                resolve_name(name)
            except (ImportError, AttributeError) as error:
                pytest.fail(f"{page}: {name}: {error}")


def _text(page: str) -> str:
    return ROOT.joinpath(page).read_text("utf-8")


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
