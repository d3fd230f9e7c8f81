"""The pytest fixtures, in a project of their own; docs/tests.md shows the rest of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

USED = """\
import os
from urllib.request import Request, urlopen
import pytest

@pytest.fixture(scope="session")
def streamproof_settings():
    return {"traits": {"refusal": "text"}}

def test_environ(streamproof):
    run = streamproof.run("any/refusal")
    streamproof.environ(run)
    assert os.environ["OPENAI_BASE_URL"] == run.base_url

def test_environ_is_restored():
    assert "OPENAI_BASE_URL" not in os.environ

def test_without_a_case(streamproof):
    streamproof.check([])

@pytest.mark.streamproof("any/refusal@chat")
def test_fails_for_another_reason(streamproof):
    streamproof.verdict([{"type": "text", "value": "No."}])
    assert 1 == 2

@pytest.mark.streamproof("any/refusal@chat")
def test_settings_hold(streamproof):
    body = b'{"model": "mock", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}'
    headers = {"Content-Type": "application/json"}
    urlopen(Request(streamproof.base_url + "/chat/completions", body, headers)).read()
    streamproof.check([{"type": "text", "value": "I'm sorry, I cannot help with that."}])

@pytest.mark.streamproof("any/refusal@chat", vary="crlf")
def test_mark(streamproof, streamproof_mock):
    assert streamproof.base_url.startswith(streamproof_mock.url)
    assert streamproof.requests == ()

@pytest.mark.streamproof("any/refusal*@chat", vary="lines")
def test_each(streamproof):
    assert streamproof.requests == ()
"""

WRONG = """\
import pytest

@pytest.mark.streamproof("any/refusals*")
def test_each(streamproof):
    pass
"""


def pytest_in(folder: Path, test: str, *words: str) -> str:
    folder.joinpath("test_mine.py").write_text(test, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    return ended.stdout + ended.stderr


def test_a_project_uses_them(tmp_path: Path) -> None:
    said = pytest_in(tmp_path, USED, "--strict-markers")
    assert "no case is named: open a run with streamproof.run('any/refusal')" in said
    assert re.search("streamproof: any/refusal@chat -+\nthe upstream sent", said)
    failed = re.findall("^FAILED test_mine.py::(\\w+)", said, re.MULTILINE)
    assert failed == ["test_without_a_case", "test_fails_for_another_reason"]
    passed = re.search("2 failed, ([0-9]+) passed", said)
    assert passed
    assert int(passed[1]) > 20


def test_a_mark_that_selects_nothing_is_explained(tmp_path: Path) -> None:
    said = pytest_in(tmp_path, WRONG)
    assert "no scenario matches 'any/refusals*'" in said
    assert "Traceback" not in said
