"""The messages of findings: which item and part, which events where, and how often."""

from collections.abc import Mapping
from typing import Any

import pytest

from conformance.findings.words import message_of
from tests.stream import LEGAL, WIRE, judged, numbered
from tests.stream.tables import changed

ADDED = "response.output_item.added"
CALL = "the function_call 'fc_1' (index 2)"
MESSAGE = "the message 'msg_1' (index 1)"


@pytest.mark.parametrize(
    ("change", "event", "message"),
    [
        ({"edit": {"response.function_call_arguments.done": {"arguments": '{"q":"y"}'}}},
            28, f"the arguments of {CALL}: response.function_call_arguments.done goes on after 6 "
            "characters with 'y\"}' where the sum of the deltas goes on after 6 characters with "
            "'x\"}'"),
        ({"edit": {"response.output_text.done": {"text": "It is"}}},
            14, f"part 0 in the content of {MESSAGE}: response.output_text.done ends after 5 "
            "characters where the sum of the deltas goes on after 5 characters with ' warm. '"),
        ({"edit": {"response.output_text.done": {"text": "Zürich, where it is warm, and more"}}},
            14, f"part 0 in the content of {MESSAGE}: response.output_text.done begins with "
            "'Zürich, where it is warm…' where the sum of the deltas begins with 'It is warm. '"),
        ({"after": {"response.output_item.done#2": [LEGAL[11]]}},
            22, f"response.output_text.delta comes when {MESSAGE} is done"),
        ({"drop": "response.output_text.done"}, 14,
            f"response.content_part.done of part 0 of {MESSAGE} comes when it has grown and was "
            "not said in whole"),
        ({"edit": {"response.output_item.added#3": {"item": {"status": "completed",
            "arguments": "{}"}}}}, 22, f"{CALL} is added with status 'completed' and arguments"),
        ({"edit": {"response.completed": {"response": {"output": []}}}},
            33, "the output of response.completed (0 items) does not hold the reasoning 'rs_1' "
            "(index 0) there (and 3 more)"),
        ({"edit": {"response.completed": {"response": {"output": {3: "absent"}}}}},
            33, "the output of response.completed (3 items) does not hold the function_call 'fc_2' "
            "(index 3) there"),
        ({"only": "response.completed"},
            0, "response.completed holds an item that no event spoke of: the reasoning 'rs_1' at "
            "index 0 (and 3 more)"),
        ({"end": [LEGAL[11]]}, 34, "response.output_text.delta comes after response.completed"),
        ({"end": [LEGAL[11], LEGAL[-1]]},
            35, "response.completed comes after response.completed (and 1 more)"),
        ({"edit": {"response.output_text.delta#*": {"delta": "absent"}}},
            11, "response.output_text.delta: 'delta' is a required property (and in 1 more)"),
        ({"edit": {"response.output_text.delta": {"delta": "absent", "item_id": 7}}},
            11, "response.output_text.delta: 'delta' is a required property; item_id: 7 is not of "
            "type 'string'"),
        ({"drop": "response.created"},
            0, "response.in_progress comes as the first event of the stream"),
    ],
)  # fmt: skip
def test_a_finding_says_which_events_came_where(
    change: Mapping[str, Any], event: int, message: str
) -> None:
    findings = judged(WIRE.bytes(numbered(changed(LEGAL, change))))
    assert (event, message) in [(finding.event, message_of(finding)) for finding in findings]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            b"event: response.created",
            b"event: created",
            "the event line says 'created', the data 'response.created'",
        ),
        (
            b"event: response.output_text.delta",
            b"event: text",
            "the event line says 'text', the data 'response.output_text.delta' (and in 1 more)",
        ),
        (
            b"event: response.created\n",
            b"",
            "no event: line stands before the data of response.created",
        ),
        (
            b"data: [DONE]",
            b"data: {oops\n\ndata: [DONE]",
            "the data is not JSON (line 103): '{oops'",
        ),
    ],
)
def test_a_finding_about_framing_has_line_and_number(old: bytes, new: bytes, message: str) -> None:
    (finding,) = judged(WIRE.bytes(numbered(LEGAL)).replace(old, new))
    assert message_of(finding) == message


_NO_LAST_NEWLINE = (b"data: [DONE]\n\n", b"data: [DONE]")
_NOT_JSON = (b'"delta": "More ", ', b'"delta": "More , ')
_NOT_JSON_AGAIN = (b'"delta": "I cannot', b'"delta": I cannot')
_HALF_A_CHARACTER = ("Zür".encode(), b"Z\xc3r")

_CUT = "the stream ends inside an event (line 103): clients drop it"
_BROKEN = """the data is not JSON (line 52): '{"type": "response.refusal.delta", "item…'"""
_GARBLED = "the data (line 79) holds bytes that are no UTF-8"


@pytest.mark.parametrize(
    ("changes", "messages"),
    [
        ([_NOT_JSON, _NO_LAST_NEWLINE], [_CUT, _BROKEN]),
        ([_NOT_JSON, _NOT_JSON_AGAIN], [f"{_BROKEN} (and in 1 more)"]),
        (
            [_NOT_JSON, _NOT_JSON_AGAIN, _HALF_A_CHARACTER, _NO_LAST_NEWLINE],
            [_CUT, f"{_BROKEN} (and in 1 more)", f"{_GARBLED} (and in 3 more)"],
        ),
    ],
    ids=["in the middle and at the end", "twice", "in every way"],
)
def test_each_kind_of_broken_bytes_is_counted_in_one_message(
    changes: list[tuple[bytes, bytes]], messages: list[str]
) -> None:
    data = WIRE.bytes(numbered(LEGAL))
    for old, new in changes:
        assert old in data
        data = data.replace(old, new)
    assert [message_of(f) for f in judged(data) if f.rule == "framing"] == messages


def test_data_that_was_cut_off_with_its_event_is_explained_by_that() -> None:
    (finding,) = judged(WIRE.bytes(numbered(LEGAL))[:-200])
    assert message_of(finding).startswith("the stream ends inside an event")
    assert "the data is not JSON" in message_of(finding.explains[0])
