"""Every pytest run of an environment finds the plugin; only the suite's own runs load it."""

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.suite import Outputs, run_all

UNRELATED = """
import sys

def test_nothing_of_the_suite_is_here():
    heavy = {"conformance.suite.plugin", "mockserver", "streamproof._api.mock", "aiohttp"}
    assert not heavy & set(sys.modules)
"""
FAST = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
# Where streamproof is not installed, the plugin is named by -p; else pytest finds it.
INSTALLED = any(entry.module == "streamproof.entry" for entry in entry_points(group="pytest11"))
NAMED = () if INSTALLED else ("-p", "streamproof.entry")
ENTRY = ("-m", "pytest", *NAMED, *FAST, "-p", "no:aiohttp", "-p", "no:asyncio")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    folder = tmp_path_factory.mktemp("unrelated")
    (folder / "test_unrelated.py").write_text(UNRELATED, "utf-8")
    (folder / "conformance_of_ours").mkdir()
    (folder / "conformance_of_ours" / "test_it.py").write_text(UNRELATED, "utf-8")
    return run_all(
        {
            "a file": [*ENTRY, "test_unrelated.py"],
            "a word like it": [*ENTRY, "conformance_of_ours"],
            "a name to filter by": [*ENTRY, "test_unrelated.py", "-k", "nothing or conformance"],
            "the suite": [*ENTRY, "--pyargs", "conformance", "-k", "refusal"],
            "the suite as a folder": [*ENTRY, "conformance"],
        },
        cwd=folder,
        fresh=True,
    )


@pytest.mark.parametrize("name", ["a file", "a word like it", "a name to filter by"])
def test_other_pytest_runs_do_not_load_the_suite(ran: Outputs, name: str) -> None:
    assert ran[name].code == 0, ran[name].text
    assert "1 passed" in ran[name].text
    assert "cases against" not in ran[name].text


def test_a_run_that_names_the_suite_loads_it(ran: Outputs) -> None:
    assert ran["the suite"].code == 0, ran["the suite"].text
    assert "reference-openresponses-vscode (→ vscode)" in ran["the suite"].text
    assert Path(__file__).name not in ran["the suite"].text


def test_a_run_that_names_the_suite_as_a_folder_is_told_how(ran: Outputs) -> None:
    told = ran["the suite as a folder"]
    assert told.code == 4
    assert "there is no folder conformance here" in told.text
    assert "pytest --pyargs conformance" in told.text
