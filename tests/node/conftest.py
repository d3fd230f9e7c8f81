from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from conformance.suite.upstream import Upstream
from mockserver.cases.catalogue import Catalogue
from tests.clients.npm import needs_node
from tests.docs.pages import ROOT
from tests.node.adapter import NodeAdapter

Start = Callable[..., Awaitable[NodeAdapter]]


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    """The shipped catalogue, served from a thread of its own."""
    with Upstream(Catalogue.shipped()) as running:
        yield running


def _project_in(folder: Path) -> Path:
    needs_node()
    packages = folder / "node_modules"
    packages.mkdir()
    packages.joinpath("streamproof").symlink_to(ROOT / "node")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder in which ``streamproof`` is installed."""
    return _project_in(tmp_path)


@pytest.fixture
async def start(project: Path) -> AsyncIterator[Start]:
    """Starts a program with the given source, and ends it after the test."""
    async with _starting(project) as started:
        yield started


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Like ``project``, but for programs that the tests of a module share."""
    return _project_in(tmp_path_factory.mktemp("shared"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def start_shared(shared_project: Path) -> AsyncIterator[Start]:
    """Like ``start``, but the programs run until the end of the module."""
    async with _starting(shared_project) as started:
        yield started


@asynccontextmanager
async def _starting(project: Path) -> AsyncIterator[Start]:
    running: list[NodeAdapter] = []

    async def started(source: str, *flags: str) -> NodeAdapter:
        # An earlier program may not have been read yet.
        program = f"adapter{len(running) or ''}.mjs"
        project.joinpath(program).write_text(source, "utf-8")
        adapter = await NodeAdapter.started(*flags, program, cwd=project)
        running.append(adapter)
        return adapter

    yield started
    for adapter in running:
        await adapter.end()
