"""streamproof in an environment of its own, used from an empty folder."""

from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

import pytest

from conformance.contract.adapter import Description
from conformance.suite.claims import CLAIMS
from conformance.suite.workbench import claim_item, items, reference_adapters
from mockserver.cases.catalogue import Catalogue
from tests.docs.background import Background
from tests.docs.pages import ROOT
from tests.packaging.environment import Environment, clean

pytestmark = pytest.mark.installs

SCENARIOS = len(list(ROOT.joinpath("scenarios").rglob("*.yaml")))
# Each reference adapter plays the cases of its dialects, and its claims are tested if they can be:
# an adapter in Python is not given several runs at once.
ADAPTERS = reference_adapters()


def cases(adapters: Sequence[Description]) -> int:
    """How many cases pass."""
    played = sum(item.case is not None for item in items(Catalogue.shipped(), adapters))
    return played + sum(not claim_item(each, id_).why for each in adapters for id_ in CLAIMS)


CASES = cases(ADAPTERS)

_IMPORTS_NOTHING_OF_OURS = """
import sys

def test_nothing_of_ours_is_imported():
    assert not {"conformance", "mockserver"} & set(sys.modules)
"""

_WARNS = """
import warnings
from conformance.dialects.openresponses.reference.vscode import Adapter

class Warns(Adapter):
    def run(self, run, emit, cancel):
        warnings.warn("old", DeprecationWarning)
        return super().run(run, emit, cancel)
"""

_WARNS_DESCRIBED = """
name: warns
drive: {python: "warns:Warns"}
dialects: [openresponses]
vocabulary: vscode
"""


def test_the_shipped_catalogue_passes_lint(installed: Environment, tmp_path: Path) -> None:
    done = installed.run("streamproof", "lint", cwd=tmp_path)
    assert done.code == 0, done.out
    assert done.out == f"{SCENARIOS} scenarios, no problems\n"


def test_a_scenario_is_shown(installed: Environment, tmp_path: Path) -> None:
    done = installed.run("streamproof", "show", "any/refusal", cwd=tmp_path)
    assert done.code == 0, done.out
    assert "refusal.delta" in done.out


def test_the_suite_runs(installed: Environment, tmp_path: Path) -> None:
    done = installed.run("pytest", "--pyargs", "conformance", "-q", cwd=tmp_path)
    assert done.code == 0, done.out
    assert f"{CASES} passed" in done.out
    assert "warning" not in done.out


@pytest.mark.parametrize(
    "command",
    [
        ("python", "-m", "pytest", "--pyargs", "conformance", "-q"),
        ("pytest", "-q", "--deadline", "9000", "--pyargs", "conformance"),
        ("streamproof", "run", "-q"),
    ],
    ids=" ".join,
)
def test_streamproof_run_is_the_same_suite(
    command: tuple[str, ...], installed: Environment, tmp_path: Path
) -> None:
    done = installed.run(*command, "-k", "any/refusal", cwd=tmp_path)
    assert done.code == 0, done.out
    assert f"{len(ADAPTERS)} passed" in done.out
    assert "warning" not in done.out


def test_warning_filters_of_the_project_change_no_verdict(
    installed: Environment, tmp_path: Path
) -> None:
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    tmp_path.joinpath("warns.py").write_text(_WARNS)
    tmp_path.joinpath("adapter.yaml").write_text(_WARNS_DESCRIBED)
    command = ("pytest", "--pyargs", "conformance", "--adapter", "adapter.yaml", "-q")
    done = installed.run(*command, cwd=tmp_path)
    assert done.code == 0, done.out
    assert "DeprecationWarning: old" in done.out


@pytest.mark.parametrize(
    "option", [(), ("-k", "conformance or ours"), ("--import-mode=importlib",)]
)
def test_other_pytest_runs_do_not_load_the_suite(
    option: tuple[str, ...], installed: Environment, tmp_path: Path
) -> None:
    tmp_path.joinpath("test_other.py").write_text(_IMPORTS_NOTHING_OF_OURS)
    done = installed.run("pytest", "-q", *option, cwd=tmp_path)
    assert done.code == 0, done.out
    assert "1 passed" in done.out


@pytest.mark.parametrize("command", [("pytest",), ("python", "-m", "pytest")], ids=" ".join)
def test_a_project_may_have_a_conformance_folder_of_its_own(
    command: tuple[str, ...], installed: Environment, tmp_path: Path
) -> None:
    own = tmp_path / "conformance"
    own.mkdir()
    own.joinpath("__init__.py").touch()
    own.joinpath("test_own.py").write_text("def test_own(): pass\n")
    done = installed.run(*command, "conformance", "-q", cwd=tmp_path)
    assert done.code == 0, done.out
    assert "1 passed" in done.out


def test_the_mock_serves_and_stops(installed: Environment, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = [installed.program("python"), "-m", "mockserver", "--port", "0"]
    server = Background([*command, "--ready-file", str(ready)], tmp_path, clean())
    url = f"http://{server.address}"
    assert ready.read_text() == f"{url}\n"
    with urlopen(f"{url}/_mock/health") as health:
        assert health.status == 200
    assert server.stop() == 0


def test_the_suite_runs_in_parallel(installed: Environment, tmp_path: Path) -> None:
    installed.install("pytest-xdist")
    command = ("pytest", "--pyargs", "conformance", "-q", "-n", "2", "-k", "any/refusal")
    done = installed.run(*command, cwd=tmp_path)
    assert done.code == 0, done.out
    assert f"{len(ADAPTERS)} passed" in done.out
