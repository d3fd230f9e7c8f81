from typing import Any

import pytest

from tests.schemas import check_refused, ours, problems

KIT_HELLO: dict[str, Any] = {
    "type": "hello",
    "protocol": 1,
    "kit": {"name": "streamproof", "version": "0.1.0"},
}
ADAPTER_HELLO: dict[str, Any] = {
    "type": "hello",
    "protocol": 1,
    "adapter": {"name": "ai-sdk-openai", "version": "1"},
    "implementation": {"name": "@ai-sdk/openai", "version": "4.0.118"},
}
RUN: dict[str, Any] = {
    "type": "run", "id": "r-17", "dialect": "openresponses",
    "base_url": "http://127.0.0.1:4100/r/9f2c1e77/v1", "api_key": "sk-mock-9f2c1e77",
    "model": "mock", "messages": [{"role": "user", "content": "Hi"}], "tools": [],
    "options": {"max_retries": 0}, "deadline_ms": 10000,
}  # fmt: skip
CONVERSATION: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather?"},
    {
        "role": "assistant",
        "content": [{"type": "toolCall", "callId": "gw-call_1", "name": "weather", "input": {}}],
    },
    {"role": "tool", "callId": "gw-call_1", "content": "sunny"},
]
TOOL: dict[str, Any] = {"name": "weather", "description": "", "input_schema": {"type": "object"}}
FULL_RUN: dict[str, Any] = RUN | {
    "messages": CONVERSATION,
    "tools": [TOOL],
    "cancel": {"after_parts": 2},
}
PART: dict[str, Any] = {
    "type": "part",
    "id": "r-17",
    "n": 0,
    "part": {"type": "text", "value": "Let me "},
}
DONE: dict[str, Any] = {"type": "done", "id": "r-17", "outcome": "completed"}
FAILED: dict[str, Any] = {
    "type": "done",
    "id": "r-17",
    "outcome": "failed",
    "error": {"kind": "upstream", "message": "Slow down.", "code": "rate_limit_exceeded"},
}
UNSUPPORTED: dict[str, Any] = {"type": "unsupported", "id": "r-17", "reason": "no such dialect"}
ERROR: dict[str, Any] = {"type": "error", "id": "r-17", "message": "KeyError: 'choices'"}
COUNT: dict[str, Any] = {
    "type": "count",
    "id": "c-1",
    **{name: RUN[name] for name in RUN if name not in ("type", "id", "options")},
    "storage": "/tmp/it",
}
COUNTED: dict[str, Any] = {"type": "counted", "id": "c-1", "total": 7}
CANCEL: dict[str, Any] = {"type": "cancel", "id": "r-17"}
CANCELLING: dict[str, Any] = {"type": "cancelling", "id": "r-17"}
BYE: dict[str, Any] = {"type": "bye"}

FROM_KIT: list[dict[str, Any]] = [
    KIT_HELLO,
    RUN,
    FULL_RUN,
    RUN | {"tools": [{"name": "x", "input_schema": {}}]},
    RUN | {"cancel": {"after_parts": 2}, "options": {"max_retries": 1, "max_output_tokens": 16}},
    RUN | {"storage": "/tmp/it"},
    COUNT,
    COUNT | {"messages": CONVERSATION, "tools": [TOOL]},
    CANCEL,
    BYE,
]
FROM_ADAPTER: list[dict[str, Any]] = [
    ADAPTER_HELLO,
    PART,
    PART | {"n": 41, "part": {}},
    DONE,
    DONE | {"finish": "content-filter", "usage": {"input": 11, "output": 22}},
    DONE | {"usage": {"output": 0}},
    DONE | {"outcome": "cancelled"},
    FAILED,
    FAILED | {"error": {"kind": "truncated", "message": ""}, "finish": "error"},
    UNSUPPORTED | {"issue_url": "https://example.org/issues/7"},
    UNSUPPORTED,
    ERROR,
    ERROR | {"traceback": "Traceback (most recent call last): …"},
    CANCELLING,
    COUNTED,
    COUNTED | {"counts": [0, 7], "limits": {"input": 200_000, "output": 64_000}},
    {"type": "counted", "id": "c-1", "counts": [7], "limits": {}},
]


def kind(message: dict[str, Any]) -> str:
    return str(message["type"])


def test_a_message_of_the_kit_is_not_one_of_an_adapter() -> None:
    for message in FROM_KIT:
        assert problems(ours("driver"), message) == []
        assert problems(ours("driver", "from-kit"), message) == []
        assert problems(ours("driver", "from-adapter"), message) != []


def test_a_message_of_an_adapter_is_not_one_of_the_kit() -> None:
    for message in FROM_ADAPTER:
        assert problems(ours("driver"), message) == []
        assert problems(ours("driver", "from-adapter"), message) == []
        assert problems(ours("driver", "from-kit"), message) != []


SMALLEST = [
    KIT_HELLO, ADAPTER_HELLO, RUN, PART, DONE, FAILED, UNSUPPORTED, ERROR, CANCEL, CANCELLING,
    COUNT, BYE,
]  # fmt: skip


def test_a_message_without_one_of_its_fields_is_refused() -> None:
    for message in SMALLEST:
        # Without its field `kit`, the kit's hello is validated as an adapter's
        for key in message.keys() - {"kit"}:
            rest = {field: value for field, value in message.items() if field != key}
            assert problems(ours("driver"), rest) == [("$", f"'{key}' is a required property")]


DEFINITIONS: dict[str, dict[str, Any]] = {
    "kit-hello": KIT_HELLO, "adapter-hello": ADAPTER_HELLO, "run": RUN, "part": PART, "done": DONE,
    "unsupported": UNSUPPORTED, "error": ERROR, "cancel": CANCEL, "cancelling": CANCELLING,
    "count": COUNT, "counted": COUNTED, "bye": BYE,
}  # fmt: skip


def test_a_definition_accepts_its_own_message_and_no_other() -> None:
    for definition in DEFINITIONS:
        own = ours("driver", definition)
        for name, message in DEFINITIONS.items():
            assert own.is_valid(message) == (name == definition)
        message = DEFINITIONS[definition]
        untyped = {key: value for key, value in message.items() if key != "type"}
        assert problems(own, untyped) == [("$", "'type' is a required property")]
        assert problems(own, message | {"type": "x"}) == [
            ("$.type", f"{message['type']!r} was expected")
        ]
        assert problems(own, []) == [("$", "[] is not of type 'object'")]


@pytest.mark.parametrize("side", ["from-kit", "from-adapter"])
def test_a_line_that_is_not_a_message_of_a_side_is_refused_in_one_line(side: str) -> None:
    assert problems(ours("driver", side), []) == [("$", "[] is not of type 'object'")]
    assert problems(ours("driver", side), {}) == [("$", "'type' is a required property")]
    ((where, said),) = problems(ours("driver", side), {"type": "stop"})
    assert (where, said[:20]) == ("$.type", "'stop' is not one of")


def test_a_hello_of_the_wrong_side_lacks_the_fields_of_that_side() -> None:
    assert ("$", "'kit' is a required property") in problems(
        ours("driver", "from-kit"), ADAPTER_HELLO
    )
    assert ("$", "'adapter' is a required property") in problems(
        ours("driver", "from-adapter"), KIT_HELLO
    )


def test_a_hello_without_a_name_is_refused() -> None:
    found = problems(ours("driver"), {"type": "hello", "protocol": 1})
    assert found == [
        ("$", f"'{key}' is a required property") for key in ("adapter", "implementation")
    ]


REFUSED: list[tuple[Any, str, str]] = [
    ("hello", "$", "'hello' is not of type 'object'"),
    ({"type": "stop"}, "$.type", "'stop' is not one of"),
    (KIT_HELLO | {"protocol": 2}, "$.protocol", "1 was expected"),
    (ADAPTER_HELLO | {"protocol": "1"}, "$.protocol", "1 was expected"),
    (ADAPTER_HELLO | {"adapter": "x"}, "$.adapter", "'x' is not of type 'object'"),
    (KIT_HELLO | {"kit": {"version": "1"}}, "$.kit", "'name' is a required property"),
    (KIT_HELLO | {"kit": {"name": "", "version": "1"}}, "$.kit.name", "'' should be non-empty"),
    (KIT_HELLO | {"kit": {"name": "x", "version": ""}}, "$.kit.version", "'' should be"),
    (ADAPTER_HELLO | {"implementation": {"name": "x"}}, "$.implementation", "'version' is a"),
    (RUN | {"id": ""}, "$.id", "'' should be non-empty"),
    (RUN | {"base_url": "127.0.0.1:4100"}, "$.base_url", "'127.0.0.1:4100' does not match"),
    (RUN | {"messages": []}, "$.messages", "[] should be non-empty"),
    (RUN | {"messages": [{"role": "function"}]}, "$.messages[0].role", "'function' is not one of"),
    (RUN | {"messages": [{"role": "user"}]}, "$.messages[0]", "'content' is a required property"),
    (
        RUN | {"messages": [{"role": "assistant", "content": "Hi"}]},
        "$.messages[0].content",
        "'Hi' is not of type 'array'",
    ),
    (
        RUN | {"messages": [{"role": "tool", "content": "sunny"}]},
        "$.messages[0]",
        "'callId' is a required property",
    ),
    (
        RUN | {"messages": [{"role": "user", "content": "Hi", "name": "x"}]},
        "$.messages[0]",
        "Additional properties are not allowed ('name'",
    ),
    (RUN | {"tools": [{"name": "x"}]}, "$.tools[0]", "'input_schema' is a required property"),
    (RUN | {"options": {"max_retries": -1}}, "$.options.max_retries", "-1 is less than"),
    (RUN | {"cancel": {"after_parts": -1}}, "$.cancel.after_parts", "-1 is less than"),
    (RUN | {"dialect": ""}, "$.dialect", "'' should be non-empty"),
    (RUN | {"api_key": ""}, "$.api_key", "'' should be non-empty"),
    (RUN | {"model": ""}, "$.model", "'' should be non-empty"),
    (RUN | {"id": "r" * 101}, "$.id", "'rrr"),
    (RUN | {"tools": [TOOL | {"name": ""}]}, "$.tools[0].name", "'' should be non-empty"),
    (RUN | {"tools": [{"input_schema": {}}]}, "$.tools[0]", "'name' is a required property"),
    (RUN | {"messages": [{"content": "Hi"}]}, "$.messages[0]", "'role' is a required property"),
    (RUN | {"messages": [{"role": "assistant"}]}, "$.messages[0]", "'content' is a required"),
    (
        RUN | {"messages": [{"role": "tool", "callId": "", "content": ""}]},
        "$.messages[0].callId",
        "'' should be non-empty",
    ),
    (
        RUN | {"messages": [{"role": "tool", "callId": "call_1"}]},
        "$.messages[0]",
        "'content' is a required property",
    ),
    (RUN | {"cancel": {}}, "$.cancel", "'after_parts' is a required property"),
    (RUN | {"deadline_ms": 0}, "$.deadline_ms", "0 is less than the minimum of 1"),
    (RUN | {"scenario": "any/text"}, "$", "Additional properties are not allowed ('scenario'"),
    (PART | {"n": -1}, "$.n", "-1 is less than the minimum of 0"),
    (PART | {"part": "Let me "}, "$.part", "'Let me ' is not of type 'object'"),
    (PART | {"at": 0.5}, "$", "Additional properties are not allowed ('at'"),
    (DONE | {"outcome": "incomplete"}, "$.outcome", "'incomplete' is not one of"),
    (DONE | {"outcome": "failed"}, "$", "'error' is a required property"),
    (DONE | {"finish": "tool_calls"}, "$.finish", "'tool_calls' is not one of"),
    (DONE | {"usage": {"input": -1}}, "$.usage.input", "-1 is less than the minimum of 0"),
    (DONE | {"usage": {"output": -1}}, "$.usage.output", "-1 is less than the minimum of 0"),
    (DONE | {"usage": {"input": None}}, "$.usage.input", "None is not of type 'integer'"),
    (DONE | {"usage": {"input_tokens": 1}}, "$.usage", "Additional properties are not allowed"),
    (FAILED | {"error": {"kind": "http"}}, "$.error", "'message' is a required property"),
    (FAILED | {"error": {"message": ""}}, "$.error", "'kind' is a required property"),
    (FAILED | {"error": {"kind": "bug", "message": ""}}, "$.error.kind", "'bug' is not one of"),
    (
        FAILED | {"error": {"kind": "http", "message": "", "code": 429}},
        "$.error.code",
        "429 is not of type 'string'",
    ),
    (RUN | {"storage": ""}, "$.storage", "'' should be non-empty"),
    (COUNT | {"messages": []}, "$.messages", "[] should be non-empty"),
    (COUNT | {"options": {}}, "$", "Additional properties are not allowed ('options'"),
    (COUNTED | {"total": -1}, "$.total", "-1 is less than the minimum of 0"),
    (COUNTED | {"counts": [1.5]}, "$.counts[0]", "1.5 is not of type 'integer'"),
    (COUNTED | {"limits": {"input": -1}}, "$.limits.input", "-1 is less than the minimum of 0"),
    (UNSUPPORTED | {"issue_url": ""}, "$.issue_url", "'' should be non-empty"),
    (UNSUPPORTED | {"reason": ""}, "$.reason", "'' should be non-empty"),
    (ERROR | {"message": None}, "$.message", "None is not of type 'string'"),
    (CANCELLING | {"id": 17}, "$.id", "17 is not of type 'string'"),
    (BYE | {"id": "r-17"}, "$", "Additional properties are not allowed ('id'"),
]


def test_a_malformed_message_is_refused_in_one_line() -> None:
    check_refused(ours("driver"), REFUSED)
