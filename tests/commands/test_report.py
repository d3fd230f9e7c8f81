"""``streamproof report``: results files as JUnit XML, and pytest's own report."""

import re
import shlex
from dataclasses import fields
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conformance.contract.traits import Traits
from tests.commands import streamproof
from tests.findings.made import found
from tests.suite import (
    DOUBLING,
    PYTEST,
    STREAMPROOF,
    TRACEBACK,
    Outputs,
    own_scenarios,
    run,
    run_all,
    scenario,
    spoilt,
)
from tests.suite.pages import unpacked
from tests.suite.recordings import RIGHT, footer, header, result, written

# A listed failure is not a failure, but one that is listed and passes is.
LIST = """
- {case: own/doubled@openresponses, rule: call-once, kind: emitted-again}
- {case: own/greeting@openresponses, rule: call-once, kind: emitted-again}
"""
EVIL = """
emit({**part, "value": part["value"] + "\\x00\\ud800]]>"} if part["type"] == "text" else part)
"""


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    own = own_scenarios(folder / "scenarios")
    scenario(own, "own/broken", "title: A typing mistake\nturns:\n  - sayz: []\n")
    listed = spoilt(folder, "listed", DOUBLING, "known_failures: list.yaml")
    (folder / "list.yaml").write_text(LIST, "utf-8")
    evil = spoilt(folder, "evil", EVIL)
    mine: list[str | Path] = [
        *PYTEST, "--scenarios", own, "-k", "own/", "--adapter", listed, "--adapter", evil,
    ]  # fmt: skip
    out = folder / "out.jsonl"
    run_all({"": [*mine, "--results", out, "--junitxml", folder / "pytest.xml"]})
    (folder / "cut.jsonl").write_bytes(written(header(), result()))
    (folder / "whole.jsonl").write_bytes(written(header(), result(), footer(passed=1)))
    hidden = found("refusal-routed", "must", "it went nowhere", "the refusal", "rfc", None, 0)
    failed = result(RIGHT, "failed", hidden)
    (folder / "failed.jsonl").write_bytes(written(header(version="0.2.0"), failed, footer(1)))
    report = ("report",)
    return streamproof(
        {
            "out": [*report, out, "--junit", folder / "out.xml"],
            "several": [*report, out, "whole.jsonl", "--junit", folder / "several.xml"],
            "cut": [*report, "cut.jsonl", "--junit", folder / "cut.xml"],
            "nothing": [*report, "whole.jsonl"],
            "no results": [*report, "--junit", "x.xml"],
            "nowhere": [*report, "nowhere.jsonl", "--junit", "x.xml"],
            "twice": [*report, "whole.jsonl", "whole.jsonl", "--junit", "x.xml"],
            "differing": [*report, "whole.jsonl", "failed.jsonl", "--junit", "differing.xml"],
            "with": [*report, out, "--html", "with.html", "--scenarios", own],
            "without": [*report, out, "--html", "without.html"],
            "a folder": [*report, "whole.jsonl", "--junit", "."],
            "came": [*report, "--compare", "whole.jsonl", "failed.jsonl"],
            "went": [*report, "--compare", "failed.jsonl", "whole.jsonl"],
            "compared with half": [*report, "--compare", "whole.jsonl", "cut.jsonl"],
        },
        folder,
    )


def test_a_run_of_the_suite_becomes_a_report(ran: Outputs, folder: Path) -> None:
    assert ran["out"].code == 0, ran["out"].text
    root = ElementTree.parse(folder / "out.xml").getroot()
    found = {
        suite.get("name"): {case.get("name"): [child.tag for child in case] for case in suite}
        for suite in root
    }
    assert found == {
        "listed": {
            None: ["property"] * (3 + len(fields(Traits))),
            "own/broken": ["error"],
            "own/doubled@openresponses": ["skipped", "system-out"],
            "own/greeting@openresponses": ["failure"],
        },
        "evil": {
            None: ["property"] * (4 + len(fields(Traits))),
            "own/broken": ["error"],
            "own/doubled@openresponses": [],
            "own/greeting@openresponses": ["failure"],
        },
    }
    line = f"wrote {folder / 'out.xml'}: 6 tests, 2 failures, 2 errors, 1 skipped\n"
    assert ran["out"].text == line


def test_a_cause_that_came_between_two_runs_makes_the_comparison_fail(ran: Outputs) -> None:
    came, total = ran["came"].text.splitlines()
    assert came.startswith("came: mine: refusal-routed/made-up (must), 1 case, the smallest is ")
    assert (ran["came"].code, total) == (1, "1 came, 0 went, 0 changed")
    assert (ran["went"].code, ran["went"].text.splitlines()[-1]) == (0, "0 came, 1 went, 0 changed")
    assert ran["compared with half"].code == 4
    assert "cut.jsonl is incomplete" in ran["compared with half"].text


def test_a_failure_without_a_finding_is_explained(ran: Outputs, folder: Path) -> None:
    assert ran["out"].code == 0
    first = next(ElementTree.parse(folder / "out.xml").iter("failure"))
    assert first.get("type") == "known-failures"
    assert "listed as a known failure of call-once (emitted-again), but it" in str(
        first.get("message")
    )


def test_several_files_make_one_report(ran: Outputs, folder: Path) -> None:
    assert ran["several"].code == 0
    suites = ElementTree.parse(folder / "several.xml").getroot()
    assert [suite.get("name") for suite in suites] == ["listed", "evil", "mine"]


def test_files_that_differ_are_both_in_the_report_which_says_so(ran: Outputs, folder: Path) -> None:
    assert ran["differing"].code == 4
    wrote, verdicts, versions = ran["differing"].text.splitlines()
    assert wrote == "wrote differing.xml: 2 tests, 1 failures, 0 errors, 0 skipped"
    assert "the files differ in a case of mine" in verdicts
    assert versions.endswith("0.1.0 (whole.jsonl) and 0.2.0 (failed.jsonl)")
    suites = ElementTree.parse(folder / "differing.xml").getroot()
    assert [suite.get("name") for suite in suites] == ["mine", "mine (failed.jsonl)"]


def test_a_report_is_written_to_standard_output(ran: Outputs, folder: Path) -> None:
    assert ran["out"].code == 0
    printed = run(*STREAMPROOF, "report", folder / "whole.jsonl", "--junit", "-")
    assert printed.code == 0
    (suite,) = ElementTree.fromstring(printed.text.encode())
    assert suite.get("name") == "mine"


def test_an_incomplete_file_is_reported_and_never_passes(ran: Outputs, folder: Path) -> None:
    assert ran["cut"].code == 4
    assert "cut.jsonl is incomplete: its run did not come to its end" in ran["cut"].text
    error = next(ElementTree.parse(folder / "cut.xml").iter("error"))
    assert error.get("message") == "cut.jsonl is incomplete: its run did not come to its end"


def test_pytests_report_has_the_case_adapter_rule_and_finding(ran: Outputs, folder: Path) -> None:
    assert ran["out"].code == 0
    cases = {
        case.get("name"): case for case in ElementTree.parse(folder / "pytest.xml").iter("testcase")
    }
    case = cases["test_case[evil:own/greeting@openresponses]"]
    properties = [(each.get("name"), each.get("value")) for each in case.iter("property")]
    (failure,) = case.iter("failure")
    assert properties == [("adapter", "evil"), ("rule", "text-unicode")]
    assert str(failure.get("message")).startswith("✗ text-unicode: ")
    assert "the upstream sent" in str(failure.text)


def test_the_page_has_a_command_to_paste_in_the_runs_folder(ran: Outputs, folder: Path) -> None:
    assert ran["out"].code == 0
    mine = ("--adapter", "evil.yaml", "--scenarios", "scenarios")
    run(*STREAMPROOF, "run", *mine, "-k", "greeting", "--results", "in.jsonl", cwd=folder)
    page = folder / "in.html"
    own = ("--scenarios", "scenarios")
    done = run(*STREAMPROOF, "report", "in.jsonl", "--html", page, *own, cwd=folder)
    assert done.code == 0, done.text
    found = re.search("<pre class=command[^>]*>(.*?)</pre>", unpacked(page.read_text("utf-8")))
    name, *command = shlex.split(unescape(found[1])) if found else [""]
    assert name == "streamproof"
    again = streamproof({"": command}, folder)[""]
    assert again.code == 1, again.text
    assert "✗ text-unicode (must)" in again.text


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("with", "<b>0 ms: write 1</b>event: response.created"),
        ("without", "streamproof report --scenarios FOLDER adds one&#x27;s own"),
    ],
)
def test_bytes_of_own_scenarios_are_shown_if_their_folder_is_given(
    ran: Outputs, folder: Path, page: str, message: str
) -> None:
    assert ran[page].code == 0, ran[page].text
    assert message in unpacked((folder / f"{page}.html").read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "there is nothing to write\n    streamproof report out.jsonl --html out.html"),
        ("no results", "Missing argument 'RESULTS...'"),
        ("nowhere", "nowhere.jsonl cannot be read: No such file or directory"),
        (
            "twice",
            "whole.jsonl has two results of mine for any/refusal@openresponses\n    name each",
        ),
        ("a folder", ". cannot be written: Is a directory"),
    ],
)
def test_a_mistake_is_explained(ran: Outputs, name: str, message: str) -> None:
    assert ran[name].code == 4, ran[name].text
    assert message in ran[name].text


def test_no_mistake_shows_a_traceback(ran: Outputs) -> None:
    assert [name for name, each in ran.items() if TRACEBACK in each.text] == []
