"""Runs are converted to a chat transport's requests, and played over a real connection."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from conformance.dialects.vercel.reference.fields import UI
from conformance.dialects.vercel.reference.vscode import ui as adapter
from conformance.dialects.vercel.reference.vscode import ui_request as request
from mockserver.dialects import DIALECTS
from tests.reference.fullstreams import Json, part, played, text_of
from tests.reference.served import answering, burst, upstream

DIALECT = "vercel-ui"
STEP = {"type": "step-start"}


def run(*messages: Json, **fields: Any) -> Json:
    fixed: Json = {"id": "r-17", "model": "mock", "tools": [], "options": {}}
    return {**fixed, "messages": list(messages), **fields}


def text(value: str) -> Json:
    return {"type": "text", "value": value}


def called(id_: str, name: str) -> Json:
    return {"type": "toolCall", "callId": id_, "name": name, "input": {"n": 1}}


def result(id_: str, value: str) -> Json:
    return {"role": "tool", "callId": id_, "content": value}


def messages(body: Any) -> list[Json]:
    """The messages of a body that the server of a chat accepts."""
    assert DIALECTS[DIALECT].requests.read(body, {}).problems == ()
    kept: list[Json] = body["messages"]
    return kept


def test_a_request_is_a_chat_with_messages_of_parts() -> None:
    system, user = ({"role": role, "content": role} for role in ("system", "user"))
    tool = {"name": "read_file", "input_schema": {"type": "object"}}
    assert request(run(system, user, tools=[tool])) == {
        "id": "r-17",
        "model": "mock",
        "trigger": "submit-message",
        "messages": [
            {"id": "msg-0", "role": "system", "parts": [{"type": "text", "text": "system"}]},
            {"id": "msg-1", "role": "user", "parts": [{"type": "text", "text": "user"}]},
        ],
    }


def test_options_are_beside_the_messages() -> None:
    user = {"role": "user", "content": "Hi"}
    body = request(run(user, options={"maxOutputTokens": 64, "max_retries": 2}))
    assert (body["maxOutputTokens"], "max_retries" in body) == (64, False)


def test_emitted_parts_are_sent_back_as_a_browser_keeps_them() -> None:
    sealed = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}}
    events = [
        part("reasoning-delta", id="r1", delta="Hm."),
        part("reasoning-end", id="r1", providerMetadata=sealed),
        part("text-delta", id="t1", delta="Let me "),
        part("text-delta", id="t1", delta="look."),
        part("file", url="data:image/png;base64,aGk=", mediaType="image/png"),
        part("source-url", sourceId="s1", url="https://example.org", title="A"),
        part("tool-input-available", toolCallId="call_1", toolName="read_file", input={"n": 1}),
        part("finish", finishReason="tool-calls"),
    ]
    emitted, _ = played(events, UI, call_id_prefix="gw-", annotations="data")
    body = request(
        run({"role": "assistant", "content": emitted}, result("gw-call_1", "x = 1")), "gw-"
    )
    assert messages(body)[0]["parts"] == [
        STEP,
        {"type": "reasoning", "text": "Hm.", "state": "done", "providerMetadata": sealed},
        {"type": "text", "text": "Let me look.", "state": "done"},
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aGk="},
        {
            "type": "tool-read_file",
            "toolCallId": "call_1",
            "state": "output-available",
            "input": {"n": 1},
            "output": "x = 1",
        },
    ]


def outputs(message: Json) -> list[Any]:
    return [each.get("output") for each in message["parts"] if "toolCallId" in each]


def test_the_steps_of_an_answer_are_one_message_up_to_the_next_user_message() -> None:
    kept = messages(
        request(
            run(
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": [called("a", "one"), called("b", "two")]},
                result("b", "second"),
                result("a", "first"),
                {"role": "assistant", "content": [text("So.")]},
                {"role": "user", "content": "Go on."},
                {"role": "assistant", "content": [text("Well.")]},
            )
        )
    )
    assert [each["role"] for each in kept] == ["user", "assistant", "user", "assistant"]
    assert len({each["id"] for each in kept}) == 4
    kinds = [each["type"] for each in kept[1]["parts"]]
    assert kinds == ["step-start", "tool-one", "tool-two", "step-start", "text"]
    assert outputs(kept[1]) == ["first", "second"]


def test_a_result_finds_its_call_in_other_messages() -> None:
    kept = messages(
        request(
            run(
                {"role": "assistant", "content": [called("a", "one")]},
                {"role": "user", "content": "Wait."},
                result("a", "late"),
            )
        )
    )
    assert outputs(kept[0]) == ["late"]


def test_a_repeated_id_is_answered_at_its_last_call() -> None:
    once = [{"role": "assistant", "content": [called("call_0", "one")]}]
    asked = run(*once, result("call_0", "first"), *once, result("call_0", "second"))
    assert outputs(messages(request(asked))[0]) == ["first", "second"]


def test_a_result_without_a_call_is_dropped() -> None:
    user = {"role": "user", "content": "Hi"}
    assert len(messages(request(run(user, result("call_lost", "x"))))) == 1


def test_a_call_without_a_result_has_the_state_input_available() -> None:
    body: Any = request(run({"role": "assistant", "content": [called("a", "one")]}))
    (_, call) = body["messages"][0]["parts"]
    assert (call["state"], "output" in call) == ("input-available", False)


# Over a real connection


async def over_http(base_url: str) -> Any:
    order: Json = {"type": "run", "dialect": DIALECT, "base_url": base_url, "api_key": "sk-mock-1"}
    order |= run({"role": "user", "content": "Hi"})
    parts: list[Json] = []
    async with asyncio.timeout(5):
        ending = await adapter().run(order, parts.append, asyncio.Event())
    return parts, ending


async def test_a_run_is_one_request_for_a_chat() -> None:
    paths: list[str] = []

    async def answer(asked: web.Request) -> web.StreamResponse:
        paths.append(asked.path)
        said = [part("text-delta", id="t", delta="Hi"), part("finish", finishReason="stop")]
        return await burst(asked, part("start"), *said, "data: [DONE]\n\n")

    async with upstream(answer) as served:
        parts, ending = await over_http(served.base_url)
    assert (text_of(parts), ending["finish"], ending["id"]) == ("Hi", "stop", "r-17")
    assert (paths, served.headers) == (["/v1/chat"], ["Bearer sk-mock-1"])
    assert len(messages(served.asked[0])) == 1


async def test_the_message_of_a_refusal_is_reported_verbatim() -> None:
    async with upstream(answering(429, "Slow down, please.", "text/plain")) as served:
        _, ending = await over_http(served.base_url)
    assert ending["error"] == {"kind": "http", "message": "Slow down, please."}
