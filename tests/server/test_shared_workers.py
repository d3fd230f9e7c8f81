"""Workers that share a Redis answer as one process would, and say so when they have lost it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from redis.asyncio import Redis

from conformance.suite.routes import routes
from mockserver.cases.catalogue import Catalogue
from mockserver.server.foreground import Sharing
from mockserver.server.serving import Server
from mockserver.server.shared import shared_journal
from mockserver.server.shared.connection import Keys, SharedRedis
from tests.server import PATIENCE, REQUEST, answer_text, connection, open_run, write
from tests.server.redis_server import RedisServer, needs_redis, redis_server
from tests.server.test_unshared_workers import TWO_TURNS

pytestmark = needs_redis

Json = dict[str, Any]


@pytest.fixture(scope="module")
def running() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
async def sharing(running: RedisServer) -> AsyncIterator[Sharing]:
    """What workers share, with a Redis that has nothing else in it."""
    sharing = Sharing(SharedRedis(running.url))
    assert sharing.redis is not None
    await sharing.redis.prepare()
    yield sharing
    await sharing.redis.clear()


@pytest.fixture
def keys(sharing: Sharing) -> Keys:
    assert sharing.redis is not None
    return sharing.redis.keys


@pytest.fixture
async def redis(sharing: Sharing) -> AsyncIterator[Redis]:
    assert sharing.redis is not None
    client = sharing.redis.connect()
    yield client
    await client.aclose()


class Workers:
    """Two workers of one server, each at a port of its own, with a client for each."""

    def __init__(self, servers: list[Server], clients: list[ClientSession]) -> None:
        self.servers = servers
        self.first, self.second = clients


@pytest.fixture
async def workers(folder: Path, sharing: Sharing) -> AsyncIterator[Workers]:
    write(folder, "any/two-turns", TWO_TURNS)
    async with AsyncExitStack() as stack:
        servers, clients = [], []
        for _ in range(2):
            state = sharing.state(Catalogue.shipped(folder))
            servers.append(await stack.enter_async_context(Server(state, extra_routes=routes())))
            client = ClientSession(servers[-1].url)
            clients.append(await stack.enter_async_context(client))
        yield Workers(servers, clients)


async def get(client: ClientSession, path: str, status: int = 200) -> Json:
    async with client.get(path) as response:
        body: Json = await response.json()
        assert response.status == status, body
        return body


async def post(client: ClientSession, path: str, body: Json, status: int = 200) -> Json:
    async with client.post(path, json=body) as response:
        answer: Json = await response.json()
        assert response.status == status, answer
        return answer


async def played(client: ClientSession, path: str, body: Json = REQUEST) -> bytes:
    async with client.post(path, json=body) as response:
        data = await response.read()
        assert response.status == 200, data
        return data


async def test_what_one_worker_played_every_worker_knows(workers: Workers) -> None:
    run = await open_run(workers.first, "any/hello")
    url = f"/r/{run['id']}/v1/responses"
    for client in (workers.second, workers.first, workers.second):
        assert answer_text(await played(client, url)) == "Hello there"
    for client in (workers.first, workers.second):
        journal = await get(client, f"/_mock/runs/{run['id']}/journal")
        sent = [[event["type"] for event in each["events"]] for each in journal["exchanges"]]
        assert [each["attempt"] for each in journal["exchanges"]] == [1, 2, 3]
        assert [types.count("response.output_text.delta") for types in sent] == [2, 2, 2]
        assert journal["exchanges"][0]["body"] == REQUEST
        facts = await get(client, f"/_mock/runs/{run['id']}")
        assert facts["requests"] == 3
        assert [each["id"] for each in (await get(client, "/_mock/runs"))["runs"]] == [run["id"]]


async def test_the_journal_has_the_requests_of_all_workers_newest_first(workers: Workers) -> None:
    for client in (workers.first, workers.second, workers.first):
        await played(client, "/s/any/hello/v1/responses")
    async with workers.second.get("/nowhere") as response:
        assert response.status == 404
    for client in (workers.first, workers.second):
        found = (await get(client, "/_mock/journal"))["exchanges"]
        assert [each["status"] for each in found] == [404, 200, 200, 200]
        assert [each["n"] for each in found] == [3, 2, 1, 0]
        newest = (await get(client, "/_mock/journal?limit=2"))["exchanges"]
        assert [each["n"] for each in newest] == [3, 2]


async def test_a_busy_worker_only_counts_what_the_journal_would_drop(
    workers: Workers, redis: Redis, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_journal, "_MOST_REQUESTS", 2)
    run = await open_run(workers.first, "any/hello")
    for _ in range(5):
        await played(workers.first, "/s/any/hello/v1/responses")
        await played(workers.first, f"/r/{run['id']}/v1/responses")
    found = (await get(workers.second, "/_mock/journal"))["exchanges"]
    assert [each["n"] for each in found] == [9, 8]
    of_run = await get(workers.second, f"/_mock/runs/{run['id']}/journal")
    assert [each["attempt"] for each in of_run["exchanges"]] == [1, 2, 3, 4, 5]
    totals: dict[bytes, bytes] = await redis.hgetall(keys.totals)  # type: ignore[assignment]
    (counted,) = [int(totals[name]) for name in totals if name.startswith(b"counted:")]
    assert (counted > 0, int(totals[b"requests"]) + counted) == (True, 10)


async def test_a_run_has_all_its_requests_while_more_are_answered(workers: Workers) -> None:
    run = await open_run(workers.first, "any/hello")

    async def play() -> None:
        for _ in range(60):
            await played(workers.first, f"/r/{run['id']}/v1/responses")

    playing = asyncio.create_task(play())
    while not playing.done():
        # Those that have begun and were not written yet are asked of their worker.
        before = (await get(workers.second, f"/_mock/runs/{run['id']}"))["requests"]
        journal = await get(workers.second, f"/_mock/runs/{run['id']}/journal")
        assert len(journal["exchanges"]) >= before
    await playing


async def test_an_answer_under_way_is_in_the_journal_of_the_other_worker(workers: Workers) -> None:
    run = await open_run(workers.first, "any/slow")
    async with connection(workers.servers[0].url) as raw:
        await raw.post(f"/r/{run['id']}/v1/responses")
        await raw.read_until(b"}\n\n\r\n")
        (under_way,) = (await get(workers.second, f"/_mock/runs/{run['id']}/journal"))["exchanges"]
        (in_all,) = (await get(workers.second, "/_mock/journal"))["exchanges"]
        assert under_way["ended"] is in_all["ended"] is None
        assert "One moment" in json.dumps(under_way["events"])
        raw.leave(reset=True)
        ended = await ended_exchange(workers.second, run["id"])
    assert ended["left"]["how"] == "reset the connection"


async def ended_exchange(client: ClientSession, run: str) -> Json:
    async with asyncio.timeout(PATIENCE):
        while True:
            (found,) = (await get(client, f"/_mock/runs/{run}/journal"))["exchanges"]
            if found["ended"] is not None:
                return dict(found)


async def test_retries_are_counted_across_workers(workers: Workers) -> None:
    run = await open_run(workers.first, "any/status-503-then-stream")
    url = f"/r/{run['id']}/v1/responses"
    for client in (workers.first, workers.second):
        async with client.post(url, json=REQUEST) as response:
            assert (response.status, await response.read()) == (503, b"")
    assert answer_text(await played(workers.first, url))


async def test_a_response_is_continued_by_another_worker(workers: Workers) -> None:
    url = "/s/any/two-turns/v1/responses"
    answer = await post(workers.first, url, {"model": "mock", "input": "Hello"})
    go_on = {**REQUEST, "input": "And now?", "previous_response_id": answer["id"]}
    assert answer_text(await played(workers.second, url, go_on)) == "Second"


@pytest.mark.parametrize(
    ("path", "model"), [("/r/{id}/v1/responses", "test"), ("/v1/responses", "mock/r/{id}")]
)
async def test_a_verdict_is_about_the_requests_of_all_workers(
    workers: Workers, path: str, model: str
) -> None:
    run = await open_run(workers.first, "any/hello")
    body = {**REQUEST, "model": model.format(id=run["id"])}
    await played(workers.first, path.format(id=run["id"]), body)
    said = {"parts": [{"type": "text", "value": "Hello there"}]}
    done = {"end": {"type": "done", "outcome": "completed"}}
    verdict = await post(workers.second, f"/_mock/runs/{run['id']}/verdict", {**said, **done})
    assert verdict["status"] == "passed", verdict["findings"]
    (request,) = verdict["transcript"]["requests"]
    deltas = [each["data"].get("delta") for each in request["events"] if each["data"]]
    assert "".join(filter(None, deltas)) == "Hello there"


async def test_a_cancelled_run_waits_for_the_client_of_another_worker(workers: Workers) -> None:
    run = await open_run(workers.first, "any/slow")
    cancelled = {"parts": [{"type": "text", "value": "One moment"}], "cancelled": {"parts": 1}}
    ending = {"end": {"type": "done", "outcome": "cancelled"}}
    async with connection(workers.servers[0].url) as raw:
        await raw.post(f"/r/{run['id']}/v1/responses")
        await raw.read_until(b"}\n\n\r\n")
        path = f"/_mock/runs/{run['id']}/verdict"
        judged = asyncio.ensure_future(post(workers.second, path, {**cancelled, **ending}))
        raw.leave()
        verdict = await judged
    (request,) = verdict["transcript"]["requests"]
    assert request["left"]["how"] == "closed the connection"


async def test_a_closed_run_is_closed_for_all_workers(workers: Workers) -> None:
    run = await open_run(workers.first, "any/hello")
    async with workers.second.delete(f"/_mock/runs/{run['id']}") as response:
        assert response.status == 200
    for client in (workers.first, workers.second):
        await get(client, f"/_mock/runs/{run['id']}", 404)
        answer = await post(client, f"/r/{run['id']}/v1/responses", REQUEST, 404)
        assert "no open run has the id" in answer["error"]["message"]


async def test_keys_have_a_prefix_and_expire_and_hold_no_credentials(
    workers: Workers, keys: Keys, redis: Redis
) -> None:
    run = await open_run(workers.first, "any/two-turns")
    secret = {"Authorization": "Bearer sk-very-secret", "X-Api-Key": "sk-very-secret"}
    url = f"/r/{run['id']}/v1/responses"
    async with workers.second.post(url, json=REQUEST, headers=secret) as response:
        assert response.status == 200
        await response.read()
    assert "[redacted]" in json.dumps(await get(workers.first, "/_mock/journal"))
    found = [key async for key in redis.scan_iter()]
    assert len(found) >= 6
    for key in found:
        assert key.decode().startswith(keys.prefix)
        assert 0 < await redis.ttl(key) <= 3600, key
        assert b"sk-very-secret" not in (await redis.dump(key) or b"")


async def test_a_worker_that_died_with_an_answer_is_told(workers: Workers) -> None:
    run = await open_run(workers.first, "any/slow")
    async with connection(workers.servers[0].url) as raw:
        await raw.post(f"/r/{run['id']}/v1/responses")
        await raw.read_until(b"}\n\n\r\n")
        # As when it is killed: it neither replies nor writes any more.
        store: Any = workers.servers[0].state.store
        await store._reports.stop()
        answer = await get(workers.second, f"/_mock/runs/{run['id']}/journal", 503)
        assert "died, or lost the Redis" in answer["error"]["message"]
        assert "new run" in answer["error"]["hint"]
        notes = (await get(workers.second, "/_mock/journal"))["notes"]
    assert notes == [
        "1 of the workers so far did not reply: they died, or lost the Redis, and what they had "
        "not written yet is missing"
    ]


async def test_a_foreign_record_is_refused(workers: Workers, keys: Keys, redis: Redis) -> None:
    await played(workers.first, "/s/any/hello/v1/responses")
    await get(workers.first, "/_mock/journal")
    for foreign in (b"not JSON", b'{"key": "x"}', b"[]", b'{"key": "x", "n": {}}', b"[" * 100_000):
        await redis.zadd(keys.journal, {foreign: 1e12})
        answer = await get(workers.second, "/_mock/journal", 503)
        assert "a record that they did not write" in answer["error"]["message"]
        await redis.zrem(keys.journal, foreign)
    assert len((await get(workers.second, "/_mock/journal"))["exchanges"]) == 1


async def test_an_emptied_redis_is_told_until_a_restart(workers: Workers, redis: Redis) -> None:
    run = await open_run(workers.first, "any/hello")
    await redis.flushall()
    for client in (workers.first, workers.second):
        answer = await post(client, f"/r/{run['id']}/v1/responses", REQUEST, 503)
        assert "no longer has what the workers of this server wrote" in answer["error"]["message"]
        assert "start the server again" in answer["error"]["message"]
        for path in ("/_mock/journal", "/_mock/health", f"/_mock/runs/{run['id']}"):
            error = (await get(client, path, 503))["error"]
            assert (error["culprit"], error["hint"]) == (
                "the shared Redis",
                "start the server again",
            )


async def test_a_lost_redis_is_told_in_the_shape_of_each_dialect(folder: Path) -> None:
    with redis_server() as lost:
        sharing = Sharing(SharedRedis(lost.url))
        assert sharing.redis is not None
        await sharing.redis.prepare()
        state = sharing.state(Catalogue.shipped(folder))
        async with (
            Server(state, extra_routes=routes()) as server,
            ClientSession(server.url) as client,
        ):
            run = await open_run(client, "any/hello")
            lost.end()
            # The worker has noticed when it says that it is not healthy.
            await unhealthy(client)
            chat = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True}
            for path, body in (
                (f"/r/{run['id']}/v1/responses", REQUEST),
                ("/s/any/hello/v1/responses", REQUEST),
                ("/v1/responses", REQUEST),
                ("/s/any/hello/v1/chat/completions", chat),
            ):
                error = (await post(client, path, body, 503))["error"]
                assert f"the Redis at {lost.url}" in error["message"]
                assert "see to that Redis and ask again" in error["message"]
                assert error["type"] == "server_error"
            for path in ("/_mock/journal", "/_mock/runs", f"/_mock/runs/{run['id']}/journal"):
                error = (await get(client, path, 503))["error"]
                assert error["culprit"] == "the shared Redis"
                assert "see to that Redis and ask again" in error["hint"]
            refused = await post(client, "/_mock/runs", {"case": "any/hello"}, 503)
            assert refused["error"]["culprit"] == "the shared Redis"


async def unhealthy(client: ClientSession) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            async with client.get("/_mock/health") as response:
                if response.status == 503:
                    return
