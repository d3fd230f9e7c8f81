"""OpenAI's Responses as stream parts: texts, reasoning, calls, hosted tools and endings.

The expected parts follow makeStreamResponse Alignment § Stream Events Reference, and `doStream` of
the AI SDK's provider, with the exceptions that `openai_stream.emitter` names.
"""

import json
from typing import Any

import pytest

from tests.reference.openai_events import (
    CODE,
    COMPUTER,
    CONTAINER,
    DIFF,
    HOSTED,
    LOCAL_SHELL,
    MCP,
    PROGRAM,
    PROGRAM_OUTPUT,
    QUESTION,
    REQUEST,
    SHELL,
    SHELL_OUTPUT,
    SQL,
    TWO_SECTIONS,
    USAGE,
    Json,
    added,
    call,
    code_item,
    completed,
    created,
    custom,
    done,
    event,
    function,
    input_delta,
    input_end,
    input_start,
    item,
    machine,
    message,
    of_item,
    openai,
    parts_of,
    patch_item,
    play,
    reasoning_item,
    result,
    section,
)

# Texts and annotations


def text(delta: str) -> Json:
    return of_item("output_text.delta", "msg_1", content_index=0, delta=delta, logprobs=[])


def annotation(value: Json, id_: str = "msg_1", index: int = 0) -> Json:
    place = {"content_index": 0, "annotation_index": 0}
    return of_item("output_text.annotation.added", id_, index, **place, annotation=value)


def text_parts(
    *pieces: str | Json, id_: str = "msg_1", annotations: tuple[Json, ...] = (), phase: Any = None
) -> list[Json]:
    """The parts of a text, with sources among its deltas."""
    delta = {"type": "text-delta", "id": id_}
    return [
        {"type": "text-start", "id": id_, **openai(phase=phase)},
        *({**delta, "delta": each} if isinstance(each, str) else each for each in pieces),
        {"type": "text-end", "id": id_, **openai(annotations=[*annotations])},
    ]


def source(type_: str, about: Json, **fields: Any) -> Json:
    return {"type": "source", "sourceType": type_, **fields, **(openai(**about) if about else {})}


# Reasoning


SEALED = {"reasoningEncryptedContent": "gAAA"}
UNSEALED: Json = {"reasoningEncryptedContent": None}


def thoughts(
    index: int, *deltas: str, begun: Json = UNSEALED, end: Json | None = None
) -> list[Json]:
    """The parts of a section of a summary; `begun` and `end` are the metadata of its frame."""

    def part(kind: str, about: Json, **fields: str) -> Json:
        known = {"type": f"reasoning-{kind}", "id": f"rs_1:{index}", **fields}
        bare = kind == "end" and not about
        return known if bare else {**known, **openai(itemId="rs_1", **about)}

    parts = [part("start", begun), *(part("delta", {}, delta=each) for each in deltas)]
    return parts if end is None else [*parts, part("end", end)]


@pytest.mark.parametrize(
    ("store", "ends_at", "last"),
    [(True, [3, 6], {}), (False, [4, 7], SEALED), (None, [4, 7], SEALED)],
)
def test_the_parts_of_a_summary_end_where_store_puts_it(
    store: bool | None, ends_at: list[int], last: Json
) -> None:
    expected = [*thoughts(0, "One", end={}), *thoughts(1, "Two", end=last)]
    assert parts_of(*TWO_SECTIONS, begun=machine(store)) == expected
    begun = machine(store)
    emitted = [[part["type"] for part in begun.event(each)] for each in TWO_SECTIONS]
    assert [n for n, types in enumerate(emitted) if "reasoning-end" in types] == ends_at


# Tools


def escaped(value: str) -> str:
    return json.dumps(value)[1:-1]


CODE_OPENING = '{"containerId":"cntr_1","code":"'
CODE_INPUT = f'{CODE_OPENING}{escaped(CODE)}"}}'
CODE_START = [input_start("ci_1", "code_interpreter", **HOSTED), input_delta("ci_1", CODE_OPENING)]
CODE_END = [
    *(input_delta("ci_1", '"}'), input_end("ci_1")),
    call("ci_1", "code_interpreter", CODE_INPUT, "ci_1", **HOSTED),
]
LOGS = [{"type": "logs", "logs": "π\n"}]


def code(value: str, kind: str = "delta") -> Json:
    place = of_item(f"code_interpreter_call_code.{kind}", "ci_1")
    return {**place, "delta" if kind == "delta" else "code": value}


def diff(value: str, kind: str = "delta") -> Json:
    place = of_item(f"apply_patch_call_operation_diff.{kind}", "apc_1")
    return {**place, "delta" if kind == "delta" else "diff": value}


def patch_parts(type_: str, *deltas: str, calls: bool = True) -> list[Json]:
    opening = f'{{"operation":{{"type":"{type_}","path":"src/\\u00e4 b.py","diff":"'
    made = call("call_p", "apply_patch", f'{opening}{"".join(deltas)}"}}}}', "apc_1")
    return [
        input_start("call_p", "apply_patch"),
        *(input_delta("call_p", each) for each in (opening, *deltas, '"}}')),
        *(input_end("call_p"), *([made] if calls else [])),
    ]


NEW_PATCH = patch_item(status="in_progress", diff="")


def image(value: str | None, **fields: Any) -> Json:
    return result("ig_1", "image_generation", {"result": value}, **fields)


def partial_image(value: str) -> Json:
    place = of_item("image_generation_call.partial_image", "ig_1", partial_image_index=0)
    return {**place, "partial_image_b64": value}


SHELL_INPUT = '{"action":{"commands":["ls","pwd"],"maxOutputLength":80}}'
SHELL_RESULT = {
    "output": [
        {"stdout": "a\n", "stderr": "", "outcome": {"type": "exit", "exitCode": 0}},
        {"stdout": "", "stderr": "late", "outcome": {"type": "timeout"}},
    ]
}
LOCAL_SHELL_INPUT = (
    '{"action":{"type":"exec","command":["ls","-a"],"env":{"LANG":"C"},"timeoutMs":9,"user":"me",'
    '"workingDirectory":"/"}}'
)
COMPUTER_INPUT = '{"actions":[{"type":"type","text":"cd \\"\\u00e4\\""}],"pendingSafetyChecks":[]}'
COMPUTER_WITHOUT_CALL = {name: value for name, value in COMPUTER.items() if name != "call_id"}
PAGES = [{"type": "url", "url": "https://example.org"}]
SEARCH: Json = {"type": "search", "query": "dusk", "queries": ["dusk"], "sources": PAGES}


def web_item(status: str = "completed", **action: Any) -> Json:
    return item("web_search_call", "ws_1", status, action=action or {"type": "search"})


def web_parts(value: Json, **fields: Any) -> list[Json]:
    return [
        *(input_start("ws_1", "web_search", **HOSTED), input_end("ws_1")),
        call("ws_1", "web_search", "{}", "ws_1", **HOSTED),
        result("ws_1", "web_search", value, **fields),
    ]


def file_item(results: Any) -> Json:
    return item("file_search_call", "fs_1", queries=["a"], results=results)


def file_parts(results: Any) -> list[Json]:
    return [
        call("fs_1", "file_search", "{}", "fs_1", **HOSTED),
        result("fs_1", "file_search", {"queries": ["a"], "results": results}),
    ]


FOUND = {"attributes": {}, "file_id": "file_1", "filename": "a.md", "score": 0.5, "text": "A"}
FILE = {"attributes": {}, "fileId": "file_1", "filename": "a.md", "score": 0.5, "text": "A"}


def custom_input(value: str, kind: str = "delta") -> Json:
    place = of_item(f"custom_tool_call_input.{kind}", "ctc_1")
    return {**place, "delta" if kind == "delta" else "input": value}


def custom_parts(*deltas: str, calls: bool = True) -> list[Json]:
    made = call("call_q", "run_sql", json.dumps("".join(deltas)), "ctc_1")
    return [
        input_start("call_q", "run_sql", inputEncoding="text"),
        *(input_delta("call_q", each) for each in deltas),
        *([input_end("call_q"), made] if calls else []),
    ]


def arguments(delta: str) -> Json:
    return of_item("function_call_arguments.delta", "fc_1", delta=delta)


def function_parts(*deltas: str, made: str = "") -> list[Json]:
    return [
        input_start("call_1", "search"),
        *(input_delta("call_1", each) for each in deltas),
        *([input_end("call_1"), call("call_1", "search", made, "fc_1")] if made else []),
    ]


def mcp_call(id_: str, **about: str) -> Json:
    known = {"toolCallId": id_, "toolName": "mcp.shorten", "input": '{"url":"x"}'}
    part = {"type": "tool-call", **known, **HOSTED, "dynamic": True}
    return {**part, **openai(**about)} if about else part


def mcp_result(id_: str, **end: Any) -> Json:
    return result(id_, "mcp.shorten", end)


ASKED = [
    mcp_call("call_mcpr_1", itemId="mcpr_1", serverLabel="zip"),
    {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": "call_mcpr_1"},
]
SHORT = {"output": "https://z.example"}

ROWS: dict[str, tuple[list[Json], list[Json]]] = {
    # Texts
    "a text without a start": (
        [text("Hi"), done(message(text="Hi!"))],
        text_parts("Hi", "!", id_="message"),
    ),
    "a commentary": (
        [added(message(phase="commentary")), text("Hm"), done(message(phase="commentary"))],
        text_parts("Hm", phase="commentary"),
    ),
    "a compaction": (
        [done({"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"})],
        [{"type": "custom", "kind": "openai.compaction", **openai(encryptedContent="gAAA")}],
    ),
    # Reasoning
    "reasoning without the ends of its parts": (
        [
            *(added(reasoning_item()), section("text.delta", 0, delta="One")),
            *(section("part.added", 1), section("text.delta", 1, delta="Two")),
            done(reasoning_item()),
        ],
        [
            *(*thoughts(0, "One"), *thoughts(1, "Two")),
            *(thoughts(0, end=UNSEALED)[-1], thoughts(1, end=UNSEALED)[-1]),
        ],
    ),
    "raw reasoning": (
        [
            *(added(reasoning_item()), of_item("reasoning_text.delta", "rs_1", delta="Hm")),
            done(reasoning_item()),
        ],
        thoughts(0, "Hm", end=UNSEALED),
    ),
    # Calls for the host
    "a new file whose diff is only in the finished item": (
        [
            added(patch_item("create_file", "in_progress", diff="")),
            done(patch_item("create_file", diff=DIFF)),
        ],
        patch_parts("create_file", escaped(DIFF)),
    ),
    "a local shell": (
        [added({**LOCAL_SHELL, "status": "in_progress"}), done(LOCAL_SHELL)],
        [call("call_l", "local_shell", LOCAL_SHELL_INPUT, "lsh_1")],
    ),
    "a computer of the host": (
        [added({**COMPUTER, "status": "in_progress"}), done(COMPUTER)],
        [
            *(input_start("call_c", "computer"), input_end("call_c")),
            call("call_c", "computer", COMPUTER_INPUT, "cu_1"),
        ],
    ),
    "a computer without a call id": (
        [added(COMPUTER_WITHOUT_CALL), done(COMPUTER_WITHOUT_CALL)],
        [],
    ),
    "a search for tools by the host": (
        [done({**QUESTION, "execution": "client", "call_id": "call_t"})],
        [
            *(input_start("call_t", "tool_search"), input_end("call_t")),
            call("call_t", "tool_search", '{"arguments":{"q":"x"}}', "ts_1"),
        ],
    ),
    # Hosted tools
    "code that is only in the finished item, and failed": (
        [done(code_item(code=CODE, outputs=LOGS, status="failed"))],
        [
            *(*CODE_START, input_delta("ci_1", escaped(CODE) + '"}'), *CODE_END[1:]),
            result("ci_1", "code_interpreter", {"outputs": LOGS}, isError=True),
        ],
    ),
    "a shell in a container, with its output": (
        [done({**SHELL, "environment": CONTAINER}), added(SHELL_OUTPUT, 1), done(SHELL_OUTPUT, 1)],
        [
            call("call_s", "shell", SHELL_INPUT, "sh_1", **HOSTED),
            result("call_s", "shell", SHELL_RESULT),
        ],
    ),
    "a program and its result": (
        [added(PROGRAM), done(PROGRAM), added(PROGRAM_OUTPUT, 1), done(PROGRAM_OUTPUT, 1)],
        [
            call(
                *("call_g", "program"),
                *('{"code":"await f(\\"ä\\")\\n"}', "cm_1"),
                **HOSTED,
            ),
            result("call_g", "program", {"result": "1\n"}),
        ],
    ),
    "a web search": (
        [added(web_item("in_progress")), done(web_item(**SEARCH))],
        web_parts({"action": {"query": "dusk", "sources": PAGES}}),
    ),
    "a page that is searched": (
        [done(web_item(type="find_in_page", url="https://example.org", pattern="x"))],
        web_parts({"action": {"url": "https://example.org", "pattern": "x"}}),
    ),
    "a page that is not opened": (
        [done(web_item("failed", type="open_page", url="https://example.org"))],
        web_parts({"action": {"url": "https://example.org"}}, isError=True),
    ),
    "a file search": ([added(file_item(None)), done(file_item([FOUND]))], file_parts([FILE])),
    "a file search without its results": ([done(file_item(None))], file_parts(None)),
    "a remote call that was approved here": (
        [added(REQUEST), done(REQUEST), done({**MCP, "approval_request_id": "mcpr_1"}, 1)],
        [*ASKED, mcp_result("call_mcpr_1", **SHORT)],
    ),
    "a remote call whose request nobody knows": (
        [done({**MCP, "approval_request_id": "mcpr_9"})],
        [mcp_call("mcp_1"), mcp_result("mcp_1", **SHORT)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "expected"), ROWS.values(), ids=ROWS)
def test_events_of_an_item_become_its_parts_once(events: list[Json], expected: list[Json]) -> None:
    assert parts_of(*events) == expected
    final = [each["item"] for each in events if each["type"] == "response.output_item.done"]
    assert play([*events, completed(*final)])[0][:-1] == play([*events, completed()])[0][:-1]


@pytest.mark.parametrize(
    ("begin", "grow", "end", "path"),
    [
        (added(code_item()), code, done(code_item(code=CODE)), ["code"]),
        (added(NEW_PATCH), diff, done(patch_item(diff=CODE)), ["operation", "diff"]),
    ],
    ids=["code", "diff"],
)
def test_deltas_join_to_the_input_if_each_is_half_a_character(
    begin: Json, grow: Any, end: Json, path: list[str]
) -> None:
    units = memoryview(CODE.encode("utf-16-le")).cast("H")
    parts = parts_of(begin, *(grow(chr(unit)) for unit in units), end)
    joined = "".join(part["delta"] for part in parts if part["type"] == "tool-input-delta")
    assert [joined] == [part["input"] for part in parts if part["type"] == "tool-call"]
    value = json.loads(joined)
    for name in path:
        value = value[name]
    assert value == CODE


def test_a_call_that_was_approved_in_an_earlier_answer_has_the_id_of_that_answer() -> None:
    said = [{"role": "assistant", "content": parts_of(done(REQUEST))}]
    approved = {**MCP, "approval_request_id": "mcpr_1"}
    parts = parts_of(done(approved), begun=machine(messages=said))
    assert parts == [mcp_call("call_mcpr_1"), mcp_result("call_mcpr_1", **SHORT)]


# The response


def test_a_stream_begins_with_its_metadata_and_finishes_with_its_usage() -> None:
    parts, ending = play([created(), created(), completed(usage=USAGE)])
    assert parts == [
        {"type": "stream-start", "warnings": []},
        {"type": "response-metadata", "id": "resp_1"},
        {
            "type": "finish",
            "finishReason": {"unified": "stop"},
            "usage": {
                "inputTokens": {"total": 11, "cacheRead": 4},
                "outputTokens": {"total": 22, "reasoning": 5},
            },
        },
    ]
    assert ending == {"type": "done", "outcome": "completed"}


def cut(reason: str) -> Json:
    response = {"status": "incomplete", "incomplete_details": {"reason": reason}}
    return event("incomplete", response=response)


REASONS: dict[str, tuple[list[Json], Json]] = {
    "length": ([cut("max_output_tokens")], {"unified": "length"}),
    "a filter": ([cut("content_filter")], {"unified": "content-filter"}),
    "another reason": ([cut("steered")], {"unified": "other"}),
    "broken off": ([created(), text("Hi")], {"unified": "interrupted"}),
    **{
        f"hosted: {each['type']}": ([done(each), completed()], {"unified": "stop"})
        for each in (code_item(code=CODE), MCP, REQUEST, {**SHELL, "environment": CONTAINER})
    },
    **{
        f"the host's: {each['type']}": ([done(each), completed()], {"unified": "tool-calls"})
        for each in (
            *(function("{}"), custom(SQL), patch_item("delete_file"), LOCAL_SHELL, SHELL, COMPUTER),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize(("events", "reason"), REASONS.values(), ids=REASONS)
def test_the_reason_of_the_finish_is_that_of_the_response(events: list[Json], reason: Json) -> None:
    parts, ending = play(events)
    assert parts[-1]["finishReason"] == reason
    assert parts[-1]["usage"] == {"inputTokens": {}, "outputTokens": {}}
    failed = reason["unified"] == "interrupted"
    assert (ending["outcome"], "error" in ending) == ("failed" if failed else "completed", failed)
    assert "error" not in [part["type"] for part in parts]


FLAT = {"type": "error", "code": "server_error", "message": "Busy", "sequence_number": 3}
BUSY = {"code": "server_error", "message": "Busy"}
FAILED = event("failed", response={"status": "failed", "error": BUSY})
FAILURES: dict[str, list[Json]] = {
    "failed": [FAILED],
    "a flat error": [FLAT],
    "a nested error": [{"type": "error", "error": BUSY}],
    "an error, then failed": [FLAT, FAILED],
    "failed, then completed": [FAILED, completed()],
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_is_one_error_before_the_finish(failure: list[Json]) -> None:
    parts, ending = play([created(), added(message()), text("Hi"), *failure])
    assert parts[-2:] == [
        {"type": "error", "error": BUSY},
        {
            "type": "finish",
            "finishReason": {"unified": "error"},
            "usage": {"inputTokens": {}, "outputTokens": {}},
        },
    ]
    assert [part["type"] for part in parts].count("error") == 1
    assert ending["outcome"] == "failed"


def test_a_failure_that_is_not_an_event_has_parts_if_the_stream_has_begun() -> None:
    begun = machine()
    begun.event(created())
    begun.fail("decode", "an event is not JSON: {")
    error, finish = begun.close()
    assert error == {"type": "error", "error": {"message": "an event is not JSON: {"}}
    assert finish["finishReason"] == {"unified": "error"}
    begun = machine()
    begun.fail("http", "HTTP 500")
    assert begun.close() == []
    assert begun.end()["error"] == {"kind": "http", "message": "HTTP 500"}
