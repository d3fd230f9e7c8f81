"""Progress of a run: one line on a terminal, otherwise a line for each tenth."""

from __future__ import annotations

import io
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.suite.progress import Progress
from tests.docs.pages import ROOT
from tests.suite import PYTEST, STREAMPROOF, own_scenarios, run_all, spoilt


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def played(out: io.StringIO, failing: tuple[bool, ...], verbosity: int = 0, **option: Any) -> str:
    """The progress output of a run of these cases, each of which takes a second."""
    now = 0.0
    progress = Progress(out, out.isatty(), now=lambda: now)
    option = {"collectonly": False, **option}
    config: Any = SimpleNamespace(get_verbosity=lambda: verbosity, option=SimpleNamespace(**option))
    progress.pytest_configure(config)
    session: Any = SimpleNamespace(items=failing)
    progress.pytest_collection_finish(session)
    for fails in failing:
        now += 1.0
        for when in ("setup", "call", "teardown"):
            report: Any = SimpleNamespace(when=when, failed=fails and when == "call")
            progress.pytest_runtest_logreport(report)
    progress.pytest_sessionfinish()
    return out.getvalue()


def test_without_a_terminal_each_tenth_has_a_line_with_the_time_left() -> None:
    lines = played(io.StringIO(), (False,) * 20).splitlines()
    assert len(lines) == 10
    assert lines[0] == "2 of 20 cases, 0 failing, 18 s left"
    assert lines[4] == "10 of 20 cases, 0 failing, 10 s left"
    assert lines[-1] == "20 of 20 cases, 0 failing"


def test_on_a_terminal_one_line_is_drawn_again_and_cleared_at_the_end() -> None:
    output = played(Terminal(), (False, True, True))
    assert output == (
        "\r\x1b[K1 of 3 cases, 0 failing, 2 s left"
        "\r\x1b[K2 of 3 cases, 1 failing, 1 s left"
        "\r\x1b[K3 of 3 cases, 2 failing"
        "\r\x1b[K"
    )


@pytest.mark.parametrize(
    ("verbosity", "option"), [(1, {}), (0, {"collectonly": True})], ids=["-v", "--collect-only"]
)
def test_progress_is_silent_when_pytest_prints_its_own_lines(
    verbosity: int, option: dict[str, Any]
) -> None:
    assert played(io.StringIO(), (False, True), verbosity, **option) == ""


def test_streamproof_run_shows_progress_in_place_of_letters(tmp_path: Path) -> None:
    own = own_scenarios(tmp_path / "scenarios")
    mine = spoilt(tmp_path, "mine", "emit(part)")
    command: list[str | Path] = [*STREAMPROOF, "run", "-q", "-k", "own/", "--scenarios", own]
    ran = run_all({"": [*command, "--adapter", mine]})[""]
    assert " of 2 cases, 0 failing" in ran.text
    assert ".." not in ran.text


def test_the_suite_shows_progress_in_place_of_the_letters_of_thousands_of_cases() -> None:
    gateway = ROOT / "conformance/dialects/vercel/reference/gateway-vscode.yaml"
    command: list[str | Path] = [*PYTEST, "--adapter", gateway, "--vary", "lines"]
    ran = run_all({"": [*command, "-k", "any/refusal and comments"]})[""]
    assert re.search(r"^\d of \d cases, 0 failing", ran.text, re.MULTILINE)
    assert ".." not in ran.text
