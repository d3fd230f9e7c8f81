"""Builds events of OpenAI's Responses, with the fields that their types require, and parts."""

import json
from collections.abc import Iterable
from typing import Any

from jsonschema import Draft202012Validator

from conformance.dialects.openresponses.reference.openai_stream.adapter import ResponsesToStream
from conformance.dialects.openresponses.reference.openai_stream.blocks import Tables
from conformance.dialects.openresponses.reference.openai_stream.emitter import TABLES
from mockserver.foundation.shipped import schema

Json = dict[str, Any]

PART = Draft202012Validator(schema("parts/stream"))

RESPONSE: Json = {
    "id": "resp_1", "object": "response", "created_at": 1769558400, "model": "gpt-5", "output": [],
    "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
}  # fmt: skip
USAGE: Json = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
    "output_tokens": 22,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 33,
}


def event(type_: str, **fields: Any) -> Json:
    return {"type": f"response.{type_}", "sequence_number": 0, **fields}


def of_item(type_: str, item_id: str, index: int = 0, **fields: Any) -> Json:
    return event(type_, item_id=item_id, output_index=index, **fields)


def added(item: Json, index: int = 0) -> Json:
    return event("output_item.added", output_index=index, item=item)


def done(item: Json, index: int = 0) -> Json:
    return event("output_item.done", output_index=index, item=item)


def item(type_: str, id_: str, status: str = "completed", **fields: Any) -> Json:
    return {"type": type_, "id": id_, "status": status, **fields}


def message(id_: str = "msg_1", text: str = "", **fields: Any) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}] if text else []
    return item("message", id_, role="assistant", content=content, **fields)


def created() -> Json:
    return event("created", response=RESPONSE)


def completed(*output: Json, **fields: Any) -> Json:
    response = {**RESPONSE, "status": "completed", "output": list(output), **fields}
    return event("completed", response=response)


def machine(
    store: bool | None = None,
    messages: Iterable[Json] = (),
    tools: Iterable[Json] = (),
    tables: Tables = TABLES,
) -> ResponsesToStream:
    """A machine for a request with these options, messages and tools."""
    begun = ResponsesToStream(tables=tables)
    options = {} if store is None else {"store": store}
    begun.begin({"options": options, "messages": list(messages), "tools": list(tools)})
    return begun


def play(events: Iterable[Json], begun: ResponsesToStream | None = None) -> tuple[list[Json], Json]:
    """All parts of a stream, which are valid and can be sent as JSON, and its ending."""
    begun = begun or machine()
    parts = [part for each in events for part in begun.event(each)] + begun.close()
    for part in parts:
        PART.validate(part)
        json.dumps(part, ensure_ascii=False).encode()
    return parts, begun.end()


def parts_of(*events: Json, begun: ResponsesToStream | None = None) -> list[Json]:
    """The parts of the items of a stream, without those about the response."""
    parts, _ = play([*events, completed()], begun)
    about = ("stream-start", "response-metadata", "finish")
    return [part for part in parts if part["type"] not in about]


def openai(**fields: Any) -> Json:
    """The metadata of a part."""
    return {"providerMetadata": {"openai": fields}}


def input_start(id_: str, name: str, **fields: Any) -> Json:
    return {"type": "tool-input-start", "id": id_, "toolName": name, **fields}


def input_delta(id_: str, delta: str) -> Json:
    return {"type": "tool-input-delta", "id": id_, "delta": delta}


def input_end(id_: str) -> Json:
    return {"type": "tool-input-end", "id": id_}


def call(id_: str, name: str, input_: str, item_id: str, **fields: Any) -> Json:
    spelt = json.dumps(json.loads(input_), separators=(",", ":"))
    known = {"toolCallId": id_, "toolName": name, "input": spelt}
    return {"type": "tool-call", **known, **fields, **openai(itemId=item_id)}


def result(id_: str, name: str, value: Any, **fields: Any) -> Json:
    known = {"toolCallId": id_, "toolName": name, "result": value}
    return {"type": "tool-result", **known, **fields}


HOSTED: Json = {"providerExecuted": True}


# Items

CODE = "print(\"π\\n\")\n# 'é' 🐍"
DIFF = "@@\n-s = 'a\\n'\n+s = \"ä 🐍\"\n"


def code_item(**fields: Any) -> Json:
    known = {"container_id": "cntr_1", "code": "", "outputs": None}
    return item("code_interpreter_call", "ci_1", **{**known, **fields})


def patch_item(type_: str = "update_file", status: str = "completed", **diff: str) -> Json:
    operation = {"type": type_, "path": "src/ä b.py", **diff}
    return item("apply_patch_call", "apc_1", status, call_id="call_p", operation=operation)


LOCAL_SHELL = item(
    "local_shell_call",
    "lsh_1",
    call_id="call_l",
    action={
        "type": "exec",
        "command": ["ls", "-a"],
        "env": {"LANG": "C"},
        "timeout_ms": 9,
        "user": "me",
        "working_directory": "/",
    },
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
QUESTION = item("tool_search_call", "ts_1", execution="server", call_id=None, arguments={"q": "x"})


def function(arguments: str = "", status: str = "completed") -> Json:
    known = {"call_id": "call_1", "name": "search", "arguments": arguments}
    return item("function_call", "fc_1", status, **known)


SQL = "select \"näme\"\nfrom t where p like 'C:\\%'"


def custom(input_: str = "", status: str = "completed") -> Json:
    known = {"call_id": "call_q", "name": "run_sql", "input": input_}
    return item("custom_tool_call", "ctc_1", status, **known)


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


def reasoning_item(encrypted: str | None = None) -> Json:
    return {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": encrypted}


def section(type_: str, index: int, **fields: Any) -> Json:
    """An event of a part of a summary."""
    return of_item(f"reasoning_summary_{type_}", "rs_1", summary_index=index, **fields)


TWO_SECTIONS = [
    added(reasoning_item()),
    *(section("part.added", 0), section("text.delta", 0, delta="One"), section("part.done", 0)),
    *(section("part.added", 1), section("text.delta", 1, delta="Two"), section("part.done", 1)),
    done(reasoning_item("gAAA")),
]
