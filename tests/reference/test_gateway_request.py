"""Runs are converted to call options of the AI Gateway, and played over a real connection."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from conformance.dialects.vercel.reference.fields import PROVIDER
from conformance.dialects.vercel.reference.vscode import gateway as adapter
from conformance.dialects.vercel.reference.vscode import gateway_request as request
from mockserver.dialects import DIALECTS
from tests.reference.fullstreams import Json, part, played, text_of
from tests.reference.served import burst, silence, streaming, upstream

DIALECT = "vercel-gateway"
HI = {"role": "user", "content": "Hi"}
DONE = "data: [DONE]\n\n"
FINISH = part("finish", finishReason={"unified": "stop", "raw": "stop"})


def run(*messages: Json, **fields: Any) -> Json:
    return {"model": "mock", "messages": list(messages), "tools": [], "options": {}, **fields}


def test_a_request_has_a_prompt_and_no_model() -> None:
    system = {"role": "system", "content": "Be brief."}
    assert request(run(system, HI)) == {
        "prompt": [system, {"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    }


def test_tools_are_a_list_of_functions() -> None:
    tool = {"name": "read_file", "description": "Reads", "input_schema": {"type": "object"}}
    search = {"name": "search", "type": "web_search", "input_schema": {}}
    assert request(run(HI, tools=[tool, search]))["tools"] == [
        {
            "type": "function",
            "name": "read_file",
            "description": "Reads",
            "inputSchema": {"type": "object"},
        }
    ]


def test_options_are_sent_upstream_but_not_those_of_the_host() -> None:
    context = {"anthropic": {"contextManagement": {"enabled": True}}}
    options = {"maxOutputTokens": 64, "providerOptions": context, "max_retries": 2}
    asked = request(run(HI, options=options))
    assert {name: asked[name] for name in asked if name != "prompt"} == {
        "maxOutputTokens": 64,
        "providerOptions": context,
    }


def test_emitted_parts_are_sent_back_and_results_have_the_names_of_their_tools() -> None:
    sealed = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}}
    events = [
        part("reasoning-delta", id="r1", delta="Hm."),
        part("reasoning-end", id="r1", providerMetadata=sealed),
        part("text-delta", id="t1", delta="Let me look."),
        part("file", data="aGk=", mediaType="image/png"),
        part("tool-call", toolCallId="call_1", toolName="read_file", input='{"path":"é"}'),
        part("tool-call", toolCallId="call_2", toolName="ls", input=""),
        FINISH,
    ]
    parts, _ = played(events, PROVIDER, call_id_prefix="gw-")
    messages: list[Json] = [
        HI,
        {"role": "assistant", "content": parts},
        {"role": "tool", "callId": "gw-call_2", "content": "a.py"},
        {"role": "tool", "callId": "gw-call_1", "content": "x = 1"},
    ]
    body: Any = request(run(*messages), "gw-")
    read = {"toolCallId": "call_1", "toolName": "read_file"}
    listed = {"toolCallId": "call_2", "toolName": "ls"}
    assert body["prompt"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": "Hm.", "providerOptions": sealed},
                {"type": "text", "text": "Let me look."},
                {"type": "file", "data": "aGk=", "mediaType": "image/png"},
                {"type": "tool-call", **read, "input": {"path": "é"}},
                {"type": "tool-call", **listed, "input": {}},
            ],
        },
        *(
            {
                "role": "tool",
                "content": [
                    {"type": "tool-result", **called, "output": {"type": "text", "value": value}}
                ],
            }
            for called, value in ((listed, "a.py"), (read, "x = 1"))
        ),
    ]


# Over a real connection


async def over_http(base_url: str, **fields: Any) -> Any:
    order: Json = {"type": "run", "id": "r-17", "dialect": DIALECT}
    order |= {"base_url": base_url, "api_key": "sk-mock-1", **run(HI, **fields)}
    parts: list[Json] = []
    async with asyncio.timeout(5):
        ending = await adapter().run(order, parts.append, asyncio.Event())
    return parts, ending


async def test_a_run_is_one_request_whose_headers_have_the_model_and_the_specification() -> None:
    asked: list[web.Request] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request)
        return await burst(request, part("text-delta", id="t", delta="Hi"), FINISH, DONE)

    async with upstream(answer) as served:
        parts, ending = await over_http(served.base_url, model="anthropic/claude")
    assert (text_of(parts), ending["finish"], ending["id"]) == ("Hi", "stop", "r-17")
    assert [each.path for each in asked] == ["/v1/language-model"]
    # @ai-sdk/gateway, GatewayLanguageModel.
    wanted = {
        "authorization": "Bearer sk-mock-1",
        "ai-gateway-protocol-version": "0.0.1",
        "ai-gateway-auth-method": "api-key",
        "ai-language-model-specification-version": "3",
        "ai-language-model-id": "anthropic/claude",
        "ai-language-model-streaming": "true",
    }
    headers = {name.lower(): value for name, value in asked[0].headers.items()}
    assert headers.items() >= wanted.items()
    inbound = DIALECTS[DIALECT].requests.read(served.asked[0], headers)
    assert (inbound.problems, inbound.form, inbound.model) == ((), "3", "anthropic/claude")


async def test_an_adapter_does_not_wait_after_an_error() -> None:
    error = part("error", error={"message": "You ran out.", "code": "quota"})
    said = part("text-delta", id="t", delta="a")
    async with upstream(streaming(said, error, said, then=silence)) as served:
        parts, ending = await over_http(served.base_url)
    assert text_of(parts) == "aa"
    assert ending["error"] == {"kind": "upstream", "message": "You ran out.", "code": "quota"}


async def test_another_dialect_is_answered_as_unsupported() -> None:
    ending = await adapter().run({"id": "r", "dialect": "vercel-ui"}, print, asyncio.Event())
    assert ending["type"] == "unsupported"
