"""The HTML page of results: its cells, its sections, and the escaping of untrusted values."""

import shlex
from collections import Counter
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser

import pytest

from conformance.findings.finding import Finding
from conformance.report.adapters import totals_by_cause
from conformance.report.page import badge, render_page
from conformance.report.recorded import parse_results
from conformance.report.results import Result, Status
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import UserError
from streamproof._commands.cases import find_case
from tests.findings.made import altered, found
from tests.suite.pages import sections, unpacked
from tests.suite.recordings import CASE, RIGHT, Json, changed, footer, header, result, written

MUST = found("refusal-routed", "must", "the refusal went nowhere", "the refusal", "rfc", None, 0)
SHOULD = found("text-incremental", "should", "all at the end", "as it arrives", "rfc", 0, 0)
EVIL = "<script>alert(1)</script>{{runs}}<img src=x onerror=alert(2)>\x1b[31m\ud800"
NAMED = partial(find_case, catalogue=Catalogue.shipped())


class Page(HTMLParser):
    """The rows of the tables, the runs by id, their commands, and all tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.runs: dict[str, str] = {}
        self.links: list[str] = []
        self.tags: Counter[str] = Counter()
        self.commands: list[str] = []
        self._run, self._in_cell, self._in_command = "", False, False
        self.feed(unpacked(html))
        self.rows = [[" ".join(cell.split()) for cell in row] for row in self.rows]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags[tag] += 1
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True
        elif tag == "article":
            self._run = str(known["data-run"])
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
            self.rows[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self._run = ""
        self._in_command = self._in_command and tag != "pre"
        self._in_cell = self._in_cell and tag not in ("td", "th")


def html_of(*files: bytes) -> str:
    return render_page([parse_results(data, f"{n}.jsonl") for n, data in enumerate(files)], NAMED)


def paged(*files: bytes) -> Page:
    return Page(html_of(*files))


def of(status: Status, *findings: Finding, **more: str) -> bytes:
    played = None if status in ("not-applicable", "broken") else RIGHT
    return written(header(), result(played, status, *findings, **more), footer())


OTHERS = written(
    header({}, "other"), result(changed(RIGHT, ("adapter",), "other"), adapter="other"), footer()
)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (of("passed"), "pass"),
        (of("passed", SHOULD), "pass* text-incremental"),
        (of("failed", SHOULD, MUST, MUST), "FAIL refusal-routed, text-incremental"),
        (
            of("failed", *(replace(MUST, rule=f"rule-{n}") for n in range(8))),
            "FAIL rule-0, rule-1, rule-2, rule-3, rule-4, 3 more",
        ),
        (of("known", MUST), "known refusal-routed"),
        (of("not-applicable", why="it does not claim cancel"), "n/a"),
        (of("broken", why="scenario: no such step"), "broken"),
    ],
    ids=["pass", "pass with findings", "fail", "many", "known", "not applicable", "broken"],
)
def test_a_cell_has_the_status_and_the_rules_and_opens_a_section(data: bytes, word: str) -> None:
    page = paged(data)
    assert page.rows[-1] == [CASE, word]
    assert page.links == ["#run-0-0"]
    assert list(page.runs) == ["run-0-0"]


def test_a_section_has_the_findings_that_a_finding_explains() -> None:
    (run,) = paged(of("failed", replace(MUST, explains=(SHOULD,)))).runs.values()
    assert "↳ text-incremental (should): all at the end" in run
    assert "from the same cause: " in run


def test_a_section_has_findings_timeline_and_what_was_sent() -> None:
    noted = changed(RIGHT, ("notes",), ["on stderr it said:", "Traceback: boom"])
    page = paged(written(header(), result(noted, "failed", MUST), footer(1)))
    (run,) = page.runs.values()
    for text in (
        "✗ refusal-routed (must): the refusal went nowhere",
        "refusal.delta [0]",
        "#0 text \"I'm sorry, I cannot help",
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
    assert [CASE, "FAIL refusal-routed", "–"] in page.rows
    assert ["any/reasoning@openresponses", "–", "pass"] in page.rows


def test_what_adapters_emit_is_escaped() -> None:
    evil = changed(RIGHT, ("parts", 0, "part", "value"), EVIL)
    evil = changed(evil, ("adapter",), EVIL)
    evil = changed(evil, ("notes",), [EVIL])
    finding = found("refusal-routed", "must", EVIL, EVIL, EVIL, None, 0)
    data = written(
        header({"call_id_prefix": "<b>"}, EVIL),
        result(evil, "failed", finding, adapter=EVIL),
        footer(),
    )
    page = paged(data)
    assert page.tags["img"] == 0
    assert page.tags["script"] == 1  # the page's own
    assert "<script>alert(1)</script>{{runs}}" in page.runs["run-0-0"]
    assert list(page.runs) == ["run-0-0"]
    assert "\x1b" not in unpacked(html_of(data))


def test_a_run_without_a_footer_is_reported_as_incomplete() -> None:
    cut = parse_results(written(header(), result()), "cut.jsonl")
    assert "cut.jsonl is incomplete: its run did not come to its end" in render_page([cut], NAMED)


def test_two_results_of_one_case_in_one_file_are_refused() -> None:
    with pytest.raises(UserError, match="has two results of mine for"):
        paged(written(header(), result(), result(), footer()))


def test_files_that_agree_on_a_case_count_it_once() -> None:
    page = paged(of("failed", MUST), of("failed", altered(MUST, message="other words")))
    assert page.rows[-1] == [CASE, "FAIL refusal-routed"]
    assert list(page.runs) == ["run-0-0"]


CRLF = f"{CASE}+crlf"


def hosts(second: Status, *findings: Finding, version: str = "0.1.0") -> list[bytes]:
    """The files of two hosts, each with a case of its own and with one that both have."""
    other = result(changed(RIGHT, ("case",), CRLF), case=CRLF)
    return [
        written(header(), result(), footer()),
        written(header(version=version), other, result(RIGHT, second, *findings), footer()),
    ]


def test_the_parts_of_a_run_on_several_hosts_become_one_column() -> None:
    html = html_of(*hosts("passed"))
    assert "<h1>mine: all 2 cases pass</h1>" in html
    assert "lacking>the" not in html
    assert Page(html).rows[-2:] == [[CASE, "pass"], [CRLF, "pass"]]


def test_files_that_differ_in_a_verdict_are_both_shown_and_named() -> None:
    files = hosts("failed", MUST)
    html = html_of(*files)
    page = Page(html)
    assert "<h1>mine: 1 of 3 results fail</h1>" in html
    assert page.rows[-4:] == [
        ["case", "mine", "mine (1.jsonl)"],
        [CASE, "pass", "FAIL refusal-routed"],
        ["case", "mine", "mine (1.jsonl)"],
        [CRLF, "pass", "–"],
    ]
    assert (
        "the files differ in a case of mine, so both results are shown: "
        f"{CASE}: passed in 0.jsonl, failed (refusal-routed) in 1.jsonl"
    ) in html
    assert {"run-0-0", "run-0-1", "run-1-0"} == {*page.runs}
    recordings = [parse_results(data, f"{n}.jsonl") for n, data in enumerate(files)]
    assert badge(recordings)["color"] == "red"


def test_files_that_differ_in_the_rules_of_a_failure_are_both_shown() -> None:
    page = paged(of("failed", MUST), of("failed", MUST, SHOULD))
    words = ["FAIL refusal-routed", "FAIL refusal-routed, text-incremental"]
    assert page.rows[-1] == [CASE, *words]


def test_a_passing_result_beside_a_failing_one_makes_no_green_badge() -> None:
    passed_later = [of("known", MUST), of("passed")]
    recordings = [parse_results(data, f"{n}.jsonl") for n, data in enumerate(passed_later)]
    assert badge(recordings)["color"] == "yellow"


def test_different_versions_of_the_kit_are_named() -> None:
    html = html_of(*hosts("passed", version="0.2.0"))
    assert (
        "the results are of different versions of streamproof: 0.1.0 (0.jsonl) and 0.2.0 (1.jsonl)"
    ) in html


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
def test_a_badge_counts_passed_and_played_cases(data: bytes, message: str, color: str) -> None:
    # The fields that shields.io's endpoint badge requires.
    assert badge([parse_results(data, "x.jsonl")]) == {
        "schemaVersion": 1,
        "label": "streamproof",
        "message": message,
        "color": color,
    }


def test_a_section_has_the_sources_of_a_finding_as_links_and_what_they_state() -> None:
    source = "lm-stream-semantics § 5.3; RFC 8259 § 6; javascript:alert(1)"
    (section,) = sections(html_of(of("failed", replace(MUST, source=source))))
    for text in (
        "source: lm-stream-semantics § 5.3;",
        '<a href="https://www.rfc-editor.org/rfc/rfc8259#section-6">RFC 8259 § 6</a>;',
        " javascript:alert(1)</small>",
        "<summary>What lm-stream-semantics § 5.3 says</summary>\n<p>If the upstream fails, ",
    ):
        assert text in section


def test_a_section_begins_with_title_and_conduct_and_says_if_the_scenario_is_missing() -> None:
    lost = {**result(case="own/lost@openresponses", status="not-applicable", transcript=None)}
    found, missing = sections(html_of(written(header(), result(), lost, footer())))
    scenario = NAMED(CASE).scenario
    places = [found.index(text) for text in (scenario.title, CASE, "<b>legal</b>: ", "mine: pass")]
    assert places == sorted(places)
    assert "<h2 id=opened-title>own/lost@openresponses</h2>" in missing
    assert "no scenario is called &#x27;own/lost&#x27;" in missing


def test_the_page_opens_with_causes_then_failures_then_the_table() -> None:
    html = html_of(of("failed", MUST, SHOULD, MUST))
    must, should, failures, table = (
        html.index(f"id={part}")
        for part in ('"totals-must"', '"totals-should"', "failures", "cases")
    )
    assert must < should < failures < table
    assert "<b class=rule>refusal-routed/made-up</b> <b>×1</b>" in html[must:should]
    assert "<b class=rule>text-incremental/made-up</b> <b>×1</b>" in html[should:failures]
    assert f'<a class=case href="#run-0-0">{CASE}</a>' in html[must:should]
    title = NAMED(CASE).scenario.title
    assert f"<span class=title>{title} (legal)</span>" in html[failures:table]
    message = "<b class=rule>refusal-routed, text-incremental</b>: the refusal went nowhere"
    assert message in html[failures:table]


def test_a_table_has_one_dialect_and_the_adapters_with_results_in_it() -> None:
    lines = [
        result(None, "failed", MUST, case=case, adapter=adapter)
        for case, adapter in (
            ("any/text@chat", "mine"),
            (CASE, "mine"),
            (CASE, "other"),
            ("any/text@openresponses+crlf", "other"),
            ("claims/live", "third"),
        )
    ]
    html = html_of(written(header({}, "mine", "other", "third"), *lines, footer()))
    rows = Page(html.split("id=cases>")[1]).rows
    assert rows == [
        ["case", "mine"],
        ["any/text@chat", "FAIL refusal-routed"],
        ["case", "mine", "other"],
        [CASE, "FAIL refusal-routed", "FAIL refusal-routed"],
        ["any/text@openresponses+crlf", "–", "FAIL refusal-routed"],
        ["case", "third"],
        ["claims/live", "FAIL refusal-routed"],
    ]
    for caption in ("chat: 1", "openresponses: 2", "without a dialect: 1"):
        assert f"<caption>{caption}</caption>" in html


@pytest.mark.parametrize(
    ("files", "heading"),
    [
        ([of("passed")], "mine: all 1 cases pass"),
        ([of("failed", MUST)], "mine: 1 of 1 cases fail"),
        ([of("known", MUST)], "mine: no cases fail but the known ones"),
        ([of("broken", why="no such step")], "mine: 1 of 1 cases could not be played"),
        ([of("not-applicable", why="not claimed")], "mine: nothing was played"),
        ([of("failed", MUST), OTHERS], "2 adapters: 1 of 2 results fail"),
    ],
    ids=["passed", "failed", "known", "broken", "not applicable", "two adapters"],
)
def test_the_heading_is_the_result_in_a_few_words(files: list[bytes], heading: str) -> None:
    html = html_of(*files)
    assert f"<h1>{heading}</h1>" in html
    assert f"<title>{heading} | streamproof</title>" in html


@pytest.mark.parametrize(
    ("data", "folded"),
    [
        (of("failed", MUST), None),
        (of("known", MUST), None),
        (of("broken", why="no such step"), None),
        (of("passed", SHOULD), "Passing cases, with findings that fail nothing: 1"),
        (of("passed"), "Passing cases: 1"),
        (of("not-applicable", why="not claimed"), "Cases that do not apply: 1"),
    ],
    ids=["failed", "known", "broken", "pass with findings", "pass", "not applicable"],
)
def test_only_rows_of_cases_that_fail_are_not_folded(data: bytes, folded: str | None) -> None:
    table = html_of(data).split("id=cases>")[1]
    assert table.count("<details>") == (folded is not None)
    assert folded is None or f"<summary>{folded}</summary>" in table


def test_a_total_counts_each_result_once_and_known_failures_apart() -> None:
    other = replace(SHOULD, level="must")
    statuses: list[Status] = ["known", "failed", "failed", "failed"]
    results = [
        (f"run-{n}-0", Result(f"case {n}", "mine", status, (MUST, MUST, other)[: 2 + n % 2]))
        for n, status in enumerate(statuses)
    ]
    totals = totals_by_cause(results, "must")
    assert [(each.cause.rule, each.count, each.known, each.adapters) for each in totals] == [
        ("refusal-routed", 3, 1, 1),
        ("text-incremental", 2, 0, 1),
    ]
    assert [run for run, _ in totals[0].first] == ["run-1-0", "run-2-0", "run-3-0"]
    assert totals[0].holds == "a refusal goes where the trait says"
    assert totals_by_cause(results, "should") == []
