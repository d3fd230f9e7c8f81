"""Runs are converted to chat completions requests, and played over a real connection."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from conformance.dialects.chat.reference import to_copilot as copilot_copilot
from conformance.dialects.chat.reference import to_vscode as copilot_vscode
from conformance.dialects.chat.reference.adapter import request
from tests.data import DATA, needs_data
from tests.reference.chat_streams import Json, call, choice, delta, finish, read_events, text_of
from tests.reference.served import (
    Script,
    answering,
    burst,
    severed,
    silence,
    sse,
    streaming,
    upstream,
)

ADAPTERS: dict[str, Any] = {"vscode": copilot_vscode, "copilot": copilot_copilot}
DONE = "data: [DONE]\n\n"
QUOTA = {"message": "You ran out.", "code": "quota"}

TOOL = {"name": "read_file", "description": "Reads", "input_schema": {"type": "object"}}


def run(*messages: Json, **fields: Any) -> Json:
    return {"model": "mock", "messages": list(messages), "tools": [], "options": {}, **fields}


def messages_of(asked: Json, vocabulary: str) -> list[Json]:
    body: Json = request(asked, "", ADAPTERS[vocabulary].part_content)
    messages: list[Json] = body["messages"]
    return messages


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS.keys())
def test_a_request_asks_for_a_stream_with_usage(adapter: Any) -> None:
    hi = {"role": "user", "content": "Hi"}
    assert request(run(hi), "", adapter.part_content) == {
        "model": "mock",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [hi],
    }


def test_tools_are_sent_as_functions() -> None:
    asked = request(run(tools=[TOOL, {"name": "list_dir"}]), "", copilot_vscode.part_content)
    assert asked["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "read_file",
                "description": "Reads",
                "parameters": {"type": "object"},
            },
        },
        {"type": "function", "function": {"name": "list_dir"}},
    ]


def test_options_are_sent_upstream_but_not_those_of_the_host() -> None:
    options = {"temperature": 0, "max_tokens": 16, "max_retries": 2, "toolInvocationToken": "t"}
    asked = request(run(options=options, toolInvocationToken="t"), "", copilot_vscode.part_content)
    assert (asked["temperature"], asked["max_tokens"]) == (0, 16)
    assert not {"max_retries", "toolInvocationToken"} & asked.keys()


CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{"path": "é"}'},
}
TEXT = delta(reasoning_text="Hm.", content="Let me ")
ENCRYPTED = delta(reasoning_text=" So.", content="look.", reasoning_opaque="gAAA")
CALLED = call('{"path": "é"}', id="call_1", name="read_file")


@pytest.mark.parametrize("vocabulary", ADAPTERS)
def test_emitted_parts_are_sent_back_as_one_message(vocabulary: str) -> None:
    events = [TEXT, ENCRYPTED, CALLED, finish("tool_calls")]
    parts, _ = read_events(events, vocabulary, call_id_prefix="gw-")
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": parts},
        {"role": "tool", "callId": "gw-call_1", "content": "one"},
    ]
    asked = request(run(*messages), "gw-", ADAPTERS[vocabulary].part_content)
    assert asked["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": "Let me look.",
            "reasoning_text": "Hm. So.",
            "reasoning_opaque": "gAAA",
            "tool_calls": [CALL],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "one"},
    ]


@pytest.mark.parametrize("spelling", ["reasoning_content", "reasoning", "thinking", "cot_summary"])
@pytest.mark.parametrize("vocabulary", ADAPTERS)
def test_reasoning_is_sent_back_in_the_field_that_it_came_in(
    vocabulary: str, spelling: str
) -> None:
    parts, _ = read_events([delta(**{spelling: "Hm."}), delta(content="a"), finish()], vocabulary)
    message = {"role": "assistant", "content": parts}
    (asked,) = messages_of(run(message), vocabulary)
    assert asked == {"role": "assistant", "content": "a", spelling: "Hm."}


@pytest.mark.parametrize("vocabulary", ADAPTERS)
def test_a_message_with_calls_only_has_no_content(vocabulary: str) -> None:
    parts, _ = read_events([call("", id="call_1", name="a"), finish("tool_calls")], vocabulary)
    message = {"role": "assistant", "content": parts}
    (asked,) = messages_of(run(message), vocabulary)
    function = {"name": "a", "arguments": "{}"}
    assert asked["content"] is None
    assert asked["tool_calls"] == [{"id": "call_1", "type": "function", "function": function}]


# Over a real connection


async def played(base_url: str, traits: Json | None = None) -> tuple[list[Json], Json]:
    order: Json = {"type": "run", "id": "r-17", "dialect": "chat", "base_url": base_url}
    order |= {"api_key": "sk-mock-1", **run({"role": "user", "content": "Hi"})}
    parts: list[Json] = []
    async with asyncio.timeout(5):
        ending = await copilot_vscode.adapter(traits).run(order, parts.append, asyncio.Event())
    return parts, ending


async def test_a_run_is_one_request_to_chat_completions() -> None:
    paths = []

    async def answer(asked: web.Request) -> web.StreamResponse:
        paths.append(asked.path)
        return await burst(asked, delta(content="Hi"), finish(), DONE)

    async with upstream(answer) as served:
        parts, ending = await played(served.base_url)
    assert (text_of(parts), ending["finish"]) == ("Hi", "stop")
    assert (paths, served.headers) == (["/v1/chat/completions"], ["Bearer sk-mock-1"])


ENDS: dict[str, tuple[Script, str]] = {
    "[DONE], then silence": (streaming(delta(content="a"), finish(), DONE, then=silence), "a"),
    "no [DONE]": (streaming(delta(content="a"), finish()), "a"),
    "no [DONE], and silence": (streaming(delta(content="a"), finish(), then=silence), "a"),
    "the connection is lost after the finish": (
        streaming(delta(content="a"), finish(), then=severed),
        "a",
    ),
    "garbage after the finish": (streaming(delta(content="a"), finish(), "data: {oops\n\n"), "a"),
    "a finish without its blank line": (streaming(delta(content="a"), sse(finish()).rstrip()), "a"),
    "more after [DONE]": (streaming(delta(content="a"), finish(), DONE, delta(content="b")), "a"),
}


@pytest.mark.parametrize(("script", "text"), ENDS.values(), ids=ENDS.keys())
async def test_an_answer_with_a_finish_completes_without_waiting_for_more(
    script: Script, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)
    async with upstream(script) as served:
        parts, ending = await played(served.base_url)
    assert (text_of(parts), ending["outcome"]) == (text, "completed")


async def test_comments_do_not_keep_a_finished_answer_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)

    async def pings(asked: web.Request) -> web.StreamResponse:
        response = await burst(asked, finish())
        while True:
            await response.write(b": ping\n\n")
            await asyncio.sleep(0.01)

    async with upstream(pings) as served:
        assert (await played(served.base_url))[1]["outcome"] == "completed"


async def test_another_choice_may_come_long_after_the_first_has_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conformance.dialects.client.machine.GRACE", 0.05)
    second = {"type": "message", "choices": [choice(1, content="b")]}

    async def thinks(asked: web.Request) -> web.StreamResponse:
        response = await burst(asked, delta(content="a"), second, finish())
        await asyncio.sleep(0.1)
        await response.write(sse(finish("stop", 1)).encode())
        return response

    async with upstream(thinks) as served:
        parts, ending = await played(served.base_url, {"choices": "merge"})
    assert (text_of(parts), ending["outcome"]) == ("ab", "completed")


FAILURES: dict[str, tuple[Script, str, Json]] = {
    "a bare [DONE]": (streaming(delta(content="a"), DONE), "a", {"kind": "truncated"}),
    "the end of the stream": (streaming(delta(content="a")), "a", {"kind": "truncated"}),
    "no bytes": (streaming(), "", {"kind": "truncated"}),
    "a cut": (streaming(delta(content="a"), then=severed), "a", {"kind": "transport"}),
    "no JSON": (streaming(delta(content="a"), "data: {oops\n\n"), "a", {"kind": "decode"}),
    "an error, then silence": (
        streaming(delta(content="a"), {"error": QUOTA}, then=silence),
        "a",
        {"kind": "upstream", **QUOTA},
    ),
    "an error by its SSE name": (
        streaming("event: error\n" + sse(QUOTA), then=silence),
        "",
        {"kind": "upstream", **QUOTA},
    ),
    "429": (answering(429, json.dumps({"error": QUOTA})), "", {"kind": "http", **QUOTA}),
    "200 with an error": (answering(200, json.dumps({"error": QUOTA})), "", QUOTA),
    "200 with a non-streaming answer": (
        answering(200, json.dumps({"choices": [{"message": {"content": "a"}}]})),
        "",
        {"kind": "decode"},
    ),
}


@pytest.mark.parametrize(("script", "text", "expected"), FAILURES.values(), ids=FAILURES.keys())
async def test_a_failure_is_reported_and_the_content_before_it_is_kept(
    script: Script, text: str, expected: Json
) -> None:
    async with upstream(script) as served:
        parts, ending = await played(served.base_url)
    assert (text_of(parts), ending["outcome"]) == (text, "failed")
    assert ending["error"].items() >= expected.items()


RECORDINGS = sorted(DATA.glob("recordings/*.chat.jsonl"))


@needs_data
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
@pytest.mark.parametrize("vocabulary", ADAPTERS)
def test_a_recorded_stream_is_read_to_its_end(path: Any, vocabulary: str) -> None:
    events = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    parts, ending = read_events(events, vocabulary)
    assert ending["outcome"] == "completed"
    if vocabulary == "vscode":
        deltas = [c.get("delta") or {} for event in events for c in event.get("choices") or []]
        assert text_of(parts) == "".join(each.get("content") or "" for each in deltas)
