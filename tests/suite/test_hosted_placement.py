"""Each part of OpenAI's own tools is beside the event that sent the last of its content."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, End, Request, SentEvent, Transcript
from conformance.expectation.match import Match
from conformance.expectation.projection import Expected, ExpectedCall
from conformance.report import summary, timeline
from conformance.report.outline import rows_of_scenario
from conformance.rules.turns import turns_of
from conformance.vocabularies import VOCABULARIES
from tests.suite.test_placement import places, rows_of
from tests.suite.test_timeline import event, transcript

Json = dict[str, Any]
Sent = tuple[str, Json]


def _item(end: str, type_: str, id_: str, n: int = 0, **fields: Any) -> Sent:
    return f"output_item.{end}", {"output_index": n, "item": {"type": type_, "id": id_, **fields}}


def _of_item(type_: str, id_: str, n: int = 0, **fields: Any) -> Sent:
    return type_, {"output_index": n, "item_id": id_, **fields}


COMPLETED: Sent = ("completed", {"response": {"status": "completed", "output": []}})


def sent(*events: Sent) -> tuple[SentEvent, ...]:
    """The events, each 10 ms after the one before it."""
    made = (event(n, type_, **fields) for n, (type_, fields) in enumerate((*events, COMPLETED)))
    return tuple(replace(each, at=each.n / 100) for each in made)


def begun(id_: str, name: str, **fields: Any) -> Json:
    return {"type": "tool-input-start", "id": id_, "toolName": name, **fields}


def delta(id_: str, said: str) -> Json:
    return {"type": "tool-input-delta", "id": id_, "delta": said}


def ended(id_: str) -> Json:
    return {"type": "tool-input-end", "id": id_}


def called(id_: str, name: str, input_: str = "{}", *, by_host: bool = False) -> Json:
    known = {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_}
    return known if by_host else {**known, "providerExecuted": True}


def gave(id_: str, name: str, result: Any, **fields: Any) -> Json:
    known = {"type": "tool-result", "toolCallId": id_, "toolName": name}
    return {**known, "result": result, **fields}


TEXT: Json = {"type": "text-start", "id": "msg_1"}
FINISH: Json = {"type": "finish", "finishReason": "stop", "usage": {}}
THEN = _item("added", "message", "msg_1", 9, content=[])


# 0 added, 1 and 2 deltas, 3 done, 4 interpreting, 5 item done, 6 message, 7 completed
CODE = sent(
    _item("added", "code_interpreter_call", "ci_1", code="", container_id="cntr_1"),
    _of_item("code_interpreter_call_code.delta", "ci_1", delta='print("'),
    _of_item("code_interpreter_call_code.delta", "ci_1", delta='é\n")'),
    _of_item("code_interpreter_call_code.done", "ci_1", code='print("é\n")'),
    _of_item("code_interpreter_call.interpreting", "ci_1"),
    _item(
        "done",
        "code_interpreter_call",
        "ci_1",
        code='print("é\n")',
        container_id="cntr_1",
        outputs=[{"type": "logs", "logs": "é\n"}],
    ),
    THEN,
)
CODE_INPUT = '{"containerId":"cntr_1","code":"print(\\"é\\n\\")"}'
CODE_CALL = called("ci_1", "code_interpreter", CODE_INPUT)
CODE_RESULT = gave("ci_1", "code_interpreter", {"outputs": [{"type": "logs", "logs": "é\n"}]})
CODE_START = begun("ci_1", "code_interpreter", providerExecuted=True)
CODE_HEAD = delta("ci_1", '{"containerId":"cntr_1","code":"')
CODE_PARTS = (
    *(CODE_START, CODE_HEAD, delta("ci_1", 'print(\\"'), delta("ci_1", 'é\\n\\")')),
    *(delta("ci_1", '"}'), ended("ci_1"), CODE_CALL, CODE_RESULT, TEXT, FINISH),
)

# 0 added, 1 and 2 deltas, 3 done, 4 item done, 5 completed
PATCH_ITEM: Json = {"call_id": "call_1", "operation": {"type": "update_file", "path": "a.md"}}
PATCHED: Json = {**PATCH_ITEM, "operation": {**PATCH_ITEM["operation"], "diff": "@@\n-a\n+é\n"}}
PATCH = sent(
    _item("added", "apply_patch_call", "apc_1", **PATCH_ITEM),
    _of_item("apply_patch_call_operation_diff.delta", "apc_1", delta="@@\n-a"),
    _of_item("apply_patch_call_operation_diff.delta", "apc_1", delta="\n+é\n"),
    _of_item("apply_patch_call_operation_diff.done", "apc_1", diff="@@\n-a\n+é\n"),
    _item("done", "apply_patch_call", "apc_1", **PATCHED),
)
PATCH_HEAD = '{"callId":"call_1","operation":{"type":"update_file","path":"a.md","diff":"'
PATCH_INPUT = PATCH_HEAD + '@@\\n-a\\n+é\\n"}}'
PATCH_CALL = called("call_1", "apply_patch", PATCH_INPUT, by_host=True)
PATCH_START = begun("call_1", "apply_patch")

# 0 added, 1 and 2 previews, 3 item done, 4 message, 5 completed
IMAGE = sent(
    _item("added", "image_generation_call", "ig_1"),
    _of_item("image_generation_call.partial_image", "ig_1", partial_image_b64="AAAA"),
    _of_item("image_generation_call.partial_image", "ig_1", partial_image_b64="BBBB"),
    _item("done", "image_generation_call", "ig_1", result="CCCC"),
    THEN,
)
DRAWN = "image_generation"
IMAGES = [gave("ig_1", DRAWN, {"result": each}) for each in ("AAAA", "BBBB", "CCCC")]
PRELIMINARY = [{**each, "preliminary": True} for each in IMAGES[:2]]

# 0 call added, 1 and 2 command, 3 call done, 4 output added, 5 and 6 content, 7 output done, 8, 9
RUN: Json = {
    "call_id": "call_2",
    "action": {"commands": ["ls /data"]},
    "environment": {"type": "container_reference", "container_id": "cntr_1"},
}
LISTED: Json = {"stdout": "a.csv\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
SHELL = sent(
    _item("added", "shell_call", "sh_1", **{**RUN, "action": {"commands": []}}),
    _of_item("shell_call_command.delta", "sh_1", command_index=0, delta="ls /data"),
    _of_item("shell_call_command.done", "sh_1", command_index=0, command="ls /data"),
    _item("done", "shell_call", "sh_1", **RUN),
    _item("added", "shell_call_output", "sho_1", 1, call_id="call_2", output=[]),
    _of_item("shell_call_output_content.delta", "sho_1", 1, delta={"stdout": "a.csv\n"}),
    _of_item("shell_call_output_content.done", "sho_1", 1, output=[LISTED]),
    _item("done", "shell_call_output", "sho_1", 1, call_id="call_2", output=[LISTED]),
    THEN,
)

# 0 added, 1 searching, 2 item done, 3 message, 4 completed
QUERY: Json = {"type": "search", "query": "news"}
WEB = sent(
    _item("added", "web_search_call", "ws_1"),
    _of_item("web_search_call.searching", "ws_1"),
    _item("done", "web_search_call", "ws_1", action=QUERY),
    THEN,
)
FOUND: Json = {"file_id": "file_1", "filename": "a.md", "text": "Total: 3"}
FILES = sent(
    _item("added", "file_search_call", "fs_1", queries=[], results=None),
    _of_item("file_search_call.searching", "fs_1"),
    _item("done", "file_search_call", "fs_1", queries=["total"], results=[FOUND]),
    THEN,
)

# 0 request added, 1 request done, 2 call added, 3 delta, 4 done, 5 call done, 6 message
ASKED: Json = {"name": "shorten", "server_label": "zip", "arguments": '{"url":"a"}'}
MADE: Json = {**ASKED, "approval_request_id": "mcpr_1", "output": "https://zip.example/1"}
ASKING = (
    _item("added", "mcp_approval_request", "mcpr_1", **{**ASKED, "arguments": ""}),
    _item("done", "mcp_approval_request", "mcpr_1", **ASKED),
)
MAKING = (
    _item("added", "mcp_call", "mcp_1", 1, **{**MADE, "arguments": "", "output": None}),
    _of_item("mcp_call_arguments.delta", "mcp_1", 1, delta='{"url":"a"}'),
    _of_item("mcp_call_arguments.done", "mcp_1", 1, arguments='{"url":"a"}'),
    _item("done", "mcp_call", "mcp_1", 1, **MADE),
    THEN,
)
MCP_CALL = called("own", "mcp.shorten", '{"url":"a"}')
ASKS: Json = {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": "own"}
MCP_RESULT = gave("own", "mcp.shorten", {"type": "call", "output": "https://zip.example/1"})

# 0 added, 1 compacting, 2 done, 3 message, 4 completed
COMPACTED = sent(
    _item("added", "compaction", "cmp_1"),
    _of_item("compaction.compacting", "cmp_1"),
    _item("done", "compaction", "cmp_1", encrypted_content="b3BhcXVl"),
    THEN,
)
ENCRYPTED: Json = {"type": "compaction", "itemId": "cmp_1", "encryptedContent": "b3BhcXVl"}
CUSTOM: Json = {"type": "custom", "kind": "openai.compaction", "providerMetadata": ENCRYPTED}

# 0 added, 1 and 2 deltas, of which the first ends within a character, 3 done, 4 item done
HALVES = sent(
    _item("added", "code_interpreter_call", "ci_1", code="", container_id="cntr_1"),
    _of_item("code_interpreter_call_code.delta", "ci_1", delta="x='\ud83d"),
    _of_item("code_interpreter_call_code.delta", "ci_1", delta="\ude80'"),
    _of_item("code_interpreter_call_code.done", "ci_1", code="x='🚀'"),
    _item("done", "code_interpreter_call", "ci_1", code="x='🚀'", outputs=None),
)

EFFECT = tuple(
    {"type": "tool-params-" + part["type"].rpartition("-")[2], **{k: part[k] for k in names}}
    for part, names in (
        ({**CODE_START, "name": "Code"}, ("id", "name")),
        *((each, ("id", "delta")) for each in CODE_PARTS[1:5]),
        (ended("ci_1"), ("id",)),
    )
)

Parts = tuple[Json, ...]
ROWS: list[tuple[str, tuple[SentEvent, ...], Parts, list[int]]] = [
    ("code, its JSON around the deltas", CODE, CODE_PARTS, [0, 0, 1, 2, 2, 3, 3, 5, 6, 7]),
    ("the same with the names of Effect", CODE, (*EFFECT, TEXT), [0, 0, 1, 2, 2, 3, 6]),
    ("code in one delta", CODE, (CODE_START, delta("ci_1", CODE_INPUT), CODE_CALL), [0, 2, 3]),
    ("code in its call alone", CODE, (CODE_CALL, CODE_RESULT, TEXT), [3, 5, 6]),
    ("code of which a delta was lost", CODE, (*CODE_PARTS[:2], *CODE_PARTS[3:5]), [0, 0, 2, 2]),
    (
        "halves of a character that are escaped",
        HALVES,
        (CODE_START, CODE_HEAD, delta("ci_1", "x='\\ud83d"), delta("ci_1", "\\ude80'")),
        [0, 0, 1, 2],
    ),
    (
        "a patch, whose call is complete with its item",
        PATCH,
        (
            *(PATCH_START, delta("call_1", PATCH_HEAD), delta("call_1", "@@\\n-a")),
            *(delta("call_1", "\\n+é\\n"), delta("call_1", '"}}'), ended("call_1"), PATCH_CALL),
        ),
        [0, 0, 1, 2, 2, 3, 4],
    ),
    (
        "an image with its previews",
        IMAGE,
        (called("ig_1", DRAWN), *PRELIMINARY, IMAGES[2], TEXT),
        [0, 1, 2, 3, 4],
    ),
    (
        "previews that are not marked, and of which one was lost",
        IMAGE,
        (called("ig_1", DRAWN), *IMAGES[1:], TEXT),
        [0, 2, 3, 4],
    ),
    (
        "a shell, whose output is an item of its own",
        SHELL,
        (
            called("call_2", "shell", '{"action":{"commands":["ls /data"]}}'),
            gave("call_2", "shell", {"output": [{"stdout": "a.csv\n", "stderr": ""}]}),
            TEXT,
        ),
        [3, 7, 8],
    ),
    (
        "a search of the web",
        WEB,
        (
            *(begun("ws_1", "web_search"), ended("ws_1"), called("ws_1", "web_search")),
            *(gave("ws_1", "web_search", {"action": QUERY}), TEXT),
        ),
        [0, 1, 1, 2, 3],
    ),
    (
        "a search of files",
        FILES,
        (
            called("fs_1", "file_search"),
            gave("fs_1", "file_search", {"results": [{"fileId": "file_1", "text": "Total: 3"}]}),
            TEXT,
        ),
        [0, 2, 3],
    ),
    (
        "a call that is approved in the same response",
        sent(*ASKING, *MAKING),
        (MCP_CALL, ASKS, MCP_RESULT, TEXT),
        [1, 1, 5, 6],
    ),
    ("a compacted conversation", COMPACTED, (CUSTOM, TEXT), [2, 3]),
]


@pytest.mark.parametrize(("name", "upstream", "parts", "right"), ROWS, ids=[r[0] for r in ROWS])
def test_a_part_of_a_tool_is_at_the_event_with_the_last_of_its_content(
    name: str, upstream: tuple[SentEvent, ...], parts: Parts, right: list[int]
) -> None:
    run = transcript(*parts, sent=upstream, vocabulary="stream")
    assert places(rows_of(run, None)) == right, name


def test_the_parts_of_an_approved_call_are_at_its_events_under_the_id_of_the_turn_before() -> None:
    asked = transcript(MCP_CALL, ASKS, FINISH, sent=sent(*ASKING), vocabulary="stream")
    made = transcript(MCP_CALL, MCP_RESULT, TEXT, sent=sent(*MAKING), vocabulary="stream")
    for last in ((), (transcript(TEXT, sent=WEB, vocabulary="stream", turn=2),)):
        turns = (asked, replace(made, turn=1), *last)
        rows = timeline.of_run(turns_of(replace(turns[-1], before=turns[:-1]), Traits()))
        shown = [row for row in rows if not row.asked]
        assert places(shown)[:6] == [1, 1, 2, 2, 3, 4]


def test_in_a_full_stream_previews_and_approvals_are_at_their_events() -> None:
    image = ({**each, "output": each["result"]} for each in IMAGES)
    called_: Json = {"type": "tool-call", "toolCallId": "ig_1", "toolName": DRAWN, "input": {}}
    run = transcript(called_, *image, TEXT, sent=IMAGE, vocabulary="fullstream")
    assert places(rows_of(run, None)) == [0, 1, 2, 3, 4]
    call = {"type": "tool-call", "toolCallId": "own", "toolName": "mcp.shorten", "input": {}}
    asks = {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCall": call}
    run = transcript(call, asks, sent=sent(*ASKING), vocabulary="fullstream")
    assert places(rows_of(run, None)) == [1, 1]


@pytest.mark.parametrize("vocabulary", ["vscode", "stream"])
def test_a_call_that_the_host_runs_is_at_the_event_that_ends_its_item(vocabulary: str) -> None:
    call = {"type": "toolCall", "callId": "call_1", "name": "patch", "input": {"diff": "é"}}
    part = PATCH_CALL if vocabulary == "stream" else call
    assert places(rows_of(transcript(part, sent=PATCH, vocabulary=vocabulary), None)) == [4]
    calls = (ExpectedCall("call_1", "", {}, 0, 0, raw="é"),)
    due = Expected(Match(), Match(), calls, "completed", ("completed",))
    rows = rows_of_scenario(PATCH, "openresponses", due, VOCABULARIES[vocabulary], Traits())
    (at,) = [row for row in rows if any("call_1" in line for line in row.right)]
    assert at.event == 4
    assert "(any name)" in at.right[0]


TOOL_PARTS = st.sampled_from(
    [*CODE_PARTS, gave("ci_1", "code_interpreter", "?"), delta("ci_1", "?"), delta("ci_1", "")]
)
TIMES = st.lists(st.floats(-0.02, 0.2), max_size=8).map(sorted)


@st.composite
def runs(draw: st.DrawFn) -> Transcript:
    parts = tuple(Emitted(n, at, draw(TOOL_PARTS)) for n, at in enumerate(draw(TIMES)))
    request = Request(0, -0.01, "POST", "/v1/responses", 200, 0, events=CODE)
    ends = (End(1.0, "completed"),)
    run = transcript(sent=CODE, vocabulary="stream", ends=ends)
    return replace(run, requests=(request,), parts=parts)


@given(runs())
def test_every_part_of_a_tool_is_shown_once_in_order_and_not_after_it_came(run: Transcript) -> None:
    rows = rows_of(run, None)
    shown = [line for row in rows for line in row.right if not line.startswith("⏹")]
    assert shown == [summary.of_part(emitted.part) for emitted in run.parts]
    for emitted, place in zip(run.parts, places(rows), strict=True):
        if isinstance(place, int):
            assert CODE[place].at <= emitted.at or emitted.at == run.requests[0].at
