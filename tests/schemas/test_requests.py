"""Requests of real SDKs are accepted; what real upstreams reject is refused at the exact field."""

from typing import Any

import openai
import pytest
from aiohttp import web
from pydantic import BaseModel
from pytest_aiohttp import AiohttpServer

from tests.data import needs_data
from tests.schemas import ours, problems, published

REQUEST = "requests/openresponses"
PUBLISHED = "CreateResponseBody"

CALL: dict[str, Any] = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "search",
    "arguments": "{}",
}
CITATION: dict[str, Any] = {
    "type": "url_citation",
    "url": "https://example.org/a",
    "start_index": 0,
    "end_index": 2,
    "title": "A",
}
RESULT: dict[str, Any] = {"type": "function_call_output", "call_id": "call_1", "output": "sunny"}
FUNCTION: dict[str, Any] = {
    "type": "function",
    "name": "search",
    "description": "Looks it up.",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
    "strict": True,
}


def ask(**fields: Any) -> dict[str, Any]:
    return {"model": "mock", "input": "Hi", **fields}


def with_message(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {
        "model": "mock",
        "input": [{"type": "message", "role": role, "content": content} | fields],
    }


def item(**fields: Any) -> dict[str, Any]:
    return {"model": "mock", "input": [fields]}


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return with_message("user", list(parts))


ACCEPTED: dict[str, dict[str, Any]] = {
    "the smallest": {"input": "Hi"},
    "streamed": ask(stream=True, stream_options={"include_obfuscation": False}),
    "a message": with_message("user", "Hi"),
    "content in parts": user(
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "low"},
        {"type": "input_image", "image_url": None, "detail": None},
        {"type": "input_file", "filename": "a.pdf", "file_data": "aGk="},
        {"type": "input_file", "filename": None, "file_url": "https://example.org/a.pdf"},
    ),
    "instructions in messages": {
        "input": [
            {"type": "message", "role": "system", "content": "Be brief."},
            {
                "type": "message",
                "role": "developer",
                "content": [{"type": "input_text", "text": "Be kind."}],
            },
            {"type": "message", "role": "user", "content": "Hi"},
        ]
    },
    "an assistant's history": with_message(
        "assistant",
        [
            {"type": "output_text", "text": "Hi", "annotations": [CITATION]},
            {"type": "refusal", "refusal": "No."},
        ],
        id="msg_1",
        status="completed",
        phase="final_answer",
    ),
    "a call and its result": {
        "previous_response_id": None,
        "input": [
            {"type": "message", "role": "user", "content": "Weather?"},
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "content": None,
                "encrypted_content": "b3BhcXVl",
            },
            CALL | {"id": "fc_1", "status": "completed"},
            RESULT | {"id": "fco_1", "status": "completed"},
        ],
        "tools": [FUNCTION],
    },
    "only the result, after a response": {"previous_response_id": "resp_1", "input": [RESULT]},
    "a previous response and no input": {"previous_response_id": "resp_1", "input": None},
    "a result in parts": item(
        **RESULT
        | {
            "output": [
                {"type": "input_text", "text": "sunny"},
                {"type": "input_image", "image_url": "https://example.org/a.png"},
                {"type": "input_file", "file_url": "https://example.org/a.pdf"},
                {"type": "input_video", "video_url": "https://example.org/a.mp4"},
            ]
        }
    ),
    "a reference": item(id="msg_1"),
    "a reference with its type": item(type="item_reference", id="msg_1"),
    "a compaction": item(type="compaction", id="cmp_1", encrypted_content="b3BhcXVl"),
    "tools and a choice": ask(
        tools=[FUNCTION, {"type": "function", "name": "a-b_C9"}],
        tool_choice={"type": "function", "name": "search"},
        parallel_tool_calls=False,
        max_tool_calls=1,
    ),
    "allowed tools": ask(
        tools=[FUNCTION],
        tool_choice={
            "type": "allowed_tools",
            "mode": "required",
            "tools": [{"type": "function", "name": "search"}],
        },
    ),
    "limits at their edges": ask(
        max_output_tokens=16,
        temperature=2,
        top_p=0,
        presence_penalty=-2.0,
        frequency_penalty=2,
        top_logprobs=20,
        metadata={f"key{n}": "x" * 512 for n in range(16)},
        prompt_cache_key="x" * 64,
        safety_identifier="x" * 64,
    ),
    "names and ids at their edges": {
        "input": [CALL | {"call_id": "x" * 64, "name": "x" * 64}, RESULT | {"call_id": "x"}]
    },
    "everything null that may be": ask(
        model=None,
        instructions=None,
        max_tool_calls=None,
        parallel_tool_calls=None,
        stream_options=None,
        top_p=None,
        presence_penalty=None,
        frequency_penalty=None,
        safety_identifier=None,
        prompt_cache_key=None,
        tools=None,
        tool_choice=None,
        metadata=None,
        text=None,
        temperature=None,
        max_output_tokens=None,
        reasoning=None,
        top_logprobs=None,
    ),
    "a format": ask(
        text={
            "format": {
                "type": "json_schema",
                "name": "answer",
                "description": "The answer",
                "schema": {"type": "object"},
                "strict": None,
            },
            "verbosity": "low",
        },
        instructions="Be brief.",
        reasoning={"effort": "xhigh", "summary": "auto"},
        include=["reasoning.encrypted_content"],
        truncation="disabled",
        service_tier="flex",
        store=False,
        background=False,
    ),
    "unknown fields": ask(user="u1", x_new={"a": [1]}, prompt_cache_retention="24h"),
}

# What OpenAI and its SDKs allow beyond the published schema of OpenResponses
BEYOND: dict[str, dict[str, Any]] = {
    "a message without its type": item(role="user", content="Hi"),
    "an assistant's message without its type": item(role="assistant", content="Hi"),
    "tools of the upstream's own": ask(
        tools=[{"type": "web_search"}], tool_choice={"type": "web_search"}
    ),
    "an item that only the upstream knows": item(type="web_search_call", id="ws_1"),
    "reasoning text that goes back": item(
        type="reasoning", summary=[], content=[{"type": "reasoning_text", "text": "Hm."}]
    ),
    "a sound": user({"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}),
    "a switch that is null": ask(stream=None, store=None, include=None, truncation=None),
    "a tool that is neither strict nor not": ask(tools=[FUNCTION | {"strict": None}]),
    "the effort minimal": ask(reasoning={"effort": "minimal"}),
    "further things to include": ask(include=["web_search_call.action.sources"]),
    "any JSON object": ask(text={"format": {"type": "json_object"}}),
    "a citation of a file": with_message(
        "assistant",
        [{"type": "output_text", "text": "Hi", "annotations": [{"type": "file_citation"}]}],
    ),
    "a file that was uploaded": item(
        **RESULT | {"output": [{"type": "input_image", "file_id": "file_1", "detail": "original"}]}
    ),
    "a conversation instead of an input": {"conversation": "conv_1"},
    "a stored prompt instead of an input": {"prompt": {"id": "pmpt_1"}},
}


def test_a_request_of_a_real_sdk_is_accepted() -> None:
    found = {title: problems(ours(REQUEST), each) for title, each in (ACCEPTED | BEYOND).items()}
    assert {title: each for title, each in found.items() if each} == {}


@needs_data
def test_an_accepted_request_is_legal_openresponses_and_those_beyond_it_are_listed_apart() -> None:
    legal = {
        title for title, each in (ACCEPTED | BEYOND).items() if published(PUBLISHED).is_valid(each)
    }
    assert legal >= ACCEPTED.keys()
    assert legal & {title for title in BEYOND if "instead of" not in title} == set()


class Answer(BaseModel):
    city: str
    degrees: int


class Search(BaseModel):
    """Looks it up."""

    q: str


async def test_requests_that_openai_python_builds_from_types_are_accepted(
    aiohttp_server: AiohttpServer,
) -> None:
    bodies: list[Any] = []
    conversation: list[Any] = [{"role": "user", "content": "Weather?"}, CALL, RESULT]

    async def refuse(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        return web.json_response({"error": {"message": "enough"}}, status=400)

    app = web.Application()
    app.router.add_post("/v1/responses", refuse)
    server = await aiohttp_server(app)
    async with openai.AsyncOpenAI(api_key="sk-mock", base_url=str(server.make_url("/v1"))) as sdk:
        with pytest.raises(openai.BadRequestError):
            async with sdk.responses.stream(
                model="mock",
                input=conversation,
                tools=[openai.pydantic_function_tool(Search)],
                text_format=Answer,
                tool_choice="auto",
            ):
                pass
    (body,) = bodies
    assert body["stream"] is True
    assert body["tools"][0]["name"] == "Search"
    assert body["text"]["format"]["name"] == "Answer"
    assert problems(ours(REQUEST), body) == []


LONG = "x" * 65
BEFORE = {"start_index": -1}

# (request, path of the field, how the message begins or what it ends with)
REFUSED: list[tuple[Any, str, str]] = [
    ([], "$", "[] is not of type 'object'"),
    (ask(model=5), "$.model", "is not of type 'string', 'null'"),
    (ask(input=5), "$.input", "is not of type 'string', 'array'"),
    (ask(input={"role": "user"}), "$.input", "is not of type 'string', 'array'"),
    (ask(input=["Hi"]), "$.input[0]", "'Hi' is not of type 'object'"),
    (item(content="Hi"), "$.input[0]", "'role' is a required property"),
    (item(type=5, id="x"), "$.input[0].type", "5 is not of type 'string'"),
    (item(role="user"), "$.input[0]", "'content' is a required property"),
    (with_message("tool", "sunny"), "$.input[0].role", "'tool' is not one of"),
    (with_message("function", "sunny"), "$.input[0].role", "'function' is not one of"),
    (with_message("user", None), "$.input[0].content", "None is not of type 'string', 'array'"),
    (user({"type": "text", "text": "Hi"}), "$.input[0].content[0].type", "'text' is not one of"),
    (user({"text": "Hi"}), "$.input[0].content[0]", "'type' is a required property"),
    (user({"type": "input_text"}), "$.input[0].content[0]", "'text' is a required property"),
    (user({"type": "input_image", "image_url": {"url": "https://example.org/a.png"}}),
        "$.input[0].content[0].image_url", "is not of type 'string', 'null'"),
    (user({"type": "output_text", "text": "Hi"}),
        "$.input[0].content[0].type", "'output_text' is not one of"),
    (with_message("assistant", [{"type": "input_text", "text": "Hi"}]),
        "$.input[0].content[0].type", "'input_text' is not one of"),
    (with_message("system", [{"type": "input_image", "image_url": "https://example.org/a.png"}]),
        "$.input[0].content[0].type", "'input_image' is not one of"),
    (with_message("assistant", "Hi", phase="draft"), "$.input[0].phase", "'draft' is not one of"),
    (item(type="function_call_output", output="x"), "$.input[0]", "'call_id' is a required"),
    (item(**RESULT | {"call_id": ""}), "$.input[0].call_id", "'' should be non-empty"),
    (item(**RESULT | {"call_id": LONG}), "$.input[0].call_id", "is too long"),
    (item(**RESULT | {"call_id": None}), "$.input[0].call_id", "None is not of type 'string'"),
    (item(**RESULT | {"output": {"a": 1}}),
        "$.input[0].output", "is not of type 'string', 'array'"),
    (item(type="function_call_output", call_id="c"), "$.input[0]", "'output' is a required"),
    (item(**CALL | {"arguments": {}}), "$.input[0].arguments", "{} is not of type 'string'"),
    (item(**CALL | {"name": "read file"}), "$.input[0].name", "'read file' does not match"),
    (item(**CALL | {"name": ""}), "$.input[0].name", "'' does not match"),
    (item(**CALL | {"call_id": LONG}), "$.input[0].call_id", "is too long"),
    (item(**CALL | {"status": "done"}), "$.input[0].status", "'done' is not one of"),
    (item(type="reasoning", summary=[], content=[{"type": "output_text", "text": "Hm."}]),
        "$.input[0].content[0].type", "'output_text' is not one of ['reasoning_text']"),
    (item(type="reasoning", summary=[], content=[{"type": "reasoning_text"}]),
        "$.input[0].content[0]", "'text' is a required property"),
    (with_message("assistant",
        [{"type": "output_text", "text": "", "annotations": [CITATION | BEFORE]}]),
        "$.input[0].content[0].annotations[0].start_index", "-1 is less than the minimum of 0"),
    (item(type=""), "$.input[0].type", "'' should be non-empty"),
    (item(type="reasoning"), "$.input[0]", "'summary' is a required property"),
    (item(type="reasoning", summary="Hm."), "$.input[0].summary", "'Hm.' is not of type 'array'"),
    (item(type="compaction"), "$.input[0]", "'encrypted_content' is a required property"),
    (item(type="item_reference"), "$.input[0]", "'id' is a required property"),
    (ask(tools=[{"type": ""}]), "$.tools[0].type", "'' should be non-empty"),
    (ask(tool_choice={"type": ""}), "$.tool_choice.type", "'' should be non-empty"),
    (ask(include=[""]), "$.include[0]", "'' should be non-empty"),
    (ask(tools={}), "$.tools", "{} is not of type 'array', 'null'"),
    (ask(tools=[{"name": "search"}]), "$.tools[0]", "'type' is a required property"),
    (ask(tools=[{"type": "function", "function": {"name": "search"}}]),
        "$.tools[0]", "'name' is a required property"),
    (ask(tools=[FUNCTION | {"name": "a.b"}]), "$.tools[0].name", "'a.b' does not match"),
    (ask(tools=[FUNCTION | {"name": LONG}]), "$.tools[0].name", "is too long"),
    (ask(tools=[FUNCTION | {"parameters": "{}"}]), "$.tools[0].parameters", "'{}' is not of type"),
    (ask(tool_choice="any"), "$.tool_choice", "'any' is not one of"),
    (ask(tool_choice=True), "$.tool_choice", "True is not of type 'string', 'object', 'null'"),
    (ask(tool_choice={"type": "function"}), "$.tool_choice", "'name' is a required property"),
    (ask(tool_choice={"name": "search"}), "$.tool_choice", "'type' is a required property"),
    (ask(tool_choice={"type": "allowed_tools", "tools": []}),
        "$.tool_choice.tools", "[] should be non-empty"),
    (ask(tool_choice={"type": "allowed_tools", "tools": [{"type": "function"}]}),
        "$.tool_choice.tools[0]", "'name' is a required property"),
    (ask(tool_choice={"type": "allowed_tools", "tools": [{"type": "function", "name": "x"}] * 129}),
        "$.tool_choice.tools", "is too long"),
    (ask(stream="true"), "$.stream", "'true' is not of type 'boolean', 'null'"),
    (ask(stream_options={"include_obfuscation": 1}),
        "$.stream_options.include_obfuscation", "1 is"),
    (ask(max_output_tokens=15), "$.max_output_tokens", "15 is less than the minimum of 16"),
    (ask(max_output_tokens=99.5), "$.max_output_tokens", "99.5 is not of type 'integer', 'null'"),
    (ask(max_tool_calls=0), "$.max_tool_calls", "0 is less than the minimum of 1"),
    (ask(top_logprobs=21), "$.top_logprobs", "21 is greater than the maximum of 20"),
    (ask(top_logprobs=-1), "$.top_logprobs", "-1 is less than the minimum of 0"),
    (ask(temperature="0"), "$.temperature", "'0' is not of type 'number', 'null'"),
    (ask(metadata={"a": 1}), "$.metadata.a", "1 is not of type 'string'"),
    (ask(metadata={"a": "x" * 513}), "$.metadata.a", "is too long"),
    (ask(metadata=dict.fromkeys(map(str, range(17)), "")), "$.metadata", "too many properties"),
    (ask(prompt_cache_key=LONG), "$.prompt_cache_key", "is too long"),
    (ask(safety_identifier=LONG), "$.safety_identifier", "is too long"),
    (ask(reasoning={"effort": "extreme"}), "$.reasoning.effort", "'extreme' is not one of"),
    (ask(text={"verbosity": "loud"}), "$.text.verbosity", "'loud' is not one of"),
    (ask(text={"format": {"type": "xml"}}), "$.text.format.type", "'xml' is not one of"),
    (ask(text={"format": "json"}), "$.text.format", "'json' is not of type 'object', 'null'"),
    (ask(truncation="middle"), "$.truncation", "'middle' is not one of"),
    (ask(service_tier="gold"), "$.service_tier", "'gold' is not one of"),
    (ask(include="reasoning.encrypted_content"), "$.include", "is not of type 'array', 'null'"),
    (ask(parallel_tool_calls="no"), "$.parallel_tool_calls", "'no' is not of type 'boolean'"),
    (ask(previous_response_id=1), "$.previous_response_id", "1 is not of type 'string', 'null'"),
]  # fmt: skip

# What a real upstream rejects and the published schema accepts
STRICTER: list[tuple[dict[str, Any], str, str]] = [
    ({"model": "mock"}, "$", "'input' is a required property"),
    (ask(input=None), "$.input", "None is not of type 'string', 'array'"),
    (
        user({"type": "input_image", "file_id": 5}),
        "$.input[0].content[0].file_id",
        "5 is not of type 'string', 'null'",
    ),
    (
        ask(tool_choice={"type": "function", "name": ""}),
        "$.tool_choice.name",
        "'' should be non-empty",
    ),
    (ask(temperature=2.1), "$.temperature", "2.1 is greater than the maximum of 2"),
    (ask(top_p=-0.1), "$.top_p", "-0.1 is less than the minimum of 0"),
    (ask(presence_penalty=3), "$.presence_penalty", "3 is greater than the maximum of 2"),
    (ask(frequency_penalty=-2.5), "$.frequency_penalty", "-2.5 is less than the minimum of -2"),
    (ask(temperature=-1), "$.temperature", "-1 is less than the minimum of 0"),
    (ask(top_p=1.5), "$.top_p", "1.5 is greater than the maximum of 1"),
    (ask(presence_penalty=-3), "$.presence_penalty", "-3 is less than the minimum of -2"),
    (ask(frequency_penalty=2.5), "$.frequency_penalty", "2.5 is greater than the maximum of 2"),
    (ask(metadata={LONG: "x"}), "$.metadata", "is too long"),
    (
        ask(text={"format": {"type": "json_schema", "schema": {}}}),
        "$.text.format",
        "'name' is a required property",
    ),
]


def field(case: tuple[dict[str, Any], str, str]) -> str:
    return f"{case[1]} {case[2]}"


@pytest.mark.parametrize("case", REFUSED + STRICTER, ids=field)
def test_a_malformed_request_is_refused_in_one_line_at_the_exact_field(
    case: tuple[dict[str, Any], str, str],
) -> None:
    request, path, message = case
    ((where, what),) = problems(ours(REQUEST), request)
    assert where == path
    assert message in what


@needs_data
def test_the_published_schema_refuses_the_same_but_what_only_real_upstreams_reject() -> None:
    accepted = [case for case in REFUSED + STRICTER if published(PUBLISHED).is_valid(case[0])]
    assert accepted == STRICTER
