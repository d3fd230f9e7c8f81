"""The Node projects of the tests can be installed anywhere, or the reason is given."""

import json
from pathlib import Path

import pytest

from mockserver import __version__
from tests.clients.ai_client import NODE_AI
from tests.clients.npm import PROJECT, install, needs_node
from tests.docs.pages import ROOT

LOCKFILES = [
    folder / "package-lock.json"
    for folder in (
        PROJECT,
        ROOT / "tests" / "suite" / "axe",
        ROOT / "benchmarks" / "aimock",
        ROOT / "docs" / "vercel",
        ROOT / "tests" / "node" / "jest",
        ROOT / "tests" / "node" / "types",
        *(NODE_AI / version for version in ("4", "5", "6.0.50", "6", "7")),
    )
]


@pytest.mark.parametrize("lockfile", LOCKFILES, ids=lambda path: path.parent.name)
def test_a_lockfile_pins_contents_and_names_no_registry(lockfile: Path) -> None:
    text = lockfile.read_text("utf-8")
    packages = json.loads(text)["packages"]
    wanted = packages.pop("")["dependencies"]
    if own := wanted.pop("streamproof", "").removeprefix("file:"):
        assert lockfile.parent.joinpath(own).resolve() == ROOT / "node"
        assert packages.pop("node_modules/streamproof") == {"resolved": own, "link": True}
        assert packages.pop(own)["version"] == __version__
    versions = {
        name.removeprefix("node_modules/"): package["version"] for name, package in packages.items()
    }
    assert wanted.items() <= versions.items()
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())
    assert "://" not in text


def test_a_failing_installation_shows_the_output_of_npm(tmp_path: Path) -> None:
    needs_node()
    tmp_path.joinpath("package.json").write_text('{"name": ')
    tmp_path.joinpath("package-lock.json").write_text('{"lockfileVersion": 3}')
    with pytest.raises(pytest.fail.Exception, match=r"npm ci .* failed in ") as why:
        install(tmp_path)
    assert "EJSONPARSE" in str(why.value)
    assert not tmp_path.joinpath("node_modules").exists()


def test_packages_are_installed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.joinpath("package-lock.json").write_text("{}")
    tmp_path.joinpath("node_modules").mkdir()
    tmp_path.joinpath("node_modules", ".installed-from").write_text("{}")
    monkeypatch.setenv("PATH", "")
    install(tmp_path)


def test_the_reason_of_the_skip_names_the_missing_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(pytest.skip.Exception, match="not on the path: node and npm"):
        needs_node()
