"""Items of tools and the events of their inputs, as OpenAI's types define them."""

from __future__ import annotations

from typing import Any

from tests.reference.openai_events import (
    Json,
    item,
    of_item,
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


def patch_item(type_: str = "update_file", status: str = "completed", **diff: str) -> Json:
    operation = {"type": type_, "path": "src/ä b.py", **diff}
    return item("apply_patch_call", "apc_1", status, call_id="call_p", operation=operation)


def diff(delta: str) -> Json:
    return of_item("apply_patch_call_operation_diff.delta", "apc_1", delta=delta)


def diff_done(whole: str = DIFF) -> Json:
    return of_item("apply_patch_call_operation_diff.done", "apc_1", diff=whole)


def image_item(status: str = "completed", value: str | None = None) -> Json:
    return item("image_generation_call", "ig_1", status, result=value)


def partial_image(value: str, n: int) -> Json:
    place = of_item("image_generation_call.partial_image", "ig_1", partial_image_index=n)
    return {**place, "partial_image_b64": value}


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
PROGRAM = item("program", "cm_1", call_id="call_g", code='await f("ä")\n', fingerprint="fp")
PROGRAM_OUTPUT = item("program_output", "cmo_1", call_id="call_g", result="1\n")
COMPUTER = item(
    "computer_call",
    "cu_1",
    call_id="call_c",
    action={"type": "type", "text": 'cd "ä"'},
    pending_safety_checks=[],
)
PAGES = [{"type": "url", "url": "https://example.org"}]
SEARCH: Json = {"type": "search", "query": "dusk", "queries": ["dusk"], "sources": PAGES}


def web_item(status: str = "completed", **action: Any) -> Json:
    return item("web_search_call", "ws_1", status, action=action or {"type": "search"})


FOUND = {"attributes": {}, "file_id": "file_1", "filename": "a.md", "score": 0.5, "text": "A"}


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
REQUEST = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "name": "shorten",
    "server_label": "zip",
    "arguments": '{"url":"x"}',
}
NEW_PATCH = patch_item(status="in_progress", diff="")
COMPUTER_WITHOUT_CALL = {k: v for k, v in COMPUTER.items() if k != "call_id"}
