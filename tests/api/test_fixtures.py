"""The pytest fixtures, in a project of their own; docs/tests.md shows the rest of them."""

import re
from pathlib import Path

import pytest

from tests.suite import FORKED, run_all

USED = """\
import os
os.environ.update(http_proxy="http://127.0.0.1:9", NO_PROXY="", no_proxy="")
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

@pytest.mark.asyncio
async def test_a_wrong_name_in_asyncio(streamproof_async):
    await streamproof_async.run("any/refusals")
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
def test_each(FIXTURE):
    pass
"""
KIT = "streamproof"


def pytest_in(folder: Path, test: str, *words: str, fresh: bool = False) -> str:
    folder.joinpath("test_mine.py").write_text(test, "utf-8")
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *FORKED, *words]
    return run_all({"": command}, folder, fresh=fresh)[""].text


def test_a_project_uses_them(tmp_path: Path) -> None:
    tmp_path.joinpath("pytest.ini").write_text(SETTINGS, "utf-8")
    tmp_path.joinpath("mine", "own").mkdir(parents=True)
    for file in ("greeting.yaml", "mine/own/greets.yaml", "mine/own/greets-again.yaml"):
        tmp_path.joinpath(file).write_text(GREETING, "utf-8")
    # As pytest finds them by itself, beside other plugins.
    said = pytest_in(tmp_path, USED, "--strict-markers", fresh=True)
    assert "no case is named: open a run with streamproof.run('any/refusal')" in said
    assert re.search("streamproof: any/refusal@chat -+\nthe upstream sent", said)
    failed = re.findall("^FAILED test_mine.py::(\\w+)", said, re.MULTILINE)
    assert failed == [
        "test_without_a_case",
        "test_fails_for_another_reason",
        "test_shows_its_timeline",
        "test_a_wrong_name_in_asyncio",
    ]
    # At the line of the test, without those of a thread.
    assert re.search("^test_mine.py:[0-9]+: UserError", said, re.MULTILINE)
    assert not any(frame in said for frame in ("threads.py", "run.py", "mock.py"))
    # Once for each of the two failures that have one; a summary in CI repeats whole messages.
    assert said.partition("short test summary")[0].count("the upstream sent") == 2
    passed = re.search("4 failed, ([0-9]+) passed", said)
    assert passed
    assert int(passed[1]) > 20


MARKS = {
    "without": ("'any/refusal', vary=''", "the test does not use the fixture streamproof or "),
    "pattern": ("'any/refusals*'", "no scenario matches 'any/refusals*'"),
    "name": ("'any/refusals'", "no scenario is called 'any/refusals'"),
    "two": (
        "'any/refusal')\n@pytest.mark.streamproof('any/refusal'",
        "there are two: one mark may name several cases",
    ),
    "option": ("'any/refusal', varies=''", "unknown option 'varies'; its options are vary and def"),
}


def test_marks_that_are_wrong_are_explained(tmp_path: Path) -> None:
    for name, (mark, _) in MARKS.items():
        text = WRONG.replace("MARK", mark).replace("FIXTURE", "" if name == "without" else KIT)
        tmp_path.joinpath(f"test_{name}.py").write_text(text, "utf-8")
    said = pytest_in(tmp_path, "", "--continue-on-collection-errors")
    for name, (_, why) in MARKS.items():
        assert f"\nthe mark streamproof of test_{name}.py::test_each: {why}" in said
    assert "Traceback" not in said
    assert "fixtures.py" not in said


METHODS = """\
import unittest
import pytest

class Without(unittest.TestCase):
    @pytest.mark.streamproof("any/refusal@chat", vary="crlf")
    def test_it(self):
        pass

class With(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _streamproof(self, streamproof):
        self.streamproof = streamproof

    @pytest.mark.streamproof("any/refusal@chat", vary="crlf")
    def test_one(self):
        assert self.streamproof.base_url

    @pytest.mark.streamproof("any/refusal@chat", vary="cuts")
    def test_group(self):
        pass

    @pytest.mark.streamproof("any/*@chat")
    def test_pattern(self):
        pass
"""


def test_a_mark_on_a_method_of_unittest_plays_one_case_or_is_explained(tmp_path: Path) -> None:
    said = pytest_in(tmp_path, METHODS)
    assert "1 passed, 3 errors" in said
    for test, why in (
        ("Without::test_it", "the test does not use the fixture streamproof or streamproof_async"),
        ("With::test_group", "vary='cuts' is several cases, and a TestCase's method is one test: "),
        ("With::test_pattern", "'any/*@chat' is several cases, and a TestCase's method is one"),
    ):
        assert f"\nthe mark streamproof of test_mine.py::{test}: {why}" in said
    assert "fixtures.py" not in said


UNKNOWN = """\
import pytest

@pytest.fixture(scope="session")
def streamproof_settings():
    return {"vocabulry": "vscode"}
"""


@pytest.mark.parametrize(
    ("setting", "conftest", "url", "why"),
    [
        ("streamproof_traits = refusal", "", "", "streamproof_traits: 'refusal' is no line as "),
        ("", UNKNOWN, "", "streamproof_settings has an unknown 'vocabulry'"),
        ("", "", "localhost", "no mock server at $STREAMPROOF_URL for the fixture streamproof: "),
    ],
)
def test_a_server_that_cannot_start_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, conftest: str, url: str, why: str
) -> None:
    monkeypatch.setenv("STREAMPROOF_URL", url)
    tmp_path.joinpath("pytest.ini").write_text(f"[pytest]\n{setting}\n", "utf-8")
    tmp_path.joinpath("conftest.py").write_text(conftest, "utf-8")
    said = pytest_in(tmp_path, "def test_it(streamproof):\n    pass\n")
    assert why in said
    assert "fixtures.py" not in said
