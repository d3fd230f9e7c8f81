"""The HTML page of results: its cells, its sections, and the escaping of untrusted values."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conformance.contract.finding import Finding
from conformance.contract.recorded import parse_results
from conformance.contract.results import Status
from conformance.report.matrix import badge, matrix
from mockserver.faults import UserError
from mockserver.scenario.catalogue import Catalogue
from streamproof.cases import case_of_id
from tests.suite.browser import BROWSER, browsing
from tests.suite.recordings import CASE, RIGHT, Json, changed, footer, header, result, written

MUST = Finding("refusal-routed", "must", "the refusal went nowhere", "the refusal", "rfc", None, 0)
SHOULD = Finding("text-incremental", "should", "all at the end", "as it arrives", "rfc", 0, 0)
EVIL = "<script>alert(1)</script>{{runs}}<img src=x onerror=alert(2)>\x1b[31m\ud800"
NAMED = partial(case_of_id, catalogue=Catalogue.shipped())
# What is visible of the open case; null if none is open.
OPEN = "document.querySelector('.case:has(:target)')?.innerText"


class Page(HTMLParser):
    """The rows of the tables, the runs by id, their commands, and all tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.runs: dict[str, str] = {}
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.commands: list[str] = []
        self._run, self._in_cell, self._in_command = "", False, False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True
        elif tag == "article":
            self._run = str(known["id"])
            self.runs[self._run] = ""
        elif tag == "a" and self._in_cell:
            self.links.append(str(known["href"]))
        elif known.get("class") == "command":
            self.commands.append("")
            self._in_command = True

    def handle_data(self, data: str) -> None:
        if self._in_command:
            self.commands[-1] += data
        if self._run:
            self.runs[self._run] += data
        elif self._in_cell:
            self.rows[-1][-1] += data.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self._run = ""
        self._in_command = self._in_command and tag != "pre"
        self._in_cell = self._in_cell and tag not in ("td", "th")


def paged(*files: bytes) -> Page:
    return Page(matrix([parse_results(data, f"{n}.jsonl") for n, data in enumerate(files)], NAMED))


def of(status: Status, *findings: Finding, **more: str) -> bytes:
    played = None if status in ("not-applicable", "broken") else RIGHT
    return written(header(), result(played, status, *findings, **more), footer())


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (of("passed"), "pass"),
        (of("passed", SHOULD), "pass*"),
        (of("failed", MUST), "FAIL"),
        (of("known", MUST), "known"),
        (of("not-applicable", why="it does not claim cancel"), "n/a"),
        (of("broken", why="scenario: no such step"), "broken"),
    ],
    ids=["pass", "pass with findings", "fail", "known", "not applicable", "broken"],
)
def test_a_cell_has_the_status_as_a_word_and_opens_a_section(data: bytes, word: str) -> None:
    page = paged(data)
    assert page.rows[-1] == [CASE, word]
    assert page.links == ["#run-0-0"]
    assert list(page.runs) == ["run-0-0"]


def test_a_section_has_the_findings_that_a_finding_explains() -> None:
    (run,) = paged(of("failed", replace(MUST, explains=(SHOULD,)))).runs.values()
    assert "↳ text-incremental (should): all at the end" in run
    assert "and 1 that follows from it" in run


def test_a_section_has_findings_timeline_and_what_was_sent() -> None:
    noted = changed(RIGHT, ("notes",), ["on stderr it said:", "Traceback: boom"])
    page = paged(written(header(), result(noted, "failed", MUST), footer(1)))
    (run,) = page.runs.values()
    for text in (
        "✗ refusal-routed (must): the refusal went nowhere",
        "refusal.delta [0]",
        'text "I\'m sorry, I cannot help with that."',
        "Traceback: boom",
        "event response.refusal.delta {",
    ):
        assert text in run


@pytest.mark.parametrize(
    ("described", "scenarios", "command"),
    [
        ({}, [], "--adapter ADAPTER.YAML"),
        ({"file": "../my adapter/adapter.yaml"}, [], "--adapter '../my adapter/adapter.yaml'"),
        (
            {"file": "a.yaml"},
            ["mine", "more"],
            "--adapter a.yaml --scenarios mine --scenarios more",
        ),
    ],
    ids=["not told", "a path with a space", "own scenarios"],
)
def test_the_command_has_the_file_names_as_they_were_given(
    described: Json, scenarios: list[str], command: str
) -> None:
    head = header()
    first_line = {
        **head,
        "adapters": [{**head["adapters"][0], **described}],
        "scenarios": scenarios,
    }
    page = paged(written(first_line, result(), footer()))
    assert page.commands == [f"streamproof show {CASE} {command}"]
    assert shlex.split(page.commands[0])[2] == CASE


def test_adapters_are_columns_with_version_and_counts_and_missing_cells_are_marked() -> None:
    other: Json = {**changed(RIGHT, ("adapter",), "other"), "case": "any/reasoning@openresponses"}
    line = {**result(other, case=other["case"], adapter="other"), "implementation": "lib 1.2"}
    page = paged(of("failed", MUST), written(header({}, "other"), line, footer()))
    assert ["mine", "unknown", "0", "1", "0", "0", "0", ""] in page.rows
    assert ["other", "lib 1.2", "1", "0", "0", "0", "0", ""] in page.rows
    assert page.rows[-2:] == [[CASE, "FAIL", "–"], ["any/reasoning@openresponses", "–", "pass"]]


def test_what_adapters_emit_is_escaped() -> None:
    evil = changed(RIGHT, ("parts", 0, "part", "value"), EVIL)
    evil = changed(evil, ("adapter",), EVIL)
    evil = changed(evil, ("notes",), [EVIL])
    found = Finding("refusal-routed", "must", EVIL, EVIL, EVIL, None, 0)
    data = written(
        header({"call_id_prefix": "<b>"}, EVIL),
        result(evil, "failed", found, adapter=EVIL),
        footer(),
    )
    page = paged(data)
    assert page.tags.isdisjoint({"script", "img"})
    assert "<script>alert(1)</script>{{runs}}" in page.runs["run-0-0"]
    assert list(page.runs) == ["run-0-0"]
    assert "\x1b" not in matrix([parse_results(data, "evil.jsonl")], NAMED)


def test_a_run_without_a_footer_is_reported_as_incomplete() -> None:
    cut = parse_results(written(header(), result()), "cut.jsonl")
    assert "cut.jsonl is incomplete: its run did not come to its end" in matrix([cut], NAMED)


def test_two_results_of_one_case_are_refused() -> None:
    with pytest.raises(UserError, match="has a result of mine for"):
        paged(of("passed"), of("passed"))


@pytest.mark.parametrize(
    ("data", "message", "color"),
    [
        (of("passed"), "1 of 1", "brightgreen"),
        (of("known", MUST), "0 of 1", "yellow"),
        (of("failed", MUST), "0 of 1", "red"),
        (of("not-applicable"), "nothing was played", "yellow"),
        (written(header(), result()), "1 of 1", "yellow"),
    ],
    ids=["all pass", "known", "fail", "not asked", "cut short"],
)
def test_a_badge_counts_the_passed_among_the_played_cases(
    data: bytes, message: str, color: str
) -> None:
    # The fields that shields.io's endpoint badge requires.
    assert badge([parse_results(data, "x.jsonl")]) == {
        "schemaVersion": 1,
        "label": "streamproof",
        "message": message,
        "color": color,
    }


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
async def test_a_cell_opens_above_the_table_in_a_browser_that_runs_and_fetches_nothing(
    tmp_path: Path,
) -> None:
    evil = changed(RIGHT, ("notes",), [f"{EVIL}<img src=http://127.0.0.1:9/x>"])
    page = tmp_path / "page.html"
    recording = parse_results(written(header(), result(evil, "failed", MUST), footer(1)), "x")
    page.write_text(matrix([recording], NAMED), "utf-8")
    at_the_middle = "document.elementFromPoint(innerWidth / 2, innerHeight / 2)"

    async with browsing(tmp_path) as tab:
        await tab.go(page.as_uri())
        assert await tab.evaluate("document.title") == "streamproof: scenarios by adapters"
        assert not await tab.evaluate(OPEN)
        await tab.click(".matrix td a")
        assert await tab.evaluate(f"{at_the_middle}.closest('.case') !== null")
        visible = await tab.evaluate(OPEN)
        assert "✗ refusal-routed (must): the refusal went nowhere" in visible
        assert "<script>alert(1)</script>" in visible
        # A folded part is not visible before it is opened.
        assert "event response.refusal.delta {" not in visible
        await tab.click(".run:target summary")
        assert "event response.refusal.delta {" in await tab.evaluate(OPEN)
        await tab.click(".case:has(:target) .close")
        assert not await tab.evaluate(OPEN)
        assert await tab.evaluate("document.scripts.length + document.images.length") == 0
    assert tab.requested == [page.as_uri()]
    assert tab.thrown == []


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
@pytest.mark.parametrize("width", [360, 1280])
async def test_the_page_fits_a_browser_window_of_any_width(tmp_path: Path, width: int) -> None:
    names = [f"adapter-with-a-long-name-{n}" for n in range(4)]
    lines = [result(changed(RIGHT, ("adapter",), n), "failed", MUST, adapter=n) for n in names]
    page = tmp_path / "page.html"
    recording = parse_results(written(header({}, *names), *lines, footer(1)), "x")
    page.write_text(matrix([recording], NAMED), "utf-8")
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}

    async with browsing(tmp_path) as tab:
        await tab.ask("Emulation.setDeviceMetricsOverride", **size)
        for target in ("", "#run-0-2"):
            await tab.go("about:blank")
            await tab.go(page.as_uri() + target)
            assert await tab.evaluate("document.documentElement.scrollWidth") <= width
        assert "adapter-with-a-long-name-2: FAIL" in await tab.evaluate(OPEN)
        assert (
            await tab.evaluate("document.querySelector('.case:has(:target)').scrollWidth") <= width
        )


def test_the_sources_of_a_finding_are_links_and_what_they_state_is_on_the_page() -> None:
    source = "lm-stream-semantics § 5.3; RFC 8259 § 6; javascript:alert(1)"
    html = matrix([parse_results(of("failed", replace(MUST, source=source)), "0.jsonl")], NAMED)
    for link in (
        '<a href="#semantics-errors">lm-stream-semantics § 5.3</a>;',
        '<a href="https://www.rfc-editor.org/rfc/rfc8259#section-6">RFC 8259 § 6</a>;',
        " javascript:alert(1)</small>",
    ):
        assert link in html
    assert html.count('<dt id="semantics-') == 1
    assert '<dt id="semantics-errors">errors</dt><dd>If the upstream fails, ' in html
