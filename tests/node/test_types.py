"""The TypeScript types of the package are right, and the compiled programs run."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.clients.npm import install, needs_node
from tests.docs.pages import ROOT
from tests.node.adapter import PATIENCE, NodeAdapter, parts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.installs

PROJECT = ROOT / "tests" / "node" / "types"


@pytest.fixture(scope="module")
def packages() -> Path:
    """TypeScript and the types of VS Code, installed."""
    needs_node()
    install(PROJECT)
    return PROJECT / "node_modules"


@pytest.fixture(scope="module")
def compiled(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled programs of the project, which was copied first."""
    place = tmp_path_factory.mktemp("types")
    for source in (*PROJECT.glob("*.*ts"), PROJECT / "tsconfig.json", PROJECT / "package.json"):
        shutil.copy(source, place)
    modules = place / "node_modules"
    modules.mkdir()
    modules.joinpath("streamproof").symlink_to(ROOT / "node")
    modules.joinpath("@types").symlink_to(packages / "@types")
    tsc = packages / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        ["node", str(tsc), "-p", str(place)],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    return place


@pytest.fixture
async def host(compiled: Path) -> AsyncIterator[NodeAdapter]:
    flags = ("--import", "streamproof/vscode/register")
    adapter = await NodeAdapter.started(*flags, "out/host.js", cwd=compiled)
    yield adapter
    await adapter.end()


async def test_a_provider_in_typescript_compiles_as_for_the_editor_and_runs(
    host: NodeAdapter,
) -> None:
    said = await host.play()
    assert parts(said) == [
        {"type": "text", "value": "Hello"},
        {
            "type": "toolCall",
            "callId": "c",
            "name": "/m",
            "input": {"auto": True, "key": "sk-mock-1"},
        },
    ]
    error = {"kind": "upstream", "message": "enough", "code": "Blocked"}
    assert said[-1] == {"type": "done", "id": "r-1", "outcome": "failed", "error": error}


ENUMS = (
    *("ConfigurationTarget", "ExtensionKind", "ExtensionMode", "LanguageModelChatMessageRole"),
    *("LanguageModelChatToolMode", "LogLevel", "ProgressLocation", "QuickPickItemKind"),
    *("StatusBarAlignment", "UIKind", "ViewColumn"),
)
PROPOSED = {"LanguageModelChatMessageRole.System"}


def test_enumerations_have_the_values_of_the_editor(packages: Path, project: Path) -> None:
    types = packages.joinpath("@types", "vscode", "index.d.ts").read_text("utf-8")
    program = f"""
        import * as vscode from "streamproof/vscode";
        for (const name of {list(ENUMS)})
          for (const [key, value] of Object.entries(vscode[name]))
            console.log(`${{name}}.${{key}}=${{value}}`);
    """
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    ours = dict(line.split("=") for line in done.stdout.splitlines())
    assert {name.split(".")[0] for name in ours} == set(ENUMS)
    theirs = {
        f"{name}.{key}": value
        for name in ENUMS
        for key, value in re.findall(r"(\w+) = (-?\d+)", _enum(types, name))
    }
    assert {name: value for name, value in ours.items() if name not in PROPOSED}.items() <= (
        theirs.items()
    )


def _enum(types: str, name: str) -> str:
    found = re.search(rf"export enum {name} {{(.*?)\n\t}}", types, re.DOTALL)
    assert found, name
    return found[1]
