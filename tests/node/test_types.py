"""The TypeScript types of the package are right, and the compiled programs run."""

import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.clients.npm import install, needs_node
from tests.docs.pages import ROOT
from tests.node.adapter import PATIENCE, NodeAdapter, parts

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


async def test_a_typescript_provider_compiles_as_for_the_editor_and_runs(host: NodeAdapter) -> None:
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


def test_the_host_has_every_member_of_the_api(packages: Path) -> None:
    typescript = packages / "typescript" / "lib" / "typescript.js"
    types = packages / "@types" / "vscode" / "index.d.ts"
    program, host = PROJECT / "members.mjs", ROOT / "node" / "vscode"
    command = ["node", *map(str, (program, typescript, types, host))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE, check=True)
    answer = json.loads(done.stdout)
    assert answer["wrong"] == []
    assert answer["compared"] > 1_250


def test_the_version_of_the_api_is_that_of_its_types(packages: Path) -> None:
    released = json.loads(packages.joinpath("@types", "vscode", "package.json").read_text("utf-8"))
    api = ROOT.joinpath("node", "vscode", "api.js").read_text("utf-8")
    assert f'export const version = "{released["version"]}";' in api
