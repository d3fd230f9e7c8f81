from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import ClientSession
from openai import AsyncOpenAI, OpenAI

from conformance.suite.upstream import Upstream
from mockserver.cases.catalogue import Catalogue
from tests.clients.node_client import NodeClient
from tests.clients.npm import PROJECT, install, needs_node


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    """The shipped catalogue, served from a thread of its own, so that clients may block."""
    with Upstream(Catalogue.shipped()) as running:
        yield running


@pytest.fixture
async def client(upstream: Upstream) -> AsyncIterator[ClientSession]:
    timeout = aiohttp.ClientTimeout(total=10)
    async with ClientSession(upstream.url, timeout=timeout) as session:
        yield session


@pytest.fixture(scope="session")
def anywhere(upstream: Upstream) -> Iterator[OpenAI]:
    """openai-python with the root as its base URL, which ``with_options`` changes."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    url = f"{upstream.url}/v1"
    with openai.OpenAI(base_url=url, api_key="any", max_retries=0, timeout=10) as client:
        yield client


@pytest.fixture(scope="session")
def at(anywhere: OpenAI, upstream: Upstream) -> Callable[[str], OpenAI]:
    return lambda case: anywhere.with_options(base_url=f"{upstream.url}/s/{case}/v1")


@pytest.fixture
async def async_at(upstream: Upstream) -> AsyncIterator[Callable[[str], AsyncOpenAI]]:
    """The asynchronous client of openai-python with the base URL of a case."""
    openai = pytest.importorskip("openai", reason="openai is not installed")
    # The mock speaks plain HTTP; certificates take longer to read than an answer.
    plain = openai.DefaultAsyncHttpxClient(verify=False, timeout=10)
    async with openai.AsyncOpenAI(
        base_url=upstream.url, api_key="any", max_retries=0, http_client=plain
    ) as client:
        yield lambda case: client.with_options(base_url=f"{upstream.url}/s/{case}/v1")


@pytest.fixture(scope="session")
def project() -> Path:
    """The Node project with its packages installed."""
    needs_node()
    install(PROJECT)
    return PROJECT


@pytest.fixture(scope="session")
def node(project: Path) -> Iterator[NodeClient]:
    """The openai package of npm; it reads all requested streams concurrently."""
    assert project == PROJECT
    with NodeClient() as running:
        yield running
