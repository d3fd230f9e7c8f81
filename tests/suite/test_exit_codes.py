"""The exit code and one sentence say whether adapter, scenario, command or kit is at fault."""

from pathlib import Path

import pytest

from tests.suite import (
    PYTEST,
    TRACEBACK,
    Outputs,
    adapter,
    described,
    own_scenarios,
    run_all,
    scenario,
)

CLEAN = "return await self.inner.run(run, emit, cancel)"
HELLO = """
class Adapter:
    def hello(self):
        return {"type": "hello"}

    async def run(self, run, emit, cancel):
        raise NotImplementedError
"""


NO_HELLO = """
import time

class Adapter:
    def hello(self):
        while True:
            time.sleep(0.01)

    async def run(self, run, emit, cancel):
        raise NotImplementedError
"""


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    clean = adapter(folder, "clean", CLEAN)

    def driven(name: str, source: str, *options: str) -> list[str | Path]:
        return [*PYTEST, "-k", "refusal", "--adapter", described(folder, name, source), *options]

    def written(name: str, text: str) -> list[str | Path]:
        (folder / f"{name}.yaml").write_text(text, "utf-8")
        return [*PYTEST, "-k", "refusal", "--adapter", folder / f"{name}.yaml"]

    own = own_scenarios(folder / "scenarios")
    scenario(own, "own/broken", "title: A typing mistake\nturns:\n  - sayz: []\n")
    twice = described(folder, "twice", "")
    twice.write_text(clean.read_text("utf-8"), "utf-8")
    return run_all(
        {
            "no module": written("gone", VALID.format(target="no_such_module:Adapter")),
            "no module, two workers": [
                *written("gone", VALID.format(target="no_such_module:Adapter")),
                *("-n2", "-p", "tests.suite.no_workers"),
            ],
            "bad hello": driven("bad_hello", HELLO),
            "no hello": driven("no_hello", NO_HELLO, "--start-deadline", "200"),
            "unknown key": written("typing", VALID.format(target="a:b") + "vocabulari: vscode\n"),
            "unknown variation": [*PYTEST, "--vary", "crfl"],
            "unknown folder": [*PYTEST, "--scenarios", folder / "nowhere"],
            "no deadline": [*PYTEST, "--deadline", "0"],
            "two of one name": [*PYTEST, "--adapter", clean, "--adapter", twice],
            "one upstream": [*written("running", VALID_SERVER), "-n2"],
            "broken kit": driven("meddling", MEDDLING),
            "broken scenario": [*PYTEST, "-k", "own/", "-v", "--scenarios", own],
        }
    )


MEDDLING = """
import conformance.suite
from conformance.dialects.openresponses.reference.vscode import gateway as Adapter

conformance.suite.workbench.judge_case = lambda *_: 1 / 0
"""
VALID = """name: written
drive: {{python: "{target}"}}
dialects: [openresponses]
vocabulary: vscode
"""
VALID_SERVER = """name: running
drive: {running: "http://127.0.0.1:9/v1"}
dialects: [openresponses]
vocabulary: vscode
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("no module, two workers", "ModuleNotFoundError: No module named 'no_such_module'"),
        (
            "bad hello",
            "its hello() returned a hello message that breaks $defs.adapter-hello of "
            "schemas/driver.json: 'protocol' is a required property",
        ),
        (
            "no hello",
            "its hello() did not return within 0.2 seconds (--start-deadline allows more)",
        ),
        (
            "unknown key",
            "typing.yaml:5:1: unknown key 'vocabulari'\n    did you mean 'vocabulary'?",
        ),
    ],
)
def test_an_adapter_that_cannot_be_driven_exits_with_3(
    ran: Outputs, name: str, message: str
) -> None:
    assert ran[name].code == 3, ran[name].text
    assert "the adapter is at fault:\n" in ran[name].text
    assert message in ran[name].text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("unknown variation", "no variation is called 'crfl'\n    did you mean 'crlf'?"),
        ("unknown folder", "nowhere is not a folder of scenarios"),
        ("no deadline", "'0' is no number of milliseconds above 0"),
        ("one upstream", "running has one upstream\n    leave out -n; claims.concurrency says"),
        ("two of one name", "2 adapters are called 'clean'; give each a name of its own"),
    ],
)
def test_a_mistake_on_the_command_line_exits_with_4(ran: Outputs, name: str, message: str) -> None:
    assert ran[name].code == 4, ran[name].text
    assert message in ran[name].text


def test_an_error_of_the_kit_exits_with_4_and_shows_its_traceback(ran: Outputs) -> None:
    assert ran["broken kit"].code == 4
    assert "ZeroDivisionError" in ran["broken kit"].failures


def test_no_other_error_shows_a_traceback(ran: Outputs) -> None:
    for name, each in ran.items():
        assert TRACEBACK not in each.text, name
        assert "INTERNALERROR" not in each.text, name


def test_a_broken_scenario_fails_alone_and_the_others_run(ran: Outputs) -> None:
    broken = ran["broken scenario"]
    assert broken.code == 4
    assert "own/broken] FAILED" in broken.text
    assert "own/greeting@openresponses] PASSED" in broken.text
    assert "own/doubled@openresponses] PASSED" in broken.text
    assert broken.text.count("own/broken] FAILED") == 1
    assert "the scenario is at fault:\n" in broken.failures
    assert "broken.yaml:3:5: unknown key 'sayz'\n    did you mean 'says'?" in broken.failures
