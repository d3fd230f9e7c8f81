"""Refused requests, and what the journal keeps of requests."""

import io
import json
import logging
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession

from mockserver.dialects.openresponses import requests as openresponses_requests
from mockserver.server.journal import Exchange
from mockserver.server.request_body import MAX_BODY_BYTES, MAX_RECORDED_BYTES
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import REQUEST, choose_case, connection, events

PATH = "/s/any/hello/v1/responses"


def last(state: State) -> Exchange:
    return list(state.local.exchanges)[-1]


async def refused(client: ClientSession, body: bytes, path: str = PATH) -> Any:
    """The error of an answer, with its status."""
    headers = {"Content-Type": "application/json"}
    async with client.post(path, data=io.BytesIO(body), headers=headers) as response:
        error = (await response.json())["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert response.headers["x-request-id"].startswith("req_")
    return {**error, "status": response.status}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the request body is not JSON"),
        (b'{"input": "Hello"', "the request body is not JSON"),
        (b"\xff\xfe{}", "the request body is not JSON"),
        ('{"input": "Hello"}'.encode("utf-16"), "the request body is not JSON"),
        (b'{"input": NaN}', "NaN is not a JSON number"),
        (b'{"input": -Infinity}', "-Infinity is not a JSON number"),
        (b'{"temperature": 1e999}', "1e999 does not fit a number"),
        (b"[" * 100_000, "nested deeper than 100 levels"),
        (b"[" * 200 + b"]" * 200, "nested deeper than 100 levels"),
        (b'["Hello"]', "the request body is not a JSON object"),
        (b"null", "the request body is not a JSON object"),
    ],
)
async def test_a_body_that_is_not_a_json_object_is_refused(
    client: ClientSession, state: State, body: bytes, message: str
) -> None:
    error = await refused(client, body)
    assert error["status"] == 400
    assert error["type"] == "invalid_request_error"
    assert error["param"] is None
    assert message in error["message"]
    assert last(state).status == 400
    assert last(state).turn is None


@pytest.mark.parametrize(
    ("field", "value", "param"),
    [
        ("temperature", "warm", "temperature"),
        ("input", 7, "input"),
        ("tools", [{"type": "function"}], "tools[0]"),
        ("text", {"format": 7}, "text.format"),
    ],
)
async def test_a_malformed_request_is_refused_with_its_field_and_recorded(
    client: ClientSession, state: State, field: str, value: Any, param: str
) -> None:
    error = await refused(client, json.dumps({**REQUEST, field: value}).encode())
    assert (error["status"], error["param"]) == (400, param)
    assert error["message"].startswith(f"{param}: ")
    assert last(state).problems == tuple(error["message"].split("; "))
    assert (last(state).case, last(state).turn) == ("any/hello@openresponses", None)


async def test_a_body_that_is_too_large_is_refused(client: ClientSession, state: State) -> None:
    error = await refused(client, b" " * (MAX_BODY_BYTES + 1))
    assert (error["status"], error["type"]) == (413, "invalid_request_error")
    assert "16,777,216 bytes are allowed" in error["message"]
    assert last(state).status == 413


async def test_a_body_that_grows_too_large_is_refused(server: Server) -> None:
    async with connection(server.url) as raw:
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        await raw.send(head.encode())
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        for _ in range(17):
            await raw.send(chunk)
        assert (await raw.read()).startswith(b"HTTP/1.1 413 ")


async def test_a_large_body_is_answered_but_not_kept(client: ClientSession, state: State) -> None:
    body = json.dumps({**REQUEST, "input": "x" * MAX_RECORDED_BYTES}).encode()
    async with client.post(PATH, data=io.BytesIO(body)) as response:
        await response.read()
    assert response.status == 200
    assert last(state).body == f"[{len(body):,} bytes, more than the journal keeps]"


async def test_the_journal_keeps_the_request_without_its_secrets(
    client: ClientSession, state: State
) -> None:
    headers = {"Authorization": "Bearer sk-secret", "X-Api-Key": "sk-secret", "X-Title": "mine"}
    url = f"{PATH}?api-key=sk-secret"
    async with client.post(url, json=REQUEST, headers=headers) as response:
        await response.read()
    exchange = last(state)
    assert exchange.body == REQUEST
    assert (exchange.method, exchange.path) == ("POST", PATH)
    assert exchange.headers["Authorization"] == "Bearer [redacted]"
    assert exchange.headers["X-Api-Key"] == "[redacted]"
    assert exchange.headers["X-Title"] == "mine"
    assert "sk-secret" not in json.dumps(exchange.to_json())


async def test_the_journal_keeps_the_beginning_of_a_body_that_is_not_json(
    client: ClientSession, state: State
) -> None:
    await refused(client, b"input=Hello")
    assert last(state).body == "input=Hello"


async def test_any_content_type_and_any_token_are_accepted(client: ClientSession) -> None:
    headers = {"Content-Type": "text/plain", "Accept": "application/json"}
    async with client.post(PATH, data=json.dumps(REQUEST), headers=headers) as response:
        assert response.content_type == "text/event-stream"
        assert response.status == 200
        await response.read()


async def test_a_lone_surrogate_is_echoed_unchanged(client: ClientSession, state: State) -> None:
    request = {**REQUEST, "instructions": "\ud83d", "metadata": {"a": "ä😀"}}
    async with client.post(PATH, json=request) as response:
        first = events(await response.read())[0]["response"]
    assert (first["instructions"], first["metadata"]) == ("\ud83d", {"a": "ä😀"})
    async with client.get("/_mock/journal") as response:
        (kept,) = (await response.json())["exchanges"]
    assert kept["body"] == request


async def test_an_unexpected_exception_is_reported_as_streamproofs_fault_without_a_traceback(
    client: ClientSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_schema: str, _body: Any) -> Any:
        raise KeyError("a bug of ours")

    monkeypatch.setattr(openresponses_requests, "problems_of", broken)
    never_seen = {**REQUEST, "metadata": {"a request": "that was not understood before"}}
    error = await refused(client, json.dumps(never_seen).encode())
    assert (error["status"], error["type"]) == (500, "server_error")
    assert "streamproof itself failed" in error["message"]
    assert "Traceback" not in error["message"]
    (record,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert record.exc_info is not None


async def test_a_gatekeeper_that_fails_cuts_the_stream_and_is_recorded(
    client: ClientSession, state: State, caplog: pytest.LogCaptureFixture
) -> None:
    async def gatekeeper(name: str, after: int) -> None:
        raise KeyError(name)

    run = state.local.open_runs.open(choose_case(state, "any/gated"), gatekeeper)
    async with client.post(f"{run.path}/responses", json=REQUEST) as response:
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()
    assert "streamproof itself failed" in run.exchanges[0].refused
    assert run.exchanges[0].left is None


@pytest.mark.parametrize("path", ["/", "/v2/responses", "/v1/embeddings", "/s/any/hello/v1"])
async def test_an_unknown_path_is_refused_with_the_routes(
    client: ClientSession, state: State, path: str
) -> None:
    async with client.post(path, json=REQUEST) as response:
        error = (await response.json())["error"]
    assert response.status == 404
    assert f"POST {path}" in error["message"]
    for route in ("POST …/v1/responses", "GET …/v1/models", "/s/<case>", "/_mock/health"):
        assert route in error["hint"]
    assert (last(state).status, last(state).refused) == (404, "no such route")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("GET", PATH, "POST"), ("PUT", "/v1/responses", "POST"), ("POST", "/v1/models", "GET")],
)
async def test_a_wrong_method_is_refused_with_the_right_one(
    client: ClientSession, method: str, path: str, allowed: str
) -> None:
    async with client.request(method, path) as response:
        error = (await response.json())["error"]
    assert response.status == 405
    assert response.headers["Allow"] == allowed
    assert f"{method} {path}" in error["message"]
    assert error["hint"] == f"allowed: {allowed}"
