"""The tools of OpenAI in a script: the items that are sent, and what adapters make of them."""

import json
from typing import Any

import pytest

from conformance.dialects.contracts import contract
from conformance.dialects.recording import recorded_turn
from conformance.expectation.hosted import ApprovalRequest, HostedCall, HostedResult
from conformance.expectation.turn_content import expected_contents
from conformance.findings.finding import Finding
from conformance.rules.streams import judge_stream
from conformance.suite.offered_tools import tools_of
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.foundation.faults import ScenarioError
from mockserver.scenario.model import Scenario
from mockserver.wire.slots import fill_json

Json = dict[str, Any]
SAMPLE = OPENRESPONSES.sample()


def scenario(*steps: Any, **fields: Any) -> Scenario:
    value = {"title": "Mine", "profile": "openai", "turns": [{"says": list(steps)}], **fields}
    return load(json.dumps(value, ensure_ascii=False).encode(), "mine.yaml", "openresponses/mine")


def sent(*steps: Any) -> list[Json]:
    """The events between the beginning and the end of the response."""
    found = render(Case(scenario(*steps), "openresponses"), 0).plan.sent
    return [fill_json(each.data, SAMPLE) for each in found if each.kind == "event"][2:-1]


def names(events: list[Json]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


def judged(*steps: Any) -> list[Finding]:
    dump = recorded_turn(Case(scenario(*steps), "openresponses"), 0)
    allowed = contract("openai", "openresponses")
    return judge_stream(dump.events, dump.framing, "openresponses", allowed)


CODE = 'print("é\\n")\n'
PATCH = {"id": "call_p", "update": "a.py", "diff": "@@\n-'\\'\n+\"😀\"\n"}
MCP: Json = {"server": "zip", "name": "shorten", "input": {"url": "u"}}
HTTP_ERROR = {"type": "http_error", "code": 500, "message": "no"}
ARGUMENTS = '{"url":"u"}'
ACTIONS = [{"type": "type", "text": "ls"}]
OUTPUTS = [{"stdout": "a\n"}, {"stderr": "b", "exit": 2}, {"exit": "timeout"}]
FOUND = {"file_id": "file_1", "filename": "a.pdf", "score": 0.5, "text": "t", "attributes": {}}
FUNCTION = {"type": "function", "name": "f", "parameters": {}, "strict": True}

# Each step, the fields of its finished item, and the events between its beginning and its end.
SENT: dict[str, tuple[Json, Json, str]] = {
    "code": ({"code_interpreter": {"id": "ci_1", "code": CODE, "outputs": [{"logs": "é\n"}]},
        "in": 2}, {"id": "ci_1", "code": CODE, "outputs": [{"type": "logs", "logs": "é\n"}]},
        "call.in_progress call_code.delta call_code.delta call_code.done call.interpreting "
        "call.completed"),
    "code whose outputs were not requested": (
        {"code_interpreter": {"code": CODE, "container": "cntr_1", "streamed": False}},
        {"code": CODE, "outputs": None, "container_id": "cntr_1", "status": "completed"},
        "call.in_progress call.interpreting call.completed"),
    "code that fails": (
        {"code_interpreter": {"code": "", "outputs": [{"image": "u"}], "failed": True}},
        {"code": "", "outputs": [{"type": "image", "url": "u"}], "status": "failed"},
        "call.in_progress call_code.done call.interpreting"),
    "a patch": ({"apply_patch": PATCH, "in": 2},
        {"operation": {"type": "update_file", "path": "a.py", "diff": PATCH["diff"]}},
        "call_operation_diff.delta call_operation_diff.delta call_operation_diff.done"),
    "a new file without deltas": (
        {"apply_patch": {"id": "call_p", "create": "a", "diff": "+a", "streamed": False}},
        {"call_id": "call_p", "operation": {"type": "create_file", "path": "a", "diff": "+a"}}, ""),
    "a file that is deleted": ({"apply_patch": {"id": "call_p", "delete": "a"}},
        {"operation": {"type": "delete_file", "path": "a"}}, ""),
    "an image": (
        {"image_generation": {"partials": ["QQ==", "Qg=="], "result": "Qw==", "format": "webp"}},
        {"result": "Qw==", "output_format": "webp", "status": "completed"},
        "call.in_progress call.generating call.partial_image call.partial_image call.completed"),
    "an image that fails": ({"image_generation": {"failed": True}},
        {"result": None, "status": "failed"}, "call.in_progress call.generating"),
    "a command": ({"local_shell": {"id": "call_l", "command": ["ls", "-a"], "timeout_ms": 9}},
        {"action": {"type": "exec", "command": ["ls", "-a"], "env": {}, "timeout_ms": 9}}, ""),
    "commands of the host": ({"shell": {"id": "call_s", "commands": ["ls"], "timeout_ms": 9}},
        {"action": {"commands": ["ls"], "max_output_length": None, "timeout_ms": 9}},
        "call_command.added call_command.delta call_command.done"),
    "a computer": ({"computer": {"id": "call_c", "actions": ACTIONS}},
        {"call_id": "call_c", "actions": ACTIONS, "pending_safety_checks": []}, ""),
    "a call of MCP": ({"mcp_call": {**MCP, "output": "z", "approval": "mcpr_1"}, "in": 2},
        {"arguments": ARGUMENTS, "output": "z", "error": None, "approval_request_id": "mcpr_1"},
        "call.in_progress call_arguments.delta call_arguments.delta call_arguments.done "
        "call.completed"),
    "a failed call of MCP": ({"mcp_call": {**MCP, "streamed": False, "error": HTTP_ERROR}},
        {"arguments": ARGUMENTS, "error": HTTP_ERROR, "status": "failed"},
        "call.in_progress call.failed"),
    "a list of MCP": (
        {"mcp_list_tools": {"server": "zip", "tools": [{"name": "f", "input_schema": {}}]}},
        {"server_label": "zip", "tools": [{"name": "f", "input_schema": {}}]},
        "tools.in_progress tools.completed"),
    "a failed list of MCP": ({"mcp_list_tools": {"server": "zip", "error": "no"}},
        {"tools": [], "error": "no"}, "tools.in_progress tools.failed"),
    "a request for approval": ({"mcp_approval_request": {"id": "mcpr_1", **MCP}},
        {"id": "mcpr_1", "server_label": "zip", "name": "shorten", "arguments": ARGUMENTS}, ""),
    "a search of the web": ({"web_search": {"query": "q", "sources": ["u"]}},
        {"action": {"type": "search", "query": "q", "sources": [{"type": "url", "url": "u"}]}},
        "call.in_progress call.searching call.completed"),
    "a page of the web": ({"web_search": {"open": "u"}},
        {"action": {"type": "open_page", "url": "u"}},
        "call.in_progress call.searching call.completed"),
    "a search in a page": ({"web_search": {"find": "p", "url": "u", "failed": True}},
        {"action": {"type": "find_in_page", "pattern": "p", "url": "u"}, "status": "failed"},
        "call.in_progress call.searching"),
    "a search of files": ({"file_search": {"queries": ["q"], "results": [FOUND]}},
        {"queries": ["q"], "results": [FOUND]}, "call.in_progress call.searching call.completed"),
    "a search of tools by the host": ({"tool_search": {"id": "call_t", "input": {"goal": "g"}}},
        {"call_id": "call_t", "execution": "client", "arguments": {"goal": "g"}}, ""),
    "a custom tool": ({"custom_call": {"id": "call_x", "name": "sql", "input": "select"}, "in": 2},
        {"call_id": "call_x", "name": "sql", "input": "select"},
        "call_input.delta call_input.delta call_input.done"),
    "a program that goes on": ({"program": {"id": "call_g", "code": "1", "fingerprint": "Zg=="}},
        {"call_id": "call_g", "code": "1", "fingerprint": "Zg=="}, ""),
    "a compaction": ({"compaction": {"id": "cmp_1", "encrypted": "b3Bh"}},
        {"id": "cmp_1", "encrypted_content": "b3Bh"}, "compaction.compacting"),
}  # fmt: skip


@pytest.mark.parametrize(("step", "fields", "between"), SENT.values(), ids=SENT)
def test_a_step_is_an_item_from_start_to_end(step: Json, fields: Json, between: str) -> None:
    first, *inner, last = sent(step)
    stem = first["item"]["type"].rpartition("_")[0]
    assert names([first, last]) == ["output_item.added", "output_item.done"]
    assert last["item"] | fields == last["item"]
    assert [name.removeprefix(f"{stem}_") for name in names(inner)] == between.split()
    assert judged(step, {"text": "Done."}) == []


def test_a_container_runs_the_commands_and_its_output_is_an_item_of_its_own() -> None:
    shell = {"id": "call_s", "commands": ["a", "b", "c"], "container": "cntr_1", "outputs": OUTPUTS}
    events = sent({"shell": shell}, {"text": "Done."})
    call, output, _ = [event["item"] for event in events if event["type"].endswith("item.done")]
    assert call["environment"] == {"type": "container_reference", "container_id": "cntr_1"}
    assert output["call_id"] == "call_s"
    assert [each["outcome"] for each in output["output"]] == [
        {"type": "exit", "exit_code": 0},
        {"type": "exit", "exit_code": 2},
        {"type": "timeout"},
    ]
    assert [each["stdout"] + each["stderr"] for each in output["output"]] == ["a\n", "b", ""]
    assert [event["output_index"] for event in events if "item" in event] == [0, 0, 1, 1, 2, 2]
    assert judged({"shell": shell}) == []


@pytest.mark.parametrize(
    ("step", "types"),
    [
        (
            {"tool_search": {"input": {"paths": ["f"]}, "tools": [FUNCTION]}},
            ["tool_search_call", "tool_search_output"],
        ),
        ({"program": {"id": "call_g", "code": "1", "result": "2"}}, ["program", "program_output"]),
    ],
)
def test_what_the_upstream_runs_itself_precedes_its_output(step: Json, types: list[str]) -> None:
    events = sent(step)
    done = [event["item"] for event in events if event["type"].endswith("item.done")]
    assert [item["type"] for item in done] == types
    assert done[0]["call_id"] == done[1]["call_id"]
    assert judged(step) == []


def test_speech_belongs_to_no_item() -> None:
    events = sent({"audio": {"data": "UklG", "transcript": "Hi there"}, "in": 2})
    assert names(events) == [
        *["audio.transcript.delta"] * 2,
        "audio.delta",
        "audio.transcript.done",
        "audio.done",
    ]
    assert "".join(event.get("delta", "") for event in events) == "Hi thereUklG"
    assert not any("output_index" in event for event in events)


def test_a_text_has_its_phase_and_reasoning_begins_with_other_encrypted_content() -> None:
    events = sent(
        {"reasoning": {"text": "Hm", "encrypted": "ZW5k", "announced": "YmVn"}},
        {"text": "Wait.", "phase": "commentary"},
        {"start": {"text": "t", "phase": "final_answer"}},
        {"end": "t"},
    )
    items = [event["item"] for event in events if "item" in event]
    assert [item.get("encrypted_content") for item in items[:2]] == ["YmVn", "ZW5k"]
    assert [item["phase"] for item in items[2:]] == [*["commentary"] * 2, *["final_answer"] * 2]


PASSED_ON: list[tuple[Json, tuple[str, str, str]]] = [
    ({"apply_patch": PATCH}, ("call_p", "", PATCH["diff"])),
    ({"apply_patch": {"id": "call_p", "delete": "a"}}, ("call_p", "", "a")),
    ({"local_shell": {"id": "call_l", "command": ["ls"]}}, ("call_l", "", "ls")),
    ({"shell": {"id": "call_s", "commands": ["ls"]}}, ("call_s", "", "ls")),
    ({"computer": {"id": "call_c", "actions": ACTIONS}}, ("call_c", "", "ls")),
    ({"computer": {"id": "call_c", "actions": [{"type": "wait"}]}}, ("call_c", "", "wait")),
    ({"tool_search": {"id": "call_t", "input": {"goal": "g"}}}, ("call_t", "", "g")),
    ({"custom_call": {"id": "call_x", "name": "sql", "input": "s"}}, ("call_x", "sql", "s")),
]


@pytest.mark.parametrize(("step", "call"), PASSED_ON)
def test_an_adapter_passes_on_a_call_that_the_host_must_run_or_ignores_it(
    step: Json, call: tuple[str, str, str]
) -> None:
    known, ignored = expected_contents(scenario(step))
    assert [(each.id, each.name, each.raw) for each in known.calls] == [call]
    assert (ignored.calls, known.reason, ignored.reason) == ((), "", "")


@pytest.mark.parametrize("name", [n for n in SENT if "host" not in n and "command" not in n])
def test_a_call_that_the_upstream_ran_is_no_call_for_the_host(name: str) -> None:
    step = SENT[name][0]
    if not any(step.keys() & each.keys() for each, _ in PASSED_ON):
        contents = expected_contents(scenario(step))
        assert [content.calls for content in contents] == [()] * len(contents)
        assert {content.reason for content in contents} == {"stop"}


def test_an_adapter_emits_the_finished_image_or_ignores_it() -> None:
    image = {"partials": ["QQ=="], "result": "Qw==", "format": "svg"}
    known, ignored = expected_contents(scenario({"image_generation": image}))
    assert [(each.mime_type, each.data) for each in known.data] == [("image/svg+xml", "Qw==")]
    assert ignored.data == ()
    assert ignored.sendable == frozenset(known.data)


CONTENT: list[tuple[Json, Any]] = [
    (SENT["code"][0], HostedCall("code_interpreter",
        "ci_1", {"code": CODE}, text=CODE, result=HostedResult([{"logs": "é\n"}]))),
    (SENT["code that fails"][0], HostedCall("code_interpreter",
        "", {"code": ""}, result=HostedResult([{"image": "u"}], failed=True))),
    (SENT["a patch"][0], HostedCall("apply_patch",
        "call_p", {"operation": {"type": "update_file", "path": "a.py", "diff": PATCH["diff"]}},
        text=PATCH["diff"], by_host=True)),
    (SENT["a call of MCP"][0], HostedCall("mcp",
        "", {"url": "u"}, "shorten", ARGUMENTS, result=HostedResult("z"), approval="mcpr_1")),
    (SENT["a request for approval"][0], ApprovalRequest("mcpr_1", "zip", "shorten", {"url": "u"})),
    (SENT["an image"][0], HostedCall("image_generation",
        "", {}, result=HostedResult("Qw=="), previews=("QQ==", "Qg=="))),
]  # fmt: skip


@pytest.mark.parametrize(("step", "hosted"), CONTENT)
def test_calls_results_approvals_and_images_are_content_with_their_place(
    step: Json, hosted: Any
) -> None:
    content = expected_contents(scenario({"text": "abc"}, step))[0]
    assert content.hosted == ((hosted, {"text": 3}),)


def test_the_tools_that_a_script_uses_are_offered() -> None:
    steps = ("a patch", "a call of MCP", "a custom tool", "a search of tools by the host")
    offered = tools_of(scenario(*(SENT[step][0] for step in steps)))
    assert [(tool["name"], tool["type"]) for tool in offered] == [
        ("apply_patch", "apply_patch"),
        ("zip", "mcp"),
        ("sql", "custom"),
        ("tool_search", "tool_search"),
    ]


@pytest.mark.parametrize("dialect", ["chat", "vercel-gateway", "vercel-fullstream", "vercel-ui"])
@pytest.mark.parametrize(
    ("step", "why"),
    [(SENT["a patch"][0], "tool"), ({"text": "a", "phase": "commentary"}, "has no phases")],
)
def test_only_openresponses_has_tools_and_phases(dialect: str, step: Json, why: str) -> None:
    with pytest.raises(ScenarioError, match=why):
        scenario(step, dialects=[dialect], profile="openai", conduct="deviation")


def _patched(then: Json, *turns: Json) -> Scenario:
    first = {"says": [{"apply_patch": PATCH}], "then": then}
    return scenario(turns=[first, *turns, {"says": [{"text": "Patched."}]}])


def test_the_result_of_a_call_for_the_host_may_go_back_in_the_next_turn() -> None:
    then = _patched({"tool_results": {"call_p": "done"}}).turns[0].then
    assert then is not None
    assert dict(then.tool_results) == {"call_p": "done"}
    assert _patched({"user": "Go on."})
    with pytest.raises(ScenarioError, match="has the id 'call_q'"):
        _patched({"tool_results": {"call_q": "done"}})
    again = {"says": [{"apply_patch": PATCH}], "then": {"user": "Go on."}}
    with pytest.raises(ScenarioError, match="the call id 'call_p' is in an earlier turn"):
        _patched({"user": "Go on."}, again)
