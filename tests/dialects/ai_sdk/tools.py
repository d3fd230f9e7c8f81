"""Situations with tools that the SDK runs."""

from collections.abc import Mapping

from mockserver.dialects.vercel.parts import V4, V5
from tests.dialects.ai_sdk.situation import (
    BEGIN,
    BEGUN,
    Situation,
    end,
    model_text,
    one_step,
    part,
    text,
)

_SEARCH = {"toolCallId": "call_a", "toolName": "search"}
_BROKEN = {
    "tool-error": {**_SEARCH, "input": {}, "error": {"name": "Error", "message": "The tool broke."}}
}

TOOLS: Mapping[str, Situation] = {
    "two steps": Situation(
        model=[
            [
                *BEGIN,
                *model_text("I look."),
                part("tool-input-start", id="call_a", toolName="search"),
                part("tool-input-delta", id="call_a", delta="{}"),
                part("tool-input-end", id="call_a"),
                part("tool-call", toolCallId="call_a", toolName="search", input="{}"),
                end("tool-calls"),
            ],
            [*BEGIN, *model_text("Done.", "t2"), end()],
        ],
        outputs={"call_a": {"found": 2}},
        full=one_step(
            *text("I look.", "text"),
            {"tool-input-start": {"id": "call_a", "toolName": "search"}},
            {"tool-input-delta": {"id": "call_a", "delta": "{}"}},
            {"tool-input-end": {"id": "call_a"}},
            {"tool-call": {**_SEARCH, "input": {}}},
            {"tool-result": {**_SEARCH, "input": {}, "output": {"found": 2}}},
            {"finish-step": {"reason": "tool-calls"}},
            "start-step",
            *text("Done.", "text", "t2"),
        ),
        ui=one_step(
            *text("I look.", "delta"),
            {"tool-input-start": _SEARCH},
            {"tool-input-delta": {"toolCallId": "call_a", "inputTextDelta": "{}"}},
            {"tool-input-available": {**_SEARCH, "input": {}}},
            {"tool-output-available": {"toolCallId": "call_a", "output": {"found": 2}}},
            "finish-step",
            "start-step",
            *text("Done.", "delta", "t2"),
        ),
    ),
    "a tool that throws": Situation(
        model=[
            [
                *BEGIN,
                part("tool-call", toolCallId="call_a", toolName="search", input="{}"),
                end("tool-calls"),
            ],
            [*BEGIN, *model_text("It broke."), end()],
        ],
        outputs={"call_a": None},
        full=one_step(
            {"tool-call": {**_SEARCH, "input": {}}},
            _BROKEN,
            {"finish-step": {"reason": "tool-calls"}},
            "start-step",
            *text("It broke.", "text"),
        ),
        ui=one_step(
            {"tool-input-available": {**_SEARCH, "input": {}}},
            {"tool-output-error": {"toolCallId": "call_a", "errorText": "The tool broke."}},
            "finish-step",
            "start-step",
            *text("It broke.", "delta"),
        ),
        # A step whose tool failed is the last one.
        misses=(V4,),
    ),
    "a tool that throws in the last step": Situation(
        model=[[*BEGIN, part("tool-call", **_SEARCH, input="{}"), end("tool-calls")]],
        outputs={"call_a": None},
        full=[
            *BEGUN,
            {"tool-call": {**_SEARCH, "input": {}}},
            _BROKEN,
            {"finish-step": {"reason": "tool-calls"}},
            {"finish": {"reason": "tool-calls"}},
        ],
        ui=[
            *BEGUN,
            {"tool-input-available": {**_SEARCH, "input": {}}},
            {"tool-output-error": {"toolCallId": "call_a", "errorText": "The tool broke."}},
            "finish-step",
            {"finish": {"reason": "tool-calls"}},
        ],
    ),
    "a tool that asks for approval": Situation(
        model=[
            [
                *BEGIN,
                part("tool-call", toolCallId="call_a", toolName="search", input="{}"),
                end("tool-calls"),
            ]
        ],
        outputs={"call_a": "found"},
        approval=True,
        full=[
            *BEGUN,
            {"tool-call": {**_SEARCH, "input": {}}},
            {
                "tool-approval-request": {
                    "approvalId": "aitxt",
                    "toolCall": {"type": "tool-call", **_SEARCH, "input": {}},
                }
            },
            {"finish-step": {"reason": "tool-calls"}},
            {"finish": {"reason": "tool-calls"}},
        ],
        ui=[
            *BEGUN,
            {"tool-input-available": {**_SEARCH, "input": {}}},
            {"tool-approval-request": {"approvalId": "aitxt", "toolCallId": "call_a"}},
            "finish-step",
            {"finish": {"reason": "tool-calls"}},
        ],
        misses=(V4, V5),
    ),
    "a tool that is denied": Situation(
        model=[[*BEGIN, *model_text("Then not."), end()]],
        messages=[
            {"role": "user", "content": "Hello"},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", **_SEARCH, "input": {}},
                    {
                        "type": "tool-approval-request",
                        "approvalId": "apr_1",
                        "toolCallId": "call_a",
                    },
                ],
            },
            {
                "role": "tool",
                "content": [
                    {"type": "tool-approval-response", "approvalId": "apr_1", "approved": False}
                ],
            },
        ],
        full=[
            "start",
            {"tool-output-denied": _SEARCH},
            "start-step",
            *text("Then not.", "text"),
            "finish-step",
            "finish",
        ],
        ui=[
            "start",
            {"tool-output-denied": {"toolCallId": "call_a"}},
            "start-step",
            *text("Then not.", "delta"),
            "finish-step",
            "finish",
        ],
        misses=(V4, V5),
    ),
}
