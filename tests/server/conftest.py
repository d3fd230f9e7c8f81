from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import ClientSession

from mockserver.cases.catalogue import Catalogue
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import SCENARIOS, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "scenarios"
    for id_, text in SCENARIOS.items():
        write(root, id_, text)
    return root


@pytest.fixture
def state(folder: Path) -> State:
    return State(Catalogue([folder]))


@pytest.fixture
async def server(state: State) -> AsyncIterator[Server]:
    async with Server(state) as running:
        yield running


@pytest.fixture
async def client(server: Server) -> AsyncIterator[ClientSession]:
    timeout = aiohttp.ClientTimeout(total=20)
    async with ClientSession(server.url, timeout=timeout) as session:
        yield session
