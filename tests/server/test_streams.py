"""Streams as bytes on a socket: HTTP framing, times of writes, and every way to end."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import ClientSession

from mockserver.server.journal import Exchange
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import (
    MUCH,
    REQUEST,
    answer_text,
    choose_case,
    connection,
    events,
    text,
    until,
    write,
)

LAST_CHUNK = b"\r\n0\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def chunks(body: bytes) -> list[bytes]:
    """The chunks of a chunked body (RFC 9112 § 7.1), with the empty last one."""
    found = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        assert rest[length : length + 2] == b"\r\n"
        found.append(rest[:length])
        body = rest[length + 2 :]
    return found


def only(state: State) -> Exchange:
    (exchange,) = state.local.exchanges
    return exchange


async def test_a_stream_is_chunked_server_sent_events_with_the_headers_that_clients_need(
    client: ClientSession,
) -> None:
    async with client.post("/s/any/hello/v1/responses", json=REQUEST) as response:
        body = await response.read()
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["Transfer-Encoding"] == "chunked"
    assert response.headers["x-request-id"].startswith("req_")
    assert answer_text(body) == "Hello there"


async def test_an_answer_that_continues_a_message_has_its_id(client: ClientSession) -> None:
    message = {"id": "m7", "role": "assistant", "parts": [{"type": "text", "text": "Wait."}]}
    async with client.post("/s/any/hello/v1/chat", json={"messages": [message]}) as response:
        assert events(await response.read())[0] == {"type": "start", "messageId": "m7"}


async def test_a_prompt_is_completed_with_the_chunks_of_a_chat(client: ClientSession) -> None:
    asked = {"prompt": "Hello"}
    async with client.post("/s/any/hello/api/completion", json=asked) as response:
        assert response.headers["x-vercel-ai-ui-message-stream"] == "v1"
        deltas = [event.get("delta", "") for event in events(await response.read())]
    assert "".join(deltas) == "Hello there"


async def test_the_slots_are_filled_for_each_request(client: ClientSession) -> None:
    ids = set()
    for model in ("gpt-4o", "mock"):
        request = {**REQUEST, "model": model, "temperature": 0.25, "instructions": "Be brief."}
        async with client.post("/s/any/hello/v1/responses", json=request) as response:
            first, *_, last = events(await response.read())
        assert first["response"]["model"] == last["response"]["model"] == model
        assert last["response"]["temperature"] == 0.25
        assert last["response"]["instructions"] == "Be brief."
        assert isinstance(last["response"]["created_at"], int)
        assert first["response"]["id"] == last["response"]["id"]
        ids.add(last["response"]["id"])
    assert len(ids) == 2


@pytest.mark.parametrize(("case", "before"), [("any/hello", 0), ("any/hello+done-apart", 1)])
async def test_done_is_in_the_last_chunk_or_in_one_of_its_own(
    server: Server, state: State, case: str, before: int
) -> None:
    async with connection(server.url) as raw:
        await raw.post(f"/s/{case}/v1/responses")
        _, _, body = (await raw.read_until(LAST_CHUNK)).partition(b"\r\n\r\n")
    *events, last, end = chunks(body)
    assert len(events) == before
    assert (last == DONE) == bool(before)
    assert last.endswith(DONE)
    assert end == b""
    assert len(only(state).writes) == before + 1


async def test_after_a_clean_end_the_connection_serves_the_next_request(server: Server) -> None:
    async with connection(server.url) as raw:
        for _ in range(2):
            await raw.post("/s/any/hello/v1/responses")
            assert DONE in await raw.read_until(LAST_CHUNK)


async def test_a_client_of_http_1_0_gets_the_stream_without_chunks(server: Server) -> None:
    async with connection(server.url) as raw:
        await raw.post("/s/any/hello/v1/responses", version="1.0")
        head, _, body = (await raw.read_to_end()).partition(b"\r\n\r\n")
    assert b"chunked" not in head
    assert body.endswith(DONE)


async def test_a_cut_stream_ends_without_the_closing_chunk(server: Server, state: State) -> None:
    async with connection(server.url) as raw:
        await raw.post("/s/openresponses/cut/v1/responses")
        body = await raw.read_to_end()
    assert b"event: response.created" in body
    assert not body.endswith(b"0\r\n\r\n")
    assert only(state).left is None


async def test_a_reset_stream_delivers_what_was_sent_and_then_a_reset(
    server: Server, state: State
) -> None:
    async with connection(server.url) as raw:
        await raw.post("/s/openresponses/reset/v1/responses")
        body = await raw.read_until(b"}\n\n\r\n")
        with pytest.raises(ConnectionResetError):
            await raw.read()
    assert b"event: response.created" in body
    assert only(state).left is None


async def test_a_half_closed_stream_ends_while_the_server_still_reads(
    server: Server, state: State
) -> None:
    async with connection(server.url) as raw:
        await raw.post("/s/openresponses/half-close/v1/responses")
        body = await raw.read_to_end()
        assert body.endswith(b"}\n\n\r\n")
        assert only(state).ended is None
    await until(lambda: only(state).ended is not None)
    assert only(state).left is not None


@pytest.mark.parametrize("how", ["clean", "cut", "reset", "half-close", "stall"])
async def test_a_stream_stops_after_a_byte_by_a_name_in_the_url(server: Server, how: str) -> None:
    async with connection(server.url) as raw:
        await raw.post(f"/s/any/hello@openresponses+stop:1:9:{how}/v1/responses")
        body = await raw.read_until(b"event: re" + (LAST_CHUNK if how == "clean" else b"\r\n"))
        if how in ("cut", "half-close"):
            assert await raw.read_to_end() == b""
        elif how == "reset":
            with pytest.raises(ConnectionResetError):
                await raw.read()
    assert body.count(b"data: ") == 1


async def test_a_slow_reader_gets_everything_before_a_reset(server: Server, folder: Path) -> None:
    write(folder, "any/much", MUCH.replace("title:", "conduct: violation\ntitle:") + _RESET)
    async with connection(server.url, receive_buffer=1 << 16) as raw:
        await raw.post("/s/any/much/v1/responses")
        data = bytearray()
        with suppress(ConnectionResetError):
            while piece := await raw.read():
                data += piece
    assert b"event: response.output_item.done" in data[-1_000_000:]
    assert data.endswith(b"}\n\n\r\n")


_RESET = "    - close: reset\n"


async def test_a_stalled_stream_stays_open_until_the_server_stops(state: State) -> None:
    async with Server(state) as server, connection(server.url) as raw:
        await raw.post("/s/openresponses/stall/v1/responses")
        await raw.read_until(b"}\n\n\r\n")
        assert only(state).ended is None
        await asyncio.wait_for(server.stop(), 5)
        assert await raw.read_to_end() == b""
    assert only(state).ended is not None
    assert only(state).left is None


@pytest.mark.parametrize(
    "id_", ["openresponses/stall", "openresponses/stall+chunk-extensions", "any/slow"]
)
@pytest.mark.parametrize(
    ("reset", "how"), [(False, "closed the connection"), (True, "reset the connection")]
)
async def test_a_client_that_disconnects_is_noticed_at_once(
    server: Server, state: State, id_: str, reset: bool, how: str
) -> None:
    async with connection(server.url) as raw:
        await raw.post(f"/s/{id_}/v1/responses")
        await raw.read_until(b"}\n\n\r\n")
        raw.leave(reset=reset)
        await until(lambda: only(state).ended)
    exchange = only(state)
    assert exchange.left is not None
    assert exchange.left[1] == how
    assert exchange.at <= exchange.left[0] <= exchange.at + 10
    assert exchange.after_left == 0


async def test_a_client_that_reads_to_the_end_has_not_disconnected(
    client: ClientSession, state: State
) -> None:
    async with client.post("/s/any/hello/v1/responses", json=REQUEST) as response:
        await response.read()
    await until(lambda: only(state).ended)
    assert only(state).left is None


async def test_a_client_that_does_not_read_delays_the_stream(
    folder: Path, server: Server, state: State
) -> None:
    write(folder, "any/much", MUCH)
    async with connection(server.url, receive_buffer=4096) as raw:
        await raw.post("/s/any/much/v1/responses")
        assert await raw.read()
        await until(lambda: only(state).writes)
        assert DONE not in await raw.read()
        held = len(only(state).writes)
        await raw.read_until(LAST_CHUNK)
    assert len(only(state).writes) > held
    assert only(state).writes[-1].late > 0


async def test_pauses_follow_an_absolute_schedule_and_lateness_is_recorded(
    folder: Path, client: ClientSession, state: State
) -> None:
    deltas = "\n".join('      - delta: {t: "x"}\n      - pause: 20ms' for _ in range(5))
    write(
        folder,
        "any/paced",
        f"title: Five pauses\nturns:\n  - says:\n      - start: {{text: t}}\n{deltas}\n"
        "      - end: t\n",
    )
    assert await text(client, "/s/any/paced/v1/responses") == "xxxxx"
    wrote = only(state).writes
    start = wrote[0].at - wrote[0].late
    due = [0.0, 0.02, 0.04, 0.06, 0.08, 0.1]
    assert [one.at - one.late - start for one in wrote] == pytest.approx(due, abs=0.0005)
    assert all(one.late >= 0 for one in wrote)


async def test_a_gate_holds_the_stream_until_it_is_released(server: Server, state: State) -> None:
    reached, release = asyncio.Event(), asyncio.Event()
    names = []

    async def gatekeeper(name: str, after: int) -> None:
        names.append((name, after))
        reached.set()
        await release.wait()

    run = state.local.open_runs.open(choose_case(state, "any/gated"), gatekeeper)
    async with connection(server.url) as raw:
        await raw.post(f"{run.path}/responses")
        before = await raw.read_until(b"}\n\n\r\n")
        await asyncio.wait_for(reached.wait(), 10)
        assert b"First" in before
        assert b"second" not in before
        assert len(run.exchanges[0].writes) == 1
        release.set()
        after = await raw.read_until(LAST_CHUNK)
    assert b"second" in after
    assert names == [("first", run.exchanges[0].writes[0].last)]


async def test_a_non_streaming_response_is_one_json_object(
    client: ClientSession, state: State
) -> None:
    request = {"model": "gpt-4o", "input": "Hello"}
    async with client.post("/s/any/hello/v1/responses", json=request) as response:
        body = await response.json()
    assert response.status == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["x-request-id"].startswith("req_")
    assert (body["object"], body["status"], body["model"]) == ("response", "completed", "gpt-4o")
    assert body["output"][0]["content"][0]["text"] == "Hello there"
    assert (only(state).status, only(state).turn) == (200, 0)


@pytest.mark.parametrize("id_", ["openresponses/cut", "openresponses/reset"])
async def test_a_non_streaming_answer_without_an_ending_breaks(server: Server, id_: str) -> None:
    async with connection(server.url) as raw:
        await raw.post(f"/s/{id_}/v1/responses", {"input": "Hello"})
        if id_.endswith("reset"):
            with pytest.raises(ConnectionResetError):
                await raw.read()
        else:
            assert await raw.read_to_end() == b""


async def test_a_response_without_an_ending_stalls_a_non_streaming_connection(state: State) -> None:
    async with Server(state) as server, connection(server.url) as raw:
        await raw.post("/s/openresponses/stall/v1/responses", {"input": "Hello"})
        await until(lambda: [exchange.turn for exchange in state.local.exchanges] == [0])
        await asyncio.wait_for(server.stop(), 5)
        assert await raw.read_to_end() == b""


async def test_a_clean_close_without_an_ending_is_an_upstream_error_without_streaming(
    client: ClientSession,
) -> None:
    path = "/s/openresponses/silent-end/v1/responses"
    async with client.post(path, json={"input": "Hello"}) as response:
        error = (await response.json())["error"]
    assert response.status == 500
    assert error["type"] == "server_error"
    assert error["message"] == "the upstream ended without a response"
    async with client.post(path, json=REQUEST) as response:
        assert [event["type"] for event in events(await response.read())] == ["response.created"]
