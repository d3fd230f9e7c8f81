"""The tool calls of OpenAI's Responses as stream parts.

The expected parts follow makeStreamResponse Alignment § Stream Events Reference, and `doStream` of
the AI SDK's provider, with the exceptions that `openai_stream.kinds` names.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from tests.reference.openai_events import (
    HOSTED,
    Json,
    added,
    call,
    completed,
    done,
    input_delta,
    input_end,
    input_start,
    item,
    machine,
    of_item,
    openai,
    parts_of,
    play,
    result,
)

CODE = "print(\"π\\n\")\n# 'é' 🐍"
DIFF = "@@\n-s = 'a\\n'\n+s = \"ä 🐍\"\n"


def code_item(**fields: Any) -> Json:
    known = {"container_id": "cntr_1", "code": "", "outputs": None}
    return item("code_interpreter_call", "ci_1", **{**known, **fields})


def code(delta: str) -> Json:
    return of_item("code_interpreter_call_code.delta", "ci_1", delta=delta)


def code_done(whole: str = CODE) -> Json:
    return of_item("code_interpreter_call_code.done", "ci_1", code=whole)


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


def patch_item(type_: str = "update_file", status: str = "completed", **diff: str) -> Json:
    operation = {"type": type_, "path": "src/ä b.py", **diff}
    return item("apply_patch_call", "apc_1", status, call_id="call_p", operation=operation)


def diff(delta: str) -> Json:
    return of_item("apply_patch_call_operation_diff.delta", "apc_1", delta=delta)


def diff_done(whole: str = DIFF) -> Json:
    return of_item("apply_patch_call_operation_diff.done", "apc_1", diff=whole)


PATCH_OPENING = '{"callId":"call_p","operation":{"type":"TYPE","path":"src/ä b.py","diff":"'


def patch_opening(type_: str) -> list[Json]:
    opening = PATCH_OPENING.replace("TYPE", type_)
    return [input_start("call_p", "apply_patch"), input_delta("call_p", opening)]


ESCAPED_DIFF = "@@\\n-s = 'a\\\\n'\\n+s = \\\"ä 🐍\\\"\\n"


def patch_call(type_: str = "update_file") -> Json:
    input_ = PATCH_OPENING.replace("TYPE", type_) + ESCAPED_DIFF + '"}}'
    return call("call_p", "apply_patch", input_, "apc_1")


PATCH_CLOSING = [input_delta("call_p", '"}}'), input_end("call_p")]
DELETION = '{"callId":"call_p","operation":{"type":"delete_file","path":"src/ä b.py"}}'
NEW_PATCH = patch_item(status="in_progress", diff="")


def image_item(status: str = "completed", value: str | None = None) -> Json:
    return item("image_generation_call", "ig_1", status, result=value)


def partial_image(value: str, n: int) -> Json:
    place = of_item("image_generation_call.partial_image", "ig_1", partial_image_index=n)
    return {**place, "partial_image_b64": value}


def image(value: Any, **fields: Any) -> Json:
    return result("ig_1", "image_generation", {"result": value}, **fields)


IMAGE_CALL = call("ig_1", "image_generation", "{}", "ig_1", **HOSTED)

LOCAL_SHELL = item(
    "local_shell_call",
    "lsh_1",
    call_id="call_l",
    action={"type": "exec", "command": ["ls", "-a"], "env": {"LANG": "C"}, "timeout_ms": 9},
)
SHELL = item(
    "shell_call",
    "sh_1",
    call_id="call_s",
    action={"commands": ["ls", "pwd"], "timeout_ms": None, "max_output_length": 80},
    environment=None,
)
SHELL_INPUT = '{"action":{"commands":["ls","pwd"],"maxOutputLength":80}}'
CONTAINER = {"type": "container_reference", "container_id": "cntr_2"}
SHELL_OUTPUT = item(
    "shell_call_output",
    "sho_1",
    call_id="call_s",
    max_output_length=80,
    output=[
        {"stdout": "a\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
        {"stdout": "", "stderr": "late", "outcome": {"type": "timeout"}},
    ],
)
SHELL_RESULT = {
    "maxOutputLength": 80,
    "output": [
        {"stdout": "a\n", "stderr": "", "outcome": {"type": "exit", "exitCode": 0}},
        {"stdout": "", "stderr": "late", "outcome": {"type": "timeout"}},
    ],
}

COMPUTER = item(
    "computer_call",
    "cu_1",
    call_id="call_c",
    action={"type": "type", "text": 'cd "ä"'},
    pending_safety_checks=[],
)
COMPUTER_INPUT = (
    '{"actions":[{"type":"type","text":"cd \\"ä\\""}],'
    '"pendingSafetyChecks":[],"status":"completed"}'
)
COMPUTER_WITHOUT_CALL = {k: v for k, v in COMPUTER.items() if k != "call_id"}

PAGES = [{"type": "url", "url": "https://example.org"}]
SEARCH: Json = {"type": "search", "query": "dusk", "queries": ["dusk"], "sources": PAGES}


def web_item(status: str = "completed", **action: Any) -> Json:
    return item("web_search_call", "ws_1", status, action=action or {"type": "search"})


def web_parts(value: Json, **fields: Any) -> list[Json]:
    return [
        input_start("ws_1", "web_search", **HOSTED),
        input_end("ws_1"),
        call("ws_1", "web_search", "{}", "ws_1", **HOSTED),
        result("ws_1", "web_search", value, **fields),
    ]


FOUND = {"attributes": {}, "file_id": "file_1", "filename": "a.md", "score": 0.5, "text": "A"}
FILE_CALL = call("fs_1", "file_search", "{}", "fs_1", **HOSTED)


def file_item(results: Any) -> Json:
    return item("file_search_call", "fs_1", queries=["a"], results=results)


QUESTION = item("tool_search_call", "ts_1", execution="server", call_id=None, arguments={"q": "x"})
ANSWER = item("tool_search_output", "tso_1", execution="server", call_id=None, tools=[])


def function(arguments: str = "", status: str = "completed") -> Json:
    known = {"call_id": "call_1", "name": "search", "arguments": arguments}
    return item("function_call", "fc_1", status, **known)


def arguments(delta: str) -> Json:
    return of_item("function_call_arguments.delta", "fc_1", delta=delta)


SQL = "select \"näme\"\nfrom t where p like 'C:\\%'"


def custom(input_: str = "", status: str = "completed") -> Json:
    known = {"call_id": "call_q", "name": "run_sql", "input": input_}
    return item("custom_tool_call", "ctc_1", status, **known)


def custom_input(delta: str) -> Json:
    return of_item("custom_tool_call_input.delta", "ctc_1", delta=delta)


SQL_CALL = call(
    "call_q",
    "run_sql",
    '"select \\"näme\\"\\nfrom t where p like \'C:\\\\%\'"',
    "ctc_1",
)

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
    "a patch whose diff streams": (
        [
            added(NEW_PATCH),
            diff(DIFF[:10]),
            diff(DIFF[10:]),
            diff_done(),
            done(patch_item(diff=DIFF)),
        ],
        [
            *patch_opening("update_file"),
            input_delta("call_p", "@@\\n-s = 'a"),
            input_delta("call_p", '\\\\n\'\\n+s = \\"ä 🐍\\"\\n'),
            *PATCH_CLOSING,
            patch_call(),
        ],
    ),
    "a patch whose diff is not streamed": (
        [added(NEW_PATCH), diff_done(), done(patch_item(diff=DIFF))],
        [
            *patch_opening("update_file"),
            input_delta("call_p", ESCAPED_DIFF),
            *PATCH_CLOSING,
            patch_call(),
        ],
    ),
    "a new file whose diff is only in the finished item": (
        [
            added(patch_item("create_file", "in_progress", diff="")),
            done(patch_item("create_file", diff=DIFF)),
        ],
        [
            *patch_opening("create_file"),
            input_delta("call_p", ESCAPED_DIFF),
            *PATCH_CLOSING,
            patch_call("create_file"),
        ],
    ),
    "a patch that is not completed": (
        [added(NEW_PATCH), diff("@@"), done(patch_item(status="in_progress", diff="@@"))],
        [*patch_opening("update_file"), input_delta("call_p", "@@"), *PATCH_CLOSING],
    ),
    "a file that is deleted": (
        [added(patch_item("delete_file", "in_progress")), done(patch_item("delete_file"))],
        [
            input_start("call_p", "apply_patch"),
            input_delta("call_p", DELETION),
            input_end("call_p"),
            call("call_p", "apply_patch", DELETION, "apc_1"),
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
    "a local shell": (
        [added({**LOCAL_SHELL, "status": "in_progress"}), done(LOCAL_SHELL)],
        [
            call(
                "call_l",
                "local_shell",
                '{"action":{"type":"exec","command":["ls","-a"],"timeoutMs":9,"env":{"LANG":"C"}}}',
                "lsh_1",
            )
        ],
    ),
    "a shell of the host": (
        [added({**SHELL, "status": "in_progress"}), done(SHELL)],
        [call("call_s", "shell", SHELL_INPUT, "sh_1")],
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
    "a computer of the host": (
        [added({**COMPUTER, "status": "in_progress"}), done(COMPUTER)],
        [
            input_start("call_c", "computer"),
            input_delta("call_c", COMPUTER_INPUT),
            input_end("call_c"),
            call("call_c", "computer", COMPUTER_INPUT, "cu_1"),
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
    "a search for tools by the host": (
        [done({**QUESTION, "execution": "client", "call_id": "call_t"})],
        [
            input_start("call_t", "tool_search"),
            input_end("call_t"),
            call("call_t", "tool_search", '{"arguments":{"q":"x"},"call_id":"call_t"}', "ts_1"),
        ],
    ),
    "a function": (
        [added(function()), arguments('{"q":'), arguments(' "ä"}'), done(function('{"q": "ä"}'))],
        [
            input_start("call_1", "search"),
            input_delta("call_1", '{"q":'),
            input_delta("call_1", ' "ä"}'),
            input_end("call_1"),
            call("call_1", "search", '{"q": "ä"}', "fc_1"),
        ],
    ),
    "a function whose arguments do not stream": (
        [added(function()), done(function('{"q":1.0}'))],
        [
            input_start("call_1", "search"),
            input_end("call_1"),
            call("call_1", "search", '{"q":1.0}', "fc_1"),
        ],
    ),
    "a function that was cut off": (
        [added(function()), arguments('{"q":'), done(function('{"q":', "incomplete"))],
        [input_start("call_1", "search"), input_delta("call_1", '{"q":')],
    ),
    "a custom tool": (
        [
            added(custom(status="in_progress")),
            custom_input(SQL[:9]),
            custom_input(SQL[9:]),
            of_item("custom_tool_call_input.done", "ctc_1", input=SQL),
            done(custom(SQL)),
        ],
        [
            input_start("call_q", "run_sql", inputEncoding="text"),
            input_delta("call_q", SQL[:9]),
            input_delta("call_q", SQL[9:]),
            input_end("call_q"),
            SQL_CALL,
        ],
    ),
    "a custom tool whose input does not stream": (
        [added(custom()), done(custom(SQL))],
        [
            input_start("call_q", "run_sql", inputEncoding="text"),
            input_delta("call_q", SQL),
            input_end("call_q"),
            SQL_CALL,
        ],
    ),
    "a custom tool that was cut off": (
        [added(custom()), custom_input("sel"), done(custom("sel", "incomplete"))],
        [
            input_start("call_q", "run_sql", inputEncoding="text"),
            input_delta("call_q", "sel"),
        ],
    ),
}


@pytest.mark.parametrize(("events", "expected"), ROWS.values(), ids=ROWS)
def test_a_tool_call_becomes_its_parts(events: list[Json], expected: list[Json]) -> None:
    assert parts_of(*events) == expected


@pytest.mark.parametrize(("events", "_expected"), ROWS.values(), ids=ROWS)
def test_the_final_response_repeats_nothing(events: list[Json], _expected: list[Json]) -> None:
    final = [each["item"] for each in events if each["type"] == "response.output_item.done"]
    once, _ = play([*events, completed()])
    again, _ = play(
        [*events, *(each for each in events if each["type"].endswith("done")), completed(*final)]
    )
    assert again == once


# The package has no types for the events of a diff; the others are valid by its types.
UNTYPED = "response.apply_patch_call_operation_diff."
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


@pytest.mark.parametrize(("events", "_expected"), ROWS.values(), ids=ROWS)
def test_the_events_are_those_of_the_package(events: list[Json], _expected: list[Json]) -> None:
    for each in events:
        if not each["type"].startswith(UNTYPED):
            EVENT.validate_python(each)


@pytest.mark.parametrize(
    ("begin", "grow", "end", "path"),
    [
        (added(code_item()), code, done(code_item(code=CODE)), ["code"]),
        (added(NEW_PATCH), diff, done(patch_item(diff=CODE)), ["operation", "diff"]),
    ],
    ids=["code", "diff"],
)
def test_deltas_join_to_the_input_if_each_is_half_a_character(
    begin: Json, grow: Callable[[str], Json], end: Json, path: list[str]
) -> None:
    units = memoryview(CODE.encode("utf-16-le")).cast("H")
    parts = parts_of(begin, *(grow(chr(unit)) for unit in units), end)
    joined = "".join(part["delta"] for part in parts if part["type"] == "tool-input-delta")
    (made,) = (part["input"] for part in parts if part["type"] == "tool-call")
    assert joined == made
    value = json.loads(joined)
    for name in path:
        value = value[name]
    assert value == CODE


def test_a_computer_call_without_a_call_id_is_a_hosted_placeholder() -> None:
    value = {"type": "computer_use_tool_result", "status": "completed"}
    assert parts_of(added(COMPUTER_WITHOUT_CALL), done(COMPUTER_WITHOUT_CALL)) == [
        input_start("cu_1", "computer", **HOSTED),
        input_end("cu_1"),
        call("cu_1", "computer", "", "cu_1", **HOSTED),
        result("cu_1", "computer", value),
    ]


def test_a_hosted_tool_has_the_name_under_which_it_was_offered() -> None:
    offered = [{"type": "web_search_preview", "name": "look_up"}]
    parts = parts_of(done(web_item(**SEARCH)), begun=machine(tools=offered))
    assert {part.get("toolName") for part in parts} == {"look_up", None}


MCP = item(
    "mcp_call",
    "mcp_1",
    name="shorten",
    server_label="zip",
    arguments='{"url":"x"}',
    output="https://z.example",
    error=None,
    approval_request_id=None,
)
DYNAMIC = {**HOSTED, "dynamic": True}
MCP_VALUE = {
    "type": "call",
    "serverLabel": "zip",
    "name": "shorten",
    "arguments": '{"url":"x"}',
    "output": "https://z.example",
}
REQUEST = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "name": "shorten",
    "server_label": "zip",
    "arguments": '{"url":"x"}',
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


FINISHES: dict[str, tuple[list[Json], str]] = {
    "hosted": ([done(code_item(code=CODE)), done(MCP, 1)], "stop"),
    "an approval": ([done(REQUEST)], "stop"),
    "a shell in a container": ([done({**SHELL, "environment": CONTAINER})], "stop"),
    "a function": ([done(function("{}"))], "tool-calls"),
    "a custom tool": ([done(custom(SQL))], "tool-calls"),
    "a patch": ([done(patch_item("delete_file"))], "tool-calls"),
    "a local shell": ([done(LOCAL_SHELL)], "tool-calls"),
    "a shell": ([done(SHELL)], "tool-calls"),
    "a computer": ([done(COMPUTER)], "tool-calls"),
}


@pytest.mark.parametrize(("events", "reason"), FINISHES.values(), ids=FINISHES)
def test_only_calls_for_the_host_finish_with_tool_calls(events: list[Json], reason: str) -> None:
    parts, ending = play([*events, completed()])
    assert parts[-1]["finishReason"] == {"unified": reason}
    assert (ending["outcome"], ending["finish"]) == ("completed", reason)


LACKING = {
    "a patch without a call id": {**patch_item(diff=DIFF), "call_id": None},
    "a shell without a call id": {**SHELL, "call_id": ""},
    "a custom tool without a name": {**custom(SQL), "name": None},
    "a remote call without a name": {**MCP, "name": 7},
}


@pytest.mark.parametrize("broken", LACKING.values(), ids=LACKING)
def test_an_item_that_cannot_be_read_finishes_with_an_error(broken: Json) -> None:
    parts, ending = play([done(broken), completed()])
    assert [part["type"] for part in parts] == ["stream-start", "error", "finish"]
    assert parts[-1]["finishReason"] == {"unified": "error", "raw": "error"}
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")
