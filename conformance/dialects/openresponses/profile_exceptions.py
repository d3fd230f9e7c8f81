"""The exceptions of the upstreams that stream OpenResponses events, by profile."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.dialects.openresponses.undo import (
    LIFECYCLE,
    completed_at,
    drop_null_encrypted,
    end_with_done,
    fill_missing,
    fill_nulls,
    prefix_keepalives,
    prefix_vendor_types,
    rename_events,
    restore_ids,
)
from conformance.dialects.profile_exception import ProfileException, change_each
from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import PREAMBLE

HOSTED = frozenset(openai_types.ITEMS)
"""The item types of OpenAI that OpenResponses does not have (openai-openapi, OutputItem)."""

_OF_NO_HOSTED_ITEM = frozenset(
    type_ for type_, event in openai_types.EVENTS.items() if event.item not in HOSTED
)
"""The event types of OpenAI about speech, which is no item, and about items of OpenResponses."""

_OPENAPI = "openai/openai-openapi@f85dbe2, openapi.json"
_FIXTURES = "vercel/ai, packages/{}/src/responses/__fixtures__/{}"


def _reasoning_text(*source: str) -> ProfileException:
    return ProfileException(
        "reasoning-text",
        "Raw reasoning streams as response.reasoning_text.delta and .done; OpenResponses calls the "
        "events response.reasoning.delta and .done.",
        rules=("extensions",),
        undo=rename_events({"response.reasoning_text": "response.reasoning"}),
        source=source,
    )


_OPENAI = (
    ProfileException(
        "no-completed-at",
        "The response object has no completed_at (until December 2025).",
        rules=("stream-types",),
        undo=fill_missing({"completed_at": completed_at}),
        source=(f"{_OPENAPI}: Response does not require completed_at",),
        shown_by=("openai-error.1.jsonl:1", "openai-web-search-tool.1.jsonl:1"),
    ),
    ProfileException(
        "no-penalties",
        "The response object has no presence_penalty and no frequency_penalty (recorded in 2025).",
        rules=("stream-types",),
        undo=fill_missing({"presence_penalty": 0, "frequency_penalty": 0}),
        source=(f"{_OPENAPI}: Response requires neither penalty",),
        shown_by=("openai-mcp-tool-approval.1.jsonl:1", "openai-error.1.jsonl:1"),
    ),
    ProfileException(
        "hosted-items",
        "Items of OpenAI's hosted tools and their events carry no vendor's prefix.",
        rules=("extensions",),
        undo=prefix_vendor_types("openai", HOSTED, _OF_NO_HOSTED_ITEM),
        source=(f"{_OPENAPI}: OutputItem, ResponseStreamEvent",),
        shown_by=(
            "openai-apply-patch-tool.1.jsonl:3",
            "openai-code-interpreter-tool.1.jsonl:5",
            "openai-image-generation-tool.1.jsonl:5",
            "openai-local-shell-tool.1.jsonl:5",
            "openai-mcp-tool-approval.1.jsonl:3",
            "openai-web-search-tool.1.jsonl:5",
        ),
    ),
    ProfileException(
        "keepalive-events",
        "Keepalive events without a vendor's prefix come while a model thinks. The profile is "
        "played without them; the variation of this name adds them.",
        rules=("extensions",),
        undo=prefix_keepalives("openai"),
        source=("openai/openai-node#1964", "openai/openai-java#767"),
    ),
    _reasoning_text(f"{_OPENAPI}: ResponseReasoningTextDeltaEvent"),
    ProfileException(
        "no-done",
        "The stream ends with the terminal event of the response, without [DONE].",
        rules=("framing",),
        undo=end_with_done,
        source=(f"{_OPENAPI}: the streamed example of POST /responses ends so",),
        framed=True,
    ),
)

_COPILOT = (
    ProfileException(
        "rotating-ids",
        "Every event has a new id for its item and for the response; only output_index identifies "
        "an item.",
        rules=("item-id-stable", "response-stable"),
        undo=restore_ids,
        source=(_FIXTURES.format("openai", "github-copilot-id-rotation.1.chunks.txt"),),
    ),
    ProfileException(
        "no-cache-key",
        "The response object has no prompt_cache_key.",
        rules=("stream-types",),
        undo=fill_missing({"prompt_cache_key": None}),
        source=(_FIXTURES.format("openai", "github-copilot-id-rotation.1.chunks.txt"),),
    ),
    ProfileException(
        "null-encrypted",
        "Reasoning whose encrypted content was not requested has a null encrypted_content.",
        rules=("stream-types",),
        undo=change_each(drop_null_encrypted),
        source=(_FIXTURES.format("openai", "github-copilot-id-rotation.1.chunks.txt"),),
    ),
)

_LMSTUDIO = (
    _reasoning_text(_FIXTURES.format("open-responses", "lmstudio-tool-call.1.chunks.txt")),
)

_XAI = (
    ProfileException(
        "sparse-response",
        "The response object lacks eleven of the fields that OpenResponses requires.",
        rules=("stream-types",),
        undo=fill_missing(
            {
                "background": False,
                "completed_at": completed_at,
                "frequency_penalty": 0,
                "instructions": None,
                "max_tool_calls": None,
                "presence_penalty": 0,
                "prompt_cache_key": None,
                "safety_identifier": None,
                "service_tier": "default",
                "top_logprobs": 0,
                "truncation": "disabled",
            }
        ),
        shown_by=("xai-reasoning.1.jsonl:1",),
    ),
    ProfileException(
        "no-error",
        "The response object has no error unless the response failed.",
        rules=("stream-types",),
        undo=fill_missing({"error": None}, LIFECYCLE - {"response.failed"}),
        shown_by=("xai-reasoning.1.jsonl:1",),
    ),
    ProfileException(
        "late-usage",
        "The response object has no usage until the response has ended.",
        rules=("stream-types",),
        undo=fill_missing({"usage": None}, PREAMBLE),
        shown_by=("xai-reasoning.1.jsonl:1",),
    ),
    ProfileException(
        "null-sampling",
        "temperature and top_p of the response object are null if the request did not set them.",
        rules=("stream-types",),
        undo=fill_nulls({"temperature": 1, "top_p": 1}),
        shown_by=("xai-reasoning.1.jsonl:1",),
    ),
)

EXCEPTIONS: Mapping[str, tuple[ProfileException, ...]] = {
    "openai": _OPENAI,
    "copilot": _COPILOT,
    "lmstudio": _LMSTUDIO,
    "xai": _XAI,
}
