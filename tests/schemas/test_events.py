"""The smallest legal event of each type, from openresponses § Streaming events.

An item's ``id`` is never its ``call_id``.
"""

from typing import Any

import pytest

from mockserver.foundation.shipped import schema
from tests.schemas import ours, problems

EVENTS = "events/openresponses"

RESPONSE: dict[str, Any] = {
    "id": "resp_1", "object": "response", "created_at": 1767225600, "completed_at": None,
    "status": "in_progress", "incomplete_details": None, "model": "mock",
    "previous_response_id": None, "instructions": None, "output": [], "error": None, "tools": [],
    "tool_choice": "auto", "truncation": "disabled", "parallel_tool_calls": True,
    "text": {"format": {"type": "text"}}, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0,
    "top_logprobs": 0, "temperature": 1, "reasoning": None, "usage": None,
    "max_output_tokens": None, "max_tool_calls": None, "store": True, "background": False,
    "service_tier": "default", "metadata": {}, "safety_identifier": None, "prompt_cache_key": None,
}  # fmt: skip

CITATION: dict[str, Any] = {
    "type": "url_citation",
    "url": "https://example.org/a",
    "start_index": 0,
    "end_index": 4,
    "title": "A",
}

LOGPROB: dict[str, Any] = {
    "token": "Hi",
    "logprob": -0.5,
    "bytes": [72, 105],
    "top_logprobs": [{"token": "Hi", "logprob": -0.5, "bytes": [72, 105]}],
}

PARTS: dict[str, dict[str, Any]] = {
    "output_text": {"type": "output_text", "text": "Hi", "annotations": []},
    "refusal": {"type": "refusal", "refusal": "No."},
    "reasoning_text": {"type": "reasoning_text", "text": "Hm."},
    "summary_text": {"type": "summary_text", "text": "Hm."},
    "text": {"type": "text", "text": "Hi"},
    "input_text": {"type": "input_text", "text": "Hi"},
    "input_image": {"type": "input_image", "image_url": None, "detail": "auto"},
    "input_file": {"type": "input_file"},
}

ITEMS: dict[str, dict[str, Any]] = {
    "message": {
        "type": "message",
        "id": "msg_1",
        "status": "completed",
        "role": "assistant",
        "content": [PARTS["output_text"] | {"annotations": [CITATION], "logprobs": [LOGPROB]}],
    },
    "function_call": {
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "search",
        "arguments": "{}", "status": "completed",
    },
    "function_call_output": {
        "type": "function_call_output",
        "id": "fco_1",
        "call_id": "call_1",
        "output": [PARTS["input_text"]],
        "status": "completed",
    },
    "reasoning": {"type": "reasoning", "id": "rs_1", "summary": [PARTS["summary_text"]]},
    "compaction": {"type": "compaction", "id": "cmp_1", "encrypted_content": "b3BhcXVl"},
}  # fmt: skip

USAGE: dict[str, Any] = {
    "input_tokens": 11,
    "output_tokens": 22,
    "total_tokens": 33,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 0},
}

FUNCTION: dict[str, Any] = {
    "type": "function",
    "name": "search",
    "description": None,
    "parameters": None,
    "strict": None,
}

# Every nullable field filled
FULL_RESPONSE: dict[str, Any] = RESPONSE | {
    "completed_at": 1767225601,
    "status": "completed",
    "incomplete_details": {"reason": "max_output_tokens"},
    "previous_response_id": "resp_0",
    "instructions": "Be brief.",
    "output": [ITEMS["message"], ITEMS["function_call"], ITEMS["reasoning"]],
    "error": {"code": "server_error", "message": "It broke."},
    "tools": [FUNCTION],
    "tool_choice": {"type": "allowed_tools", "tools": [{"type": "function"}], "mode": "auto"},
    "reasoning": {"effort": "low", "summary": "auto"},
    "usage": USAGE,
    "max_output_tokens": 100,
    "max_tool_calls": 3,
    "safety_identifier": "user-1",
    "prompt_cache_key": "key-1",
}


def event(type_: str, **fields: Any) -> dict[str, Any]:
    return {"type": type_, "sequence_number": 0, **fields}


_ITEM: dict[str, Any] = {"item_id": "msg_1", "output_index": 0}
_CONTENT: dict[str, Any] = {**_ITEM, "content_index": 0}
_SUMMARY: dict[str, Any] = {**_ITEM, "summary_index": 0}

PUBLISHED: tuple[dict[str, Any], ...] = (
    event("response.created", response=RESPONSE),
    event("response.queued", response=RESPONSE),
    event("response.in_progress", response=RESPONSE),
    event("response.completed", response=FULL_RESPONSE),
    event("response.failed", response=RESPONSE),
    event("response.incomplete", response=RESPONSE),
    event("response.output_item.added", output_index=0, item=ITEMS["message"]),
    event("response.output_item.done", output_index=0, item=ITEMS["function_call"]),
    event("response.content_part.added", **_CONTENT, part=PARTS["output_text"]),
    event("response.content_part.done", **_CONTENT, part=PARTS["refusal"]),
    event("response.output_text.delta", **_CONTENT, delta="Hi"),
    event("response.output_text.done", **_CONTENT, text="Hi"),
    event(
        "response.output_text.annotation.added", **_CONTENT, annotation_index=0, annotation=CITATION
    ),
    event("response.refusal.delta", **_CONTENT, delta="No."),
    event("response.refusal.done", **_CONTENT, refusal="No."),
    event("response.function_call_arguments.delta", **_ITEM, delta="{}"),
    event("response.function_call_arguments.done", **_ITEM, arguments="{}"),
    event("response.reasoning.delta", **_CONTENT, delta="Hm."),
    event("response.reasoning.done", **_CONTENT, text="Hm."),
    event("response.reasoning_summary_part.added", **_SUMMARY, part=PARTS["summary_text"]),
    event("response.reasoning_summary_part.done", **_SUMMARY, part=PARTS["summary_text"]),
    event("response.reasoning_summary_text.delta", **_SUMMARY, delta="Hm."),
    event("response.reasoning_summary_text.done", **_SUMMARY, text="Hm."),
    event(
        "error", error={"type": "server_error", "code": None, "message": "It broke.", "param": None}
    ),
)

# What real servers and rfc-00022 send beside the published types
ALTERNATIVES: tuple[dict[str, Any], ...] = (
    event("response.reasoning_text.delta", **_CONTENT, delta="Hm."),
    event("response.reasoning_text.done", **_CONTENT, text="Hm."),
    event("response.reasoning_summary.delta", **_SUMMARY, delta="Hm."),
    event("response.reasoning_summary.done", **_SUMMARY, text="Hm."),
)

FLAT_ERROR = event("error", message="It broke.")


def name(document: dict[str, Any]) -> str:
    return str(document["type"])


def test_the_table_has_every_type_that_the_contract_knows_once() -> None:
    table = [name(document) for document in PUBLISHED + ALTERNATIVES]
    assert len(PUBLISHED) == 24
    assert sorted(table) == sorted(schema(EVENTS)["$defs"]["Known"]["enum"])


def test_a_legal_event_is_accepted_by_the_root_and_by_the_definition_of_its_type() -> None:
    for legal in [*PUBLISHED, *ALTERNATIVES, FLAT_ERROR]:
        assert problems(ours(EVENTS), legal) == []
        definition = ours(EVENTS, f"event:{legal['type']}")
        assert problems(definition, legal) == []
        assert problems(definition, legal | {"type": "acme:x"})[0][0] == "$.type"


def test_an_event_without_one_of_its_fields_is_refused_in_one_line_that_names_it() -> None:
    for legal in PUBLISHED + ALTERNATIVES:
        for field in legal.keys() - {"type"}:
            without = {key: value for key, value in legal.items() if key != field}
            expected = [("$", f"'{field}' is a required property")]
            assert problems(ours(EVENTS), without) == expected


def test_unknown_fields_are_legal() -> None:
    for legal in PUBLISHED + ALTERNATIVES:
        assert problems(ours(EVENTS), {**legal, "x_new": {"a": [None]}, "name": 7}) == []


@pytest.mark.parametrize("type_", ["acme:trace_event", "response.web_search_call.completed"])
def test_an_event_of_an_unknown_type_needs_only_a_sequence_number(type_: str) -> None:
    missing = [("$", "'sequence_number' is a required property")]
    assert problems(ours(EVENTS), event(type_)) == []
    assert problems(ours(EVENTS), {"type": type_}) == missing


def test_a_value_that_is_not_an_event_is_refused_in_one_line() -> None:
    for document, path, message in [
        ([], "$", "[] is not of type 'object'"),
        ({}, "$", "'type' is a required property"),
        ({"type": 5, "sequence_number": 0}, "$.type", "5 is not of type 'string'"),
        ({"type": "", "sequence_number": 0}, "$.type", "'' should be non-empty"),
        ({"type": "acme:x", "sequence_number": "0"}, "$.sequence_number", "'0' is not of type"),
    ]:
        found = problems(ours(EVENTS), document)
        assert [where for where, _ in found if where == path] == [path]
        assert any(said.startswith(message) for _, said in found)


ADDED: dict[str, Any] = PUBLISHED[6]
COMPLETED: dict[str, Any] = PUBLISHED[3]
PART_ADDED: dict[str, Any] = PUBLISHED[8]


def added(**fields: Any) -> dict[str, Any]:
    return ADDED | {"item": fields}


def completed(**fields: Any) -> dict[str, Any]:
    return COMPLETED | {"response": FULL_RESPONSE | fields}


def part(**fields: Any) -> dict[str, Any]:
    return PART_ADDED | {"part": fields}


def test_an_error_deep_in_an_event_has_the_exact_field() -> None:
    for document, path, message in [
        (added(id="msg_1"), "$.item", "'type' is a required property"),
        (added(**ITEMS["message"] | {"role": "tool"}), "$.item.role", "'tool' is not one of"),
        (added(**ITEMS["function_call"] | {"arguments": {}}), "$.item.arguments", "{} is not of"),
        (added(**ITEMS["reasoning"] | {"summary": "Hm."}), "$.item.summary", "'Hm.' is not of"),
        (ADDED | {"output_index": -7}, "$.output_index", "-7 is less than the minimum of 0"),
        (ADDED | {"output_index": "0"}, "$.output_index", "'0' is not of type 'integer'"),
        (part(type="output_text", text="Hi"), "$.part", "'annotations' is a required property"),
        (part(type="ouput_text", text="Hi"), "$.part.type", "'ouput_text' is not one of"),
        (completed(usage={}), "$.response.usage", "'input_tokens' is a required property"),
        (completed(tools=[{"type": "function"}]), "$.response.tools[0]", "'name' is a required"),
        (completed(tool_choice="any"), "$.response.tool_choice", "'any' is not one of"),
        (completed(metadata=None, usage=None, error=7), "$.response.error", "7 is not of type"),
        (event("error"), "$", "'error' is a required property"),
        (event("error", message=None), "$.message", "None is not of type 'string'"),
        (FLAT_ERROR | {"code": 5}, "$.code", "5 is not of type 'string', 'null'"),
        (FLAT_ERROR | {"param": []}, "$.param", "[] is not of type 'string', 'null'"),
        (event("error", error="It broke."), "$.error", "'It broke.' is not of type 'object'"),
    ]:
        found = problems(ours(EVENTS), document)
        assert {where for where, _ in found} == {path}
        assert found[0][1].startswith(message)


def test_what_real_servers_send_beyond_the_specification_is_accepted() -> None:
    for document in [
        added(type="web_search_call"),
        added(type="acme:search", status=None),
        ADDED | {"item": None},
        PUBLISHED[12] | {"annotation": None},
        PUBLISHED[12] | {"annotation": {"type": "file_citation", "file_id": "file_1"}},
        completed(tools=[{"type": "web_search"}], tool_choice={"type": "web_search"}),
        completed(reasoning={"effort": "minimal", "summary": None}, status="cancelled"),
        FLAT_ERROR | {"code": None, "param": None},
        FLAT_ERROR | {"code": "server_error", "param": "input"},
    ]:
        assert problems(ours(EVENTS), document) == []
