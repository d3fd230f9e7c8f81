"""Runs become the requests of each upstream, with what the adapter emitted earlier."""

import json
from typing import Any

import pytest

from conformance.dialects.chat.reference import adapter as chat
from conformance.dialects.chat.reference import to_copilot, to_vscode
from conformance.dialects.openresponses.reference import vscode as responses
from conformance.dialects.openresponses.reference.openai_stream import request as stream
from conformance.dialects.vercel.reference.provider_parts import prompt
from conformance.dialects.vercel.reference.vscode import (
    fullstream_request,
    gateway_request,
    ui_request,
)
from mockserver.dialects import DIALECTS
from tests.reference import openai_events as openai
from tests.reference.test_chat import call as fragment
from tests.reference.test_chat import delta, read_events
from tests.reference.test_chat import finish as chat_finish
from tests.reference.test_vercel import call, finish, part, played, shown, text

Json = dict[str, Any]

HI = {"role": "user", "content": "Hi"}
SYSTEM = {"role": "system", "content": "Be brief."}
SCHEMA = {"type": "object"}
READ_FILE = {"name": "read_file", "description": "Reads", "input_schema": SCHEMA}
TOOLS = [READ_FILE, {"name": "ls"}, {"name": "s", "type": "web_search", "input_schema": {}}]
OPTIONS = {"temperature": 0, "max_retries": 2, "toolInvocationToken": "t"}
VSCODE, COPILOT = to_vscode.part_content, to_copilot.part_content


def run(*messages: Json, **fields: Any) -> Json:
    fixed: Json = {"id": "r-17", "model": "mock", "tools": [], "options": {}}
    return {**fixed, "messages": list(messages), **fields}


def chat_request(asked: Json, prefix: str = "", read: Any = VSCODE) -> Json:
    return chat.request(asked, prefix, read)


def answer(parts: Any) -> Json:
    return {"role": "assistant", "content": parts}


def result(id_: str, value: str) -> Json:
    return {"role": "tool", "callId": id_, "content": value}


def called(id_: str, name: str, input_: Any = None) -> Json:
    return {"type": "toolCall", "callId": id_, "name": name, "input": input_ or {"n": 1}}


def said(value: str) -> Json:
    return {"type": "text", "value": value}


# Tools and options

FUNCTION = {"type": "function", "name": "read_file", "description": "Reads", "parameters": SCHEMA}
REQUESTS: dict[str, tuple[Any, Json]] = {
    "responses": (
        responses.request,
        {
            "model": "mock", "stream": True, "temperature": 0,
            "input": [{"type": "message", **each} for each in (SYSTEM, HI)],
            "tools": [FUNCTION, {"type": "function", "name": "ls"}],
        },
    ),
    "stream": (
        stream.request,
        {
            "model": "mock", "stream": True, "temperature": 0,
            "input": [{"type": "message", **each} for each in (SYSTEM, HI)],
            "tools": [FUNCTION, {"type": "function", "name": "ls"}, {"type": "web_search"}],
        },
    ),
    "chat": (
        lambda asked, _: chat_request({**asked, "tools": asked["tools"][:2]}),
        {
            "model": "mock", "stream": True, "temperature": 0,
            "stream_options": {"include_usage": True}, "messages": [SYSTEM, HI],
            "tools": [
                {
                    "type": "function",
                    "function": {"name": "read_file", "description": "Reads", "parameters": SCHEMA},
                },
                {"type": "function", "function": {"name": "ls"}},
            ],
        },
    ),
    "fullstream": (
        fullstream_request,
        {
            "model": "mock", "temperature": 0, "messages": [SYSTEM, HI],
            "tools": {
                "read_file": {
                    "type": "function", "name": "read_file", "description": "Reads",
                    "inputSchema": SCHEMA,
                },
                "ls": {"type": "function", "name": "ls"},
            },
        },
    ),
    "gateway": (
        gateway_request,
        {
            "temperature": 0,
            "prompt": [SYSTEM, {"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
            "tools": [
                {
                    "type": "function", "name": "read_file", "description": "Reads",
                    "inputSchema": SCHEMA,
                },
                {"type": "function", "name": "ls"},
            ],
        },
    ),
    "ui": (
        ui_request,
        {
            "temperature": 0,
            "messages": [
                {"id": f"msg-{n}", "role": role, "parts": [{"type": "text", "text": words}]}
                for n, (role, words) in enumerate((("system", "Be brief."), ("user", "Hi")))
            ],
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize(("request_", "expected"), REQUESTS.values(), ids=REQUESTS)
def test_a_request_has_the_tools_and_options_but_not_those_of_the_host(
    request_: Any, expected: Json
) -> None:
    asked = request_(run(SYSTEM, HI, tools=TOOLS, options=OPTIONS, toolInvocationToken="t"), "")
    assert asked == expected
    assert "temperature" not in request_(run(HI), "")


# OpenResponses: openresponses § Items; lm-stream-semantics § 7.3


def test_a_conversation_is_sent_upstream_as_items() -> None:
    sealed = {"metadata": {"encrypted_content": "gAAA"}}
    spoken = [
        *({"type": "thinking", "value": value} for value in ("H", "m")),
        *({"type": "thinking", "value": "", **sealed}, {"type": "thinking", "value": "lost"}),
        *(said("Let me "), said("look"), called("gw-call_1", "f", {"p": "é"}), said("So")),
        {"type": "thinking", "value": "", **sealed},
    ]
    body: Any = responses.request(run(answer(spoken), result("gw-call_1", "one")), "gw-")
    body["input"][2]["arguments"] = json.loads(body["input"][2]["arguments"])
    summary = [{"type": "summary_text", "text": "Hm"}]
    assert body["input"] == [
        {"type": "reasoning", "summary": summary, "encrypted_content": "gAAA"},
        {"type": "message", "role": "assistant", "content": "Let me look"},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": {"p": "é"}},
        {"type": "message", "role": "assistant", "content": "So"},
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call_output", "call_id": "call_1", "output": "one"},
    ]


# OpenAI's Responses, with parts of `stream`

OFFERED = [
    *({"type": name, "name": name} for name in ("apply_patch", "local_shell", "shell", "computer")),
    {"type": "custom", "name": "run_sql", "description": "SQL", "options": {"format": "x"}},
]  # fmt: skip


def items_of(*events: Json, more: tuple[Json, ...] = ()) -> list[Json]:
    """The items that an answer goes back as, and those of further messages."""
    messages = (answer(openai.parts_of(*events)), *more)
    body: Any = stream.request(run(*messages, tools=OFFERED))
    assert body["tools"][-1] == {
        "type": "custom",
        "name": "run_sql",
        "description": "SQL",
        "format": "x",
    }
    items: list[Json] = body["input"]
    return items


SUMMARY = [{"type": "summary_text", "text": value} for value in ("One", "Two")]
COMPACTION = {"type": "compaction", "encrypted_content": "gAAA"}
PATCH = openai.patch_item(diff=openai.DIFF)
SHELL = openai.SHELL["action"]
COMPUTER_BACK = {
    "type": "computer_call",
    "id": "cu_1",
    "status": "completed",
    "call_id": "call_c",
    "actions": [openai.COMPUTER["action"]],
    "pending_safety_checks": [],
}
BACK: dict[str, tuple[list[Json], list[Json]]] = {
    "messages": (
        [openai.message(text="a", phase="commentary"), openai.message("msg_2", "b")],
        [
            {"type": "message", "role": "assistant", "content": "a", "phase": "commentary"},
            {"type": "message", "role": "assistant", "content": "b"},
        ],
    ),
    "reasoning without encrypted content": ([openai.reasoning_item()], []),
    "a function": (
        [openai.function('{"n":1}')],
        [{"type": "function_call", "call_id": "call_1", "name": "search", "arguments": '{"n":1}'}],
    ),
    "a custom tool": (
        [openai.custom(openai.SQL)],
        [{"type": "custom_tool_call", "call_id": "call_q", "name": "run_sql", "input": openai.SQL}],
    ),
    "a patch": ([PATCH], [PATCH]),
    "a local shell": ([openai.LOCAL_SHELL], [openai.LOCAL_SHELL]),
    "a shell": (
        [openai.SHELL],
        [
            {
                "type": "shell_call", "id": "sh_1", "status": "completed", "call_id": "call_s",
                "action": {name: value for name, value in SHELL.items() if value is not None},
            }
        ],
    ),
    "a computer": ([openai.COMPUTER], [COMPUTER_BACK]),
    "a request for approval": ([openai.REQUEST], [openai.REQUEST]),
    "a compaction": ([{**COMPACTION, "id": "cmp_1"}], [COMPACTION]),
    "hosted calls": ([openai.code_item(code="1", outputs=[]), openai.MCP], []),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "items"), BACK.values(), ids=BACK)
def test_an_answer_goes_back_as_its_items(sent: list[Json], items: list[Json]) -> None:
    assert items_of(*(openai.done(each, n) for n, each in enumerate(sent))) == items


def test_reasoning_goes_back_with_all_parts_of_its_summary() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": SUMMARY, "encrypted_content": "gAAA"}
    assert items_of(*openai.TWO_SECTIONS) == [reasoning]


def test_what_the_host_answers_names_the_call_or_the_request_and_has_its_type() -> None:
    own = {"type": "apply_patch_call_output", "status": "failed", "output": "no"}
    sent = (openai.function("{}"), openai.custom(openai.SQL), openai.REQUEST)
    more = (
        result("call_1", "one"),
        result("call_p", "no") | {"output": own},
        {"role": "approval", "approvalId": "mcpr_1", "approve": False, "reason": "no"},
        {"role": "approval", "approvalId": "mcpr_2", "approve": True},
    )
    items = items_of(*(openai.done(each, n) for n, each in enumerate(sent)), more=more)
    answered = {"type": "mcp_approval_response"}
    assert items[3:] == [
        {"type": "function_call_output", "call_id": "call_1", "output": "one"},
        {**own, "call_id": "call_p"},
        {**answered, "approval_request_id": "mcpr_1", "approve": False, "reason": "no"},
        {**answered, "approval_request_id": "mcpr_2", "approve": True},
    ]


# Chat completions

FIELDS = ["reasoning_text", "reasoning_content", "reasoning", "thinking", "cot_summary"]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(("vocabulary", "read"), [("vscode", VSCODE), ("copilot", COPILOT)])
def test_emitted_parts_are_sent_back_as_one_message(vocabulary: str, read: Any, field: str) -> None:
    events = [
        delta(content="Let me ", **{field: "Hm."}),
        delta(content="look.", reasoning_opaque="gAAA", **{field: " So."}),
        *(fragment('{"path": "é"}', id="call_1", name="read_file"), chat_finish("tool_calls")),
    ]
    parts, _ = read_events(events, vocabulary, call_id_prefix="gw-")
    asked: Any = chat_request(run(answer(parts), result("gw-call_1", "one")), "gw-", read)
    function = {"name": "read_file", "arguments": '{"path": "é"}'}
    assert asked["messages"] == [
        {
            "role": "assistant",
            "content": "Let me look.",
            field: "Hm. So.",
            "reasoning_opaque": "gAAA",
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "one"},
    ]


@pytest.mark.parametrize(("vocabulary", "read"), [("vscode", VSCODE), ("copilot", COPILOT)])
def test_a_message_with_calls_only_has_no_content(vocabulary: str, read: Any) -> None:
    events = [fragment("", id="call_1", name="a"), chat_finish("tool_calls")]
    (asked,) = chat_request(run(answer(read_events(events, vocabulary)[0])), "", read)["messages"]
    function = {"name": "a", "arguments": "{}"}
    made = [{"id": "call_1", "type": "function", "function": function}]
    assert asked == {"role": "assistant", "content": None, "tool_calls": made}


# The layers of the AI SDK: stream-mapping § Tool Result Message Format.

SEALED = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}}
SPOKEN = [
    *(part("reasoning-delta", id="r1", text=each, delta=each) for each in ("Hm.", " So.")),
    part("reasoning-end", id="r1", providerMetadata=SEALED),
    *(text("Let me "), text("look.")),
    part("file", url="data:image/png;base64,aGk=", data="aGk=", mediaType="image/png"),
    part("source", id="s", url="https://example.org"),
    part("source-url", sourceId="s", url="https://example.org"),
    part("data-weather", data=1),
]
REASONED = {"type": "reasoning", "text": "Hm. So."}
LOOK = {"type": "text", "text": "Let me look."}
IMAGE = {"type": "file", "mediaType": "image/png"}


def named(id_: str, name: str) -> Json:
    return {"toolCallId": id_, "toolName": name}


@pytest.mark.parametrize("gateway", [False, True])
def test_emitted_parts_are_sent_back_with_the_names_of_their_tools(gateway: bool) -> None:
    events = [*SPOKEN, call(input={"path": "é"}), call("call_2", "ls", input=""), finish()]
    traits: Json = {"call_id_prefix": "gw-", "annotations": "data"}
    parts, _ = played(events, **traits)
    later = [result("gw-call_2", "a.py"), HI, result("gw-call_1", "x"), result("gw-c", "lost")]
    request, field = (gateway_request, "prompt") if gateway else (fullstream_request, "messages")
    body: Any = request(run(answer(parts), *later), "gw-")
    first, *rest = body[field]
    assert first["content"] == [
        {**REASONED, "providerOptions": SEALED},
        LOOK,
        {**IMAGE, "data": "aGk="},
        {"type": "tool-call", **named("call_1", "read_file"), "input": {"path": "é"}},
        {"type": "tool-call", **named("call_2", "ls"), "input": {}},
    ]
    assert [each["role"] for each in rest] == ["tool", "user", "tool", "tool"]
    assert [each["content"] for each in rest if each["role"] == "tool"] == [
        [{"type": "tool-result", **each, "output": {"type": "text", "value": value}}]
        for each, value in (
            (named("call_2", "ls"), "a.py"),
            (named("call_1", "read_file"), "x"),
            (named("c", "unknown_tool"), "lost"),
        )
    ]


def test_reasoning_is_sent_back_by_its_block_and_that_of_v4_by_its_signature() -> None:
    def contents(*events: Json) -> Any:
        body: Any = fullstream_request(run(answer(played([*events, finish()])[0])), "")
        return body["messages"][0]["content"]

    assert contents(
        *(part("reasoning-delta", id=id_, text=id_) for id_ in ("a", "b", "a")),
        *(part("reasoning-end", id=id_, providerMetadata={"x": {"n": id_}}) for id_ in ("b", "a")),
    ) == [
        {"type": "reasoning", "text": "aa", "providerOptions": {"x": {"n": "a"}}},
        {"type": "reasoning", "text": "b", "providerOptions": {"x": {"n": "b"}}},
    ]
    signed, redacted = {"signature": "sig"}, {"redactedData": "ZGF0"}
    assert contents(
        *(part("reasoning", textDelta="Hm"), part("reasoning", textDelta=".")),
        *(part("reasoning-signature", signature="sig"), part("reasoning", textDelta="So")),
        *(part("reasoning-signature", signature="so"), part("redacted-reasoning", data="ZGF0")),
    ) == [
        {"type": "reasoning", "text": "Hm.", "providerOptions": {"anthropic": signed}},
        {"type": "reasoning", "text": "So", "providerOptions": {"anthropic": {"signature": "so"}}},
        {"type": "reasoning", "text": "", "providerOptions": {"anthropic": redacted}},
    ]  # fmt: skip


def ui_messages(*messages: Json, prefix: str = "") -> list[Json]:
    """The messages of a body that the server of a chat accepts."""
    body: Any = ui_request(run(*messages), prefix)
    assert DIALECTS["vercel-ui"].requests.read(body, {}).problems == ()
    kept: list[Json] = body["messages"]
    return kept


def test_emitted_parts_are_sent_back_as_a_browser_keeps_them() -> None:
    emitted, _ = played(
        [*SPOKEN, shown(input={"n": 1}), finish()], call_id_prefix="gw-", annotations="data"
    )
    (kept,) = ui_messages(answer(emitted), result("gw-call_1", "x"), prefix="gw-")
    assert kept["parts"] == [
        {**REASONED, "providerMetadata": SEALED},
        LOOK,
        {**IMAGE, "url": "data:image/png;base64,aGk="},
        {
            "type": "tool-read_file",
            "toolCallId": "call_1",
            "state": "output-available",
            "input": {"n": 1},
            "output": "x",
        },
    ]


def test_a_part_of_a_message_has_a_call_and_its_result_even_a_late_one() -> None:
    called_ = answer([called("a", "one"), called("b", "two")])
    kept = ui_messages(HI, called_, result("b", "2"), HI, result("a", "1"))
    assert [(each["id"], each["role"]) for each in kept] == [
        *(("msg-0", "user"), ("msg-1", "assistant"), ("msg-2", "user"))
    ]
    assert [(each["type"], each["output"], each["state"]) for each in kept[1]["parts"]] == [
        *(("tool-one", "1", "output-available"), ("tool-two", "2", "output-available"))
    ]


# The prompt of a provider, with parts of `stream`

ENCRYPTED = {"openai": {"reasoningEncryptedContent": "gAAA"}}
CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "input": '{"path":"a"}'}


def piece(kind: str, id_: str, value: str) -> Json:
    return {"type": f"{kind}-delta", "id": id_, "delta": value}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (
            [piece("text", "a", "One "), piece("text", "b", "Two"), piece("text", "a", "half")],
            [{"type": "text", "text": "One half"}, {"type": "text", "text": "Two"}],
        ),
        (
            [
                {"type": "reasoning-start", "id": "r", "providerMetadata": {"openai": {"x": None}}},
                piece("reasoning", "r", "Hm"),
                {"type": "reasoning-end", "id": "r", "providerMetadata": ENCRYPTED},
                {"type": "reasoning-start", "id": "q"},
            ],
            [
                {"type": "reasoning", "text": "Hm", "providerOptions": ENCRYPTED},
                {"type": "reasoning", "text": ""},
            ],
        ),
        ([CALL | {"input": " \n"}], [CALL | {"input": {}}]),
        ([CALL | {"input": "{"}], [CALL | {"input": "{"}]),
        ([CALL | {"input": '{"n":NaN}'}], [CALL | {"input": '{"n":NaN}'}]),
        ([CALL | {"input": "[" * 100_000}], [CALL | {"input": "[" * 100_000}]),
        ([CALL | {"providerExecuted": True}, {"type": "finish"}], []),
    ],
)
def test_parts_of_an_answer_are_sent_back_joined(parts: list[Json], expected: list[Json]) -> None:
    assert prompt([answer(parts)]) == [answer(expected)]


def test_a_result_has_the_name_of_its_tool() -> None:
    output = {"type": "text", "value": "A"}
    named = {"type": "tool-result", "toolCallId": "c1", "toolName": "read_file", "output": output}
    assert prompt([SYSTEM, answer([CALL]), result("c1", "A")]) == [
        SYSTEM,
        answer([CALL | {"input": {"path": "a"}}]),
        {"role": "tool", "content": [named]},
    ]
