"""The wheel has all files of the packages, and no others."""

import zipfile
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.installs


@pytest.mark.parametrize("folder", ["schemas", "scenarios"])
def test_the_wheel_has_all_files_of(folder: str, wheel: Path) -> None:
    there = {
        f"mockserver/{path.relative_to(ROOT).as_posix()}"
        for path in ROOT.joinpath(folder).rglob("*")
        if path.is_file()
    }
    assert there
    assert there <= _names(wheel)


def test_the_wheel_has_the_page_that_explain_prints(wheel: Path) -> None:
    names = _names(wheel)
    assert {name for name in names if "/docs/" in name} == {"mockserver/docs/semantics.md"}


def test_the_wheel_has_the_skeletons_of_adapters_and_their_module(wheel: Path) -> None:
    there = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.joinpath("streamproof", "_commands", "skeletons").glob("*/*")
        if path.is_file()
    }
    assert len(there) > 12
    node = ROOT / "node"
    files = (path.relative_to(ROOT).as_posix() for path in node.rglob("*") if path.is_file())
    assert there | {f"streamproof/{name}" for name in files} <= _names(wheel)


def test_the_wheel_has_the_suite_and_its_configuration(wheel: Path) -> None:
    wanted = {"conformance/test_catalogue.py", "conformance/conftest.py", "conformance/pytest.ini"}
    assert wanted <= _names(wheel)


def test_the_wheel_has_the_templates_of_the_report(wheel: Path) -> None:
    folder = ROOT / "conformance" / "report" / "templates"
    there = {path.relative_to(ROOT).as_posix() for path in folder.iterdir()}
    assert "conformance/report/templates/matrix.html.j2" in there
    assert there <= _names(wheel)


def test_the_wheel_has_no_other_packages(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in _names(wheel)}
    assert tops == {"mockserver", "conformance", "streamproof", "streamproof-0.1.0.dist-info"}


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())
