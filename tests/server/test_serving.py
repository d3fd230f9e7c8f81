"""Starting and stopping the server in one process."""

import asyncio
import socket
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from mockserver.foundation.faults import UserError
from mockserver.server.foreground import banner
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import MUCH, connection, until, write


async def test_it_listens_on_loopback_by_default(server: Server) -> None:
    assert server.url.startswith("http://127.0.0.1:")


async def test_a_server_for_every_address_has_a_loopback_url(state: State) -> None:
    async with (
        Server(state, host="0.0.0.0") as server,
        ClientSession(server.url) as client,
        client.get("/_mock/health") as response,
    ):
        assert server.url.startswith("http://127.0.0.1:")
        assert response.status == 200


async def test_a_port_in_use_is_reported_with_a_hint(server: Server, state: State) -> None:
    port = int(server.url.rpartition(":")[2])
    with pytest.raises(UserError) as caught:
        await Server(state, port=port).start()
    assert f"port {port}: the port is in use" in str(caught.value)
    assert "--port 0" in str(caught.value)


async def test_an_invalid_host_is_reported(state: State) -> None:
    with pytest.raises(UserError, match=r"cannot listen at no such host, port 0"):
        await Server(state, host="no such host").start()


async def test_stopping_ends_every_open_stream_and_leaves_no_task_behind(state: State) -> None:
    before = asyncio.all_tasks()
    server = Server(state)
    await server.start()
    paths = ["openresponses/stall", "any/slow", "any/nothing"] * 5
    async with connection(server.url) as idle, connection(server.url) as half_sent:
        await half_sent.send(
            b"POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"
        )
        streams = [await asyncio.open_connection(*_address(server)) for _ in paths]
        for (_, writer), id_ in zip(streams, paths, strict=True):
            body = b'{"input":"x","stream":true}'
            head = f"POST /s/{id_}/v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}"
            writer.write(head.encode() + b"\r\n\r\n" + body)
        await until(lambda: len(list(state.local.exchanges)) == len(paths) + 1)
        await asyncio.wait_for(server.stop(), 5)
        assert asyncio.all_tasks() == before
        assert await idle.read() == b""
        for _, writer in streams:
            writer.close()
    assert all(exchange.ended is not None for exchange in state.local.exchanges)


def _address(server: Server) -> tuple[str, int]:
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    return host, int(port)


async def test_clients_that_do_not_read_do_not_delay_the_stop(folder: Path, state: State) -> None:
    write(folder, "any/much", MUCH)
    async with Server(state) as server, connection(server.url, receive_buffer=4096) as raw:
        await raw.post("/s/any/much/v1/responses")
        assert await raw.read()
        await asyncio.wait_for(server.stop(), 5)
        (exchange,) = state.local.exchanges
        assert exchange.plan is not None
        assert 0 < len(exchange.writes) < len(exchange.plan.writes)
        assert exchange.ended is not None


async def test_after_stopping_the_port_is_free_again(state: State) -> None:
    async with Server(state) as server:
        address = _address(server)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*address)
    async with Server(state, port=address[1]) as again:
        assert again.url == f"http://{address[0]}:{address[1]}"


async def test_stopping_twice_has_no_further_effect(state: State) -> None:
    server = Server(state)
    await server.start()
    await server.stop()
    await server.stop()


async def test_additional_routes_are_mounted_and_have_the_same_errors(state: State) -> None:
    async def page(_request: web.Request) -> web.Response:
        return web.Response(text="a page")

    async def broken(_request: web.Request) -> web.Response:
        raise KeyError("a bug of ours")

    async def unusable(_request: web.Request) -> web.Response:
        raise UserError("not like this")

    routes = [
        web.get("/", page),
        web.get("/_mock/broken", broken),
        web.post("/_mock/unusable", unusable),
    ]
    async with Server(state, extra_routes=routes) as server, ClientSession(server.url) as client:
        async with client.get("/") as response:
            assert await response.text() == "a page"
        async with client.get("/_mock/broken") as response:
            assert response.status == 500
            error = (await response.json())["error"]
            assert error["culprit"] == "streamproof itself"
            assert "Traceback" not in error["message"]
        async with client.post("/_mock/unusable", json={}) as response:
            assert response.status == 400
            error = (await response.json())["error"]
            assert error == {"culprit": "the command", "message": "not like this", "hint": ""}


async def test_bytes_that_are_not_http_are_refused_without_a_traceback(server: Server) -> None:
    async with connection(server.url) as raw:
        await raw.send(b"\x16\x03\x01 hello\r\n\r\n")
        answer = await raw.read_to_end()
    assert answer.startswith(b"HTTP/1.0 400 ")
    assert b"Traceback" not in answer


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
async def test_an_ipv6_address_is_in_brackets(state: State) -> None:
    async with (
        Server(state, host="::1") as server,
        ClientSession(server.url) as client,
        client.get("/_mock/health") as response,
    ):
        assert server.url.startswith("http://[::1]:")
        assert response.status == 200


def test_the_banner_has_lines_to_paste() -> None:
    text = banner("http://127.0.0.1:4100", ["any/hello", "any/goodbye"])
    assert "plays 2 scenarios at http://127.0.0.1:4100" in text
    assert 'OpenAI(base_url="http://127.0.0.1:4100/s/any/hello/v1", api_key="any")' in text
    assert 'model="mock/any/hello"' in text
    assert "curl -N http://127.0.0.1:4100/s/any/hello/v1/responses" in text


@pytest.mark.parametrize(
    ("host", "warns"),
    [("127.0.0.1", False), ("localhost", False), ("::1", False), ("0.0.0.0", True), ("box", True)],
)
def test_the_banner_warns_if_other_machines_can_reach_the_server(host: str, warns: bool) -> None:
    assert ("whoever can reach this machine" in banner("http://x:1", [], host)) is warns
