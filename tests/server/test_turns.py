"""The turn that answers is chosen by the conversation in the request."""

from typing import Any

import pytest

from mockserver.cases.load import load
from mockserver.dialects import DIALECTS, Inbound
from mockserver.dialects.conversation import (
    ApprovalRequest,
    ApprovalResponse,
    Entry,
    Message,
    Reasoning,
    StoredItem,
    ToolCall,
    ToolResult,
)
from mockserver.server.answers import Refused
from mockserver.server.choice import find_turn

TURNS = load(
    b"""
title: Two tools, then a question
turns:
  - says: [{call: {id: a, name: f, input: {}}}, {call: {id: b, name: g, input: {}}}]
    then: {tool_results: {a: one, b: two}}
  - says: [{text: Both are there}]
    then: {user: And now?}
  - says: [{text: Nothing more}]
""",
    "mine.yaml",
    "any/mine",
).turns

ASKED = Message("user", "Go")
CALLS = (ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}"))
RESULTS = (ToolResult("b", "two"), ToolResult("a", "one"))
REPLY = Message("assistant", "Both are there")
AGAIN = Message("user", "And now?")

BEGUN: tuple[Entry, ...] = (ASKED,)
ANSWERED: tuple[Entry, ...] = (ASKED, *CALLS, *RESULTS)
COMPLETE: tuple[Entry, ...] = (*ANSWERED, REPLY, AGAIN)


def inbound(conversation: tuple[Entry, ...], previous: str = "") -> Inbound:
    """A request with this conversation that refers to the response ``previous``."""
    return Inbound((), stream=True, model="mock", conversation=conversation, previous=previous)


def no_turn(_id: str) -> int | None:
    """A lookup of response ids that finds none."""

    return None


@pytest.mark.parametrize(
    ("conversation", "turn"),
    [
        pytest.param((), 0, id="no messages"),
        pytest.param(BEGUN, 0, id="a user has asked"),
        pytest.param((Message("system", "Be kind"), ASKED), 0, id="a system text is no turn"),
        pytest.param((AGAIN,), 0, id="a later message of the host comes first"),
        pytest.param(ANSWERED, 1, id="the results are there"),
        pytest.param((ASKED, CALLS[0], RESULTS[1], CALLS[1], RESULTS[0]), 1, id="pair by pair"),
        pytest.param((ASKED, Reasoning("hm", "x"), *CALLS, *RESULTS), 1, id="reasoning between"),
        pytest.param((*RESULTS,), 1, id="results alone"),
        pytest.param(COMPLETE, 2, id="the second question"),
        pytest.param(
            (*ANSWERED, REPLY, Message("user", "Otherwise?")), 2, id="the model has spoken"
        ),
        pytest.param((*ANSWERED, StoredItem("msg_1"), AGAIN), 2, id="a reference to its message"),
        pytest.param((ASKED, REPLY, Message("user", "Hm")), 1, id="another reply"),
        pytest.param(
            (ASKED, REPLY, Message("user", "1"), REPLY, Message("user", "2")),
            2,
            id="two other replies",
        ),
    ],
)
def test_the_turn_is_chosen_by_the_conversation(conversation: tuple[Entry, ...], turn: int) -> None:
    assert find_turn(TURNS, inbound(conversation), no_turn)[0] == turn


def test_the_result_of_one_call_of_two_does_not_answer_the_turn() -> None:
    # Turn 1 is chosen all the same, because the model has replied once.
    turn, why = find_turn(TURNS, inbound((ASKED, *CALLS, RESULTS[0])), no_turn)
    assert (turn, why) == (1, "turn 1: the model has spoken 1 time")


def test_a_request_with_previous_response_id_continues_after_that_turn() -> None:
    known = {"resp_1": 1}.get
    assert find_turn(TURNS, inbound((AGAIN,), "resp_1"), known)[0] == 2
    assert find_turn(TURNS, inbound(BEGUN, "resp_9"), known)[0] == 0


@pytest.mark.parametrize(
    ("conversation", "previous"),
    [
        ((*COMPLETE, Message("assistant", "Nothing more"), Message("user", "Oh")), ""),
        ((), "resp_2"),
    ],
)
def test_a_request_after_the_last_turn_is_refused(
    conversation: tuple[Entry, ...], previous: str
) -> None:
    with pytest.raises(Refused, match="the scenario has 3 turns"):
        find_turn(TURNS, inbound(conversation, previous), {"resp_2": 2}.get)


APPROVALS = load(
    b"""
title: Two approvals, one after the other
conduct: deviation
dialects: [openresponses]
turns:
  - sends:
      - response.output_item.added: {item: {type: mcp_approval_request, id: mcpr_1}}
      - response.output_item.added: {item: {type: mcp_approval_request, id: mcpr_2}}
    expect: {parts: [], outcome: failed}
    then: {approve: true}
  - sends:
      - response.output_item.added: {item: {type: mcp_approval_request, id: mcpr_3}}
    expect: {parts: [], outcome: failed}
    then: {approve: false}
  - says: [{text: Done}]
""",
    "mine.yaml",
    "any/mine",
).turns


def _answers(*ids: int) -> tuple[Entry, ...]:
    return tuple(ApprovalResponse(f"mcpr_{n}", approve=True) for n in ids)


@pytest.mark.parametrize(
    ("conversation", "turn"),
    [
        pytest.param((ASKED, *_answers(1, 2)), 1, id="the answers alone"),
        pytest.param((ASKED, *_answers(1)), 0, id="one of two answers"),
        pytest.param((ASKED, ApprovalRequest("mcpr_1"), *_answers(1)), 1, id="a request is spoken"),
        pytest.param((ASKED, *_answers(1, 2, 3)), 2, id="all answers"),
        pytest.param((*_answers(3),), 2, id="the last answer alone"),
    ],
)
def test_the_turn_is_chosen_by_the_approvals(conversation: tuple[Entry, ...], turn: int) -> None:
    assert find_turn(APPROVALS, inbound(conversation), no_turn)[0] == turn


HOSTED: list[tuple[dict[str, Any], Entry]] = [
    (
        {"type": "apply_patch_call", "id": "apc_1", "call_id": "a", "operation": {"path": "x"}},
        ToolCall("a", "apply_patch", "", "apply_patch", {"operation": {"path": "x"}}),
    ),
    (
        {"type": "custom_tool_call", "call_id": "a", "name": "sql", "input": "select 1"},
        ToolCall("a", "sql", "select 1", "custom", {"name": "sql", "input": "select 1"}),
    ),
    (
        {"type": "custom_tool_call_output", "call_id": "a", "output": "1"},
        ToolResult("a", "1", type="custom", fields={"output": "1"}),
    ),
    (
        {"type": "apply_patch_call_output", "id": "o", "call_id": "a", "status": "failed"},
        ToolResult("a", None, type="apply_patch", fields={"status": "failed"}),
    ),
    (
        {"type": "local_shell_call_output", "id": "a", "output": "x"},
        ToolResult("a", "x", type="local_shell", fields={"output": "x"}),
    ),
    (
        {"type": "tool_search_output", "call_id": "a", "tools": []},
        ToolResult("a", None, type="tool_search", fields={"tools": []}),
    ),
    (
        {
            "type": "mcp_approval_request",
            "id": "mcpr_1",
            "name": "f",
            "arguments": "{}",
            "server_label": "m",
        },
        ApprovalRequest("mcpr_1"),
    ),
    (
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": False},
        ApprovalResponse("mcpr_1", approve=False),
    ),
    (
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": "no"},
        ApprovalResponse("mcpr_1", approve=None),
    ),
]


@pytest.mark.parametrize(("item", "entry"), HOSTED, ids=[item["type"] for item, _ in HOSTED])
def test_items_of_hosted_tools_are_read(item: dict[str, Any], entry: Entry) -> None:
    body = {"input": [item], "previous_response_id": "resp_1"}
    assert DIALECTS["openresponses"].requests.read(body, {}).conversation == (entry,)


def test_the_only_turn_answers_any_conversation() -> None:
    assert find_turn(TURNS[:1], inbound((*COMPLETE, REPLY)), no_turn) == (
        0,
        "turn 0 is its only one",
    )


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": [{"type": "text", "text": "G"}, {"type": "text", "text": "o"}]},
    {
        "role": "assistant",
        "content": None,
        "reasoning_text": "hm",
        "reasoning_opaque": "x",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "one"},
    {"role": "assistant", "content": "Done"},
]
ITEMS: list[dict[str, Any]] = [
    {"role": "system", "content": "S"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]},
    {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "x",
    },
    {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "one"},
    {"role": "assistant", "content": "Done"},
]


@pytest.mark.parametrize(
    ("dialect", "body"),
    [("chat", {"messages": CHAT}), ("openresponses", {"input": ITEMS})],
    ids=["chat", "openresponses"],
)
def test_a_request_is_the_same_conversation_in_every_dialect(
    dialect: str, body: dict[str, Any]
) -> None:
    read = DIALECTS[dialect].requests.read({"model": "mock", **body}, {})
    assert read.problems == ()
    assert read.conversation == (
        Message("system", "S"),
        Message("user", "Go"),
        Reasoning("hm", "x"),
        ToolCall("a", "f", "{}"),
        ToolResult("a", "one"),
        Message("assistant", "Done"),
    )


def test_the_instructions_of_a_request_are_a_system_message() -> None:
    body = {"model": "mock", "instructions": "S", "input": "Go"}
    read = DIALECTS["openresponses"].requests.read(body, {})
    assert read.conversation == (Message("system", "S"), Message("user", "Go"))


def without(listed: list[dict[str, Any]], **fields: str) -> list[dict[str, Any]]:
    """The messages without those that have all these fields."""
    return [m for m in listed if any(m.get(name) != value for name, value in fields.items())]


@pytest.mark.parametrize(
    ("dialect", "body", "message"),
    [
        ("chat", {"messages": without(CHAT, role="tool")}, "no result came for a"),
        ("chat", {"messages": [*CHAT[:2], CHAT[3]]}, "no call has the id 'a'"),
        ("chat", {"messages": [*CHAT[:4], CHAT[3]]}, "no call has the id 'a'"),
        (
            "openresponses",
            {"input": without(ITEMS, type="function_call_output")},
            "no tool output found for function call 'a'",
        ),
        (
            "openresponses",
            {"input": without(ITEMS, type="function_call")},
            "no tool call found for function call output with call_id 'a'",
        ),
    ],
)
def test_calls_and_results_that_do_not_pair_are_refused_as_a_real_upstream_refuses_them(
    dialect: str, body: dict[str, Any], message: str
) -> None:
    (problem,) = DIALECTS[dialect].requests.read({"model": "mock", **body}, {}).problems
    assert message in problem


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        # The spelling of the Copilot Chat annex, which sends a result without its call.
        ("chat", {"messages": [CHAT[1], {"role": "tool", "toolCallId": "a", "content": "one"}]}),
        ("openresponses", {"input": ITEMS[4:], "previous_response_id": "resp_1"}),
        ("openresponses", {"input": [{"type": "item_reference", "id": "fc_1"}, ITEMS[4]]}),
        ("openresponses", {"input": ITEMS[:4]}),
        ("chat", {"messages": CHAT[:3]}),
    ],
)
def test_a_result_of_a_stored_call_is_accepted(dialect: str, body: dict[str, Any]) -> None:
    assert DIALECTS[dialect].requests.read({"model": "mock", **body}, {}).problems == ()
