"""The output of the suite for an adapter that breaks rules."""

import re
import shlex
from pathlib import Path

import pytest

from tests.suite import (
    DOUBLED_CASE,
    DOUBLING_ONE,
    LATE,
    PYTEST,
    ROOT,
    TRACEBACK,
    Outputs,
    adapter,
    own_scenarios,
    run,
    run_all,
    spoilt,
)

WIDTH = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("with a space")


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    played: list[str | Path] = ["--scenarios", own_scenarios(folder / "scenarios"), "-k", "own/"]
    own: list[str | Path] = [*played, "--timelines", "all"]
    doubling = spoilt(folder, "doubling", DOUBLING_ONE)
    late = adapter(folder, "late", LATE)
    clean = adapter(folder, "clean", "return await self.inner.run(run, emit, cancel)")
    crashing = adapter(folder, "crashing", 'raise KeyError("choices")')
    gap = ["-k", "any/call-between-texts"]
    log = {
        "log": [*PYTEST, *own, "--adapter", doubling],
        "log of workers": [*PYTEST, *own, "--adapter", doubling, "-n", "1"],
    }
    return run_all(log, CI="true", COLUMNS="80") | run_all(
        {
            "doubling": [*PYTEST, *own, "--adapter", doubling],
            "late": [*PYTEST, *gap, "--adapter", late],
            "late, should": [*PYTEST, *gap, "--adapter", late, "--should", "--timelines", "all"],
            "causes": [*PYTEST, *played, "--adapter", doubling],
            "two adapters": [*PYTEST, "-v", *own, "--adapter", doubling, "--adapter", clean],
            "crashing": [*PYTEST, *own, "--adapter", crashing],
        }
    )


def test_a_case_that_breaks_a_must_rule_exits_with_1(ran: Outputs) -> None:
    assert ran["doubling"].code == 1
    assert "1 failed, 1 passed" in ran["doubling"].text


def test_the_failure_begins_with_the_finding(ran: Outputs) -> None:
    heading, _, shown = ran["doubling"].failures.partition("\n✗ ")
    assert f"test_case[{DOUBLED_CASE}]" in heading
    assert shown.startswith("call-once: the call 'gw-call_only'")
    about = "legal: the upstream keeps to its specification, so a failure is the adapter's fault"
    assert 0 < shown.index("\nwhy: ") < shown.index("\nthis case: ") < shown.index(f"\n  {about}\n")


@pytest.mark.parametrize("name", ["doubling", "log", "log of workers"])
def test_the_timeline_is_printed_once_and_the_summary_has_the_first_line(
    ran: Outputs, name: str
) -> None:
    failures, _, summary = ran[name].text.partition("= short test summary info =")
    summary = summary.partition("= 1 case, 1 cause =")[0]
    assert failures.count("the upstream sent") == 1
    assert "the upstream sent" not in summary
    if name != "doubling":
        first = next(line for line in failures.splitlines() if line.startswith("✗ "))
        assert summary.splitlines()[1].endswith(f" - {first}")


@pytest.mark.parametrize("name", ["log", "log of workers"])
def test_the_timeline_is_as_wide_as_the_environment_says(ran: Outputs, name: str) -> None:
    shown = ran[name].failures
    drawn = shown[shown.index("the upstream sent") : shown.index("reproduce: ")].splitlines()
    assert max(map(len, drawn)) <= 80


@pytest.mark.parametrize("name", ["doubling", "log", "log of workers", "causes"])
def test_the_last_lines_are_causes_with_the_events_around_them(ran: Outputs, name: str) -> None:
    text = ran[name].text
    shown = text[text.index("= 1 case, 1 cause =") :].splitlines()[1:]
    command = next(n for n, line in enumerate(shown) if line.startswith("  streamproof show "))
    on, blank, heading, finding, *around = shown[: command + 1]
    assert (on, blank) == ("on legal streams: 1 cause", "")
    kind = heading.partition("/")[2].partition(":")[0]
    assert heading == f"1. call-once/{kind}: 1 case, {DOUBLED_CASE}"
    assert finding.startswith("✗ call-once (must): the call 'gw-call_only' was emitted 2 times")
    assert any("toolCall gw-call_only only_here" in line for line in around)
    assert len([heading, finding, *around]) <= 14
    assert "1 failed, 1 passed" in shown[-1]


def test_without_timelines_the_causes_are_all_that_is_shown(ran: Outputs) -> None:
    shown = ran["causes"].text
    assert "FAILED" not in shown
    assert "test_case[" not in shown
    assert "the upstream sent" not in shown


def test_the_failure_shows_both_columns_and_the_finding_at_its_place(ran: Outputs) -> None:
    lines = ran["doubling"].failures.splitlines()
    at = {word: next(n for n, line in enumerate(lines) if word in line) for word in MARKS}
    assert sorted(MARKS, key=lambda word: at[word]) == list(MARKS)
    emitted = [line for line in lines if 'toolCall gw-call_only only_here {"n":1}' in line]
    assert len(emitted) == 2
    # Beside the event that completed the call, and the next one that has it.
    assert "function_call_arguments.done [0]" in emitted[0]


MARKS = (
    "the upstream sent",
    "  0 created",
    "function_call_arguments.delta [0] '{\"n\":1}'",
    "function_call_arguments.done [0]",
    "output_item.done [0]",
    "    ✗ call-once (must)",
    "      right: ",
    "⏹ completed",
    "reproduce: ",
)


def test_the_timeline_fits_the_width_and_each_event_has_one_line(ran: Outputs) -> None:
    shown = ran["doubling"].failures
    drawn = shown[shown.index("the upstream sent") : shown.index("reproduce: ")].splitlines()
    assert all(len(line) <= WIDTH and line == line.rstrip() for line in drawn)
    numbers = [int(found[1]) for line in drawn if (found := re.match(r" {1,2}(\d+) \S", line))]
    assert numbers == list(range(len(numbers)))


def test_no_python_traceback_is_shown(ran: Outputs) -> None:
    for name in ("doubling", "late, should"):
        assert TRACEBACK not in ran[name].text
        assert ".py:" not in ran[name].failures


def test_the_command_below_the_failure_shows_it_again(ran: Outputs, folder: Path) -> None:
    again = re.search(r"^reproduce: streamproof (.*)$", ran["doubling"].text, re.M)
    assert again is not None
    shown = run("-m", "streamproof", *shlex.split(again[1]), cwd=ROOT)
    assert shown.code == 1
    assert "✗ call-once (must): the call 'gw-call_only'" in shown.text


def test_a_should_finding_is_reported_and_the_case_passes(ran: Outputs) -> None:
    assert ran["late"].code == 0
    reported = ran["late"].text.partition("should (--should makes them fail):")[2]
    title, found, *_ = reported.splitlines()
    assert title.startswith(" 1 case, 1 cause =")
    assert found.startswith("✗ text-incremental (should): ")
    assert found.endswith(" (1 case, any/call-between-texts@openresponses)")


def test_a_should_finding_fails_the_case_if_the_option_is_given(ran: Outputs) -> None:
    assert ran["late, should"].code == 1
    assert "\n✗ text-incremental (should): " in ran["late, should"].failures


def test_several_adapters_are_distinguished(ran: Outputs) -> None:
    verdicts = dict(re.findall(r"test_case\[(\S+)\] (PASSED|FAILED)", ran["two adapters"].text))
    assert verdicts == {
        f"doubling:{DOUBLED_CASE}": "FAILED",
        "doubling:own/greeting@openresponses": "PASSED",
        f"clean:{DOUBLED_CASE}": "PASSED",
        "clean:own/greeting@openresponses": "PASSED",
    }


def test_an_exception_of_an_adapter_is_shown_with_its_traceback(ran: Outputs) -> None:
    assert ran["crashing"].code == 1
    assert "KeyError: 'choices'" in ran["crashing"].failures
    assert "crashing_adapter.py" in ran["crashing"].failures
    assert "drivers/python.py" not in ran["crashing"].failures
