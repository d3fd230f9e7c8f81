"""Bindings of extensions that no registry has use a checkout, and are not run without one."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.npm import needs_node
from tests.docs.pages import ROOT

ADAPTERS = ROOT / "adapters"
WANTED = {
    "repository": "https://git.example/acme",
    "commit": "",
    "folder": "packages/models",
    "extension": "acme.models",
    "version": "1.2.0",
}
MANIFEST = {"name": "models", "publisher": "acme", "version": "1.2.0", "main": "out/extension"}

PROGRAM = """
import { checkedOut } from "../checkout.mjs";
console.log(checkedOut(import.meta.url));
"""

BINDINGS = sorted(path.parent.name for path in ADAPTERS.glob("*/checkout.json"))


def git(place: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(place), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository whose extension has been built."""
    place = tmp_path / "acme"
    extension = place / "packages" / "models"
    extension.mkdir(parents=True)
    extension.joinpath("package.json").write_text(json.dumps(MANIFEST), "utf-8")
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "first")
    extension.joinpath("out").mkdir()
    extension.joinpath("out", "extension.js").write_text("", "utf-8")
    return place


@pytest.fixture
def binding(tmp_path: Path, checkout: Path) -> Path:
    """A binding of that extension, beside the project's installer."""
    folder = tmp_path / "adapters" / "acme-models"
    folder.mkdir(parents=True)
    for name in ("install.py", "checkouts.py", "checkout.mjs"):
        shutil.copy(ADAPTERS / name, folder.parent)
    folder.joinpath("adapter.yaml").touch()
    wanted = WANTED | {"commit": git(checkout, "rev-parse", "HEAD")}
    folder.joinpath("checkout.json").write_text(json.dumps(wanted), "utf-8")
    folder.joinpath("binding.mjs").write_text(PROGRAM, "utf-8")
    return folder


def install(binding: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(binding.parent / "install.py"), binding.name, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def started(binding: Path) -> subprocess.CompletedProcess[str]:
    needs_node()
    command = ["node", str(binding / "binding.mjs")]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_a_binding_without_its_checkout_is_not_run(binding: Path) -> None:
    why = install(binding, "--why-not-run").stdout
    assert why.startswith("not run: no checkout of https://git.example/acme at ")
    assert why.endswith("python adapters/install.py acme-models --checkout PATH")
    installed = install(binding)
    assert (installed.returncode, installed.stdout) == (0, f"acme-models … {why}\n")
    ran = started(binding)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "install.py acme-models --checkout PATH" in ran.stderr


def test_a_binding_uses_the_checkout_that_it_is_given(binding: Path, checkout: Path) -> None:
    given = install(binding, "--checkout", str(checkout))
    assert (given.returncode, given.stdout) == (0, f"acme-models uses {checkout}\n")
    assert install(binding, "--why-not-run").stdout == ""
    ran = started(binding)
    assert str(checkout / "packages" / "models") in ran.stdout
    assert f"1.2.0 ({git(checkout, 'rev-parse', '--short=12', 'HEAD')})" in ran.stdout
    shutil.rmtree(checkout)
    assert install(binding, "--why-not-run").stdout.startswith("not run: ")
    assert started(binding).returncode == 1


def _another_commit(place: Path) -> None:
    git(place, "commit", "-q", "--allow-empty", "-m", "second")


def _changed(place: Path) -> None:
    place.joinpath("packages", "models", "package.json").write_text("{}", "utf-8")


def _unbuilt(place: Path) -> None:
    place.joinpath("packages", "models", "out", "extension.js").unlink()


def _elsewhere(place: Path) -> None:
    place.joinpath("packages").rename(place / "parts")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_another_commit, " is at the commit "),
        (_changed, " is changed: M packages/models/package.json"),
        (_unbuilt, " is not built: it has no packages/models/out/extension; "),
        (_elsewhere, " has no packages/models/package.json"),
    ],
    ids=["another commit", "changed", "not built", "elsewhere"],
)
def test_a_checkout_that_is_not_the_one_is_refused(
    binding: Path, checkout: Path, change: object, why: str
) -> None:
    assert callable(change)
    change(checkout)
    given = install(binding, "--checkout", str(checkout))
    assert given.returncode == 1
    assert why in given.stderr
    assert not (binding / ".checkout").exists()


@pytest.mark.parametrize("name", BINDINGS)
def test_a_checkout_is_described_to_the_commit(name: str) -> None:
    described = json.loads(ADAPTERS.joinpath(name, "checkout.json").read_text("utf-8"))
    assert described.keys() - {"in_editor"} == WANTED.keys()
    assert described["repository"].startswith("https://github.com/")
    assert len(described["commit"]) == 40
    assert not ADAPTERS.joinpath(name, "package.json").exists()
