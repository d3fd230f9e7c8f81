from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from conformance.suite.upstream import Upstream
from mockserver.scenario.catalogue import Catalogue
from tests.clients.npm import needs_node
from tests.docs.pages import ROOT
from tests.node.adapter import NodeAdapter

Start = Callable[..., Awaitable[NodeAdapter]]


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    """The shipped catalogue, served from a thread of its own."""
    with Upstream(Catalogue.shipped()) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder in which ``streamproof`` is installed."""
    needs_node()
    packages = tmp_path / "node_modules"
    packages.mkdir()
    packages.joinpath("streamproof").symlink_to(ROOT / "node")
    return tmp_path


@pytest.fixture
async def start(project: Path) -> AsyncIterator[Start]:
    """Starts a program with the given source, and ends it after the test."""
    running: list[NodeAdapter] = []

    async def started(source: str, *flags: str) -> NodeAdapter:
        project.joinpath("adapter.mjs").write_text(source, "utf-8")
        adapter = await NodeAdapter.started(*flags, "adapter.mjs", cwd=project)
        running.append(adapter)
        return adapter

    yield started
    for adapter in running:
        await adapter.end()
