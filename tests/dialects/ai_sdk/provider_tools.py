"""Situations with tools that the provider runs."""

from collections.abc import Mapping

from mockserver.dialects.vercel.parts import V4, V5
from tests.dialects.ai_sdk.situation import (
    BEGIN,
    OWN,
    Situation,
    end,
    model_text,
    one_step,
    part,
    text,
)

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
