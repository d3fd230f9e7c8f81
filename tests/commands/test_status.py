"""What takes long says on a terminal how far it is, and nothing in a log."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from streamproof._commands.capture_import import import_
from streamproof._commands.status import counted, log, status
from tests.commands import call

ESCAPE = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")
STREAM = (
    b'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}\n\n'
)


class Terminal:
    """A terminal, with what was written to it."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._text = ""

    @property
    def lines(self) -> list[str]:
        """What has stood in a line at any time, without escape sequences."""
        os.set_blocking(self._leader, False)
        try:
            while data := os.read(self._leader, 1 << 16):
                self._text += data.decode()
        except BlockingIOError:
            pass
        lines = re.split(r"[\r\n]|\x1b\[2K", self._text)
        return [ESCAPE.sub("", line).strip() for line in lines]


@contextmanager
def terminal() -> Iterator[Terminal]:
    leader, follower = os.openpty()
    with (
        os.fdopen(leader, "rb"),
        os.fdopen(follower, "w") as stderr,
        patch.object(sys, "stderr", stderr),
        patch.dict(os.environ, {"TERM": "xterm", "COLUMNS": "80"}),
    ):
        yield Terminal(leader)


def test_the_number_of_those_that_are_done_is_shown() -> None:
    with terminal() as shown:
        with counted("reading", 4, "checking") as one_more:
            one_more()
        # The line is drawn when it is left, too.
        assert any(line.endswith("reading: 1 of 4 (25 %)") for line in shown.lines)


def test_a_line_of_the_log_stands_above_the_status_by_itself() -> None:
    with terminal() as shown:
        with status("under way"):
            log("a line\x1b[2J")
        lines = shown.lines
    assert "a line\\x1b[2J" in lines
    assert any(line.endswith("under way") for line in lines)


def test_import_says_on_a_terminal_what_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "x.sse").write_bytes(STREAM)
    with terminal() as shown:
        import_.main([str(file), "--dialect", "chat"], standalone_mode=False)
        lines = shown.lines
    for said in (f"reading {file}", "looking for keys and personal data", "checking the scenario"):
        assert any(said[:40] in line for line in lines), lines
    assert capsys.readouterr().out.startswith("# Imported from x.sse.")


def test_a_log_gets_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = call("import", "-", "--dialect", "chat", given=STREAM)
    assert (ran.code, ran.err) == (0, "")
