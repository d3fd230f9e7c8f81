"""The contracts of the AI SDK's parts: the fields of its published types, required and optional.

Each part is listed with all the fields that the declarations of ai 4.3.19, 5.0.277, 6.0.326 and
7.0.173 and of @ai-sdk/provider (LanguageModelV2 to V4) give it; ``?`` marks optional ones. A value
that may be ``undefined`` is optional, since JSON cannot express it.
"""

from typing import Any

import pytest

from mockserver.dialects.vercel.parts import DATA, FULLSTREAM, GATEWAY, KNOWN, SEED, UI, generations
from mockserver.foundation.schemas import accepts
from mockserver.foundation.shipped import schema
from tests.schemas import ours, problems
from tests.stream.vercel import STREAMS

Json = dict[str, Any]

META: Json = {"providerMetadata?": {"openai": {"itemId": "i"}}}
RESPONSE: Json = {"id": "r", "timestamp": "2026-01-28T00:00:00.000Z", "modelId": "m"}
USAGE: Json = {
    "inputTokens": 11,
    "inputTokenDetails": {"noCacheTokens": 11, "cacheReadTokens": 0, "cacheWriteTokens": None},
    "outputTokens": 22,
    "outputTokenDetails": {"textTokens": 22, "reasoningTokens": None},
    "totalTokens": 33,
    "raw": {"a": 1},
}
COUNTED: Json = {"promptTokens": 11, "completionTokens": 22, "totalTokens": 33}
NESTED: Json = {
    "inputTokens": {"total": 11, "noCache": 11, "cacheRead": 0, "cacheWrite": None},
    "outputTokens": {"total": 22, "text": None, "reasoning": 0},
    "raw": {"a": 1},
}
CALLED: Json = {
    "toolCallId": "c",
    "toolName": "f",
    "providerExecuted?": True,
    "dynamic?": True,
    "title?": "F",
    "toolMetadata?": {"a": 1},
    **META,
}
ASKED: Json = {"approvalId": "a", "toolCall": {"toolCallId": "c", "toolName": "f", "input": {}}}
WEB: Json = {"sourceType": "url", "id": "s", "url": "https://a.b", "title?": "A", **META}
PAPER: Json = {
    "sourceType": "document", "id": "s", "mediaType": "a/b", "title": "A", "filename?": "a", **META
}  # fmt: skip
BYTES: Json = {"base64": "AA==", "mediaType": "image/png"}
STREAMED: Json = {
    "toolName": "f",
    "providerExecuted?": True,
    "dynamic?": True,
    "title?": "F",
    "inputEncoding?": "json",
    **META,
}

# Parts of a provider and of a full stream, which differ only in the field that grows
_ALIKE: list[tuple[str, Json]] = [
    ("text-start", {"id": "t", **META}),
    ("text-end", {"id": "t", "citations?": [], **META}),
    ("reasoning-start", {"id": "r", **META}),
    ("reasoning-end", {"id": "r", **META}),
    ("tool-input-start", {"id": "c", **STREAMED}),
    ("tool-input-delta", {"id": "c", "delta": "{", **META}),
    ("tool-input-end", {"id": "c", **META}),
    ("source", WEB),
    ("source", PAPER),
    ("custom", {"kind": "openai.compaction", **META}),
    ("ping", {}),
    ("raw", {"rawValue": {"a": 1}}),
    ("error", {"error": {"message": "It broke."}}),
    ("error", {"error": "It broke."}),
]
_GROWN: list[tuple[str, Json]] = [
    ("text-delta", {"id": "t", "delta": "a", **META}),
    ("reasoning-delta", {"id": "r", "delta": "", **META}),
]

PARTS: dict[str, list[tuple[str, Json]]] = {
    GATEWAY: [
        *_ALIKE,
        *_GROWN,
        ("stream-start", {"warnings": [{"type": "other", "message": "a"}]}),
        ("response-metadata", {f"{name}?": value for name, value in RESPONSE.items()}),
        (
            "tool-call",
            {"toolCallId": "c", "toolName": "f", "input": "{}", "providerExecuted?": True}
            | {"dynamic?": True, **META},
        ),
        (
            "tool-result",
            {"toolCallId": "c", "toolName": "f", "result": {"a": 1}, "isError?": True}
            | {"preliminary?": True, "dynamic?": True, "providerExecuted?": True, **META},
        ),
        ("tool-approval-request", {"approvalId": "a", "toolCallId": "c", **META}),
        ("file", {"mediaType": "image/png", "data": "AA==", **META}),
        ("file", {"mediaType": "image/png", "data": {"type": "data", "data": "AA=="}, **META}),
        ("file", {"mediaType": "image/png", "data": {"type": "url", "url": "https://a.b"}}),
        ("reasoning-file", {"mediaType": "a/b", "data": {"type": "data", "data": "AA=="}, **META}),
        ("finish", {"usage": NESTED, "finishReason": {"unified": "stop", "raw": "end"}, **META}),
        ("finish", {"usage": NESTED, "finishReason": {"unified": "interrupted"}}),
        ("finish", {"usage": {"inputTokens": 1, "totalTokens": None}, "finishReason": "unknown"}),
    ],
    FULLSTREAM: [
        *_ALIKE,
        ("start", {}),
        ("start-step", {"request": {"body": {}}, "warnings": []}),
        ("text-delta", {"id": "t", "text": "a", **META}),
        ("text-delta", {"textDelta": "a"}),
        ("reasoning-delta", {"id": "r", "text": "", **META}),
        ("reasoning", {"textDelta": "a"}),
        ("reasoning-signature", {"signature": "c2ln"}),
        ("redacted-reasoning", {"data": "eHh4"}),
        ("reasoning-file", {"file": BYTES, **META}),
        ("tool-call-streaming-start", {"toolCallId": "c", "toolName": "f"}),
        ("tool-call-delta", {"toolCallId": "c", "argsTextDelta": "{"}),
        ("tool-call", {**CALLED, "input": {}}),
        ("tool-call", {**CALLED, "input": '{"q"', "invalid?": True, "error?": {}}),
        ("tool-call", {"toolCallId": "c", "toolName": "f", "args": {}}),
        ("tool-result", {**CALLED, "input?": {}, "output?": [1], "preliminary?": True}),
        ("tool-result", {"toolCallId": "c", "toolName": "f", "args?": {}, "result?": "a"}),
        ("tool-error", {**CALLED, "input?": {}, "error": "It broke."}),
        ("tool-output-denied", {"toolCallId": "c", "toolName": "f", "providerExecuted?": True}),
        (
            "tool-approval-request",
            {**ASKED, "reason?": "a", "isAutomatic?": True, "signature?": "b"},
        ),
        ("tool-approval-response", {**ASKED, "approved": True, "reason?": "a"}),
        ("source", {"source": {"sourceType": "url", "id": "s", "url": "https://a.b"}}),
        ("file", {"file": BYTES, **META}),
        ("file", {"file": {"base64Data": "AA==", "mediaType": "a/b"}}),
        ("file", {"base64": "AA==", "mimeType": "image/png"}),
        ("steering-message", {"id": "s", "message": {"role": "user"}, "stepNumber": 0}),
        ("abort", {"reason?": "user"}),
        (
            "finish-step",
            {"response": {**RESPONSE, "headers": {}}, "usage": USAGE, "finishReason": "stop"}
            | {"rawFinishReason?": "end", "performance?": {}, **META},
        ),
        ("step-start", {"messageId": "m", "request": {}, "warnings": []}),
        (
            "step-finish",
            {"messageId": "m", "request": {}, "response": RESPONSE, "usage": COUNTED}
            | {"finishReason": "unknown", "isContinued": False, "warnings?": [], **META},
        ),
        ("finish", {"finishReason": "interrupted", "rawFinishReason?": "x", "totalUsage": USAGE}),
        ("finish", {"finishReason": "stop", "usage": COUNTED, "response?": RESPONSE, **META}),
        # Types that only stream-mapping lists
        ("text", {"text": "a"}),
        ("reasoning", {"text": "a"}),
        ("reasoning-delta", {"delta": "a"}),
        ("reasoning-part-finish", {}),
        ("source", {"sourceId": "s", "url?": "https://a.b", "title?": "A"}),
        ("source-url", {"sourceId": "s", "url": "https://a.b", "title?": "A"}),
        ("source-document", {"sourceId": "s", "mediaType": "a/b", "title": "A", "filename?": "a"}),
        ("tool-input-available", {"toolCallId": "c", "toolName": "f", "input": {}}),
    ],
    UI: [
        *(one for one in _ALIKE if one[0].startswith(("text", "reasoning", "custom"))),
        *_GROWN,
        ("start", {"messageId?": "m", "messageMetadata?": 1}),
        ("start-step", {}),
        ("finish-step", {}),
        ("reset-step", {}),
        ("reasoning-file", {"url": "data:a/b;base64,AA==", "mediaType": "a/b", **META}),
        ("tool-input-start", {"toolCallId": "c", "toolMetadata?": {}, **STREAMED}),
        ("tool-input-delta", {"toolCallId": "c", "inputTextDelta": "{"}),
        ("tool-input-available", {**CALLED, "input": {}}),
        ("tool-input-error", {**CALLED, "input": '{"q"', "errorText": "It broke."}),
        (
            "tool-output-available",
            {"toolCallId": "c", "output?": None, "preliminary?": True, "providerExecuted?": True}
            | {"dynamic?": True, "toolMetadata?": {}, **META},
        ),
        ("tool-output-error", {"toolCallId": "c", "errorText": "It broke.", "dynamic?": True}),
        ("tool-output-denied", {"toolCallId": "c"}),
        (
            "tool-approval-request",
            {"approvalId": "a", "toolCallId": "c", "reason?": "a", "isAutomatic?": True}
            | {"signature?": "b", "approvalDescriptor?": 1, "inputSchemaInput?": 1},
        ),
        (
            "tool-approval-response",
            {"approvalId": "a", "approved": False, "reason?": "a", "providerExecuted?": True},
        ),
        ("source-url", {"sourceId": "s", "url": "https://a.b", "title?": "A", **META}),
        (
            "source-document",
            {"sourceId": "s", "mediaType": "a/b", "title": "A", "filename?": "a", **META},
        ),
        ("file", {"url": "https://a.b", "mediaType": "a/b", **META}),
        ("steering-message", {"id": "s", "parts": [{"type": "text", "text": "a"}]}),
        ("message-metadata", {"messageMetadata": {"a": 1}}),
        ("data-weather", {"data": {"a": 1}, "id?": "w", "transient?": True}),
        ("error", {"errorText": "It broke."}),
        ("abort", {"reason?": "user"}),
        ("finish", {"finishReason?": "stop", "messageMetadata?": 1}),
    ],
}


def whole(type_: str, fields: Json, *, optional: bool = True) -> Json:
    """A part with all its fields, or only with the required ones."""
    kept = {n.rstrip("?"): v for n, v in fields.items() if optional or not n.endswith("?")}
    return {"type": type_, **kept}


def problems_of(dialect: str, part: Any) -> list[tuple[str, str]]:
    return problems(ours(f"events/{dialect}"), part)


@pytest.mark.parametrize("dialect", PARTS)
def test_a_part_with_all_or_only_required_or_unknown_fields_is_accepted(dialect: str) -> None:
    for type_, fields in PARTS[dialect]:
        every = whole(type_, fields)
        for part in (
            every,
            whole(type_, fields, optional=False),
            {**every, "x_new": {"a": [None]}},
        ):
            assert problems_of(dialect, part) == [], part


@pytest.mark.parametrize("dialect", PARTS)
def test_a_part_without_a_required_field_is_refused(dialect: str) -> None:
    for type_, fields in PARTS[dialect]:
        for name in (name for name in fields if not name.endswith("?")):
            part = {n: v for n, v in whole(type_, fields).items() if n != name}
            assert not accepts(ours(f"events/{dialect}"), part), f"{type_} without {name}"


# Fields of any type, as in the declarations
_ANY = frozenset(
    {"args", "data", "error", "errorText", "input", "messageMetadata", "output", "rawValue"}
    | {"result", "approvalDescriptor", "inputSchemaInput"}
)


@pytest.mark.parametrize("dialect", PARTS)
def test_a_field_of_another_type_is_refused(dialect: str) -> None:
    for type_, fields in PARTS[dialect]:
        known = whole(type_, fields)
        for name in known.keys() - _ANY:
            part = {**known, name: 7.5}
            assert not accepts(ours(f"events/{dialect}"), part), f"{type_} with {name} as a number"


@pytest.mark.parametrize(
    ("dialect", "part", "path"),
    [
        (GATEWAY, [], "$"),
        (GATEWAY, {}, "$"),
        (UI, {"type": 7}, "$.type"),
        (
            GATEWAY,
            {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
            "$.input",
        ),
        (GATEWAY, {"type": "finish", "usage": NESTED, "finishReason": "end"}, "$.finishReason"),
        (
            GATEWAY,
            {"type": "finish", "usage": NESTED, "finishReason": {"unified": "unknown"}},
            "$.finishReason.unified",
        ),
        (
            GATEWAY,
            {"type": "finish", "usage": {"inputTokens": {}, "outputTokens": 2}}
            | {"finishReason": "stop"},
            "$.usage.outputTokens",
        ),
        (GATEWAY, {"type": "file", "mediaType": "a/b", "data": {"type": "url"}}, "$.data"),
        (
            FULLSTREAM,
            {"type": "finish", "finishReason": "stop", "totalUsage": {"inputTokens": "11"}},
            "$.totalUsage.inputTokens",
        ),
        (
            FULLSTREAM,
            {"type": "finish-step", "response": {}, "usage": {}, "finishReason": "stop"},
            "$.response",
        ),
        (UI, {"type": "finish", "finishReason": "tool_calls"}, "$.finishReason"),
        (UI, {"type": "error", "errorText": {"message": "a"}}, "$.errorText"),
    ],
)
def test_an_invalid_part_is_refused_at_its_field(dialect: str, part: Any, path: str) -> None:
    assert {where for where, _ in problems_of(dialect, part)} == {path}


def test_the_streams_of_released_versions_are_accepted() -> None:
    for of, (dialect, events) in STREAMS.items():
        assert [problems_of(dialect, event) for event in events] == [[]] * len(events), of


def test_the_table_and_the_contract_have_the_same_types() -> None:
    for dialect, known in KNOWN.items():
        listed = {type_ for type_, _ in PARTS[dialect] if not type_.startswith(DATA)}
        contract = {name.removeprefix("part:") for name in schema(f"events/{dialect}")["$defs"]}
        assert listed == known
        assert known <= contract


def test_types_that_only_stream_mapping_lists_are_in_no_release() -> None:
    alone = {type_ for type_ in KNOWN[FULLSTREAM] if generations(type_) == {SEED}}
    assert alone == {
        "text",
        "reasoning-part-finish",
        "source-url",
        "source-document",
        "tool-input-available",
    }
