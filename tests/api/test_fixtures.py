"""The pytest fixtures, in a project of their own; docs/tests.md shows the rest of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

USED = """\
import os
from urllib.request import Request, urlopen
import pytest

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

def test_shows_its_timeline(streamproof):
    streamproof.run("any/refusal@chat").check([{"type": "text", "value": "No."}])

@pytest.mark.streamproof("any/refusal@chat")
def test_closes_its_run(streamproof):
    streamproof.marked.close()

@pytest.mark.streamproof("greeting.yaml", default=True)
def test_a_file_beside_the_test(streamproof):
    assert streamproof.base_url == streamproof.url + "/v1"

@pytest.mark.streamproof("own/*@chat")
def test_each_of_a_folder(streamproof):
    assert streamproof.requests == ()

@pytest.mark.parametrize("wanted", [{"says": [{"text": "Hi"}]}])
def test_async(streamproof_async, wanted):
    import asyncio

    async def parts():
        yield {"type": "text", "value": "Hi"}

    async def whole():
        run = await streamproof_async.run(wanted)
        return (await run.verdict(parts())).rules, await run.requests()

    assert asyncio.run(whole()) == (("request-valid",), ())
"""

SETTINGS = """\
[pytest]
streamproof_scenarios = mine
streamproof_traits = refusal=text
"""
GREETING = "title: A greeting\nturns:\n  - says:\n      - text: Hello\n"

WRONG = """\
import pytest

@pytest.mark.streamproof(MARK)
def test_each(streamproof):
    pass
"""


def pytest_in(folder: Path, test: str, *words: str) -> str:
    folder.joinpath("test_mine.py").write_text(test, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    return ended.stdout + ended.stderr


def test_a_project_uses_them(tmp_path: Path) -> None:
    tmp_path.joinpath("pytest.ini").write_text(SETTINGS, "utf-8")
    tmp_path.joinpath("mine", "own").mkdir(parents=True)
    for file in ("greeting.yaml", "mine/own/greets.yaml", "mine/own/greets-again.yaml"):
        tmp_path.joinpath(file).write_text(GREETING, "utf-8")
    said = pytest_in(tmp_path, USED, "--strict-markers")
    assert "no case is named: open a run with streamproof.run('any/refusal')" in said
    assert re.search("streamproof: any/refusal@chat -+\nthe upstream sent", said)
    failed = re.findall("^FAILED test_mine.py::(\\w+)", said, re.MULTILINE)
    assert failed == [
        "test_without_a_case",
        "test_fails_for_another_reason",
        "test_shows_its_timeline",
    ]
    # Once for each of the two failures that have one.
    assert said.count("the upstream sent") == 2
    passed = re.search("3 failed, ([0-9]+) passed", said)
    assert passed
    assert int(passed[1]) > 20


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        ("'any/refusals*'", "no scenario matches 'any/refusals*'"),
        ("'any/refusals'", "no scenario is called 'any/refusals'"),
        ("'any/refusal', varies='crlf'", "unknown option 'varies'; its options are vary and def"),
    ],
)
def test_a_mark_that_is_wrong_is_explained(tmp_path: Path, mark: str, why: str) -> None:
    said = pytest_in(tmp_path, WRONG.replace("MARK", mark))
    assert f"\nthe mark streamproof of test_mine.py::test_each: {why}" in said
    assert "Traceback" not in said
    assert "fixtures.py" not in said


def test_settings_that_are_wrong_are_explained(tmp_path: Path) -> None:
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\nstreamproof_traits = refusal\n", "utf-8")
    said = pytest_in(tmp_path, "def test_it(streamproof):\n    pass\n")
    assert "streamproof_traits: 'refusal' is no line as refusal=text" in said
