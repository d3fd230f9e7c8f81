"""A client that does not read delays its own stream and no other."""

import asyncio
import time
from pathlib import Path

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.server.journal import Exchange
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.load import line, post, unchunked
from tests.server import MUCH, SCENARIOS, answer_text, connection, until, write

SLOW = 3
# Small enough that the kernel buffers little, large enough that the rest is read fast.
WINDOW = 256 << 10
# Above this asyncio and aiohttp make a writer wait, which then has one more write to pass on.
HIGH_WATER = 64 << 10
# The most that is written at once, with the framing of HTTP around it.
PIECE = (256 << 10) + 64
# Each character is four bytes, and OpenResponses sends each text four times.
HUGE = (
    "title: Fifty megabytes\nturns:\n  - says:\n"
    f"    - text: &big {'😀' * 110_000}\n" + "    - text: *big\n" * 29
)
MEGABYTE = 1 << 20
ASK = b'{"model":"m","input":"Hello","stream":true}'


@pytest.fixture
def state(tmp_path: Path) -> State:
    write(tmp_path, "any/much", MUCH)
    write(tmp_path, "any/huge", HUGE)
    write(tmp_path, "any/hello", SCENARIOS["any/hello"])
    return State(Catalogue([tmp_path]))


def buffered(server: Server) -> list[int]:
    """The bytes in the server's write buffer of each connection."""
    runner = server._runner
    assert runner is not None
    assert runner.server is not None
    transports = [each.transport for each in runner.server.connections]
    return [transport.get_write_buffer_size() for transport in transports if transport]


def planned(exchange: Exchange) -> int:
    assert exchange.plan is not None
    return len(exchange.plan.writes)


async def hello(server: Server) -> str:
    async with line(server.url) as client:
        client.writer.write(post("/s/any/hello/v1/responses", ASK, "Connection: close"))
        return answer_text(unchunked(await client.rest()))


async def test_a_client_that_does_not_read_delays_only_its_own_stream(state: State) -> None:
    async with Server(state) as server, asyncio.timeout(60), asyncio.TaskGroup() as group:
        leave = asyncio.Event()
        slow = [group.create_task(_reads_late(server, leave)) for _ in range(SLOW)]
        await until(lambda: sum(size > HIGH_WATER for size in buffered(server)) == SLOW)
        waiting = list(state.local.exchanges)
        before = await _standing_still(server, waiting)
        assert [await hello(server) for _ in range(20)] == ["Hello there"] * 20
        assert [len(exchange.writes) for exchange in waiting] == before
        for exchange, count in zip(waiting, before, strict=True):
            assert 0 < count < planned(exchange)
            assert (exchange.ended, exchange.left) == (None, None)
            assert exchange.to_json()["ended"] is None
        assert max(buffered(server)) <= HIGH_WATER + PIECE
        began_to_read = time.monotonic()
        leave.set()
        bodies = [await task for task in slow]
    assert {answer_text(body) for body in bodies} == {"word " * 400_000}
    for exchange, count in zip(waiting, before, strict=True):
        assert len(exchange.writes) == planned(exchange)
        next_one = exchange.writes[count]
        assert next_one.at >= began_to_read
        assert next_one.late >= began_to_read - exchange.writes[count - 1].at


async def _standing_still(server: Server, exchanges: list[Exchange]) -> list[int]:
    """Wait until no exchange makes more writes; returns the number of writes of each."""
    while True:
        before = [len(exchange.writes) for exchange in exchanges]
        assert await hello(server) == "Hello there"
        if before == [len(exchange.writes) for exchange in exchanges]:
            return before


async def _reads_late(server: Server, begin: asyncio.Event) -> bytes:
    async with connection(server.url, receive_buffer=WINDOW) as raw:
        await raw.send(post("/s/any/much/v1/responses", ASK, "Connection: close"))
        await begin.wait()
        return unchunked(await raw.read_to_end())


async def test_what_is_held_for_a_slow_reader_of_fifty_megabytes_is_bounded(state: State) -> None:
    async with Server(state) as server, asyncio.timeout(60):
        async with connection(server.url, receive_buffer=WINDOW) as raw:
            await raw.send(post("/s/any/huge/v1/responses", ASK, "Connection: close"))
            await until(lambda: any(size > HIGH_WATER for size in buffered(server)))
            (exchange,) = state.local.exchanges
            assert exchange.plan is not None
            assert exchange.plan.size > 50 * MEGABYTE
            (count,) = await _standing_still(server, [exchange])
            assert 0 < count < planned(exchange)
            assert exchange.ended is None
            assert max(buffered(server)) <= HIGH_WATER + PIECE
            received, end = 0, b""
            while piece := await raw.read():
                received += len(piece)
                end = (end + piece)[-200:]
        assert received > exchange.plan.size
        assert end.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
        await until(lambda: exchange.ended)
    assert len(exchange.writes) == planned(exchange)
    assert exchange.weight < MEGABYTE


async def test_a_client_that_leaves_without_reading_is_recorded_and_forgotten(state: State) -> None:
    async with Server(state) as server:
        async with connection(server.url, receive_buffer=WINDOW) as raw:
            await raw.send(post("/s/any/much/v1/responses", ASK))
            await until(lambda: any(size > HIGH_WATER for size in buffered(server)))
            raw.leave(reset=True)
        (exchange,) = state.local.exchanges
        await until(lambda: exchange.ended is not None)
        assert exchange.left is not None
        assert len(exchange.writes) < planned(exchange)
        await until(lambda: buffered(server) == [])
        assert await hello(server) == "Hello there"
