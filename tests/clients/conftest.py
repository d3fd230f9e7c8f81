from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import pytest

from conformance.suite.upstream import Upstream
from mockserver.scenario.catalogue import Catalogue
from tests.clients.node_client import NodeClient
from tests.clients.npm import PROJECT, install, needs_node

if TYPE_CHECKING:
    from openai import OpenAI


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    """The shipped catalogue, played on a thread of its own, so that blocking clients are fine."""
    with Upstream(Catalogue.shipped()) as running:
        yield running


@pytest.fixture
async def client(upstream: Upstream) -> AsyncIterator[aiohttp.ClientSession]:
    """A plain HTTP client that knows no protocol."""
    timeout = aiohttp.ClientTimeout(total=10)
    async with aiohttp.ClientSession(upstream.url, timeout=timeout) as session:
        yield session


@pytest.fixture(scope="session")
def anywhere(upstream: Upstream) -> Iterator[OpenAI]:
    """openai-python at the root; ``with_options`` takes it to another base URL cheaply."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    url = f"{upstream.url}/v1"
    with openai.OpenAI(base_url=url, api_key="any", max_retries=0, timeout=10) as client:
        yield client


@pytest.fixture(scope="session")
def project() -> Path:
    """The Node project, installed."""
    needs_node()
    install(PROJECT)
    return PROJECT


@pytest.fixture(scope="session")
def node(project: Path) -> Iterator[NodeClient]:
    """openai of npm; it reads as many streams at a time as are asked for."""
    assert project == PROJECT
    with NodeClient() as running:
        yield running
