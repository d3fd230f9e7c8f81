"""The built site has every page, needs no other host, and is read in a browser from its files."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.report.sources import remedies
from mockserver.cases.catalogue import Catalogue
from tests.clients.npm import install, needs_node
from tests.docs.pages import ROOT
from tests.suite.browser import BROWSER, Tab, browsing
from tests.website.built_site import broken_links, from_other_hosts, pages

AXE = ROOT / "tests" / "suite" / "axe"
# For all pages, on a busy machine.
_SECONDS = 180
# One of each kind, and the widest tables.
_LOOKED_AT = (
    *(
        "index.html",
        "start/bug.html",
        "adapters.html",
        "catalogue.html",
        "rules.html",
        "gateway.html",
        "benchmarks.html",
    ),
    *("rules/call-once.html", "rules/framing.html", "scenarios/any/refusal.html"),
    *("scenarios/any/conversation-two-rounds.html", "reference/events/openresponses.html"),
    *("reference/commands.html", "findings.html", "profiles.html", "hosted.html"),
    *("reference/traits.html", "reference/drive.html", "findings/litellm.html"),
)
# The theme's script gives code the focus once it is in view, and makes a landmark of each button
# that copies.
_FAULTS_OF_THE_THEME = ("landmark-unique", "scrollable-region-focusable")
_LIGHTNESS = """
getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)
  .reduce((sum, part) => sum + part)
"""
# What is searched for, and a page that is found.
_FOUND = {
    "refusal-routed": "rules/refusal-routed.html",
    "base url of my gateway": "gateway.html",
    "without [DONE]": "scenarios/chat/done-without-finish.html",
    "response.failed": "reference/events/openresponses.html",
}
_RESULTS = "[...document.querySelectorAll('.md-search-result__item a')].map((a) => a.href)"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Its generator is installed if it is not there."""
    place = tmp_path_factory.mktemp("site")
    environment = {**os.environ}
    if find_spec("material") is None:
        project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]
        needed = project["optional-dependencies"]["site"]
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(place / "needed")]
        subprocess.run([*pip, *needed], check=True)
        environment["PYTHONPATH"] = str(place / "needed")
    command = [sys.executable, "-m", "website", str(place / "site")]
    built = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return place / "site"


@pytest.mark.installs
async def test_the_site_is_complete_by_itself(site: Path, tmp_path: Path) -> None:
    assert not site.joinpath("404.html").exists()
    there = {path.relative_to(site).as_posix() for path in pages(site)}
    assert {f"scenarios/{id_}.html" for id_ in Catalogue.shipped().ids()} <= there
    assert {f"rules/{id_}.html" for id_ in remedies()} <= there
    assert list(from_other_hosts(site)) == []
    assert list(broken_links(site)) == []
    if BROWSER is None:
        pytest.skip("no Chromium is installed, so nobody has looked at the site")
    async with browsing(tmp_path, _SECONDS) as tab:
        await _look(tab, site)
        await _search(tab, site)
        assert {url.partition(":")[0] for url in tab.requested} == {"file", "data"}
        assert tab.thrown == []
        await _read_aloud(tab, site)


async def _look(tab: Tab, site: Path) -> None:
    """Every kind of page fits into a narrow window, and follows the system's palette."""
    await tab.resize(390)
    for page in _LOOKED_AT:
        await tab.go(site.joinpath(page).as_uri())
        assert await tab.evaluate("document.documentElement.scrollWidth") == 390, page
        lightness = []
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            await tab.ask("Emulation.setEmulatedMedia", features=[feature])
            await tab.until(f"document.body.dataset.mdColorScheme == '{_SCHEMES[scheme]}'")
            lightness.append(await tab.evaluate(_LIGHTNESS))
        assert lightness[0] > 600 > 300 > lightness[1], page
        shown = "[...document.querySelectorAll('.timeline svg')].filter((s) => s.checkVisibility())"
        assert await tab.evaluate(f"{shown}.every((s) => s.classList.contains('narrow'))"), page
        tables = "[...document.querySelectorAll('table[data-wide]')]"
        assert await tab.evaluate(f"{tables}.every((t) => t.scrollWidth <= t.clientWidth)"), page
        assert await tab.evaluate(_SCROLLED) == [], page


# The first headings of tables that do not fit, whose rest nobody sees without scrolling.
_SCROLLED = """
[...document.querySelectorAll('.md-typeset__scrollwrap')]
  .filter((wrapped) => wrapped.scrollWidth > wrapped.clientWidth)
  .map((wrapped) => wrapped.querySelector('th').textContent)
"""
_SCHEMES = {"light": "default", "dark": "slate"}


async def _read_aloud(tab: Tab, site: Path) -> None:
    """Where npm is, axe-core has nothing to say about pages but what the theme's script does."""
    needs_node()
    install(AXE)
    axe = (AXE / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
    rules = json.dumps({rule: {"enabled": False} for rule in _FAULTS_OF_THE_THEME})
    for page in _LOOKED_AT:
        await tab.go(site.joinpath(page).as_uri())
        await tab.evaluate(f"{axe}; null")
        found = await tab.evaluate(
            f"axe.run({{rules: {rules}}}).then(({{violations}}) => violations.map((v) =>"
            " [v.id, v.nodes.map((n) => n.failureSummary)]))"
        )
        assert found == [], page


async def _search(tab: Tab, site: Path) -> None:
    """The search finds rules, scenarios and events, also where no server is."""
    await tab.resize(1280)
    for words, page in _FOUND.items():
        await tab.go(site.joinpath("scenarios/any/refusal.html").as_uri())
        await tab.evaluate("document.querySelector('input.md-search__input').focus()")
        await tab.ask("Input.insertText", text=words)
        await tab.until(f"{_RESULTS}.length > 0")
        found = await tab.evaluate(_RESULTS)
        assert site.joinpath(page).as_uri() in [each.partition("?")[0] for each in found], words
