"""The page of scenarios by adapters: what each cell says and opens, whatever an adapter emitted."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conformance.findings import Finding
from conformance.matrix import badge, matrix
from conformance.recorded import results_in
from conformance.results import Status
from mockserver.faults import UserError
from tests.suite.recordings import CASE, RIGHT, Json, changed, footer, header, result, written

MUST = Finding("refusal-routed", "must", "the refusal went nowhere", "the refusal", "rfc", None, 0)
SHOULD = Finding("text-incremental", "should", "all at the end", "as it arrives", "rfc", 0, 0)
EVIL = "<script>alert(1)</script>{{runs}}<img src=x onerror=alert(2)>\x1b[31m\ud800"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
PATIENCE = 60


class Page(HTMLParser):
    """The rows of the tables, the sections by id, and every tag that there is."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.runs: dict[str, str] = {}
        self.links: list[str] = []
        self.tags: set[str] = set()
        self._run, self._in_cell = "", False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True
        elif tag == "section":
            self._run = str(known["id"])
            self.runs[self._run] = ""
        elif tag == "a" and known["href"] != "#top":
            self.links.append(str(known["href"]))

    def handle_data(self, data: str) -> None:
        if self._run:
            self.runs[self._run] += data
        elif self._in_cell:
            self.rows[-1][-1] += data.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "section":
            self._run = ""
        self._in_cell = self._in_cell and tag not in ("td", "th")


def paged(*files: bytes) -> Page:
    return Page(matrix([results_in(data, f"{n}.jsonl") for n, data in enumerate(files)]))


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
def test_a_cell_says_in_a_word_how_it_went_and_opens_a_section(data: bytes, word: str) -> None:
    page = paged(data)
    assert page.rows[-1] == [CASE, word]
    assert page.links == ["#run-0-0"]
    assert list(page.runs) == ["run-0-0"]


def test_a_section_has_findings_timeline_what_was_sent_and_the_command() -> None:
    noted = changed(RIGHT, ("notes",), ["on stderr it said:", "Traceback: boom"])
    page = paged(written(header(), result(noted, "failed", MUST), footer(1)))
    (run,) = page.runs.values()
    for told in (
        "✗ refusal-routed (must): the refusal went nowhere",
        "refusal.delta [0]",
        'text "I\'m sorry, I cannot help with that."',
        "Traceback: boom",
        "event: response.refusal.delta\ndata: {",
        f"streamproof show '{CASE}' --adapter",
    ):
        assert told in run


def test_adapters_stand_side_by_side_with_version_and_counts_and_gaps_show() -> None:
    other: Json = {**changed(RIGHT, ("adapter",), "other"), "case": "any/reasoning@openresponses"}
    line = {**result(other, case=other["case"], adapter="other"), "implementation": "lib 1.2"}
    page = paged(of("failed", MUST), written(header({}, "other"), line, footer()))
    assert ["mine", "unknown", "0", "1", "0", "0", "0", ""] in page.rows
    assert ["other", "lib 1.2", "1", "0", "0", "0", "0", ""] in page.rows
    assert page.rows[-2:] == [[CASE, "FAIL", "–"], ["any/reasoning@openresponses", "–", "pass"]]


def test_what_comes_from_adapters_is_text_and_nothing_else() -> None:
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
    assert "\x1b" not in matrix([results_in(data, "evil.jsonl")])


def test_what_a_run_lacks_is_told() -> None:
    cut = results_in(written(header(), result()), "cut.jsonl")
    assert "cut.jsonl is incomplete: its run did not come to its end" in matrix([cut])


def test_two_results_of_one_case_make_no_page() -> None:
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
def test_a_badge_counts_what_passes_of_what_was_asked(
    data: bytes, message: str, color: str
) -> None:
    # The fields that shields.io's endpoint badge requires.
    assert badge([results_in(data, "x.jsonl")]) == {
        "schemaVersion": 1,
        "label": "streamproof",
        "message": message,
        "color": color,
    }


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_in_a_browser_a_cell_opens_over_the_table_and_no_script_runs(tmp_path: Path) -> None:
    evil = changed(RIGHT, ("notes",), ["<script>document.title='hacked'</script>"])
    page = tmp_path / "page.html"
    recording = results_in(written(header(), result(evil, "failed", MUST), footer(1)), "x")
    page.write_text(matrix([recording]), "utf-8")

    def browsed(*options: str, target: str = "") -> bytes:
        command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu"]
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        ran = subprocess.run(
            [*command, profile, *options, page.as_uri() + target],
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        return ran.stdout

    dom = browsed("--dump-dom").decode()
    assert "<title>streamproof: scenarios by adapters</title>" in dom
    assert Page(dom).rows[-1] == [CASE, "FAIL"]
    shots = []
    for n, target in enumerate(["", "#run-0-0"]):
        shot = tmp_path / f"{n}.png"
        browsed(f"--screenshot={shot}", target=target)
        shots.append(shot.read_bytes())
    assert shots[0] != shots[1]
