"""The HTTP client of all reference adapters, over a real connection."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from jsonschema import Draft202012Validator

from conformance.dialects.chat.reference import to_copilot, to_vscode
from conformance.dialects.openresponses.reference import vscode
from conformance.dialects.openresponses.reference.openai_stream import adapter as to_stream
from conformance.dialects.vercel.reference.vscode import GatewayAdapter, fullstream, ui
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import schema

Json = dict[str, Any]


def sse(each: Json, end: str = "\n", head: str = "data: ", indent: int | None = None) -> str:
    lines = json.dumps(each, ensure_ascii=False, indent=indent).split("\n")
    return "".join(f"{head}{line}{end}" for line in lines) + end


Script = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Upstream:
    """A server that answers with the function ``script``, and records requests and disconnects."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.base_url = ""
        self.asked: list[Json] = []
        self.headers: list[str | None] = []
        self.left = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        self.headers.append(request.headers.get("Authorization"))
        try:
            return await self.script(request)
        except (asyncio.CancelledError, ConnectionError):
            self.left.set()
            raise


@asynccontextmanager
async def upstream(script: Script) -> AsyncIterator[Upstream]:
    served = Upstream(script)
    app = web.Application()
    app.router.add_post("/v1/{operation:.+}", served.answer)
    async with TestServer(app) as server:
        served.base_url = str(server.make_url("/v1"))
        yield served


async def burst(request: web.Request, *events: Json | str) -> web.StreamResponse:
    """Answer a request with all events in one write."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    chunks = [each if isinstance(each, str) else sse(each) for each in events]
    await response.write("".join(chunks).encode())
    return response


def streaming(*events: Json | str, then: Script | None = None) -> Script:
    async def script(request: web.Request) -> web.StreamResponse:
        response = await burst(request, *events)
        return await then(request) if then else response

    return script


def answering(status: int, body: str, content_type: str = "application/json") -> Script:
    async def script(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=body, content_type=content_type)

    return script


async def silence(_: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


DRIVER = Draft202012Validator(schema("driver"))
QUOTA = {"code": "quota", "message": "You ran out"}
FAILED_QUOTA = {"kind": "upstream", **QUOTA}
USAGE = {"input_tokens": 1, "output_tokens": 2}
DONE = "data: [DONE]\n\n"


def text(delta: str, index: int = 0) -> Json:
    return {"type": "response.output_text.delta", "output_index": index, "delta": delta}


def completed(**fields: Any) -> Json:
    return {"type": "response.completed", "response": {"status": "completed", **fields}}


def failed(error: Any) -> Json:
    return {"type": "response.failed", "response": {"status": "failed", "error": error}}


def chunk(index: int = 0, reason: str | None = None, **delta: Any) -> Json:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": reason}]}


ERROR: Json = {"type": "error", **QUOTA}
CALL: Json = {
    "type": "response.output_item.done",
    "output_index": 1,
    "item": {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
}


async def run_at(
    base_url: str,
    traits: Json | None = None,
    emit: Callable[[Json], None] | None = None,
    cancel: asyncio.Event | None = None,
    after_parts: int | None = None,
    adapter: Callable[..., Any] = vscode.adapter,
    **fields: Any,
) -> tuple[list[Json], Json]:
    """The parts and the `done` message of one run."""
    order: Json = {"type": "run", "id": "r-17", "dialect": "openresponses", "base_url": base_url}
    order |= {"api_key": "sk-mock-1", "model": "mock", "tools": [], "options": {}}
    order |= {"messages": [{"role": "user", "content": "Hi"}], "deadline_ms": 5000} | fields
    order |= {} if after_parts is None else {"cancel": {"after_parts": after_parts}}
    DRIVER.validate(order)
    parts: list[Json] = []

    def collect(part: Json) -> None:
        parts.append(part)
        if emit:
            emit(part)

    async with asyncio.timeout(5):
        ending = await adapter(traits).run(order, collect, cancel or asyncio.Event())
    DRIVER.validate(ending)
    assert ending["id"] == "r-17"
    return parts, ending


def joined(parts: list[Json]) -> str:
    return "".join(part["value"] for part in parts if part["type"] == "text")


# A run is one request.

GATEWAY_FINISH = {"type": "finish", "finishReason": {"unified": "stop"}}
UI_FINISH = {"type": "finish", "finishReason": "stop"}
RUNS: dict[str, tuple[Any, str, str, list[Json | str], dict[str, str]]] = {
    "vscode": (vscode.adapter, "openresponses", "responses", [text("Hi"), completed()], {}),
    "stream": (to_stream.adapter, "openresponses", "responses", [text("Hi"), completed()], {}),
    "chat": (
        to_vscode.adapter,
        *("chat", "chat/completions"),
        [chunk(content="Hi"), chunk(reason="stop"), DONE],
        {},
    ),
    "copilot": (
        to_copilot.adapter,
        "chat",
        "chat/completions",
        [chunk(content="Hi", reason="stop")],
        {},
    ),
    "fullstream": (
        fullstream,
        *("vercel-fullstream", "full-stream"),
        [{"type": "text-delta", "id": "t", "text": "Hi"}, UI_FINISH, DONE],
        {},
    ),
    # @ai-sdk/gateway, GatewayLanguageModel.
    "gateway": (
        GatewayAdapter,
        *("vercel-gateway", "language-model"),
        [{"type": "text-delta", "id": "t", "delta": "Hi"}, GATEWAY_FINISH, DONE],
        {
            "ai-language-model-specification-version": "3",
            "ai-language-model-id": "anthropic/claude",
            "ai-language-model-streaming": "true",
        },
    ),
    "ui": (
        ui,
        "vercel-ui",
        "chat",
        [{"type": "text-delta", "id": "t", "delta": "Hi"}, UI_FINISH],
        {},
    ),
}


@pytest.mark.parametrize(
    ("adapter", "dialect", "path", "events", "headers"), RUNS.values(), ids=RUNS
)
async def test_a_run_is_one_request_that_the_server_accepts(
    adapter: Any, dialect: str, path: str, events: list[Json | str], headers: dict[str, str]
) -> None:
    asked: list[web.Request] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request)
        return await burst(request, *events)

    async with upstream(answer) as served:
        parts, ending = await run_at(
            served.base_url, adapter=adapter, dialect=dialect, model="anthropic/claude"
        )
    assert "Hi" in json.dumps(parts)
    assert ending["outcome"] == "completed"
    assert [each.path for each in asked] == [f"/v1/{path}"]
    sent = {name.lower(): value for name, value in asked[0].headers.items()}
    assert sent.items() >= {"authorization": "Bearer sk-mock-1", **headers}.items()
    inbound = DIALECTS[dialect].requests.read(served.asked[0], sent)
    # The server of a chat has its own model.
    assert (inbound.problems, inbound.model or path) in (((), "anthropic/claude"), ((), "chat"))


@pytest.mark.parametrize("adapter", [run[0] for run in RUNS.values()], ids=RUNS)
async def test_an_unknown_dialect_is_answered_as_unsupported(adapter: Any) -> None:
    DRIVER.validate(adapter().hello())
    parts, ending = await run_at("http://127.0.0.1:1/v1", adapter=adapter, dialect="made-up")
    assert (parts, ending["type"]) == ([], "unsupported")
    assert "made-up" in ending["reason"]


# Failures

BROKEN_ANSWERS: dict[str, tuple[Script, Json]] = {
    "429": (
        answering(429, '{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}'),
        {"kind": "http", "message": "Slow down", "code": "rate_limit_exceeded"},
    ),
    "401 flat": (answering(401, '{"detail":"No key"}'), {"kind": "http", "message": "No key"}),
    "429 in words": (
        answering(429, "Slow down, please.", "text/plain"),
        {"kind": "http", "message": "Slow down, please."},
    ),
    "200 with an error": (
        answering(200, '{"error":{"message":"You ran out","code":"quota"}}'),
        {"kind": "http", "message": "You ran out", "code": "quota"},
    ),
    "error without a type": (streaming({"error": QUOTA}, then=silence), FAILED_QUOTA),
    "error by its SSE name": (streaming("event: error\n" + sse(QUOTA), then=silence), FAILED_QUOTA),
}


@pytest.mark.parametrize(("script", "expected"), BROKEN_ANSWERS.values(), ids=BROKEN_ANSWERS)
async def test_a_refused_run_fails_with_the_upstreams_error(
    script: Script, expected: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)
    async with upstream(script) as served:
        parts, ending = await run_at(served.base_url)
        shown, tolerated = await run_at(served.base_url, {"errors": "text"})
    assert parts == []
    assert ending == {"type": "done", "id": "r-17", "outcome": "failed", "error": expected}
    assert joined(shown).count(expected["message"]) == 1
    assert (tolerated["outcome"], tolerated["finish"]) == ("completed", "error")


BROKEN_STREAMS: dict[str, tuple[Script, str, str]] = {
    "half an event": (streaming(text("a"), sse(completed())[:30]), "a", "decode"),
    "too deep": (streaming(f"data: {'[' * 100_000}\n\n", completed()), "", "decode"),
}


@pytest.mark.parametrize(("script", "so_far", "kind"), BROKEN_STREAMS.values(), ids=BROKEN_STREAMS)
async def test_a_broken_stream_fails_and_keeps_its_parts(
    script: Script, so_far: str, kind: str
) -> None:
    async with upstream(script) as served:
        parts, ending = await run_at(served.base_url)
    assert joined(parts) == so_far
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", kind)


async def test_a_missing_upstream_is_a_transport_failure() -> None:
    async with upstream(silence) as served:
        gone = served.base_url
    assert (await run_at(gone))[1]["error"]["kind"] == "transport"


async def test_an_exception_of_the_host_is_not_reported_as_an_upstream_failure() -> None:
    def broken(_: Json) -> None:
        raise RuntimeError("the host broke")

    async with upstream(streaming(text("Hi"), completed())) as served:
        with pytest.raises(RuntimeError, match="the host broke"):
            await run_at(served.base_url, emit=broken)


# What is read, and when reading ends

UNENDED = sse(completed()).rstrip()
READ: dict[str, list[Json | str]] = {
    "no blank line after the last event": [text("Hi"), UNENDED],
    "messages without an object": [
        *("data: \n\n", "event: ping\ndata: {}\n\n", "data: null\n\n", "data: [1]\n\n"),
        *(text("Hi"), completed()),
    ],
    "a type that only the SSE name has": [
        'event: response.output_text.delta\ndata: {"output_index":0,"delta":"Hi"}\n\n',
        completed(),
    ],
}


@pytest.mark.parametrize("events", READ.values(), ids=READ)
async def test_a_stream_is_read_to_its_terminal_event(events: list[Json | str]) -> None:
    # An event without its blank line is read when the connection closes, others before.
    then = None if events[-1] == UNENDED else silence
    async with upstream(streaming(*events, then=then)) as served:
        parts, ending = await run_at(served.base_url)
    assert (joined(parts), ending["outcome"]) == ("Hi", "completed")


async def test_the_reason_of_an_error_may_come_with_the_failed_response() -> None:
    heard = asyncio.Event()

    async def later(request: web.Request) -> web.StreamResponse:
        response = await burst(request, text("Hi"), {"type": "error", "message": "early"})
        await heard.wait()
        await response.write(sse(failed(QUOTA)).encode())
        return await silence(request)

    async with upstream(later) as served:
        _, ending = await run_at(served.base_url, emit=lambda _: heard.set())
    assert ending["error"] == FAILED_QUOTA


@pytest.mark.parametrize("more", [text("late"), ": ping\n\n"], ids=["events", "comments"])
async def test_what_follows_does_not_lengthen_the_wait_after_an_error(
    more: Json | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def goes_on(request: web.Request) -> web.StreamResponse:
        response = await burst(request, ERROR)
        while True:
            await response.write((more if isinstance(more, str) else sse(more)).encode())
            await asyncio.sleep(0.01)

    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)
    async with upstream(goes_on) as served:
        parts, ending = await run_at(served.base_url)
    assert (parts, ending["error"]) == ([], FAILED_QUOTA)


async def test_the_wait_ends_if_the_outcome_is_open_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another choice may come long after the first has finished."""

    async def thinks(request: web.Request) -> web.StreamResponse:
        response = await burst(request, chunk(content="a"), chunk(1, content="b"), chunk(0, "stop"))
        await asyncio.sleep(0.1)
        await response.write(sse(chunk(1, "stop")).encode())
        return response

    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)
    async with upstream(thinks) as served:
        parts, ending = await run_at(
            served.base_url, {"choices": "merge"}, adapter=to_vscode.adapter, dialect="chat"
        )
    assert (joined(parts), ending["outcome"]) == ("ab", "completed")


# Cancellation: lm-stream-semantics § 5.2

BURST = [text("a"), text("b"), text("c"), CALL, completed()]


async def test_the_adapter_disconnects_at_once_from_an_upstream_without_an_answer() -> None:
    cancel = asyncio.Event()
    asked = asyncio.Event()

    async def unanswered(request: web.Request) -> web.StreamResponse:
        asked.set()
        return await silence(request)

    async with upstream(unanswered) as served:
        running = asyncio.create_task(run_at(served.base_url, cancel=cancel))
        async with asyncio.timeout(1):
            await asked.wait()
            cancel.set()
            assert (await running)[1]["outcome"] == "cancelled"
            await served.left.wait()


async def test_no_part_is_emitted_once_the_cancellation_is_set() -> None:
    class Unnoticed(asyncio.Event):
        """An event that is set and whose waiters have not been woken yet."""

        async def wait(self) -> Any:
            await asyncio.Event().wait()

    cancel, heard = Unnoticed(), asyncio.Event()

    async def goes_on(request: web.Request) -> web.StreamResponse:
        response = await burst(request, text("a"))
        await heard.wait()
        cancel.set()
        await response.write(sse(text("b")).encode())
        return await silence(request)

    async with upstream(goes_on) as served:
        parts, ending = await run_at(served.base_url, None, lambda _: heard.set(), cancel)
    assert (joined(parts), ending["outcome"]) == ("a", "cancelled")


async def test_a_run_that_is_cancelled_from_the_start_makes_no_request() -> None:
    cancel = asyncio.Event()
    cancel.set()
    async with upstream(streaming(*BURST)) as served:
        for _, ending in [
            await run_at(served.base_url, cancel=cancel),
            await run_at(served.base_url, after_parts=0),
        ]:
            assert ending["outcome"] == "cancelled"
        assert served.asked == []
