"""Requests of the AI SDK's clients are read; the exact field that its types forbid is refused.

The requests are those that ai 5, 6 and 7 make for one ``streamText`` call and one chat.
"""

import copy
from typing import Any

import pytest

from mockserver.dialects.conversation import Message, Reasoning, ToolCall, ToolResult, model_turns
from mockserver.dialects.requests import Inbound
from mockserver.dialects.vercel import gateway, messages, ui

Json = dict[str, Any]

READ = {
    "vercel-gateway": gateway.read_request,
    "vercel-fullstream": messages.read_request,
    "vercel-ui": ui.read_request,
}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
OPTIONS = {"anthropic": {"contextManagement": {"enabled": True}}, "gateway": {"order": ["a"]}}


def headers(version: str = "3", streaming: str = "true", model: str = "mock/x") -> dict[str, str]:
    return {
        "ai-language-model-id": model,
        "ai-language-model-specification-version": version,
        "ai-language-model-streaming": streaming,
    }


def call(id_: str, input_: Any) -> Json:
    return {"type": "tool-call", "toolCallId": id_, "toolName": "read_file", "input": input_}


def result(id_: str, output: Json) -> Json:
    return {"type": "tool-result", "toolCallId": id_, "toolName": "read_file", "output": output}


def texts(*texts: str) -> list[Json]:
    return [{"type": "text", "text": text} for text in texts]


RESULTS = [
    result("c1", {"type": "text", "value": "A"}),
    result("c2", {"type": "json", "value": {"a": 1}}),
    result("c3", {"type": "error-text", "value": "no"}),
    result("c4", {"type": "content", "value": texts("x")}),
]
ENCRYPTED = {"anthropic": {"signature": "c2lnbmVk"}}
ASSISTANT = [
    {"type": "reasoning", "text": "Hm.", "providerOptions": ENCRYPTED},
    *texts("Reading"),
    *(call(f"c{n}", {"path": "a"} if n < 4 else {}) for n in (1, 2, 3, 4)),
]
PNG = {"type": "file", "mediaType": "image/png", "data": "iVBORw0KGgo="}


def prompt(**files: Json) -> list[Json]:
    """A provider's prompt; ``file`` replaces its file part, whose form depends on the version."""
    return [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": [*texts("Look at ", "this"), files.get("file", PNG)]},
        {"role": "assistant", "content": ASSISTANT},
        {"role": "tool", "content": RESULTS},
        {"role": "assistant", "content": texts("Done.")},
        {"role": "user", "content": texts("And now?")},
    ]


def options(**fields: Any) -> Json:
    """The call options of a ``streamText`` call."""
    return {
        "maxOutputTokens": 64,
        "temperature": 0.5,
        "topP": 0.9,
        "stopSequences": ["x"],
        "seed": 3,
        "tools": [
            {"type": "function", "name": "read_file", "description": "R", "inputSchema": SCHEMA},
            {"type": "provider", "id": "openai.web_search", "name": "web_search", "args": {}},
        ],
        "toolChoice": {"type": "auto"},
        "prompt": prompt(),
        "providerOptions": OPTIONS,
        "includeRawChunks": False,
        **fields,
    }


TAGGED = PNG | {"data": {"type": "data", "data": "iVBORw0KGgo="}}

STREAM_TEXT: Json = {
    "model": "mock/x",
    "system": "Be brief",
    "messages": [
        {
            "role": "user",
            "content": [*texts("Look at ", "this"), {"type": "image", "image": "iVBORw0KGgo="}],
        },
        {"role": "assistant", "content": ASSISTANT},
        {"role": "tool", "content": RESULTS},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "And now?"},
    ],
    "tools": {
        "read_file": {"description": "Reads", "inputSchema": SCHEMA},
        "web_search": {"type": "provider", "id": "openai.web_search", "args": {}},
    },
    "maxOutputTokens": 64,
    "providerOptions": OPTIONS,
}


def tool(id_: str, state: str, **fields: Any) -> Json:
    return {"type": "tool-read_file", "toolCallId": id_, "state": state, **fields}


CHAT: Json = {
    "id": "chat1",
    "trigger": "submit-message",
    "extra": 1,
    "maxOutputTokens": 64,
    "messages": [
        {"id": "m0", "role": "system", "parts": texts("Be brief")},
        {
            "id": "m1",
            "role": "user",
            "metadata": {"a": 1},
            "parts": [
                *texts("Look at ", "this"),
                {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aGk="},
            ],
        },
        {
            "id": "m2",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {
                    "type": "reasoning",
                    "text": "Hm.",
                    "state": "done",
                    "providerMetadata": {"openai": {"reasoningEncryptedContent": "c2lnbmVk"}},
                },
                {"type": "text", "text": "Reading", "state": "done"},
                tool("c1", "output-available", input={"path": "a"}, output="A"),
                tool("c2", "output-available", input={"path": "a"}, output={"a": 1}),
                tool("c3", "output-error", input={"path": "a"}, errorText="no"),
                {
                    "type": "dynamic-tool",
                    "toolName": "read_file",
                    "toolCallId": "c4",
                    "state": "output-available",
                    "input": {},
                    "output": "x",
                },
                {"type": "step-start"},
                {"type": "text", "text": "Done."},
                {"type": "source-url", "sourceId": "s", "url": "https://example.org/"},
                {"type": "data-weather", "data": {"city": "Oslo"}},
            ],
        },
        {"id": "m3", "role": "user", "parts": texts("And now?")},
    ],
}

CONVERSATION = [
    Message("system", "Be brief"),
    Message("user", "Look at this"),
    Reasoning("Hm.", "c2lnbmVk"),
    Message("assistant", "Reading"),
    *(ToolCall(f"c{n}", "read_file", '{"path":"a"}' if n < 4 else "{}") for n in (1, 2, 3, 4)),
    ToolResult("c1", "A", "read_file"),
    ToolResult("c2", '{"a":1}', "read_file"),
    ToolResult("c3", "no", "read_file"),
    ToolResult("c4", texts("x"), "read_file"),
    Message("assistant", "Done."),
    Message("user", "And now?"),
]

ASKED: dict[str, tuple[str, Json, dict[str, str]]] = {
    "a gateway's V2": ("vercel-gateway", options(), headers("2")),
    "a gateway's V3": ("vercel-gateway", options(), headers("3")),
    "a gateway's V4": ("vercel-gateway", options(prompt=prompt(file=TAGGED)), headers("4")),
    "streamText": ("vercel-fullstream", STREAM_TEXT, {}),
    "a chat": ("vercel-ui", CHAT, {}),
}


def asked(name: str) -> Inbound:
    dialect, body, received = ASKED[name]
    return READ[dialect](body, received)


def test_a_request_of_the_sdk_is_read() -> None:
    for name in ASKED:
        read = asked(name)
        assert read.problems == ()
        assert (read.stream, read.limit) == (True, 64)
        plain_text = [
            ToolResult("c4", "x", "read_file") if e == CONVERSATION[11] else e for e in CONVERSATION
        ]
        assert list(read.conversation) == (plain_text if name == "a chat" else CONVERSATION)


def test_the_model_has_replied_once_per_step() -> None:
    for name in ASKED:
        assert model_turns(asked(name).conversation) == 2


def test_the_prompt_of_a_completion_is_a_message_of_the_user() -> None:
    read = ui.read_request({"prompt": "Hello", "maxOutputTokens": 9}, {})
    assert (read.problems, read.stream, read.limit) == ((), True, 9)
    assert read.conversation == (Message("user", "Hello"),)


@pytest.mark.parametrize("body", [{"prompt": 3}, {}, {"prompt": "Hello", "messages": []}])
def test_a_body_that_is_neither_a_completion_nor_a_chat_is_refused(body: Json) -> None:
    assert ui.read_request(body, {}).problems


def test_a_chat_may_have_a_field_prompt_of_its_application() -> None:
    read = ui.read_request({**CHAT, "prompt": {"style": "brief"}}, {})
    assert read.problems == ()
    assert Message("user", "And now?") in read.conversation


def test_model_and_streaming_of_a_gateway_request_are_in_headers() -> None:
    for version in ("2", "3", "4"):
        read = gateway.read_request(options(), headers(version))
        assert (read.model, read.form) == ("mock/x", version)
    assert not gateway.read_request(options(), headers(streaming="false")).stream


def test_a_gateway_request_without_a_specification_is_answered_with_v3() -> None:
    received = {"ai-language-model-id": "m", "ai-language-model-streaming": "true"}
    read = gateway.read_request(options(), received)
    assert (read.problems, read.form) == ((), "3")


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (headers("1"), "ai-language-model-specification-version: '1' is none of 2, 3, 4"),
        (headers("v3"), "ai-language-model-specification-version: 'v3' is none of 2, 3, 4"),
        (headers(streaming="yes"), "ai-language-model-streaming: 'yes' is neither true nor false"),
        (headers(model=""), "ai-language-model-id: this header is missing"),
        ({}, "ai-language-model-id: this header is missing"),
    ],
)
def test_an_invalid_header_is_a_problem(wrong: dict[str, str], problem: str) -> None:
    (found,) = gateway.read_request(options(), wrong).problems
    assert found.startswith(problem)


NAMES = [
    ("a gateway's V3", {}, ["read_file"]),
    ("a gateway's V3", {"toolChoice": {"type": "none"}}, []),
    ("a gateway's V3", {"toolChoice": {"type": "tool", "toolName": "read_file"}}, ["read_file"]),
    ("a gateway's V3", {"toolChoice": {"type": "tool", "toolName": "other"}}, []),
    ("streamText", {}, ["read_file"]),
    ("streamText", {"toolChoice": "none"}, []),
    ("streamText", {"toolChoice": {"type": "tool", "toolName": "read_file"}}, ["read_file"]),
]


@pytest.mark.parametrize(("name", "fields", "names"), NAMES)
def test_callable_tools_are_those_of_the_client(name: str, fields: Json, names: list[str]) -> None:
    dialect, body, received = ASKED[name]
    read = READ[dialect]({**body, **fields}, received)
    assert read.problems == ()
    assert read.tools is not None
    assert [each for each, _ in read.tools] == names
    assert all(schema == SCHEMA for _, schema in read.tools)


def test_a_chat_has_no_tools() -> None:
    assert asked("a chat").tools is None


@pytest.mark.parametrize(
    "fields",
    [
        {"system": {"role": "system", "content": "Be brief"}},
        {"system": [{"role": "system", "content": "Be brief"}]},
        {"system": None, "instructions": "Be brief"},
    ],
)
def test_the_system_message_is_read_in_every_form_of_stream_text(fields: Json) -> None:
    body = {name: value for name, value in {**STREAM_TEXT, **fields}.items() if value is not None}
    read = messages.read_request(body, {})
    assert (read.problems, read.conversation[0]) == ((), Message("system", "Be brief"))


def test_a_prompt_is_a_user_message() -> None:
    read = messages.read_request({"model": "m", "prompt": "Hi"}, {})
    assert (read.problems, read.conversation) == ((), (Message("user", "Hi"),))


def test_provider_executed_tools_are_read() -> None:
    ran = [
        call("ws_1", {}) | {"providerExecuted": True},
        result("ws_1", {"type": "json", "value": []}),
        *texts("Found it."),
    ]
    body = {"prompt": [{"role": "assistant", "content": ran}]}
    read = gateway.read_request(body, headers())
    assert (read.problems, read.conversation) == ((), (Message("assistant", "Found it."),))


@pytest.mark.parametrize(
    ("last", "id_"),
    [
        ({"id": "m1", "role": "assistant", "parts": []}, "m1"),
        ({"id": "m1", "role": "user", "parts": texts("Hello")}, ""),
    ],
)
def test_an_answer_continues_the_assistants_message_that_ends_a_chat(last: Json, id_: str) -> None:
    first = {"id": "m0", "role": "assistant", "parts": texts("Hi")}
    assert ui.read_request({"messages": [first, last]}, {}).response_id == id_


def test_a_call_whose_input_is_incomplete_is_ignored() -> None:
    parts = [*texts("Hm"), tool("c1", "input-streaming", input={"pa": 1})]
    read = ui.read_request({"messages": [{"id": "m", "role": "assistant", "parts": parts}]}, {})
    assert (read.problems, read.conversation) == ((), (Message("assistant", "Hm"),))


def changed(body: Json, path: str, value: Any = None) -> Json:
    """The body with another value at a place, or without it."""
    other = copy.deepcopy(body)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    at: Any = other
    for step in steps:
        at = at[step]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return other


GATEWAY, FULL = "a gateway's V3", "streamText"
REFUSED: list[tuple[str, str, Any, str]] = [
    (GATEWAY, "prompt", None, "body: 'prompt' is a required property"),
    (GATEWAY, "prompt", "Hi", "prompt: 'Hi' is not of type 'array'"),
    (GATEWAY, "prompt.0.content", texts("Be brief"), "prompt[0].content: [{"),
    (GATEWAY, "prompt.1.content", "Hi", "prompt[1].content: 'Hi' is not of type 'array'"),
    (GATEWAY, "prompt.1.role", "developer", "prompt[1].role: 'developer' is not one of"),
    (GATEWAY, "prompt.1.content.2.type", "image", "prompt[1].content[2].type: 'image' is not one"),
    (GATEWAY, "prompt.1.content.0.text", None, "prompt[1].content[0]: 'text' is a required"),
    (GATEWAY, "prompt.2.content", "Hi", "prompt[2].content: 'Hi' is not of type 'array'"),
    (GATEWAY, "prompt.2.content.2.input", None, "prompt[2].content[2]: 'input' is a required"),
    (GATEWAY, "prompt.2.content.2.toolName", None, "prompt[2].content[2]: 'toolName' is a"),
    (GATEWAY, "prompt.3.content", "A", "prompt[3].content: 'A' is not of type 'array'"),
    (GATEWAY, "prompt.3.content.0.toolName", None, "prompt[3].content[0]: 'toolName' is a req"),
    (GATEWAY, "prompt.3.content.0.toolName", "", "prompt[3].content[0].toolName: ''"),
    (GATEWAY, "prompt.3.content.0.output", None, "prompt[3].content[0]: 'output' is a required"),
    (GATEWAY, "prompt.3.content.0.output", "A", "prompt[3].content[0].output: 'A' is not of"),
    (GATEWAY, "prompt.3.content.0.output.type", "result", "prompt[3].content[0].output.type: 're"),
    (GATEWAY, "prompt.3.content.0.output.value", ["A"], "prompt[3].content[0].output.value: ['A"),
    (GATEWAY, "prompt.3.content.1.output.value", None, "prompt[3].content[1].output: 'value' is"),
    (GATEWAY, "prompt.3.content.0.toolCallId", "c9", "prompt: no tool call before it has the too"),
    (GATEWAY, "prompt.3.content.0", None, "prompt: tool result is missing for tool call 'c1'"),
    (GATEWAY, "tools", {"read_file": {"inputSchema": SCHEMA}}, "tools: {'read_file'"),
    (GATEWAY, "tools.0.inputSchema", None, "tools[0]: 'inputSchema' is a required property"),
    (GATEWAY, "toolChoice", "auto", "toolChoice: 'auto' is not of type 'object'"),
    (GATEWAY, "maxOutputTokens", 0, "maxOutputTokens: 0 is less than the minimum of 1"),
    (GATEWAY, "maxOutputTokens", "64", "maxOutputTokens: '64' is not of type 'integer'"),
    (GATEWAY, "providerOptions.anthropic", "on", "providerOptions.anthropic: 'on' is not of"),
    (FULL, "messages", None, "body: 'messages' is a required property"),
    (FULL, "messages", [], "messages: []"),
    (FULL, "prompt", "Hi", "body: "),
    (FULL, "messages.0.role", "function", "messages[0].role: 'function' is not one of"),
    (FULL, "messages.0.content", 7, "messages[0].content: 7 is not of type 'string'"),
    (FULL, "messages.1.content.2.input", None, "messages[1].content[2]: 'input' is a required"),
    (FULL, "messages.2.content", "A", "messages[2].content: 'A' is not of type 'array'"),
    (FULL, "messages.2.content.0.output", "A", "messages[2].content[0].output: 'A' is not of"),
    (FULL, "messages.2.content.0.toolName", None, "messages[2].content[0]: 'toolName' is a"),
    (FULL, "messages.2.content.3", None, "messages: tool result is missing for tool call 'c4'"),
    (FULL, "tools", [{"name": "read_file"}], "tools: [{'name': 'read_file'}] is not of type"),
    (FULL, "tools.read_file.inputSchema", None, "tools.read_file: 'inputSchema' is a required"),
    (FULL, "toolChoice", {"type": "auto"}, "toolChoice: 'toolName' is a required property"),
    (FULL, "system", 7, "system: 7 is not of type 'string'"),
    (FULL, "system", {"role": "user", "content": "Be brief"}, "system.role: 'system' was expec"),
    ("a chat", "messages", [], "messages: []"),
    ("a chat", "messages.1.role", "tool", "messages[1].role: 'tool' is not one of"),
    ("a chat", "messages.1.id", None, "messages[1]: 'id' is a required property"),
    ("a chat", "messages.1.parts", None, "messages[1]: 'parts' is a required property"),
    ("a chat", "messages.1.parts", [], "messages[1].parts: []"),
    ("a chat", "messages.1.parts.0.type", "tool-call-delta\n", "messages[1].parts[0].type: "),
    ("a chat", "messages.2.parts.1.text", None, "messages[2].parts[1]: 'text' is a required"),
    ("a chat", "messages.2.parts.3.toolCallId", None, "messages[2].parts[3]: 'toolCallId' is"),
    ("a chat", "messages.2.parts.3.state", "result", "messages[2].parts[3].state: 'result' is"),
    ("a chat", "messages.2.parts.3.state", "input-available", "messages[2].parts[3].output: "),
    ("a chat", "messages.2.parts.3.errorText", "no", "messages[2].parts[3].errorText: "),
    ("a chat", "messages.2.parts.5.errorText", None, "messages[2].parts[5]: 'errorText' is a"),
    ("a chat", "messages.2.parts.6.toolName", None, "messages[2].parts[6]: 'toolName' is a"),
    ("a chat", "trigger", "submit", "trigger: 'submit' is not one of"),
]


def test_what_the_types_of_the_sdk_forbid_is_refused() -> None:
    for name, path, value, problem in REFUSED:
        dialect, body, received = ASKED[name]
        first, *_ = READ[dialect](changed(body, path, value), received).problems
        assert first.startswith(problem)


@pytest.mark.parametrize("dialect", READ)
@pytest.mark.parametrize("body", [None, [], "Hi", 7])
def test_a_body_that_is_not_an_object_is_refused(dialect: str, body: Any) -> None:
    assert READ[dialect](body, headers()).problems == ("the request body is not a JSON object",)


@pytest.mark.parametrize("dialect", READ)
def test_unknown_fields_are_accepted(dialect: str) -> None:
    (name,) = [n for n in (GATEWAY, FULL, "a chat") if ASKED[n][0] == dialect]
    _, body, received = ASKED[name]
    assert READ[dialect]({**body, "futureOption": {"x": 1}}, received).problems == ()


@pytest.mark.parametrize(
    ("part", "output"),
    [
        ({"result": "A"}, {"result": "A"}),
        ({"output": "A"}, {"output": "A"}),
        ({"output": {"type": "json", "value": "A"}}, "A"),
        ({"output": {"type": "error-json", "value": [1]}}, "[1]"),
        ({"output": {"type": "execution-denied", "reason": "No."}}, "No."),
        ({"output": {"type": "execution-denied"}}, ""),
    ],
)
def test_a_result_is_read_by_its_type_and_verbatim_without_one(part: Json, output: Any) -> None:
    message = {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", **part}]}
    read = gateway.read_request({"prompt": [message]}, headers())
    assert read.conversation == (ToolResult("c1", output, ""),)


ERROR_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 403: "forbidden",
    404: "model_not_found", 424: "failed_dependency", 429: "rate_limit_exceeded",
    500: "internal_server_error", 503: "internal_server_error",
}  # fmt: skip


@pytest.mark.parametrize("status", ERROR_TYPES)
@pytest.mark.parametrize("param", [None, "model"])
def test_an_error_has_the_type_that_the_gateway_client_maps_to_a_class(
    status: int, param: str | None
) -> None:
    error = {"message": "No.", "type": ERROR_TYPES[status], "param": param, "code": None}
    assert messages.refuse(status, "No.", param) == {"error": error}


def test_a_chat_server_refuses_in_plain_text() -> None:
    assert ui.refuse(400, "No.", None) == "No."
