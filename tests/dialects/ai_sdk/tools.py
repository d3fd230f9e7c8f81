"""Situations with tools that the SDK or a provider runs."""

from collections.abc import Mapping

from mockserver.dialects.vercel.parts import V4, V5
from tests.dialects.ai_sdk.situation import (
    BEGIN,
    BEGUN,
    OWN,
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


_ASKED = {"toolCallId": "mcp_1", "toolName": "mcp.ask"}
_SOUGHT = {"toolCallId": "ws_1", "toolName": "web_search"}
_DRAWN = {"toolCallId": "ig_1", "toolName": "draw"}
_FOUND = {"action": "search"}
_QUERY = {"query": "tides"}

PROVIDER_TOOLS: Mapping[str, Situation] = {
    "a tool of the provider": Situation(
        model=[
            [
                *BEGIN,
                part("tool-input-start", id="ws_1", toolName="web_search", **OWN),
                part("tool-input-delta", id="ws_1", delta='{"query":"tides"}'),
                part("tool-input-end", id="ws_1"),
                part("tool-call", **_SOUGHT, input='{"query":"tides"}', **OWN),
                part("tool-result", **_SOUGHT, result=_FOUND, **OWN),
                *model_text("At noon."),
                end(),
            ]
        ],
        tools=("web_search",),
        full=one_step(
            {"tool-input-start": {"id": "ws_1", "toolName": "web_search", **OWN}},
            {"tool-input-delta": {"id": "ws_1", "delta": '{"query":"tides"}'}},
            {"tool-input-end": {"id": "ws_1"}},
            {"tool-call": {**_SOUGHT, "input": _QUERY, **OWN}},
            {"tool-result": {**_SOUGHT, "input": _QUERY, "output": _FOUND, **OWN}},
            *text("At noon.", "text"),
        ),
        ui=one_step(
            {"tool-input-start": {**_SOUGHT, **OWN}},
            {"tool-input-delta": {"toolCallId": "ws_1", "inputTextDelta": '{"query":"tides"}'}},
            {"tool-input-available": {**_SOUGHT, "input": _QUERY, **OWN}},
            {"tool-output-available": {"toolCallId": "ws_1", "output": _FOUND, **OWN}},
            *text("At noon.", "delta"),
        ),
        misses=(V4,),
    ),
    "preliminary results of the provider": Situation(
        model=[
            [
                *BEGIN,
                part("tool-call", **_DRAWN, input="{}", **OWN),
                part("tool-result", **_DRAWN, result="a", preliminary=True, **OWN),
                part("tool-result", **_DRAWN, result="b", **OWN),
                end(),
            ]
        ],
        tools=("draw",),
        full=one_step(
            {"tool-call": {**_DRAWN, "input": {}, **OWN}},
            *({"tool-result": {**_DRAWN, "input": {}, "output": output, **OWN}} for output in "ab"),
        ),
        ui=one_step(
            {"tool-input-available": {**_DRAWN, "input": {}, **OWN}},
            *(
                {"tool-output-available": {"toolCallId": "ig_1", "output": output, **OWN}}
                for output in "ab"
            ),
        ),
        misses=(V4,),
    ),
    "a dynamic tool of the provider that fails": Situation(
        model=[
            [
                *BEGIN,
                part("tool-call", **_ASKED, input="{}", dynamic=True, **OWN),
                part(
                    "tool-result", **_ASKED, result="unreachable", isError=True, dynamic=True, **OWN
                ),
                *model_text("No."),
                end(),
            ]
        ],
        full=one_step(
            {"tool-call": {**_ASKED, "input": {}, "dynamic": True, **OWN}},
            {"tool-error": {**_ASKED, "input": {}, "error": "unreachable", "dynamic": True, **OWN}},
            *text("No.", "text"),
        ),
        ui=one_step(
            {"tool-input-available": {**_ASKED, "input": {}, "dynamic": True, **OWN}},
            {
                "tool-output-error": {
                    "toolCallId": "mcp_1",
                    "errorText": "unreachable",
                    "dynamic": True,
                    **OWN,
                }
            },
            *text("No.", "delta"),
        ),
        # Its calls fail in ai 5, with a TypeError of the SDK itself.
        misses=(V4, V5),
    ),
    "a provider's tool that asks for approval": Situation(
        model=[
            [
                *BEGIN,
                part("tool-call", **_ASKED, input="{}", dynamic=True, **OWN),
                part("tool-approval-request", approvalId="apr_1", toolCallId="mcp_1"),
                end(),
            ]
        ],
        full=one_step(
            {"tool-call": {**_ASKED, "input": {}, "dynamic": True, **OWN}},
            {
                "tool-approval-request": {
                    "approvalId": "apr_1",
                    "toolCall": {
                        "type": "tool-call",
                        **_ASKED,
                        "input": {},
                        "dynamic": True,
                        **OWN,
                    },
                }
            },
        ),
        ui=one_step(
            {"tool-input-available": {**_ASKED, "input": {}, "dynamic": True, **OWN}},
            {"tool-approval-request": {"approvalId": "apr_1", "toolCallId": "mcp_1"}},
        ),
        misses=(V4, V5),
    ),
}
