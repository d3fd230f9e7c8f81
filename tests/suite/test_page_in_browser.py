"""The HTML page of results in Chromium: opening cells, keyboard, widths, policy, accessibility."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import ClientWebSocketResponse as Socket

from conformance.findings.finding import Finding
from conformance.report.page import render_page
from conformance.report.recorded import parse_results
from conformance.report.results import Status
from mockserver.cases.catalogue import Catalogue
from streamproof._commands.cases import find_case
from tests.clients.npm import install, needs_node
from tests.findings.made import found
from tests.suite.browser import BROWSER, PATIENCE, Tab, browser
from tests.suite.recordings import CASE, RIGHT, Json, footer, header, result, written

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
    pytest.mark.asyncio(loop_scope="module"),
]

AXE = Path(__file__).parent / "axe"
NAMED = partial(find_case, catalogue=Catalogue.shipped())
MUST = found("refusal-routed", "must", "the refusal went nowhere", "the refusal", "rfc", None, 0)
SHOULD = found("text-incremental", "should", "all at the end", "as it arrives", "rfc", 0, 0)
OTHER = "any/reasoning@openresponses"
MARKUP = "<script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>"

# What is visible of the opened case; empty if none is open.
OPEN = "document.querySelector('dialog[open]')?.innerText ?? ''"
IS_OPEN = "document.querySelector('dialog').open"
FOCUSED = "document.activeElement.getAttribute('href')"
FAILING = ".matrix a[href='#run-0-1']"


def played(adapter: str, status: Status, *findings: Finding, case: str = CASE) -> Json:
    """A result with a timeline, whose notes are markup."""
    run = {**RIGHT, "adapter": adapter, "case": case, "notes": [MARKUP]}
    return result(run, status, *findings, case=case, adapter=adapter)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with every status, for four adapters with long names."""
    passed, failed, known, broken = names = [f"adapter-with-a-long-name-{n}" for n in range(4)]
    lines = (
        played(passed, "passed", SHOULD),
        played(failed, "failed", MUST, SHOULD),
        played(known, "known", MUST),
        result(None, "broken", adapter=broken, why="no such step"),
        played(passed, "passed", case="any/text@openresponses"),
        result(None, "not-applicable", case=OTHER, adapter=passed, why="not claimed"),
        result(None, "not-applicable", case="claims/live", adapter=passed, why="not claimed"),
    )
    file = tmp_path_factory.mktemp("page") / "page.html"
    recording = parse_results(written(header({}, *names), *lines, footer(1)), "x")
    file.write_text(render_page([recording], NAMED), "utf-8")
    return file.as_uri()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Socket]:
    async with browser(tmp_path_factory.mktemp("chromium")) as socket:
        yield socket


@pytest_asyncio.fixture(loop_scope="module")
async def tab(chromium: Socket) -> AsyncIterator[Tab]:
    opened = Tab(chromium)
    async with asyncio.timeout(PATIENCE):
        await opened.open()
    yield opened
    await opened.close()


async def test_a_cell_opens_above_the_page_and_nothing_else_runs_or_is_fetched(
    tab: Tab, page: str
) -> None:
    await tab.go(page)
    assert not await tab.evaluate(OPEN)
    await tab.click(FAILING)
    await tab.until(IS_OPEN)
    visible = await tab.evaluate(OPEN)
    assert NAMED(CASE).scenario.title in visible
    assert "✗ refusal-routed (must): the refusal went nowhere" in visible
    assert "<script>alert(1)</script>" in visible
    # Only the opened run is visible, and a folded part is not before it is opened.
    assert "adapter-with-a-long-name-2" not in visible
    assert "event response.refusal.delta {" not in visible
    await tab.click("article:not([hidden]) summary:last-of-type")
    assert "adapter-with-a-long-name-1: FAIL" in await tab.evaluate(OPEN)
    await tab.evaluate("document.querySelectorAll('dialog details').forEach((d) => d.open = true)")
    assert "event response.refusal.delta {" in await tab.evaluate(OPEN)
    await tab.click("nav a[href='#run-0-2']")
    await tab.until("document.querySelector('[aria-current=true]').hash === '#run-0-2'")
    assert "adapter-with-a-long-name-2: known" in await tab.evaluate(OPEN)
    await tab.click("dialog > button")
    await tab.until(f"!{IS_OPEN} && location.hash === ''")
    # Of two that are opened at once, the last is shown.
    await tab.evaluate("location.hash = '#run-0-1'; location.hash = '#run-2-0'")
    await tab.until(IS_OPEN)
    assert OTHER in await tab.evaluate(OPEN)
    assert "adapter-with-a-long-name-0: n/a" in await tab.evaluate(OPEN)
    assert await tab.evaluate("document.images.length") == 0
    assert tab.requested == [page]
    assert tab.thrown == []


async def test_keys_open_and_close_a_case_and_the_focus_returns(tab: Tab, page: str) -> None:
    await tab.go(page)
    await tab.evaluate(f'document.querySelector("{FAILING}").focus()')
    for _ in range(2):
        await tab.press("Enter")
        await tab.until(IS_OPEN)
        assert await tab.evaluate("document.activeElement.innerText") == "Close"
        # The page below cannot be reached.
        await tab.press("Tab", shift=True)
        assert await tab.evaluate("!document.activeElement.closest('main')")
        await tab.press("Escape")
        await tab.until(f"!{IS_OPEN} && location.hash === ''")
        assert await tab.evaluate(FOCUSED) == "#run-0-1"
    # A case with no failure is in a folded table.
    for link, folded in ((f"{page}#run-0-2", False), (f"{page}#run-2-0", True)):
        await tab.go("about:blank")
        await tab.go(link)
        await tab.until(IS_OPEN)
        await tab.press("Escape")
        await tab.until(f"!{IS_OPEN} && location.hash === ''")
        assert await tab.evaluate(FOCUSED) == link.removeprefix(page)
        assert await tab.evaluate("!!document.activeElement.closest('details')") == folded


async def test_the_policy_forbids_foreign_scripts_and_styles(tab: Tab, page: str) -> None:
    await tab.go(page)
    for kind, text in (("script", "window.ran = true"), ("style", "body { display: none }")):
        refused = await tab.evaluate(
            "new Promise((done) => {"
            "const refuse = (event) => done(event.effectiveDirective);"
            "document.addEventListener('securitypolicyviolation', refuse, {once: true});"
            f"const added = document.createElement('{kind}'); added.textContent = '{text}';"
            "document.body.append(added); })"
        )
        assert refused == f"{kind}-src-elem"
    assert await tab.evaluate("window.ran === undefined")
    assert await tab.evaluate("getComputedStyle(document.body).display") == "block"


async def views(tab: Tab, page: str) -> AsyncIterator[int]:
    """Show the page in windows of several widths, without a case and with one; yield the width."""
    for width, scheme in ((390, "light"), (1280, "light"), (1280, "dark")):
        await tab.resize(width)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await tab.ask("Emulation.setEmulatedMedia", features=features)
        for target in ("", "#run-0-1"):
            await tab.go("about:blank")
            await tab.go(page + target)
            await tab.until(f"{IS_OPEN} === {json.dumps(bool(target))}")
            await tab.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
            yield width


async def test_the_page_fits_a_window_of_any_width(tab: Tab, page: str) -> None:
    async for width in views(tab, page):
        for box in ("document.documentElement", "document.querySelector('dialog')"):
            assert await tab.evaluate(f"{box}.scrollWidth") <= width


async def test_axe_finds_no_fault(tab: Tab, page: str) -> None:
    needs_node()
    install(AXE)
    axe = (AXE / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
    async for _ in views(tab, page):
        await tab.evaluate(f"{axe}; null")
        found = await tab.evaluate(
            "axe.run().then(({violations, passes}) => ({passes: passes.map((p) => p.id),"
            " violations: violations.map((v) => [v.id, v.nodes.map((n) => n.failureSummary)])}))"
        )
        assert found["violations"] == []
        assert {"color-contrast", "link-name"} <= {*found["passes"]}
