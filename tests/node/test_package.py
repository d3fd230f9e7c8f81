"""The package of npm: its files and its dependencies."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from mockserver import __version__
from tests.clients.npm import needs_node
from tests.docs.pages import ROOT
from tests.node.adapter import PATIENCE

PACKAGE = ROOT / "node"
MANIFEST: dict[str, Any] = json.loads(PACKAGE.joinpath("package.json").read_text("utf-8"))
MODULES = sorted([*PACKAGE.rglob("*.js"), *PACKAGE.rglob("*.cjs")])
IMPORTED = re.compile(r'(?:^import|from|= require\() ?"([^"]+)"\)?;$', re.MULTILINE)


@pytest.fixture(scope="module")
def packed() -> set[str]:
    needs_node()
    done = subprocess.run(
        ["npm", "pack", "--dry-run", "--json", "--ignore-scripts"],
        cwd=PACKAGE,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=True,
    )
    [package] = json.loads(done.stdout)
    return {file["path"] for file in package["files"]}


def test_it_depends_on_nothing_and_has_the_version_of_the_kit() -> None:
    assert not [key for key in MANIFEST if "ependencies" in key]
    assert "scripts" not in MANIFEST
    assert MANIFEST["version"] == __version__
    assert MANIFEST["license"] == "Apache-2.0"
    assert MANIFEST["type"] == "module"
    ours = ROOT.joinpath("LICENSE").read_bytes()
    assert PACKAGE.joinpath("LICENSE").read_bytes() == ours


def test_everything_that_it_exports_and_imports_is_packed(packed: set[str]) -> None:
    exported = {path.removeprefix("./") for path in _paths(MANIFEST["exports"])}
    assert exported <= packed
    assert {"LICENSE", "README.md", "package.json"} <= packed
    assert {path.relative_to(PACKAGE).as_posix() for path in MODULES} <= packed


def test_a_module_imports_only_the_package_and_node() -> None:
    for module in MODULES:
        for specifier in IMPORTED.findall(module.read_text("utf-8")):
            beside = module.parent / specifier
            assert specifier.startswith("node:") or beside.is_file(), (module, specifier)


def _paths(exports: Any) -> Iterator[str]:
    if isinstance(exports, str):
        yield exports
    else:
        for value in exports.values():
            yield from _paths(value)
