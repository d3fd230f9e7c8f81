"""The items that are read from the events of a response are those that its script says."""

from typing import Any

import pytest

from conformance.contract.transcript import SentEvent
from conformance.dialects.openresponses.items import read_items
from conformance.dialects.recording import recorded_turn
from conformance.dialects.sent_items import SentTool
from conformance.expectation.hosted import ApprovalRequest, HostedCall
from conformance.expectation.turn_content import expected_contents
from tests.dialects.test_hosted_script import SENT
from tests.rules.hosted_parts import case_of

ITEM = "response.output_item"
CODE = "response.code_interpreter_call_code"


@pytest.mark.parametrize("step", [step for step, *_ in SENT.values()], ids=SENT.keys())
def test_the_tools_on_the_wire_are_those_of_the_script(step: Any) -> None:
    case = case_of([step])
    said = [content for content, _ in expected_contents(case.scenario)[0].hosted]
    sent = read_items(recorded_turn(case, 0).events).tools
    assert len(sent) == len(said)
    for content, tool in zip(said, sent, strict=True):
        assert tool.finished
        if isinstance(content, ApprovalRequest):
            assert (tool.asks, tool.name, tool.arguments) == (
                content.id,
                content.name,
                content.input,
            )
        else:
            _compare(content, tool)


def _compare(said: HostedCall, sent: SentTool) -> None:
    assert (sent.tool, sent.name, sent.by_host) == (said.tool, said.name, said.by_host)
    assert not said.id or said.id in sent.ids
    assert sent.previews == said.previews
    assert sent.approval == said.approval
    if said.text and said.tool != "mcp":
        assert said.text in sent.texts
    assert (sent.given is None) == (said.result is None)
    assert sent.failed == bool(said.result and said.result.failed)


def tool_of(*events: tuple[str, dict[str, Any]]) -> SentTool:
    sent = [SentEvent(n, 0.0, "event", type_, data) for n, (type_, data) in enumerate(events)]
    (tool,) = read_items(sent).tools
    return tool


def code_item(id_: str = "ci_1", **fields: Any) -> dict[str, Any]:
    return {"type": "code_interpreter_call", "id": id_, "outputs": None, **fields}


def test_an_item_that_was_cut_off_has_no_result_and_the_code_of_its_own_end() -> None:
    added = (f"{ITEM}.added", {"output_index": 0, "item": code_item(code="")})
    delta = (f"{CODE}.delta", {"output_index": 0, "delta": "pri"})
    done = (f"{CODE}.done", {"output_index": 0, "code": "print()"})
    half, whole = tool_of(added, delta), tool_of(added, delta, done)
    assert (half.texts, half.given, half.finished, half.deltas) == ((), None, False, 1)
    assert (whole.texts, whole.given, whole.finished) == (("print()",), None, False)


def test_an_item_has_every_id_that_its_events_have() -> None:
    tool = tool_of(
        (f"{ITEM}.added", {"output_index": 0, "item": code_item("ci_1")}),
        (f"{CODE}.done", {"output_index": 0, "item_id": "ci_2", "code": "1"}),
        (f"{ITEM}.done", {"output_index": 0, "item": code_item("ci_3", code="1")}),
    )
    assert tool.ids == {"ci_1", "ci_2", "ci_3"}


def test_a_final_response_has_no_item_again_if_indexes_have_gaps() -> None:
    item = code_item(code="1", outputs=[{"type": "logs", "logs": "1"}])
    tool = tool_of(
        (f"{ITEM}.done", {"output_index": 4, "item": item}),
        ("response.completed", {"response": {"output": [item]}}),
    )
    assert tool.event == 0


def test_an_item_may_be_in_the_final_response_only() -> None:
    item = code_item(code="1", outputs=[{"type": "logs", "logs": "1"}])
    tool = tool_of(("response.completed", {"response": {"output": [item]}}))
    assert (tool.finished, tool.texts) == (True, ("1",))
    assert tool.given
    assert tool.given.texts == ("1",)
