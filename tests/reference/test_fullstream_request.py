"""Runs are converted to options of `streamText`, and played over a real connection."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from conformance.dialects.vercel.reference.vscode import fullstream as adapter
from conformance.dialects.vercel.reference.vscode import fullstream_request as request
from tests.reference.fullstreams import Json, call, finish, part, played, text, text_of
from tests.reference.served import Script, answering, burst, severed, silence, streaming, upstream

TOOL = {"name": "read_file", "description": "Reads", "input_schema": {"type": "object"}}
DONE = "data: [DONE]\n\n"


def run(*messages: Json, **fields: Any) -> Json:
    return {"model": "mock", "messages": list(messages), "tools": [], "options": {}, **fields}


def contents_of(parts: list[Json], prefix: str = "") -> Any:
    body: Any = request(run({"role": "assistant", "content": parts}), prefix)
    return [each["content"] for each in body["messages"]]


def test_a_request_has_a_model_and_messages() -> None:
    hi = {"role": "user", "content": "Hi"}
    assert request(run(hi)) == {"model": "mock", "messages": [hi]}


def test_tools_are_sent_by_name() -> None:
    search = {"name": "search", "type": "web_search", "input_schema": {}}
    asked = request(run(tools=[TOOL, {"name": "ls", "input_schema": {}}, search]))
    assert asked["tools"] == {
        "read_file": {"description": "Reads", "inputSchema": {"type": "object"}},
        "ls": {"inputSchema": {}},
    }


def test_options_are_sent_upstream_but_not_those_of_the_host() -> None:
    context = {"anthropic": {"contextManagement": {"enabled": True}}}
    options = {"maxOutputTokens": 64, "providerOptions": context, "max_retries": 2}
    asked = request(run(options=options, tool_invocation_token="t"))
    assert asked == {
        "model": "mock",
        "messages": [],
        "maxOutputTokens": 64,
        "providerOptions": context,
    }


def test_system_messages_stay_system_messages_at_any_place() -> None:
    messages: list[Json] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "text", "value": "Hello."}]},
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Bye"},
    ]
    asked: Any = request(run(*messages))
    roles = [message["role"] for message in asked["messages"]]
    assert roles == ["system", "user", "assistant", "system", "user"]
    assert asked["messages"][3]["content"] == "Be kind."


def test_a_long_conversation_is_not_refused() -> None:
    long = "word " * 400_000
    asked: Any = request(run({"role": "user", "content": long}))
    assert asked["messages"][0]["content"] == long


# stream-mapping § Tool Result Message Format.


def called(id_: str, name: str) -> Json:
    return {"type": "toolCall", "callId": id_, "name": name, "input": {"n": 1}}


def result(id_: str, value: str) -> Json:
    return {"role": "tool", "callId": id_, "content": value}


def test_a_result_has_the_name_of_its_tool_wherever_the_call_is() -> None:
    messages: list[Json] = [
        {"role": "assistant", "content": [called("gw-a", "one"), called("gw-b", "two")]},
        result("gw-b", "second"),
        {"role": "user", "content": "Wait."},
        result("gw-a", "first"),
        result("gw-c", "lost"),
    ]
    asked: Any = request(run(*messages), "gw-")
    results = [each for message in asked["messages"][1:] for each in message["content"]]
    assert [each for each in results if isinstance(each, dict)] == [
        {
            "type": "tool-result",
            "toolCallId": id_,
            "toolName": name,
            "output": {"type": "text", "value": value},
        }
        for id_, name, value in (
            ("b", "two", "second"),
            ("a", "one", "first"),
            ("c", "unknown_tool", "lost"),
        )
    ]
    assert [message["role"] for message in asked["messages"]] == [
        "assistant",
        "tool",
        "user",
        "tool",
        "tool",
    ]


def test_emitted_parts_are_sent_back_as_they_came() -> None:
    sealed = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}}
    events = [
        part("reasoning-start", id="r1"),
        part("reasoning-delta", id="r1", text="Hm."),
        part("reasoning-delta", id="r1", text=" So."),
        part("reasoning-end", id="r1", providerMetadata=sealed),
        text("Let me "),
        text("look."),
        part("file", file={"base64": "aGk=", "mediaType": "image/png"}),
        call(input={"path": "é"}),
        finish("tool-calls"),
    ]
    parts, _ = played(events, call_id_prefix="gw-")
    assert contents_of(parts, "gw-") == [
        [
            {"type": "reasoning", "text": "Hm. So.", "providerOptions": sealed},
            {"type": "text", "text": "Let me look."},
            {"type": "file", "data": "aGk=", "mediaType": "image/png"},
            {
                "type": "tool-call",
                "toolCallId": "call_1",
                "toolName": "read_file",
                "input": {"path": "é"},
            },
        ]
    ]


def test_parallel_reasoning_blocks_are_sent_back_separately() -> None:
    events = [
        part("reasoning-delta", id="a", text="A"),
        part("reasoning-delta", id="b", text="B"),
        part("reasoning-delta", id="a", text="a"),
        part("reasoning-end", id="b", providerMetadata={"x": {"n": 2}}),
        part("reasoning-end", id="a", providerMetadata={"x": {"n": 1}}),
        text("t"),
        finish(),
    ]
    assert contents_of(played(events)[0]) == [
        [
            {"type": "reasoning", "text": "Aa", "providerOptions": {"x": {"n": 1}}},
            {"type": "reasoning", "text": "B", "providerOptions": {"x": {"n": 2}}},
            {"type": "text", "text": "t"},
        ]
    ]


def test_reasoning_of_v4_is_sent_back_as_model_messages() -> None:
    events = [
        part("reasoning", textDelta="Hm"),
        part("reasoning", textDelta="."),
        part("reasoning-signature", signature="sig"),
        part("reasoning", textDelta="So"),
        part("redacted-reasoning", data="ZGF0YQ=="),
        part("text-delta", textDelta="t"),
        part("reasoning", textDelta="On"),
        finish(),
    ]
    signed, redacted = {"signature": "sig"}, {"redactedData": "ZGF0YQ=="}
    assert contents_of(played(events)[0]) == [
        [
            {"type": "reasoning", "text": "Hm.", "providerOptions": {"anthropic": signed}},
            {"type": "reasoning", "text": "So"},
            {"type": "reasoning", "text": "", "providerOptions": {"anthropic": redacted}},
            {"type": "text", "text": "t"},
            {"type": "reasoning", "text": "On"},
        ]
    ]


def test_parts_for_the_host_alone_are_not_sent_back() -> None:
    events = [
        part("source", id="s", url="https://example.org", title="A"),
        part("data-weather", data=1),
        finish(),
    ]
    assert contents_of(played(events, annotations="data")[0]) == []


def test_an_empty_answer_is_no_message() -> None:
    assert contents_of([]) == []


# Over a real connection


async def over_http(base_url: str, traits: Json | None = None, **fields: Any) -> Any:
    order: Json = {"type": "run", "id": "r-17", "dialect": "vercel-fullstream"}
    order |= {"base_url": base_url, "api_key": "sk-mock-1"}
    order |= run({"role": "user", "content": "Hi"}, **fields)
    parts: list[Json] = []
    async with asyncio.timeout(5):
        ending = await adapter(traits).run(order, parts.append, asyncio.Event())
    return parts, ending


async def test_a_run_is_one_request_for_a_full_stream() -> None:
    paths = []

    async def answer(asked: web.Request) -> web.StreamResponse:
        paths.append(asked.path)
        return await burst(asked, text("Hi"), finish(), DONE)

    async with upstream(answer) as served:
        parts, ending = await over_http(served.base_url)
    assert (text_of(parts), ending["finish"], ending["id"]) == ("Hi", "stop", "r-17")
    assert (paths, served.headers) == (["/v1/full-stream"], ["Bearer sk-mock-1"])


ENDS: dict[str, Script] = {
    "[DONE], then silence": streaming(text("a"), finish(), DONE, then=silence),
    "no [DONE]": streaming(text("a"), finish()),
    "no [DONE], and silence": streaming(text("a"), finish(), then=silence),
    "the connection is lost after the finish": streaming(text("a"), finish(), then=severed),
    "garbage after the finish": streaming(text("a"), finish(), "data: {oops\n\n"),
}


@pytest.mark.parametrize("script", ENDS.values(), ids=ENDS.keys())
async def test_an_answer_with_a_finish_completes_without_waiting_for_more(script: Script) -> None:
    async with upstream(script) as served:
        parts, ending = await over_http(served.base_url)
    assert (text_of(parts), ending["outcome"]) == ("a", "completed")


QUOTA = {"message": "You ran out.", "code": "quota"}

FAILURES: dict[str, tuple[Script, Json]] = {
    "a bare [DONE]": (streaming(text("a"), DONE), {"kind": "truncated"}),
    "the end of the stream": (streaming(text("a")), {"kind": "truncated"}),
    "a cut": (streaming(text("a"), then=severed), {"kind": "transport"}),
    "no JSON": (streaming(text("a"), "data: {oops\n\n"), {"kind": "decode"}),
    "an error, then silence": (
        streaming(text("a"), part("error", error=QUOTA), then=silence),
        {"kind": "upstream", **QUOTA},
    ),
    "an error without a type": (
        streaming(text("a"), {"error": QUOTA}),
        {"kind": "upstream", **QUOTA},
    ),
}


@pytest.mark.parametrize(("script", "expected"), FAILURES.values(), ids=FAILURES.keys())
async def test_a_failure_is_reported_and_the_content_before_it_is_kept(
    script: Script, expected: Json
) -> None:
    async with upstream(script) as served:
        parts, ending = await over_http(served.base_url)
    assert (text_of(parts), ending["outcome"]) == ("a", "failed")
    assert ending["error"].items() >= expected.items()


async def test_an_http_error_is_reported_with_the_upstreams_message() -> None:
    async with upstream(answering(429, json.dumps({"error": QUOTA}))) as served:
        _, ending = await over_http(served.base_url)
    assert ending["error"] == {"kind": "http", **QUOTA}


async def test_a_cancelled_run_disconnects_from_the_upstream() -> None:
    async with upstream(streaming(text("a"), text("b"), then=silence)) as served:
        parts, ending = await over_http(served.base_url, cancel={"after_parts": 1})
        await asyncio.wait_for(served.left.wait(), 5)
    assert (text_of(parts), ending["outcome"]) == ("a", "cancelled")


async def test_another_dialect_is_answered_as_unsupported() -> None:
    ending = await adapter().run({"id": "r", "dialect": "chat"}, print, asyncio.Event())
    assert ending["type"] == "unsupported"
