"""Workers that share nothing play every run, and refuse what another worker may know."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from conformance.suite.routes import routes
from mockserver.cases.catalogue import Catalogue
from mockserver.server.foreground import Sharing
from mockserver.server.serving import Server
from tests.server import REQUEST, answer_text, open_run, text, write

TWO_TURNS = """
title: Two turns
turns:
  - says: [text: First]
    then: {user: Go on}
  - says: [text: Second]
"""

Json = dict[str, Any]


@pytest.fixture
async def workers(folder: Path) -> AsyncIterator[list[ClientSession]]:
    """Clients of two workers of one server."""
    write(folder, "any/two-turns", TWO_TURNS)
    sharing = Sharing(None)
    async with AsyncExitStack() as stack:
        clients = []
        for _ in range(2):
            state = sharing.state(Catalogue.shipped(folder))
            server = await stack.enter_async_context(Server(state, extra_routes=routes()))
            clients.append(await stack.enter_async_context(ClientSession(server.url)))
        yield clients


async def test_any_worker_plays_a_run(workers: list[ClientSession]) -> None:
    run = await open_run(workers[0], "any/hello")
    for client in workers:
        assert await text(client, f"/r/{run['id']}/v1/responses") == "Hello there"
        async with client.get(f"/r/{run['id']}/v1/models") as response:
            assert [each["id"] for each in (await response.json())["data"]] == ["mock"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/_mock/journal", None),
        ("GET", "/_mock/runs", None),
        ("GET", "/_mock/runs/{id}", None),
        ("GET", "/_mock/runs/{id}/journal", None),
        ("DELETE", "/_mock/runs/{id}", None),
        ("POST", "/_mock/runs/{id}/verdict", {"parts": []}),
        ("POST", "/_mock/runs", {"case": "any/status-503-then-stream"}),
    ],
)
async def test_what_another_worker_may_know_is_refused(
    workers: list[ClientSession], method: str, path: str, body: Json | None
) -> None:
    run = await open_run(workers[0], "any/hello")
    for client in workers:
        async with client.request(method, path.format(id=run["id"]), json=body) as response:
            error = (await response.json())["error"]
            assert response.status == 501
        assert error["culprit"] == "the command"
        assert "share nothing" in error["message"]
        assert "--shared redis://" in error["hint"]


async def test_a_reading_needs_nothing_that_is_shared(workers: list[ClientSession]) -> None:
    run = await open_run(workers[0], "any/hello")
    posted = {"parts": [{"type": "text", "value": "Hello"}]}
    url = f"/_mock/runs/{run['id']}/reading"
    async with workers[1].post(url, json=posted) as response:
        assert (await response.json())["text"] == "Hello"


async def test_a_request_that_continues_a_response_is_refused(workers: list[ClientSession]) -> None:
    asked = {**REQUEST, "input": "Go on", "previous_response_id": "resp_of_another_worker"}
    async with workers[0].post("/s/any/two-turns/v1/responses", json=asked) as response:
        error = (await response.json())["error"]
        assert response.status == 501
    assert "'resp_of_another_worker', which any worker may have given" in error["message"]
    assert "--shared redis://" in error["message"]


async def test_a_conversation_with_its_history_is_played(workers: list[ClientSession]) -> None:
    said = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "First"},
        {"role": "user", "content": "Go on"},
    ]
    asked = {**REQUEST, "input": said}
    async with workers[1].post("/s/any/two-turns/v1/responses", json=asked) as response:
        assert answer_text(await response.read()) == "Second"
