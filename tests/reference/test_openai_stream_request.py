"""Earlier parts of `stream` go back as the items that they came from."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from conformance.dialects.openresponses.reference.openai_stream.adapter import adapter
from conformance.dialects.openresponses.reference.openai_stream.request import request
from tests.reference import openai_tools as tools
from tests.reference import test_openai_stream_texts as texts
from tests.reference.openai_events import Json, completed, done, message, parts_of, text_start
from tests.reference.served import streaming, upstream


def run(*messages: Json, **fields: Any) -> Json:
    return {"model": "mock", "messages": list(messages), "tools": [], "options": {}, **fields}


def said(*events: Json) -> Json:
    return {"role": "assistant", "content": parts_of(*events)}


def input_of(*messages: Json, offered: tuple[Json, ...] = ()) -> list[Json]:
    body: Any = request(run(*messages, tools=list(offered)))
    items: list[Json] = body["input"]
    return items


PATCH: Json = {"type": "apply_patch", "name": "patch", "input_schema": {}}


def test_options_and_tools_are_sent_as_the_host_has_them() -> None:
    hosted = {
        "type": "code_interpreter",
        "name": "code_interpreter",
        "description": "",
        "input_schema": {},
        "options": {"container": {"type": "auto"}},
    }
    custom = {"type": "custom", "name": "run_sql", "description": "SQL", "input_schema": {}}
    function = {"name": "f", "description": "F", "input_schema": {"type": "object"}}
    body = request(run(options={"store": False}, tools=[hosted, custom, function]))
    assert body == {
        "model": "mock",
        "stream": True,
        "store": False,
        "input": [],
        "tools": [
            {"type": "function", "name": "f", "description": "F", "parameters": {"type": "object"}},
            {"type": "code_interpreter", "container": {"type": "auto"}},
            {"type": "custom", "name": "run_sql", "description": "SQL"},
        ],
    }


BACK: dict[str, tuple[list[Json], list[Json]]] = {
    "messages": (
        [done(message(text="a", phase="commentary")), done(message("msg_2", "b"), 1)],
        [
            {"type": "message", "role": "assistant", "content": "a", "phase": "commentary"},
            {"type": "message", "role": "assistant", "content": "b"},
        ],
    ),
    "reasoning": (
        texts.TWO_SECTIONS,
        [
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [
                    {"type": "summary_text", "text": "One"},
                    {"type": "summary_text", "text": "Two"},
                ],
                "encrypted_content": "gAAA",
            }
        ],
    ),
    "reasoning without encrypted content": ([done(texts.reasoning_item())], []),
    "a function": (
        [done(tools.function('{"q": 1.0}'))],
        [
            {
                "type": "function_call",
                "call_id": "call_1",
                "name": "search",
                "arguments": '{"q": 1.0}',
            }
        ],
    ),
    "a custom tool": (
        [done(tools.custom(tools.SQL))],
        [
            {
                "type": "custom_tool_call",
                "call_id": "call_q",
                "name": "run_sql",
                "input": tools.SQL,
            }
        ],
    ),
    "a patch": (
        [done(tools.patch_item(diff=tools.DIFF))],
        [tools.patch_item(diff=tools.DIFF)],
    ),
    "a local shell": ([done(tools.LOCAL_SHELL)], [tools.LOCAL_SHELL]),
    "a computer": (
        [done(tools.COMPUTER)],
        [
            {
                "type": "computer_call",
                "id": "cu_1",
                "status": "completed",
                "call_id": "call_c",
                "actions": [tools.COMPUTER["action"]],
                "pending_safety_checks": [],
            }
        ],
    ),
    "a request for approval": ([done(tools.REQUEST)], [tools.REQUEST]),
    "a compaction": (
        [done({"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"})],
        [{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}],
    ),
    "hosted calls": ([done(tools.code_item(code=tools.CODE)), done(tools.MCP, 1)], []),
}
OFFERED = tuple(
    {"type": type_, "name": name, "input_schema": {}}
    for type_, name in (
        ("custom", "run_sql"),
        ("apply_patch", "apply_patch"),
        ("local_shell", "local_shell"),
        ("computer", "computer"),
    )
)


@pytest.mark.parametrize(("events", "items"), BACK.values(), ids=BACK)
def test_an_answer_goes_back_as_its_items(events: list[Json], items: list[Json]) -> None:
    assert input_of(said(*events), offered=OFFERED) == items


def test_a_result_is_of_the_type_of_its_call() -> None:
    answered = said(done(tools.function("{}")), done(tools.custom(tools.SQL), 1))
    outputs = [
        {"role": "tool", "callId": "call_1", "content": "one"},
        {"role": "tool", "callId": "call_q", "content": "two"},
    ]
    assert input_of(answered, *outputs, offered=OFFERED)[2:] == [
        {"type": "function_call_output", "call_id": "call_1", "output": "one"},
        {"type": "custom_tool_call_output", "call_id": "call_q", "output": "two"},
    ]


def test_a_result_that_the_host_gives_as_an_item_is_sent_unchanged() -> None:
    output = {"type": "apply_patch_call_output", "status": "failed", "output": "no"}
    given = {"role": "tool", "callId": "call_p", "content": "no", "output": output}
    assert input_of(given) == [{**output, "call_id": "call_p"}]


def test_the_answer_to_a_request_for_approval_names_the_request() -> None:
    answer = {"role": "approval", "approvalId": "mcpr_1", "approve": False, "reason": "no"}
    assert input_of(said(done(tools.REQUEST)), answer) == [
        tools.REQUEST,
        {
            "type": "mcp_approval_response",
            "approval_request_id": "mcpr_1",
            "approve": False,
            "reason": "no",
        },
    ]


async def test_a_run_is_read_with_its_options_and_its_conversation() -> None:
    asked = said(done(tools.REQUEST))
    approved = {**tools.MCP, "approval_request_id": "mcpr_1"}
    emitted: list[Json] = []
    stream = streaming(*texts.TWO_SECTIONS[:4], done(approved, 1), completed())
    async with upstream(stream) as served:
        asking = run(asked, options={"store": True}, id="r-1", dialect="openresponses")
        asking |= {"base_url": served.base_url, "api_key": "none"}
        ending = await adapter().run(asking, emitted.append, asyncio.Event())
        assert served.asked == [request(asking)]
    assert ending["outcome"] == "completed"
    assert emitted[1:4] == texts.FIRST_SECTION
    (id_,) = {part["toolCallId"] for part in emitted if "toolCallId" in part}
    assert id_ == asked["content"][0]["toolCallId"]
    assert text_start() not in emitted
