"""Parts and events summarised in a few words."""

from base64 import b64encode
from typing import Any

import pytest

from conformance.contract.transcript import SentEvent
from conformance.report import summary

PARTS: list[tuple[dict[str, Any], str]] = [
    ({"type": "text", "value": "Let me "}, "text 'Let me '"),
    ({"type": "text", "value": 'say "yes"'}, "text 'say \"yes\"'"),
    ({"type": "text", "value": "it's"}, 'text "it\'s"'),
    ({"type": "text", "value": "one\ntwo\x1b"}, r"text 'one\ntwo\x1b'"),
    ({"type": "text", "value": "Zoë 日本語 👩‍👩‍👧"}, "text 'Zoë 日本語 👩\\u200d👩\\u200d👧'"),
    ({"type": "text", "value": "half \ud83d"}, r"text 'half \ud83d'"),
    ({"type": "text", "value": 7}, '{"type":"text","value":7}'),
    ({"type": "thinking", "value": "Hm."}, "thinking 'Hm.'"),
    (
        {"type": "toolCall", "callId": "call_read", "name": "read_file"}
        | {"input": {"path": "/src/app.ts"}},
        'toolCall call_read read_file {"path":"/src/app.ts"}',
    ),
    ({"type": "toolCall", "callId": "c", "name": "n", "input": {}}, "toolCall c n {}"),
    (
        {"type": "toolCall", "callId": "c", "name": "n", "input": {"t": "ß"}, "more": 1},
        'toolCall c n {"t":"ß"}',
    ),
    ({"type": "toolCall", "name": "n"}, '{"type":"toolCall","name":"n"}'),
    (
        {"type": "data", "mimeType": "image/png", "data": "iVBORw0KGgo="},
        "data image/png iVBORw0KGgo=",
    ),
    (
        {"type": "data", "mimeType": "application/vnd.vscode.citation+json"}
        | {"data": b64encode(b'{"type":"citation","url":"https://a.b","title":"T"}').decode()},
        'data application/vnd.vscode.citation+json {"url":"https://a.b","title":"T"}',
    ),
    ({"type": "data", "mimeType": "image/png"}, '{"type":"data","mimeType":"image/png"}'),
    ({"type": "text-start", "id": "msg_1", "providerMetadata": {}}, "text-start msg_1"),
    ({"type": "reasoning-end", "id": ["r"]}, '{"type":"reasoning-end","id":["r"]}'),
    (
        {"type": "tool-input-start", "id": "call_1", "toolName": "read_file"},
        "tool-input-start call_1 read_file",
    ),
    (
        {"type": "tool-input-delta", "id": "call_1", "delta": '{"a"'},
        "tool-input-delta call_1 '{\"a\"'",
    ),
    ({"type": "tool-call", "toolCallId": "c", "toolName": "n", "input": ""}, "tool-call c n ''"),
    ({"type": "finish", "finishReason": {"unified": "stop"}, "usage": {}}, "finish stop"),
    ({"type": "tool-input-start", "id": "", "toolName": ""}, "tool-input-start '' ''"),
    ({"type": "toolCall", "callId": "", "name": "n", "input": {}}, "toolCall '' n {}"),
    ({"type": "stream-start", "warnings": []}, "stream-start"),
    ({"type": "stream-start", "warnings": [1]}, '{"type":"stream-start","warnings":[1]}'),
    ({"type": "response-metadata", "id": "r_1", "modelId": "m"}, "response-metadata r_1"),
    (
        {"type": "source", "sourceType": "url", "id": "s", "url": "https://a.b", "title": "T"},
        "source https://a.b 'T'",
    ),
    ({"type": "source", "url": "https://a.b"}, "source https://a.b"),
    ({"type": "error", "error": {"name": "E", "message": "It broke."}}, "error E It broke."),
    ({"type": "error", "error": {"message": "It broke."}}, "error It broke."),
    # Effect's names of the AI SDK's parts
    ({"type": "tool-params-start", "id": "c", "name": "n"}, "tool-params-start c n"),
    ({"type": "tool-params-delta", "id": "c", "delta": "{}"}, "tool-params-delta c '{}'"),
    ({"type": "tool-params-end", "id": "c"}, "tool-params-end c"),
    ({"type": "tool-call", "id": "c", "name": "n", "params": {"a": 1}}, 'tool-call c n {"a":1}'),
    ({"type": "tool-result", "id": "c", "name": "n", "result": [1]}, "tool-result c n [1]"),
    ({"type": "finish", "reason": "stop", "usage": {}}, "finish stop"),
    (
        {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": "c"},
        "tool-approval-request mcpr_1 for c",
    ),
    (
        {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCall": {"toolCallId": "c"}},
        "tool-approval-request mcpr_1 for c",
    ),
    (
        {"type": "response-metadata", "id": {"_tag": "Some", "value": "r_1"}},
        "response-metadata r_1",
    ),
    ({}, "{}"),
]


@pytest.mark.parametrize(("part", "words"), PARTS)
def test_the_summary_of_a_part_has_its_type_and_content(part: dict[str, Any], words: str) -> None:
    assert summary.of_part(part) == words


EVENTS: list[tuple[str, Any, str]] = [
    (
        "response.output_text.annotation.added",
        {"output_index": 0, "annotation": {"type": "url_citation", "url": "https://a.b"}},
        "output_text.annotation.added [0] https://a.b",
    ),
    (
        "response.output_text.annotation.added",
        {"output_index": 0, "annotation": {"type": "file_path", "file_id": "file_1"}},
        "output_text.annotation.added [0] file_1",
    ),
    ("response.created", {"response": {"status": "in_progress"}}, "created"),
    (
        "response.function_call_arguments.delta",
        {"output_index": 1, "delta": '{"path":'},
        "function_call_arguments.delta [1] '{\"path\":'",
    ),
    (
        "response.output_item.added",
        {"output_index": 0}
        | {"item": {"type": "function_call", "call_id": "call_1", "status": "in_progress"}},
        "output_item.added [0] function_call call_1",
    ),
    (
        "response.output_item.done",
        {"output_index": 0, "item": {"type": "message", "status": "incomplete"}},
        "output_item.done [0] message incomplete",
    ),
    ("response.output_text.done", {"output_index": 2, "text": "Hi"}, "output_text.done [2] 'Hi'"),
    (
        "response.output_item.done",
        {"output_index": 0, "item": {"type": "message", "status": "completed"}},
        "output_item.done [0] message",
    ),
    (
        "response.output_item.added",
        {"output_index": 0}
        | {"item": {"type": "function_call", "call_id": "", "name": "", "arguments": ""}},
        "output_item.added [0] function_call '' name ''",
    ),
    (
        "response.output_item.done",
        {"output_index": 0}
        | {"item": {"type": "function_call", "call_id": "c", "name": "n", "arguments": ""}},
        "output_item.done [0] function_call c arguments ''",
    ),
    (
        "response.output_item.done",
        {"output_index": 1, "item": None},
        "output_item.done [1] item: null",
    ),
    (
        "response.output_text.annotation.added",
        {"output_index": 0, "annotation": None},
        "output_text.annotation.added [0] annotation: null",
    ),
    (
        "response.output_text.annotation.added",
        {"output_index": 0, "annotation": {"url": ""}},
        'output_text.annotation.added [0] {"url":""}',
    ),
    (
        "response.output_text.delta",
        {"output_index": 1, "delta": None},
        "output_text.delta [1] delta: null",
    ),
    ("response.refusal.done", {"output_index": 0, "refusal": "No."}, "refusal.done [0] 'No.'"),
    (
        "response.failed",
        {"response": {"error": {"code": "server_error", "message": "It broke."}}},
        "failed server_error It broke.",
    ),
    (
        "error",
        {"error": {"type": "x", "code": "rate_limit_exceeded", "message": "Slow down."}},
        "error rate_limit_exceeded Slow down.",
    ),
    ("error", {"code": None, "message": "It broke."}, "error It broke."),
    ("error", {"code": "x", "message": "It broke."}, "error x It broke."),
    ("response.completed", {"response": {"error": None}}, "completed"),
    ("response.failed", {"response": None}, "failed"),
    ("acme:trace", {"error": "no object"}, "acme:trace no object"),
    ("response.created", None, "response.created"),
]


@pytest.mark.parametrize(("type_", "data", "words"), EVENTS)
def test_an_events_summary_has_its_type_item_and_content(type_: str, data: Any, words: str) -> None:
    assert summary.of_event(SentEvent(0, 0.0, "event", type_, data), "openresponses") == words


SDK_PARTS: list[tuple[dict[str, Any], str]] = [
    ({"type": "text-delta", "id": "t1", "delta": "Hel"}, "text-delta t1 'Hel'"),
    ({"type": "text-delta", "id": "t1", "text": "Hel"}, "text-delta t1 'Hel'"),
    ({"type": "text-delta", "textDelta": "Hel"}, "text-delta 'Hel'"),
    ({"type": "reasoning", "textDelta": ""}, "reasoning ''"),
    ({"type": "text-start", "id": "t1"}, "text-start t1"),
    ({"type": "start"}, "start"),
    ({"type": "start-step", "request": {}, "warnings": []}, "start-step"),
    (
        {"type": "tool-input-start", "id": "call1", "toolName": "search"},
        "tool-input-start call1 search",
    ),
    (
        {"type": "tool-input-delta", "toolCallId": "call1", "inputTextDelta": '{"q'},
        "tool-input-delta call1 '{\"q'",
    ),
    (
        {"type": "tool-call-delta", "toolCallId": "c", "toolName": "f", "argsTextDelta": "{"},
        "tool-call-delta c f '{'",
    ),
    (
        {"type": "tool-call", "toolCallId": "call1", "toolName": "search", "input": {"q": "x"}},
        'tool-call call1 search {"q":"x"}',
    ),
    (
        {"type": "tool-call", "toolCallId": "call1", "toolName": "search", "input": '{"q":"x"}'},
        'tool-call call1 search {"q":"x"}',
    ),
    (
        {"type": "tool-result", "toolCallId": "c", "toolName": "f", "input": {}, "output": [1]},
        "tool-result c f [1]",
    ),
    (
        {
            "type": "tool-result",
            "toolCallId": "c",
            "toolName": "f",
            "result": 1,
            "preliminary": True,
        },
        "tool-result c f preliminary 1",
    ),
    (
        {"type": "tool-error", "toolCallId": "c", "toolName": "f", "input": {}, "error": "No."},
        "tool-error c f {} No.",
    ),
    (
        {"type": "tool-output-error", "toolCallId": "c", "errorText": "No."},
        "tool-output-error c No.",
    ),
    (
        {"type": "source", "sourceType": "url", "id": "s1", "url": "https://a.b"},
        "source s1 https://a.b",
    ),
    ({"type": "source", "source": {"id": "s1", "url": "https://a.b"}}, "source s1 https://a.b"),
    ({"type": "file", "file": {"base64": "AA==", "mediaType": "a/b"}}, "file a/b"),
    ({"type": "file", "mediaType": "a/b", "data": "AA=="}, "file a/b"),
    (
        {"type": "finish", "usage": {}, "finishReason": {"unified": "stop", "raw": "end"}},
        "finish stop",
    ),
    ({"type": "finish", "totalUsage": {}, "finishReason": "length"}, "finish length"),
    ({"type": "abort", "reason": "user"}, "abort user"),
    ({"type": "data-weather", "data": {"city": "Zürich"}}, 'data-weather {"city":"Zürich"}'),
    ({"type": "error", "errorText": "It broke."}, "error It broke."),
    ({"type": "error", "error": "It broke."}, "error It broke."),
    ({"type": "error", "error": {"code": "x", "message": "It broke."}}, "error x It broke."),
]


@pytest.mark.parametrize(("part", "words"), SDK_PARTS)
def test_an_ai_sdk_parts_summary_has_its_id_and_content(part: dict[str, Any], words: str) -> None:
    assert (
        summary.of_event(SentEvent(0, 0.0, "event", part["type"], part), "vercel-gateway") == words
    )


@pytest.mark.parametrize(
    ("kind", "type_", "data", "words"),
    [
        ("comment", "comment", "keepalive", ": keepalive"),
        ("raw", "raw", "data: {\n", r"raw 'data: {\n'"),
        ("raw", "raw", "data: {}\n\ndata: {}\n\n", r"raw 'data: {}\n\ndata: {}\n\n'"),
        ("raw", "raw", "data: [1]\n\n", r"raw 'data: [1]\n\n'"),
        ("raw", "raw", 'event: x\ndata: {"error": "No."}\n\n', "x No."),
        ("raw", "raw", "data: [DONE]\n\n", "[DONE]"),
        ("raw", "raw", "[DONE]", "raw '[DONE]'"),
        ("done", "[DONE]", None, "[DONE]"),
    ],
)
def test_the_summary_of_data_that_is_no_event_says_what_it_is(
    kind: str, type_: str, data: Any, words: str
) -> None:
    assert summary.of_event(SentEvent(0, 0.0, kind, type_, data), "chat") == words


BROKEN = {"code": 502, "message": "It broke."}
CHOICES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"index": 0, "id": "", "function": {"name": "", "arguments": "{"}}, {}, "'' '' '{'"),
    ({"index": 0}, {}, "call[0] without function"),
    ({"index": 1, "id": "c", "function": None}, {}, "c call[1] without function"),
    ({"id": "c", "custom": {"name": "sql", "input": "select"}}, {}, "c sql 'select'"),
    ({}, {"finish_reason": "error", "error": BROKEN}, "error 502 It broke."),
]


@pytest.mark.parametrize(("call", "choice", "words"), CHOICES)
def test_a_choice_in_a_chunk_shows_what_its_fragment_of_a_call_or_its_error_has(
    call: dict[str, Any], choice: dict[str, Any], words: str
) -> None:
    data = {"choices": [{"delta": {"tool_calls": [call]} if call else {}, **choice}]}
    assert summary.of_event(SentEvent(0, 0.0, "event", "x", data), "chat") == f"x {words}"


def test_a_chunk_shows_the_error_beside_its_choices() -> None:
    data = {"choices": [{"delta": {}, "finish_reason": "error"}], "error": BROKEN}
    words = summary.of_event(SentEvent(0, 0.0, "event", "chunk", data), "chat")
    assert words == "chunk error 502 It broke."


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "value": "x" * 5000},
        {"type": "toolCall", "callId": "c", "name": "n", "input": {"text": "x" * 5000}},
        {"type": "data", "mimeType": "image/png", "data": "x" * 5000},
    ],
)
def test_a_long_summary_is_cut(part: dict[str, Any]) -> None:
    words = summary.of_part(part)
    assert len(words) < 200
    assert words.endswith("…")
