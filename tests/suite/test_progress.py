"""Progress of a run: one line on a terminal, a line a minute in a log."""

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.suite.progress import Progress
from tests.suite import (
    PATIENCE,
    PYTEST,
    ROOT,
    STREAMPROOF,
    environment,
    own_scenarios,
    run_all,
    spoilt,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def played(
    out: io.StringIO,
    failing: Sequence[bool],
    verbosity: int = 0,
    adapters: tuple[str, ...] = ("mine",),
    seconds: float = 1.0,
    **option: Any,
) -> str:
    """The progress output of a run of these cases to each adapter; each takes these seconds."""
    now = 0.0
    progress = Progress(out, out.isatty(), now=lambda: now)
    option = {"collectonly": False, "adapter": adapters, **option}
    plugins = SimpleNamespace(get_plugin=lambda _: None)
    config: Any = SimpleNamespace(
        get_verbosity=lambda: verbosity, option=SimpleNamespace(**option), pluginmanager=plugins
    )
    progress.pytest_configure(config)
    ids = [f"{name}:any/x" if len(adapters) > 1 else "any/x" for name in adapters for _ in failing]
    items = [SimpleNamespace(nodeid=f"conformance/test_catalogue.py::test[{id_}]") for id_ in ids]
    session: Any = SimpleNamespace(items=items)
    progress.pytest_collection_finish(session)
    for item, fails in zip(items, [*failing] * len(adapters), strict=True):
        now += seconds
        for when in ("setup", "call", "teardown"):
            report: Any = SimpleNamespace(
                nodeid=item.nodeid, when=when, failed=fails and when == "call"
            )
            progress.pytest_runtest_logreport(report)
    progress.pytest_sessionfinish()
    return out.getvalue()


def test_a_log_has_a_line_a_minute_with_the_time_left() -> None:
    assert played(io.StringIO(), (False,) * 150).splitlines() == [
        "60 of 150 cases, 0 failing, 90 s left",
        "120 of 150 cases, 0 failing, 30 s left",
    ]


def test_a_run_of_less_than_a_minute_says_nothing_in_a_log() -> None:
    assert played(io.StringIO(), (False,) * 59) == ""


def test_on_a_terminal_one_line_is_drawn_again_and_cleared_at_the_end() -> None:
    output = played(Terminal(), (False, True, True))
    assert output == (
        "\r\x1b[K1 of 3 cases, 0 failing, 2 s left"
        "\r\x1b[K2 of 3 cases, 1 failing, 1 s left"
        "\r\x1b[K3 of 3 cases, 2 failing"
        "\r\x1b[K"
    )


def test_of_several_adapters_the_one_at_work_is_named() -> None:
    lines = played(Terminal(), (True, False), adapters=("mine", "yours")).split("\r\x1b[K")
    assert lines[1:-1] == [
        "1 of 4 cases, 1 failing, 3 s left; mine: 1 of 2",
        "2 of 4 cases, 1 failing, 2 s left; mine: 2 of 2",
        "3 of 4 cases, 2 failing, 1 s left; yours: 1 of 2",
        "4 of 4 cases, 2 failing; yours: 2 of 2",
    ]


def test_a_line_drawn_again_is_no_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert played(Terminal(), (False,)) == "\r\x1b[K1 of 1 cases, 0 fai\r\x1b[K"


@pytest.mark.parametrize(
    ("verbosity", "option"), [(1, {}), (0, {"collectonly": True})], ids=["-v", "--collect-only"]
)
def test_progress_is_silent_when_pytest_prints_its_own_lines(
    verbosity: int, option: dict[str, Any]
) -> None:
    assert played(io.StringIO(), (False, True), verbosity, **option) == ""


def test_in_a_log_there_is_neither_progress_nor_a_letter_for_each_test(tmp_path: Path) -> None:
    own = own_scenarios(tmp_path / "scenarios")
    mine = spoilt(tmp_path, "mine", "emit(part)")
    command: list[str | Path] = [*STREAMPROOF, "run", "-q", "-k", "own/", "--scenarios", own]
    gateway = ROOT / "conformance/dialects/vercel/reference/gateway-vscode.yaml"
    thousands: list[str | Path] = [*PYTEST, "--adapter", gateway, "--vary", "lines", "--color=yes"]
    ran = run_all(
        {
            "run": [*command, "--adapter", mine],
            "thousands": [*thousands, "-k", "any/refusal and comments"],
        }
    )
    for text in (ran["run"].text, ran["thousands"].text):
        assert " passed" in text
        assert " cases, 0 failing" not in text
        assert "\r" not in text
        assert "%]" not in text


def test_streamproof_run_shows_progress_on_a_terminal(tmp_path: Path) -> None:
    own = own_scenarios(tmp_path / "scenarios")
    mine = spoilt(tmp_path, "mine", "emit(part)")
    words = ["run", "-q", "-k", "own/", "--scenarios", str(own), "--adapter", str(mine)]
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "wb") as terminal, os.fdopen(ours, "rb", 0) as screen:
        subprocess.run(
            [sys.executable, *STREAMPROOF, *words],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            timeout=PATIENCE,
            check=True,
        )
        shown = screen.read(1 << 16)
    assert b"\x1b[K2 of 2 cases, 0 failing\r\x1b[K" in shown
