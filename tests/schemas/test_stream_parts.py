from typing import Any

from tests.schemas import ours, problems

CALL: dict[str, Any] = {
    "type": "tool-call",
    "toolCallId": "call_1",
    "toolName": "read_file",
    "input": '{"path":"a.py"}',
}
SOURCE: dict[str, Any] = {
    "type": "source",
    "sourceType": "url",
    "id": "s",
    "url": "https://a.example",
}
DOCUMENT: dict[str, Any] = {
    "type": "source",
    "sourceType": "document",
    "id": "s",
    "mediaType": "a/b",
    "title": "a",
}
RESULT: dict[str, Any] = {
    "type": "tool-result",
    "toolCallId": "ig_1",
    "toolName": "image_generation",
    "result": {"result": "aGk="},
}
FINISH: dict[str, Any] = {"type": "finish", "finishReason": "stop", "usage": {}}


# The field names of the published providers: AI SDK specification V2 to V4, and Effect.
def test_a_part_of_a_provider_is_accepted() -> None:
    for part in [
        {"type": "stream-start", "warnings": []},
        {"type": "response-metadata", "id": "resp_1", "modelId": "mock"},
        {"type": "text-start", "id": "msg_1"},
        {"type": "text-delta", "id": "msg_1", "delta": ""},
        {"type": "text-delta", "id": "msg_1", "delta": "Hi", "providerMetadata": {"openai": {}}},
        {"type": "reasoning-delta", "id": "rs_1:0", "delta": "Hm."},
        {"type": "tool-input-start", "id": "call_1", "toolName": "search"},
        {"type": "tool-input-start", "id": "call_1", "toolName": "sql", "inputEncoding": "text"},
        {"type": "tool-params-start", "id": "call_1", "name": "search"},
        {"type": "tool-input-end", "id": "call_1"},
        CALL,
        CALL | {"input": ""},
        {"type": "tool-call", "id": "call_1", "name": "read_file", "params": {"path": "a.py"}},
        CALL | {"providerExecuted": True, "dynamic": True},
        {"type": "tool-result", "toolCallId": "ws_1", "toolName": "web_search", "result": {}},
        RESULT | {"preliminary": True},
        {"type": "tool-result", "id": "ws_1", "name": "search", "result": {}, "isFailure": False},
        {"type": "tool-approval-request", "approvalId": "mcpr_1", "toolCallId": "call_1"},
        {"type": "custom", "kind": "openai.compaction"},
        {"type": "reasoning-file", "mediaType": "image/png", "data": {"type": "data", "data": ""}},
        {"type": "ping"},
        SOURCE,
        DOCUMENT,
        DOCUMENT | {"filename": "a"},
        {"type": "file", "mediaType": "image/png", "data": "aGk="},
        {"type": "file", "mediaType": "image/png", "data": {"type": "data", "data": "aGk="}},
        {"type": "file", "mediaType": "a/b", "data": {"type": "url", "url": "https://a.example"}},
        FINISH,
        FINISH | {"finishReason": {"unified": "tool-calls", "raw": None}},
        FINISH | {"finishReason": {"unified": "interrupted"}},
        {"type": "finish", "reason": "length", "usage": {"inputTokens": 1}},
        {"type": "error", "error": {"message": "Overloaded."}},
        {"type": "error", "error": "Overloaded."},
        {"type": "raw", "rawValue": {}},
    ]:
        assert problems(ours("parts/stream"), part) == []


def test_a_value_that_is_not_a_part_is_refused() -> None:
    for part in [
        "text",
        {"delta": "Hi"},
        {"type": "text", "value": "Hi"},
        {"type": "text-delta", "delta": "Hi"},
        {"type": "text-delta", "id": "msg_1", "text": "Hi"},
        {"type": "text-delta", "id": "msg_1", "textDelta": "Hi"},
        {"type": "text-delta", "id": "msg_1", "delta": None},
        {"type": "text-start"},
        {"type": "tool-input-start", "id": "call_1"},
        CALL | {"input": {"path": "a.py"}},
        CALL | {"toolCallId": ""},
        {"type": "tool-call", "toolCallId": "call_1", "toolName": "search", "args": "{}"},
        CALL | {"providerExecuted": "yes"},
        RESULT | {"preliminary": "yes"},
        {"type": "tool-result", "toolCallId": "ws_1", "result": {}},
        {"type": "tool-result", "toolCallId": "ws_1", "toolName": "web_search"},
        {"type": "tool-approval-request", "approvalId": "mcpr_1"},
        {"type": "tool-approval-request", "toolCallId": "call_1"},
        {"type": "custom"},
        {"type": "custom", "kind": "compaction"},
        {"type": "stream-start", "warnings": None},
        *({name: SOURCE[name] for name in SOURCE if name != lost} for lost in SOURCE),
        *({name: DOCUMENT[name] for name in DOCUMENT if name != lost} for lost in DOCUMENT),
        {"type": "file", "mediaType": "image/png", "data": "no base64"},
        {"type": "file", "data": "aGk="},
        {"type": "finish", "usage": {}},
        FINISH | {"finishReason": "done"},
        {"type": "error", "errorText": "Overloaded."},
    ]:
        assert problems(ours("parts/stream"), part)
