"""All code of a dialect is in two folders: one in the mock and one in the kit.

No other module imports from these folders or names a dialect, apart from the two registries.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from mockserver.dialects import DIALECTS
from tests.docs.pages import ROOT

REGISTRIES = {"mockserver/dialects/__init__.py", "conformance/dialects/__init__.py"}
FOLDERS = [
    path.relative_to(ROOT).as_posix()
    for package in ("mockserver", "conformance")
    for path in (ROOT / package / "dialects").iterdir()
    if (path / "__init__.py").exists() and path.name != "client"
]
# Templates for users name a dialect, which their author replaces.
SKELETONS = "streamproof/_commands/skeletons/"


def _modules() -> list[str]:
    found = [
        path.relative_to(ROOT).as_posix()
        for package in ("mockserver", "conformance", "streamproof")
        for path in sorted((ROOT / package).rglob("*.py"))
    ]
    inside = (*(f"{folder}/" for folder in FOLDERS), SKELETONS)
    return [name for name in found if name not in REGISTRIES and not name.startswith(inside)]


MODULES = _modules()


@cache
def _nodes(name: str) -> list[ast.AST]:
    """Everything in the syntax tree of a module."""
    return list(ast.walk(ast.parse(Path(ROOT, name).read_text("utf-8"))))


def test_the_mock_and_the_kit_have_folders_of_the_same_dialects() -> None:
    names = {package: {f.split("/")[2] for f in FOLDERS if f.startswith(package)}
             for package in ("mockserver", "conformance")}  # fmt: skip
    assert names["mockserver"] == names["conformance"]


@pytest.mark.parametrize("name", MODULES)
def test_no_other_module_imports_from_the_folder_of_a_dialect(name: str) -> None:
    packages = tuple(folder.replace("/", ".") for folder in FOLDERS)
    imported = [node.module or "" for node in _nodes(name) if isinstance(node, ast.ImportFrom)]
    assert [each for each in imported if each.startswith(packages)] == []


@pytest.mark.parametrize("name", MODULES)
def test_no_other_module_names_a_dialect(name: str) -> None:
    strings = [
        node.value
        for node in _nodes(name)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert [each for each in strings if each in DIALECTS] == []
