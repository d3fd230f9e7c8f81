from typing import Any

from tests.schemas import check_refused, ours, problems

CALL: dict[str, Any] = {
    "type": "toolCall",
    "callId": "gw-call_1",
    "name": "read_file",
    "input": {"path": "a.py"},
}
DATA: dict[str, Any] = {"type": "data", "mimeType": "image/png", "data": "iVBORw=="}
THINKING: dict[str, Any] = {"type": "thinking", "value": "Hm."}


def test_a_part_of_a_provider_is_accepted() -> None:
    for part in [
        {"type": "text", "value": "Let me "},
        {"type": "text", "value": ""},
        {"type": "text", "value": "\n🐍\u0000"},
        CALL,
        CALL | {"input": {}},
        DATA,
        DATA | {"data": ""},
        DATA | {"data": "aGkh", "mimeType": "application/json; charset=utf-8"},
        DATA | {"data": "aGk=", "mimeType": "stateful_marker"},
        DATA | {"data": "+/+/" * 300_000},
        THINKING,
        THINKING | {"value": ["Hm.", ""], "id": "rs_1", "metadata": {}},
        THINKING | {"value": "", "metadata": {"vscode_reasoning_done": True}},
    ]:
        assert problems(ours("parts/vscode"), part) == []


REFUSED: list[tuple[Any, str, str]] = [
    ("Let me ", "$", "'Let me ' is not of type 'object'"),
    ({"value": "Let me "}, "$", "'type' is a required property"),
    (
        {"type": "toolResult", "callId": "c", "content": []},
        "$.type",
        "'toolResult' is not one of ['text', 'toolCall', 'data', 'thinking']",
    ),
    ({"type": "tool-call"}, "$.type", "'tool-call' is not one of"),
    ({"type": "text"}, "$", "'value' is a required property"),
    ({"type": "text", "value": None}, "$.value", "None is not of type 'string'"),
    ({"type": "text", "value": ["a"]}, "$.value", "['a'] is not of type 'string'"),
    ({"type": "text", "value": "a", "id": "x"}, "$", "Additional properties are not allowed ('id'"),
    (CALL | {"input": "{}"}, "$.input", "'{}' is not of type 'object'"),
    (CALL | {"input": None}, "$.input", "None is not of type 'object'"),
    (CALL | {"input": []}, "$.input", "[] is not of type 'object'"),
    (CALL | {"callId": ""}, "$.callId", "'' should be non-empty"),
    (CALL | {"callId": 1}, "$.callId", "1 is not of type 'string'"),
    (CALL | {"name": ""}, "$.name", "'' should be non-empty"),
    (CALL | {"arguments": "{}"}, "$", "Additional properties are not allowed ('arguments'"),
    ({"type": "toolCall", "callId": "c", "name": "n"}, "$", "'input' is a required property"),
    ({"type": "toolCall", "callId": "c", "input": {}}, "$", "'name' is a required property"),
    ({"type": "toolCall", "name": "n", "input": {}}, "$", "'callId' is a required property"),
    (DATA | {"mimeType": ""}, "$.mimeType", "'' should be non-empty"),
    (DATA | {"data": "aGk"}, "$.data", "'aGk' does not match"),
    (DATA | {"data": "a-_="}, "$.data", "'a-_=' does not match"),
    (DATA | {"data": "aGk=\n"}, "$.data", "'aGk=\\n' does not match"),
    (DATA | {"data": [105]}, "$.data", "[105] is not of type 'string'"),
    ({"type": "data", "mimeType": "image/png"}, "$", "'data' is a required property"),
    ({"type": "data", "data": ""}, "$", "'mimeType' is a required property"),
    (THINKING | {"url": "x"}, "$", "Additional properties are not allowed ('url'"),
    (THINKING | {"value": ["a", 1]}, "$.value[1]", "1 is not of type 'string'"),
    (THINKING | {"value": None}, "$.value", "None is not of type 'string', 'array'"),
    (THINKING | {"id": 1}, "$.id", "1 is not of type 'string'"),
    (THINKING | {"metadata": []}, "$.metadata", "[] is not of type 'object'"),
    ({"type": "thinking"}, "$", "'value' is a required property"),
]


def test_a_part_that_no_host_accepts_is_refused_in_one_line() -> None:
    check_refused(ours("parts/vscode"), REFUSED)
