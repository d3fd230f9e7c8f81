"""Each wrong part about a tool of the upstream is one finding; an adapter may ignore all tools."""

from dataclasses import replace
from typing import Any

import pytest

from conformance.findings.words import message_of
from conformance.rules.judge import judge_case
from tests.rows import row
from tests.rules.broken.framing import in_a_step
from tests.rules.hosted_parts import (
    CODE,
    DIFF,
    EMITS,
    MAY_IGNORE,
    Change,
    Json,
    Parts,
    case_of,
    changed,
    correct,
    findings,
    matches,
    replaced,
    sends,
    transcript,
    without,
    without_field,
)

PAGE = {"block": "t", "url": "https://example.org/water", "title": "Water"}
FOUND = {
    "file_id": "file_1",
    "filename": "a.pdf",
    "score": 0.5,
    "text": "Steam.",
    "attributes": {"year": 2026},
}
TOOLS: list[Any] = [
    {"code_interpreter": {"id": "ci_1", "code": CODE, "outputs": [{"logs": "é\n"}]}, "in": 9},
    {"code_interpreter": {"id": "ci_2", "code": "1", "container": "cntr_1"}},
    {"image_generation": {"id": "ig_1", "partials": ["QUE=", "QkI="], "result": "Q0M="}},
    {
        "mcp_call": {
            "id": "mcp_1",
            "server": "zip",
            "name": "cut",
            "input": {"u": 1},
            "output": "ü1",
        }
    },
    {
        "mcp_call": {
            "id": "mcp_2",
            "server": "zip",
            "name": "cut",
            "input": {},
            "error": {"type": "http_error", "code": 500, "message": "It broke."},
        }
    },
    {"web_search": {"id": "ws_1", "query": "water boils"}},
    {"file_search": {"id": "fs_1", "queries": ["steam"], "results": [FOUND]}},
    {"apply_patch": {"id": "call_p", "update": "src/ä.py", "diff": DIFF}, "in": 7},
    {"local_shell": {"id": "call_l", "command": ["ls", "-a"]}},
    {"shell": {"id": "call_s", "commands": ["ls"], "container": "c", "outputs": [{"stdout": "a"}]}},
    {"program": {"id": "call_g", "code": "await f()", "fingerprint": "f", "result": "done: 1"}},
    {"tool_search": {"input": {"goal": "weather"}, "tools": []}},
    {"custom_call": {"id": "call_c", "name": "sql", "input": "SELECT 'é'\n"}, "in": 3},
    {"compaction": {"encrypted": "Y29tcGFjdA=="}},
]
CASE = case_of(TOOLS)
CORRECT = correct(CASE)
MUST, SHOULD = "must", "should"


def first_result(value: Any) -> Change:
    """Give the first result of the image, a preview, another value."""

    def change(parts: Parts) -> Parts:
        at = next(n for n, part in enumerate(parts) if matches(part, "tool-result", "ig_1"))
        return [*parts[:at], {**parts[at], "result": {"result": value}}, *parts[at + 1 :]]

    return change


def previews_swapped(parts: Parts) -> Parts:
    swapped = replaced("QUE=", "???", "tool-result")(parts)
    swapped = replaced("QkI=", "QUE=", "tool-result")(swapped)
    return replaced("???", "QkI=", "tool-result")(swapped)


def in_one_piece(id_: str) -> Change:
    """Join the deltas of an input, after all of them have come."""

    def change(parts: Parts) -> Parts:
        deltas = [part for part in parts if matches(part, "tool-input-delta", id_)]
        whole = {**deltas[-1], "delta": "".join(part["delta"] for part in deltas)}
        kept = [part for part in parts if part not in deltas[:-1]]
        return [whole if part is deltas[-1] else part for part in kept]

    return change


def without_previews(parts: Parts) -> Parts:
    return [part for part in parts if not part.get("preliminary")]


BROKEN: dict[str, tuple[Change, str, str]] = {
    "code that the host would run": (without_field("tool-call", "ci_1", "providerExecuted"),
        "hosted-executor", MUST),
    "a patch that nobody applies": (changed("tool-call", "call_p", providerExecuted=True),
        "hosted-executor", MUST),
    "a result that denies its call": (changed("tool-result", "ig_1", providerExecuted=False),
        "hosted-executor", MUST),
    "code that loses its quotes": (replaced('print(\\"', "print(", "tool-call"),
        "hosted-input", MUST),
    "a patch that loses its escapes": (replaced("'\\\\t'", "'\\t'", "tool-call"),
        "hosted-input", MUST),
    "a patch of another file": (replaced("src/\\u00e4.py", "src/a.py", "tool-call"),
        "hosted-input", MUST),
    "arguments that are lost": (changed("tool-call", "mcp_1", input="{}"), "hosted-input", MUST),
    "a command without its option": (replaced('"-a"', '"-l"', "tool-call"), "hosted-input", MUST),
    "deltas with another container": (replaced("cntr_1", "cntr_9", "tool-input-delta"),
        "input-agrees", MUST),
    "outputs that are lost": (changed("tool-result", "ci_1", result={"outputs": []}),
        "hosted-result", MUST),
    "outputs that nobody sent": (changed("tool-result",
        "ci_2", result={"outputs": [{"type": "logs", "logs": "1 + 1"}]}), "hosted-result", MUST),
    "outputs that are empty and not null": (changed("tool-result", "ci_2", result={"outputs": []}),
        "hosted-result", SHOULD),
    "the output of a remote tool that is lost": (changed("tool-result",
        "mcp_1", result={"type": "call", "name": "cut"}), "hosted-result", MUST),
    "an error that is lost": (changed("tool-result",
        "mcp_2", result={"type": "call", "name": "cut"}), "hosted-result", MUST),
    "a result that is an error without a failure": (changed("tool-result", "mcp_1", isError=True),
        "hosted-result", MUST),
    "a result of another tool": (changed("tool-result", "ci_1", toolName="python"),
        "hosted-result", MUST),
    "a query that is lost": (changed("tool-result", "ws_1", result={}), "hosted-result", MUST),
    "an exit code that is lost": (changed("tool-result", "call_s",
        result={"output": [{"stdout": "a", "stderr": "", "outcome": {"type": "exit"}}]}),
        "hosted-result", MUST),
    "attributes of a file that are lost": (changed("tool-result", "fs_1", result={
        "queries": ["steam"], "results": [{**FOUND, "attributes": {}}]}), "hosted-result", MUST),
    "a text that was found and is lost": (changed("tool-result",
        "fs_1", result={"queries": ["steam"], "results": []}), "hosted-result", MUST),
    "an image that is a preview": (replaced("Q0M=", "QkI=", "tool-result"), "hosted-result", MUST),
    "a preview that nobody sent": (first_result("WFg="), "image-previews", MUST),
    "previews in another order": (previews_swapped, "image-previews", MUST),
    "previews that are lost": (without_previews, "image-previews", MUST),
    "a call without its result": (without(("tool-result", "ci_1")), "hosted-emitted", MUST),
    "a patch that is announced only": (without(("tool-call", "call_p")), "hosted-emitted", MUST),
    "a search that is lost": (without(("tool-call", "ws_1"), ("tool-result", "ws_1"),
        ("tool-input-start", "ws_1"), ("tool-input-end", "ws_1")), "hosted-emitted", MUST),
    "code that comes in one piece": (in_one_piece("ci_1"), "hosted-emitted", SHOULD),
    "a custom tool's text that comes in one piece": (in_one_piece("call_c"),
        "hosted-emitted", SHOULD),
    "a compacted conversation that is lost": (
        lambda parts: [part for part in parts if part["type"] != "custom"], "hosted-emitted", MUST),
    "a compacted conversation that is changed": (replaced("Y29tcGFjdA==", "Y29tcGE=", "custom"),
        "hosted-emitted", MUST),
    "code that comes with its call only": (without(("tool-input-start", "ci_1"),
        ("tool-input-delta", "ci_1"), ("tool-input-end", "ci_1")), "hosted-emitted", SHOULD),
}  # fmt: skip


def test_the_parts_of_all_tools_break_no_rule() -> None:
    assert findings(CASE, transcript(CASE, CORRECT)) == []


def test_a_wrong_part_is_one_finding() -> None:
    for name, (change, rule, level) in BROKEN.items():
        with row(name):
            parts = change(CORRECT)
            assert parts != CORRECT
            assert findings(CASE, transcript(CASE, parts)) == [(rule, level)]


IN_FULL_STREAM = {
    name: BROKEN[name]
    for name in (
        "code that the host would run",
        "a patch that loses its escapes",
        "outputs that are lost",
        "a call without its result",
    )
}


def in_steps(parts: Parts) -> Parts:
    """The parts as the core of the AI SDK passes them on, with the results under their name."""
    stepped = (each for part in parts for each in in_a_step(part))
    return [
        {n: v for n, v in part.items() if n != "result" or part["type"] != "tool-result"}
        for part in stepped
    ]


def test_a_full_stream_is_judged_by_the_same_rules() -> None:
    for name, (change, rule, level) in IN_FULL_STREAM.items():
        with row(name):
            assert findings(CASE, transcript(CASE, in_steps(CORRECT), "fullstream")) == []
            broken = in_steps(change(CORRECT))
            assert findings(CASE, transcript(CASE, broken, "fullstream")) == [(rule, level)]


def ignoring(parts: Parts) -> Parts:
    kept = [part for part in parts if not part["type"].startswith(("tool-", "custom"))]
    return [
        {**p, "finishReason": {"unified": "stop"}} if p["type"] == "finish" else p for p in kept
    ]


def test_an_adapter_that_ignores_all_tools_is_right_unless_it_says_that_it_emits_them() -> None:
    ignored = transcript(CASE, ignoring(CORRECT))
    assert findings(CASE, ignored, MAY_IGNORE) == []
    assert set(findings(CASE, ignored, EMITS)) == {("hosted-emitted", MUST)}


OTHER_LIBRARIES: dict[str, Change] = {
    "an output that is parsed": changed(
        "tool-result", "mcp_1", result={"type": "mcp_call", "output": ["ü1"]}
    ),
    "a failure without a flag, whose error is told": without_field(
        "tool-result", "mcp_2", "isError"
    ),
    "results under the names of the wire": changed(
        "tool-result",
        "fs_1",
        result={"status": "completed", "queries": ["steam"], "results": [FOUND]},
    ),
    "previews that are left out": without_previews,
    "a query that the call has": lambda parts: changed("tool-result", "ws_1", result={})(
        changed("tool-call", "ws_1", input='{"action":{"query":"water boils"}}')(parts)
    ),
}


def test_what_libraries_do_differently_is_right() -> None:
    for name, change in OTHER_LIBRARIES.items():
        with row(name):
            assert findings(CASE, transcript(CASE, change(CORRECT)), MAY_IGNORE) == []


# Computers: the first ones had no call id, and hosts could not answer.


@pytest.mark.parametrize(
    ("call_id", "executed", "expected"),
    [
        ("call_k", False, []),
        ("call_k", True, [("hosted-executor", SHOULD)]),
        ("", True, []),
        ("", False, [("hosted-executor", SHOULD)]),
    ],
)
def test_a_computer_is_the_hosts_if_its_call_can_be_answered(
    call_id: str, executed: bool, expected: list[tuple[str, str]]
) -> None:
    item = {"type": "computer_call", "id": "cu_1", "call_id": call_id, "action": {"type": "wait"}}
    case = sends(
        {"response.created": {}},
        {"response.in_progress": {}},
        {"response.output_item.added": {"item": item}},
        {"response.output_item.done": {"output_index": 0}},
        {"response.completed": {}},
        expect=[],
    )
    called = {"toolCallId": call_id or "cu_1", "toolName": "computer", "input": "{}"}
    marked = {"providerExecuted": True} if executed else {}
    parts = [{"type": "tool-call", **called, **marked}, FINISH]
    found = findings(case, transcript(case, parts), MAY_IGNORE)
    assert [each for each in found if each[0].startswith("hosted-executor")] == expected


# Approvals, over two turns.

ASKED: list[Any] = [
    {"mcp_approval_request": {"id": "mcpr_1", "server": "zip", "name": "cut", "input": {"u": 1}}}
]
APPROVED: list[Any] = [
    {
        "mcp_call": {
            "id": "mcp_1", "server": "zip", "name": "cut", "input": {"u": 1}, "output": "done",
            "approval": "mcpr_1",
        }
    },
    {"text": "Cut."},
]  # fmt: skip


def approvals() -> tuple[Any, Parts]:
    case = case_of(ASKED)
    return case, correct(case)


WRONG_APPROVALS: dict[str, tuple[Change, str]] = {
    "an id of the adapter's own": (
        replaced("mcpr_1", "ask_1", "tool-approval-request"),
        "approval-id",
    ),
    "a plain call": (
        lambda parts: [p for p in parts if p["type"] != "tool-approval-request"],
        "hosted-emitted",
    ),
    "a request that is lost": (ignoring, "hosted-emitted"),
    "a call for the host": (
        lambda parts: [
            {n: v for n, v in part.items() if n != "providerExecuted"} for part in parts
        ],
        "hosted-executor",
    ),
}


def test_a_wrong_request_for_approval_is_one_finding() -> None:
    for name, (change, rule) in WRONG_APPROVALS.items():
        with row(name):
            case, parts = approvals()
            assert findings(case, transcript(case, parts)) == []
            assert findings(case, transcript(case, change(parts))) == [(rule, MUST)]


FINISH: Json = {"type": "finish", "finishReason": {"unified": "stop"}, "usage": {}}


def approved(id_: str) -> Parts:
    """The parts of an approved call with this id."""
    known: Json = {"toolCallId": id_, "toolName": "mcp.cut"}
    return [
        {
            "type": "tool-call",
            **known,
            "input": '{"u":1}',
            "providerExecuted": True,
            "dynamic": True,
        },
        {"type": "tool-result", **known, "result": {"type": "call", "output": "done"}},
        {"type": "text-start", "id": "msg_2"},
        {"type": "text-delta", "id": "msg_2", "delta": "Cut."},
        {"type": "text-end", "id": "msg_2"},
        FINISH,
    ]


@pytest.mark.parametrize(
    ("id_", "expected"), [("call_shown", []), ("mcp_1", [("approval-id", MUST)])]
)
def test_an_approved_call_keeps_its_first_id(id_: str, expected: list[tuple[str, str]]) -> None:
    case = case_of(ASKED, APPROVED)
    shown = replaced("call_mcpr_1", "call_shown", "tool-call", "tool-approval-request")
    first = transcript(case, shown(correct(case)))
    begun = correct(case, 1)[:2]
    second = transcript(case, [*begun, *approved(id_)], before=(first,))
    assert findings(case, second) == expected


SEARCHED = case_of(
    [
        {"web_search": {"id": "ws_1", "query": "water", "sources": ["https://example.org/a"]}},
        {"file_search": {"id": "fs_1", "queries": ["steam"], "results": [FOUND]}},
        {"text": "It boils."},
    ]
)
A_PAGE = {"type": "source", "sourceType": "url", "id": "1", "url": "https://example.org/a"}
A_FILE = {
    "type": "source",
    "sourceType": "document",
    "id": "2",
    "mediaType": "application/pdf",
    "title": "a.pdf",
    "filename": "a.pdf",
    "providerMetadata": {"openai": {"fileId": "file_1"}},
}


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ([], []),
        ([A_PAGE, A_FILE], []),
        ([A_PAGE | {"url": "https://example.org/other"}], [("citation-routed", MUST)]),
        ([A_PAGE, A_FILE | {"providerMetadata": {}}], [("citation-routed", MUST)]),
    ],
    ids=["none", "those found", "another page", "a file without its id"],
)
def test_search_results_may_come_as_citations(sources: Parts, found: list[tuple[str, str]]) -> None:
    parts = correct(SEARCHED)
    assert findings(SEARCHED, transcript(SEARCHED, [*parts[:-1], *sources, parts[-1]])) == found


APPROVED_AT_ONCE = case_of(
    [
        {"mcp_approval_request": {"id": "mcpr_1", "server": "zip", "name": "cut", "input": {}}},
        {
            "mcp_call": {
                "id": "mcp_1", "server": "zip", "name": "cut", "input": {}, "approval": "mcpr_1",
                "output": "short",
            }
        },
    ]
)  # fmt: skip


def test_a_call_may_come_again_once_it_is_approved() -> None:
    parts = correct(APPROVED_AT_ONCE)
    made = next(part for part in parts if part["type"] == "tool-call")
    at = next(n for n, part in enumerate(parts) if part["type"] == "tool-result")
    again = [*parts[:at], made, *parts[at:]]
    assert findings(APPROVED_AT_ONCE, transcript(APPROVED_AT_ONCE, again)) == []
    other = correct(CASE)
    twice = next(part for part in other if matches(part, "tool-call", "ci_1"))
    assert findings(CASE, transcript(CASE, [*other[:-1], twice, other[-1]])) == [
        ("block-framing", MUST)
    ]


def test_a_call_that_may_be_emitted_is_accused_of_its_id_if_it_has_that_of_its_item() -> None:
    case = case_of([{"shell": {"id": "call_ls", "commands": ["ls"]}}])
    stopped = replaced("tool-calls", "stop", "finish")(correct(case))
    of = transcript(case, replaced("call_ls", "sh_00", "tool-call")(stopped))
    (request,) = of.requests
    events = [replace(each, ignorable="shell" in str(each.data)) for each in request.events]
    of = replace(of, requests=(replace(request, events=tuple(events)),))
    assert [message_of(each) for each in judge_case(case, of, MAY_IGNORE)] == [
        "the call 'sh_00' has the item's id, not the call's: 'call_ls'"
    ]


def test_a_partial_image_in_place_of_a_failure_is_not_said_to_be_invented() -> None:
    preview = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1Pe"
    failed = {"id": "ig_no", "partials": [preview], "failed": True}
    case = case_of([{"image_generation": failed}, {"text": "No."}])
    parts = [
        {name: value for name, value in part.items() if name != "preliminary"}
        for part in correct(case)
        if part["type"] != "tool-result" or part.get("preliminary")
    ]
    (found,) = (each for each in judge_case(case, transcript(case, parts), MAY_IGNORE))
    assert message_of(found).startswith("the result of 'ig_no' (image_generation) has 'iVBOR")
    assert message_of(found).endswith("which is a partial image, not its result")
