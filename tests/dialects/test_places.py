"""All code of a dialect is in two folders: one in the mock and one in the kit.

No other module imports from these folders or names a dialect, apart from the two registries.
"""

import ast
from dataclasses import dataclass
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
# Templates for users name a dialect, which their author replaces; a page is about OpenAI's tools.
OTHERS = ("streamproof/_commands/skeletons/", "website/hosted.py")


def _paths() -> list[str]:
    found = [
        path.relative_to(ROOT).as_posix()
        for package in ("mockserver", "conformance", "streamproof", "website")
        for path in sorted((ROOT / package).rglob("*.py"))
    ]
    inside = (*(f"{folder}/" for folder in FOLDERS), *OTHERS)
    return [name for name in found if name not in REGISTRIES and not name.startswith(inside)]


@dataclass(frozen=True, slots=True)
class Module:
    """What a module imports from, and the strings in it."""

    imported: frozenset[str]
    strings: frozenset[str]


@pytest.fixture(scope="module")
def others() -> dict[str, Module]:
    """The modules that belong to no dialect, by path."""
    return {name: _module(Path(ROOT, name).read_text("utf-8")) for name in _paths()}


def _module(text: str) -> Module:
    nodes = list(ast.walk(ast.parse(text)))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return Module(
        frozenset(node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)),
        frozenset(value for value in constants if isinstance(value, str)),
    )


def test_the_mock_and_the_kit_have_folders_of_the_same_dialects() -> None:
    names = {package: {f.split("/")[2] for f in FOLDERS if f.startswith(package)}
             for package in ("mockserver", "conformance")}  # fmt: skip
    assert names["mockserver"] == names["conformance"]


def test_no_other_module_imports_from_the_folder_of_a_dialect(others: dict[str, Module]) -> None:
    packages = tuple(folder.replace("/", ".") for folder in FOLDERS)
    assert [
        (path, name)
        for path, module in others.items()
        for name in sorted(module.imported)
        if name.startswith(packages)
    ] == []


def test_no_other_module_names_a_dialect(others: dict[str, Module]) -> None:
    assert [
        (path, name)
        for path, module in others.items()
        for name in sorted(module.strings & DIALECTS.keys())
    ] == []
