"""The tools that OpenAI hosts, as stream parts.

The expected parts follow makeStreamResponse Alignment § Stream Events Reference, and `doStream` of
the AI SDK's provider, with the exceptions that `openai_stream.kinds` names.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference.openai_events import (
    HOSTED,
    Json,
    added,
    call,
    done,
    input_delta,
    input_end,
    input_start,
    machine,
    of_item,
    openai,
    parts_of,
    result,
)
from tests.reference.openai_tools import (
    ANSWER,
    CODE,
    CONTAINER,
    FOUND,
    MCP,
    PAGES,
    PROGRAM,
    PROGRAM_OUTPUT,
    QUESTION,
    REQUEST,
    SEARCH,
    SHELL,
    SHELL_OUTPUT,
    code,
    code_done,
    code_item,
    file_item,
    image_item,
    partial_image,
    web_item,
)

CODE_CALL = call(
    "ci_1",
    "code_interpreter",
    '{"containerId":"cntr_1","code":"print(\\"π\\\\n\\")\\n# \'é\' 🐍"}',
    "ci_1",
    **HOSTED,
)
CODE_OPENING = [
    input_start("ci_1", "code_interpreter", **HOSTED),
    input_delta("ci_1", '{"containerId":"cntr_1","code":"'),
]
LOGS = [{"type": "logs", "logs": "π\n"}, {"type": "image", "url": "https://example.org/1.png"}]


def image(value: Any, **fields: Any) -> Json:
    return result("ig_1", "image_generation", {"result": value}, **fields)


IMAGE_CALL = call("ig_1", "image_generation", "{}", "ig_1", **HOSTED)
SHELL_INPUT = '{"action":{"commands":["ls","pwd"],"maxOutputLength":80}}'
SHELL_RESULT = {
    "maxOutputLength": 80,
    "output": [
        {"stdout": "a\n", "stderr": "", "outcome": {"type": "exit", "exitCode": 0}},
        {"stdout": "", "stderr": "late", "outcome": {"type": "timeout"}},
    ],
}


def web_parts(value: Json, **fields: Any) -> list[Json]:
    return [
        input_start("ws_1", "web_search", **HOSTED),
        input_end("ws_1"),
        call("ws_1", "web_search", "{}", "ws_1", **HOSTED),
        result("ws_1", "web_search", value, **fields),
    ]


FILE_CALL = call("fs_1", "file_search", "{}", "fs_1", **HOSTED)
ROWS: dict[str, tuple[list[Json], list[Json]]] = {
    "code that streams": (
        [
            added(code_item(status="in_progress")),
            of_item("code_interpreter_call.in_progress", "ci_1"),
            code(CODE[:7]),
            code(CODE[7:]),
            code_done(),
            of_item("code_interpreter_call.interpreting", "ci_1"),
            done(code_item(code=CODE, outputs=LOGS)),
        ],
        [
            *CODE_OPENING,
            input_delta("ci_1", 'print(\\"'),
            input_delta("ci_1", "π\\\\n\\\")\\n# 'é' 🐍"),
            input_delta("ci_1", '"}'),
            input_end("ci_1"),
            CODE_CALL,
            result("ci_1", "code_interpreter", {"outputs": LOGS}),
        ],
    ),
    "code without deltas and without outputs": (
        [added(code_item()), code_done(), done(code_item(code=CODE))],
        [
            *CODE_OPENING,
            input_delta("ci_1", 'print(\\"π\\\\n\\")\\n# \'é\' 🐍"}'),
            input_end("ci_1"),
            CODE_CALL,
            result("ci_1", "code_interpreter", {"outputs": None}),
        ],
    ),
    "code that is only in the finished item": (
        [done(code_item(code=CODE, outputs=[]))],
        [
            *CODE_OPENING,
            input_delta("ci_1", 'print(\\"π\\\\n\\")\\n# \'é\' 🐍"}'),
            input_end("ci_1"),
            CODE_CALL,
            result("ci_1", "code_interpreter", {"outputs": []}),
        ],
    ),
    "an image with partial images": (
        [
            added(image_item("in_progress")),
            of_item("image_generation_call.generating", "ig_1"),
            partial_image("QQ==", 0),
            partial_image("QUI=", 1),
            of_item("image_generation_call.completed", "ig_1"),
            done(image_item("generating", "QUJD")),
        ],
        [
            IMAGE_CALL,
            image("QQ==", preliminary=True),
            image("QUI=", preliminary=True),
            image("QUJD"),
        ],
    ),
    "an image that failed": (
        [added(image_item("in_progress")), done(image_item("failed"))],
        [IMAGE_CALL, image(None, isError=True)],
    ),
    "a shell in a container, with its output": (
        [
            added({**SHELL, "environment": CONTAINER}),
            done({**SHELL, "environment": CONTAINER}),
            added({**SHELL_OUTPUT, "status": "in_progress", "output": []}, 1),
            done(SHELL_OUTPUT, 1),
        ],
        [
            call("call_s", "shell", SHELL_INPUT, "sh_1", **HOSTED),
            result("call_s", "shell", SHELL_RESULT),
        ],
    ),
    "code that fails": (
        [
            added(code_item(status="in_progress")),
            done(code_item(code=CODE, outputs=LOGS[:1], status="failed")),
        ],
        [
            *CODE_OPENING,
            input_delta("ci_1", 'print(\\"π\\\\n\\")\\n# \'é\' 🐍"}'),
            input_end("ci_1"),
            CODE_CALL,
            result("ci_1", "code_interpreter", {"outputs": LOGS[:1]}, isError=True),
        ],
    ),
    "a program and its result": (
        [added(PROGRAM), done(PROGRAM), added(PROGRAM_OUTPUT, 1), done(PROGRAM_OUTPUT, 1)],
        [
            call(
                "call_g",
                "programmatic_tool_calling",
                '{"code":"await f(\\"ä\\")\\n","fingerprint":"fp"}',
                "cm_1",
                **HOSTED,
            ),
            result("call_g", "programmatic_tool_calling", {"result": "1\n", "status": "completed"}),
        ],
    ),
    "a web search": (
        [
            added(web_item("in_progress")),
            of_item("web_search_call.searching", "ws_1"),
            done(web_item(**SEARCH)),
        ],
        web_parts(
            {
                "action": {"type": "search", "query": "dusk", "queries": ["dusk"]},
                "sources": PAGES,
            }
        ),
    ),
    "a page that is searched": (
        [
            added(web_item("in_progress")),
            done(web_item(type="find_in_page", url="https://example.org", pattern="x")),
        ],
        web_parts({"action": {"type": "findInPage", "url": "https://example.org", "pattern": "x"}}),
    ),
    "a web search that failed": (
        [added(web_item("in_progress")), done(web_item("failed", type="search", query="x"))],
        web_parts({"action": {"type": "search", "query": "x"}}, isError=True),
    ),
    "a file search": (
        [added(file_item(None)), done(file_item([FOUND]))],
        [
            FILE_CALL,
            result(
                "fs_1",
                "file_search",
                {
                    "queries": ["a"],
                    "results": [
                        {
                            "attributes": {},
                            "fileId": "file_1",
                            "filename": "a.md",
                            "score": 0.5,
                            "text": "A",
                        }
                    ],
                },
            ),
        ],
    ),
    "a file search without its results": (
        [added(file_item(None)), done(file_item(None))],
        [FILE_CALL, result("fs_1", "file_search", {"queries": ["a"], "results": None})],
    ),
    "a search for tools": (
        [added(QUESTION), done(QUESTION), added(ANSWER, 1), done(ANSWER, 1)],
        [
            input_start("ts_1", "tool_search", **HOSTED),
            input_end("ts_1"),
            call("ts_1", "tool_search", '{"arguments":{"q":"x"},"call_id":null}', "ts_1", **HOSTED),
            result("ts_1", "tool_search", {"tools": []}),
        ],
    ),
}


@pytest.mark.parametrize(("events", "expected"), ROWS.values(), ids=ROWS)
def test_a_hosted_call_becomes_its_parts(events: list[Json], expected: list[Json]) -> None:
    assert parts_of(*events) == expected


def test_a_hosted_tool_has_the_name_under_which_it_was_offered() -> None:
    offered = [{"type": "web_search_preview", "name": "look_up"}]
    parts = parts_of(done(web_item(**SEARCH)), begun=machine(tools=offered))
    assert {part.get("toolName") for part in parts} == {"look_up", None}


DYNAMIC = {**HOSTED, "dynamic": True}
MCP_VALUE = {
    "type": "call",
    "serverLabel": "zip",
    "name": "shorten",
    "arguments": '{"url":"x"}',
    "output": "https://z.example",
}


def mcp_call(id_: str, **about: str) -> Json:
    known = {"toolCallId": id_, "toolName": "mcp.shorten", "input": '{"url":"x"}'}
    return {"type": "tool-call", **known, **DYNAMIC, **(openai(**about) if about else {})}


def mcp_parts(id_: str) -> list[Json]:
    return [
        mcp_call(id_),
        {**result(id_, "mcp.shorten", MCP_VALUE), **openai(itemId="mcp_1")},
    ]


def test_a_remote_call_comes_with_its_result_and_the_list_of_tools_has_no_part() -> None:
    listed = {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "zip", "tools": []}
    events = [
        added(listed),
        of_item("mcp_list_tools.completed", "mcpl_1"),
        done(listed),
        added({**MCP, "status": "in_progress", "arguments": "", "output": None}, 1),
        of_item("mcp_call_arguments.delta", "mcp_1", 1, delta='{"url":"x"}'),
        of_item("mcp_call_arguments.done", "mcp_1", 1, arguments='{"url":"x"}'),
        done(MCP, 1),
    ]
    assert parts_of(*events) == mcp_parts("mcp_1")


def test_a_remote_call_that_failed_has_its_error_as_result() -> None:
    error = {"type": "mcp_protocol_error", "code": 1, "message": "no"}
    (_, part) = parts_of(done({**MCP, "status": "failed", "output": None, "error": error}))
    assert part["result"] == {
        **{k: v for k, v in MCP_VALUE.items() if k != "output"},
        "error": error,
    }


def test_an_approval_is_asked_for_with_a_call_of_its_own_id_which_the_result_keeps() -> None:
    approved = {**MCP, "approval_request_id": "mcpr_1"}
    parts = parts_of(added(REQUEST), done(REQUEST), done(approved, 1))
    id_ = parts[0]["toolCallId"]
    assert id_ not in ("", "mcp_1", "mcpr_1")
    assert parts == [
        mcp_call(id_, itemId="mcpr_1", serverLabel="zip"),
        {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": id_},
        *mcp_parts(id_)[1:],
    ]


def test_a_call_that_was_approved_in_an_earlier_turn_has_the_id_of_its_request() -> None:
    asked = parts_of(done(REQUEST))
    said = [{"role": "assistant", "content": asked}]
    parts = parts_of(done({**MCP, "approval_request_id": "mcpr_1"}), begun=machine(messages=said))
    assert parts == mcp_parts(asked[0]["toolCallId"])


def test_a_call_whose_request_nobody_knows_has_its_own_id() -> None:
    assert parts_of(done({**MCP, "approval_request_id": "mcpr_9"})) == mcp_parts("mcp_1")
