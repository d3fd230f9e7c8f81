"""The contract of chunks, compared with the published types of OpenAI."""

import json
from typing import Any

import pytest

from mockserver.foundation.schemas import accepts
from tests.clients.chunks import is_invalid
from tests.data import DATA, needs_data
from tests.schemas import changed, ours, places, problems

CONTRACT = "events/chat"

USAGE: dict[str, Any] = {
    "prompt_tokens": 11,
    "completion_tokens": 22,
    "total_tokens": 33,
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": None},
    "completion_tokens_details": {"reasoning_tokens": 4},
}
LOGPROB: dict[str, Any] = {"token": "Hi", "logprob": -0.5, "bytes": [72], "top_logprobs": []}
CALL: dict[str, Any] = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "search", "arguments": ""},
}


def chunk(**fields: Any) -> dict[str, Any]:
    envelope = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return {**envelope, "choices": [], **fields}


def choice(**fields: Any) -> dict[str, Any]:
    return chunk(choices=[{"index": 0, "delta": {}, "finish_reason": None, **fields}])


# The smallest chunk, and one for each optional field
CHUNKS: tuple[dict[str, Any], ...] = (
    chunk(),
    chunk(usage=USAGE, system_fingerprint="fp_1", service_tier="default", obfuscation="x7"),
    choice(delta={"role": "assistant", "content": "", "refusal": None}),
    choice(delta={"content": "Hi"}, logprobs={"content": [LOGPROB], "refusal": None}),
    choice(delta={"refusal": "No."}),
    choice(delta={"tool_calls": [CALL, {"index": 1, "function": {"arguments": "{"}}]}),
    choice(delta={"function_call": {"name": "search", "arguments": "{}"}}),
    *(choice(finish_reason=reason) for reason in ("stop", "length", "tool_calls")),
    *(choice(finish_reason=reason) for reason in ("content_filter", "function_call")),
)

# What only Azure, Copilot's proxy and servers of reasoning models send
BEYOND: tuple[dict[str, Any], ...] = (
    chunk(prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}]),
    chunk(copilot_usage={"total_nano_aiu": 7}, usage=None),
    choice(content_filter_results={"hate": {"filtered": False, "severity": "safe"}}),
    choice(delta={"reasoning_text": "Hm", "reasoning_opaque": "b3Bh"}),
    choice(delta={"reasoning_content": "Hm"}),
    choice(delta={"thinking": "Hm", "signature": "b3Bh"}),
    choice(delta={"copilot_annotations": {"CodeVulnerability": []}}),
    {"choices": None, "copilot_references": [{"type": "web-search", "data": {}}]},
    {"copilot_errors": [{"type": "agent", "code": "timeout", "message": "It took too long."}]},
    {"choices": None, "copilot_confirmation": {"title": "a", "message": "b", "confirmation": {}}},
    {"error": {"message": "It broke.", "type": "server_error", "param": None, "code": None}},
    {"error": {"message": "It broke.", "code": 500}},
)


@pytest.mark.parametrize("legal", [*CHUNKS, *BEYOND])
def test_a_legal_event_is_accepted_with_any_further_fields(legal: dict[str, Any]) -> None:
    assert problems(ours(CONTRACT), legal) == []
    assert problems(ours(CONTRACT), {**legal, "x_new": {"a": [None]}}) == []


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([], "$"),
        ({}, "$"),
        (chunk(choices=None), "$.choices"),
        (chunk(object="chat.completion"), "$.object"),
        (choice(delta=None), "$.choices[0].delta"),
        (choice(index="0"), "$.choices[0].index"),
        (choice(finish_reason="end_turn"), "$.choices[0].finish_reason"),
        (choice(delta={"role": "function"}), "$.choices[0].delta.role"),
        (choice(delta={"content": []}), "$.choices[0].delta.content"),
        (choice(delta={"reasoning_text": 7}), "$.choices[0].delta.reasoning_text"),
        (choice(delta={"tool_calls": [{"id": "a"}]}), "$.choices[0].delta.tool_calls[0]"),
        (
            choice(delta={"tool_calls": [CALL | {"function": {"arguments": {}}}]}),
            "$.choices[0].delta.tool_calls[0].function.arguments",
        ),
        (chunk(usage={"prompt_tokens": 1, "completion_tokens": 1}), "$.usage"),
        ({"error": "It broke."}, "$.error"),
        ({"error": {"code": "overloaded"}}, "$.error"),
        (chunk(error={"message": "It broke."}), "$.choices"),
        ({"choices": None, "copilot_errors": [{"message": "a"}]}, "$.copilot_errors[0]"),
    ],
)
def test_an_invalid_event_is_refused_at_its_field(document: Any, path: str) -> None:
    assert {where for where, _ in problems(ours(CONTRACT), document)} == {path}


@pytest.mark.parametrize("legal", CHUNKS)
def test_the_contract_and_openais_types_agree_on_any_changed_place(legal: dict[str, Any]) -> None:
    for place in places(legal):
        for other in changed(legal, place):
            mine = accepts(ours(CONTRACT), other)
            # Contract and types may accept more in ``top_logprobs``.
            assert mine == (not is_invalid(other)) or "top_logprobs" in place, other


@needs_data
@pytest.mark.parametrize(
    ("recording", "refused_at"),
    [
        # Azure's first chunk has the prompt's filter results and is otherwise invalid.
        ("azure-model-router.1", {"$.object"}),
        ("deepseek-tool-call", set()),
    ],
)
def test_recorded_chunks_are_accepted(recording: str, refused_at: set[str]) -> None:
    lines = (DATA / "recordings" / f"{recording}.chat.jsonl").read_text("utf-8").splitlines()
    found = {path for line in lines for path, _ in problems(ours(CONTRACT), json.loads(line))}
    assert found == refused_at
