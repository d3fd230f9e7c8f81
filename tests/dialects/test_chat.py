"""Chat completions: the chunks on the wire, and which requests are accepted."""

import json
from typing import Any

import pytest

from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.dialects.chat.requests import WITH_USAGE
from mockserver.dialects.dialect import UNPADDED, NonStreamingAnswer
from mockserver.foundation.faults import ScenarioError
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Says
from mockserver.wire.event import Event
from mockserver.wire.slots import fill, fill_json

CHAT = DIALECTS["chat"]
SAMPLE = CHAT.sample()

Json = dict[str, Any]


def scenario(*steps: Any, form: str = "says", **fields: Any) -> Scenario:
    turn = {form: list(steps), **({"expect": {"parts": []}} if form == "sends" else {})}
    value = {"title": "mine", "dialects": ["chat"], "turns": [turn], **fields}
    return load(json.dumps(value).encode(), "chat/mine.yaml", "chat/mine")


def chunks(*steps: Any, form: str = "says", **fields: Any) -> list[Json]:
    """The data of every event, with its slots filled."""
    script = scenario(*steps, form=form, **fields).turns[0].script
    events = CHAT.steps(script, 0)  # type: ignore[arg-type]
    return [fill_json(e.data, SAMPLE) for e in events if isinstance(e, Event)]


def deltas(*steps: Any) -> list[Json]:
    return [chunk["choices"][0]["delta"] for chunk in chunks(*steps) if chunk.get("choices")]


def wire(*steps: Any, usage: bool = False, **fields: Any) -> list[str]:
    form = WITH_USAGE if usage else ""
    plan = render(Case(scenario(*steps, **fields), "chat"), 0, form=form).plan
    data = b"".join(fill(write.pieces, SAMPLE) for write in plan.writes)  # type: ignore[union-attr]
    return data.decode().split("\n\n")[:-1]


def test_every_chunk_has_its_envelope() -> None:
    for chunk in chunks({"text": "Hi"}):
        assert {name: chunk[name] for name in ("id", "object", "created", "model")} == {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "mock",
        }


def test_the_first_delta_names_the_role() -> None:
    assert deltas({"text": "Hi"}) == [{"role": "assistant", "content": ""}, {"content": "Hi"}, {}]


def test_a_call_is_announced_and_grows_by_its_index() -> None:
    two = deltas(
        {"start": {"call": "a", "id": "call_a", "name": "f"}},
        {"start": {"call": "b", "id": "call_b", "name": "g"}},
        {"delta": {"b": "{}"}},
        {"delta": {"a": "{"}},
        {"delta": {"a": "}"}},
        {"end": "a"},
        {"end": "b"},
    )
    begun = [
        {"index": n, "id": id_, "type": "function", "function": {"name": name, "arguments": ""}}
        for n, (id_, name) in enumerate([("call_a", "f"), ("call_b", "g")])
    ]
    grown = [
        {"index": n, "function": {"arguments": text}} for n, text in [(1, "{}"), (0, "{"), (0, "}")]
    ]
    assert two[1:-1] == [{"tool_calls": [each]} for each in [*begun, *grown]]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"reasoning": "hm"}, [{"reasoning_content": "hm"}]),
        ({"refusal": "No."}, [{"refusal": "No."}]),
    ],
)
def test_each_kind_of_content_has_its_own_field(step: Json, expected: list[Json]) -> None:
    assert deltas(step)[1:-1] == expected


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([{"text": "Hi"}], "stop"),
        ([{"call": {"id": "c", "name": "f", "input": {}}}], "tool_calls"),
        ([{"text": "Hi"}, {"incomplete": "length"}], "length"),
        ([{"text": "Hi"}, {"incomplete": "content-filter"}], "content_filter"),
        ([{"call": {"id": "c", "name": "f", "input": {}}}, {"finish": "stop"}], "stop"),
    ],
)
def test_the_last_choice_has_the_finish_reason(steps: list[Json], reason: str) -> None:
    last = [chunk for chunk in chunks(*steps) if chunk["choices"]][-1]
    assert last["choices"] == [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": reason}]


@pytest.mark.parametrize("step", ["failed", "error"])
def test_a_failure_is_an_error_event_in_place_of_a_chunk(step: str) -> None:
    sent = chunks({"text": "Hi"}, {step: {"code": "overloaded", "message": "Too much."}})[-1]
    assert sent == {
        "error": {
            "message": "Too much.", "type": "server_error", "param": None, "code": "overloaded"
        }
    }  # fmt: skip


def test_events_have_no_names_and_done_is_last() -> None:
    lines = wire({"text": "Hi"})
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    assert sum(line == "data: [DONE]" for line in lines) == 1


def test_usage_that_the_script_leaves_out_is_not_sent_although_it_is_requested() -> None:
    sent = wire({"text": "Hi"}, {"usage": "none"}, usage=True)
    assert not any("usage" in line for line in sent)


def test_usage_is_sent_only_if_it_is_requested() -> None:
    steps = [{"text": "Hi"}, {"usage": {"input": 7, "output": 2}}]
    assert not any("usage" in line for line in wire(*steps))
    sent = json.loads(wire(*steps, usage=True)[-2].removeprefix("data: "))
    assert sent["choices"] == []
    assert sent["usage"] == {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}


def test_if_usage_is_requested_it_is_null_in_every_chunk_but_the_report() -> None:
    sent = wire({"text": "Hi", "in": 2}, usage=True)[:-1]
    *others, report = [json.loads(line.removeprefix("data: ")) for line in sent]
    assert len(others) == 4
    assert all(chunk["usage"] is None for chunk in others)
    assert report["usage"]["total_tokens"] > 0


@pytest.mark.parametrize(
    ("step", "usages"),
    [
        ({"chunk": {}}, (None, "absent")),
        ({"chunk": {}, "absent": ["usage"]}, ("absent", "absent")),
        ({"chunk": {"usage": None}}, (None, None)),
        ({"chunk": {"usage": {"total_tokens": 3}}}, ({"total_tokens": 3}, {"total_tokens": 3})),
        ({"chunk": {"choices": None, "copilot_errors": []}}, ("absent", "absent")),
        ({"delta": {"content": "Hi"}}, (None, "absent")),
        ({"finish": {}}, (None, "absent")),
        ({"error": {}}, ("absent", "absent")),
        ({"unknown": {"type": "x"}}, ("absent", "absent")),
    ],
)
def test_usage_of_a_written_event_is_filled_in_if_it_is_requested_and_kept_if_it_is_set(
    step: Json, usages: tuple[Any, Any]
) -> None:
    both = [
        wire(step, form="sends", conduct="deviation", usage=requested)[0]
        for requested in (True, False)
    ]
    sent = [json.loads(line.removeprefix("data: ")) for line in both]
    assert tuple(data.get("usage", "absent") for data in sent) == usages


@pytest.mark.parametrize("dialect", ["chat", "openresponses"])
@pytest.mark.parametrize(
    ("options", "padded"), [({}, True), ({"include_obfuscation": False}, False)]
)
def test_padding_is_sent_unless_it_is_declined(dialect: str, options: Json, padded: bool) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "input": "Hi"}
    read = DIALECTS[dialect].requests.read({**request, "stream_options": options}, {})
    told = scenario({"text": "Hi"}, dialects=[dialect])
    sent = render(Case(told, dialect, ("openai",)), 0, form=read.form).plan.sent
    assert any("obfuscation" in each.data for each in sent if each.kind == "event") == padded


def test_padding_that_a_scenario_sets_is_kept_although_the_request_declines_it() -> None:
    told = scenario({"chunk": {"obfuscation": "x"}}, form="sends", conduct="deviation")
    (sent, *_) = render(Case(told, "chat"), 0, form=UNPADDED).plan.sent
    assert sent.data["obfuscation"] == "x"


def test_a_completion_has_the_fields_of_its_chunks_without_their_padding() -> None:
    case = Case(scenario({"text": "Hi"}), "chat", ("openai",))
    answer = json.loads(fill(render(case, 0).non_streaming or (), SAMPLE))
    assert answer["service_tier"] == "default"
    assert answer["usage"]["completion_tokens_details"]
    assert "obfuscation" not in answer


def test_written_choices_are_sent_verbatim() -> None:
    choice = {"delta": {"content": None}, "finish_reason": None}
    written = {"chunk": {"choices": [choice], "model": None}, "absent": ["id", "created"]}
    (chunk,) = chunks(written, form="sends")
    assert chunk == {"object": "chat.completion.chunk", "model": None, "choices": [choice]}


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"delta": {"content": None}}, {"choices": [
            {"index": 0, "delta": {"content": None}, "logprobs": None, "finish_reason": None}]}),
        ({"finish": {"delta": None}, "absent": ["logprobs", "index"]},
         {"choices": [{"delta": None, "finish_reason": "stop"}]}),
        ({"usage": {"a": None, "b": {"c": None}}},
         {"choices": [], "usage": {"a": None, "b": {"c": None}}}),
        ({"error": {"code": None, "type": None}, "absent": ["param"]},
         {"error": {"message": "The model failed to answer.", "code": None, "type": None}}),
        ({"unknown": {"type": "x", "a": None, "b": {"c": None}}}, {"a": None, "b": {"c": None}}),
    ],
)  # fmt: skip
def test_null_is_sent_and_absent_removes_a_field(step: Json, expected: Json) -> None:
    (chunk,) = chunks(step, form="sends", conduct="deviation")
    envelope = ("id", "object", "created", "model")
    assert {name: value for name, value in chunk.items() if name not in envelope} == expected


SHARED = {"system_fingerprint": "fp_1"}


@pytest.mark.parametrize(
    ("step", "fingerprint"),
    [
        ("delta", "fp_1"),
        ({"delta": {"content": "Hi"}}, "fp_1"),
        ({"finish": {"reason": "length"}}, "fp_1"),
        ({"usage": {"total_tokens": 3}}, "fp_1"),
        ({"chunk": {"usage": None}}, "fp_1"),
        ({"chunk": {"system_fingerprint": "fp_2"}}, "fp_2"),
        ({"chunk": {}, "absent": ["system_fingerprint"]}, "absent"),
        ({"error": {"code": "x"}}, "absent"),
        ({"unknown": {"type": "x"}}, "absent"),
    ],
)
def test_every_chunk_has_what_all_share_or_says_otherwise(step: Any, fingerprint: str) -> None:
    (chunk,) = chunks(step, form="sends", conduct="deviation", chunks=SHARED)
    assert chunk.get("system_fingerprint", "absent") == fingerprint


def test_a_completion_has_what_all_of_its_chunks_share() -> None:
    case = Case(
        scenario({"delta": {"content": "Hi"}}, "finish", form="sends", chunks=SHARED), "chat"
    )
    answer = json.loads(fill(render(case, 0).non_streaming or (), SAMPLE))
    assert answer["system_fingerprint"] == "fp_1"


def test_another_object_is_sent_verbatim() -> None:
    sent = chunks({"unknown": {"type": "x", "a": [1]}}, form="sends", conduct="deviation")
    assert sent == [{"a": [1]}]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{"start": {"text": "t"}}, {"delta": {"t": "a"}},
          {"cite": {"block": "t", "url": "http://a", "title": "A"}}, {"end": "t"}],
         "chat has no chunk that carries a citation"),
        (["queued", {"text": "a"}], "chat has no chunk that says that a response is queued"),
        ([{"text": "a"}, {"incomplete": {"other": "why"}}], "no finish reason but its own five"),
    ],
)  # fmt: skip
def test_steps_that_no_chunk_can_carry_are_refused(steps: list[Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario(*steps)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"deltas": {"content": "a"}}, "chat has no 'deltas'; it has chunk, delta"),
        ({"unknown": {"type": "delta"}}, "chat has 'delta'"),
        ({"finish": {"reason": "eos"}}, "finishes with 'eos' is not within its specification"),
        ({"[DONE]": {}}, r"\[DONE\] is sent by itself"),
    ],
)
def test_events_that_no_legal_upstream_sends_are_refused_at_load(step: Json, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario(step, form="sends")


def non_streaming(*steps: Any) -> NonStreamingAnswer | None:
    script = scenario(*steps).turns[0].script
    assert isinstance(script, Says)
    assert CHAT.answers.non_streaming
    return CHAT.answers.non_streaming(CHAT.steps(script, 0), WITH_USAGE)


def test_a_non_streaming_answer_is_one_completion() -> None:
    answer = non_streaming(
        {"reasoning": "hm"},
        {"text": "Let me see.", "in": 3},
        {"call": {"id": "call_1", "name": "f", "arguments": '{"a": 1}'}, "in": 2},
    )
    assert answer
    body = fill_json(answer.body, SAMPLE)
    assert (answer.status, body["object"]) == (200, "chat.completion")
    assert body["usage"]["total_tokens"] == (
        body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    )
    (choice,) = body["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"] == {
        "role": "assistant",
        "content": "Let me see.",
        "refusal": None,
        "reasoning_content": "hm",
        "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
        ],
    }


def test_a_non_streaming_failure_is_an_http_error() -> None:
    answer = non_streaming({"text": "Hi"}, {"failed": {"code": "bad", "message": "No."}})
    assert answer
    assert (answer.status, answer.body["error"]["code"]) == (500, "bad")


def test_a_script_without_an_ending_has_no_non_streaming_answer() -> None:
    assert non_streaming({"text": "Hi"}, {"close": "cut"}) is None


# The follow-up request of the annex, verbatim.
QUESTION = "Explain briefly how SSE streaming parsers handle partial deltas"
ANNEX: Json = {
    "model": "copilot-chat-xxx",
    "messages": [
        {"role": "system", "content": "You are Copilot Chat "},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "I found some search results."},
        {"role": "tool", "name": "search", "content": '{"results":[...]}', "toolCallId": "call1"},
    ],
    "stream": True,
    "tools": [
        {
            "toolId": "search",
            "function": {
                "name": "search",
                "description": "Search the web for info",
                "parameters": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                },
            },
            "type": "function",
        }
    ],
}  # fmt: skip

USER = {"role": "user", "content": "Hello"}
FUNCTION = {"name": "f", "parameters": {"type": "object"}}
CALLED = {
    "role": "assistant", "content": None, "function_call": {"name": "f", "arguments": ""}
}  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        ANNEX,
        {"messages": [USER]},
        {"messages": [USER], "n": 2, "stream": False},
        {"messages": [USER], "functions": [FUNCTION], "function_call": {"name": "f"}},
        {"messages": [USER], "tools": [{"type": "custom", "custom": {"name": "c"}}]},
        {"messages": [USER, {"role": "assistant", "content": None, "refusal": "No."}, USER]},
        {"messages": [{"role": "developer", "content": [{"type": "text", "text": "Be kind"}]}]},
        {
            "messages": [
                USER,
                CALLED,
                {"role": "function", "name": "f", "content": "1"},
            ]
        },
        {"messages": [USER], "intent": True, "copilot_thread_id": "x", "stream_options": None},
    ],
)  # fmt: skip
def test_requests_of_real_clients_are_accepted(body: Json) -> None:
    assert CHAT.requests.read(body, {}).problems == ()


def test_what_two_schemas_find_in_a_request_is_said_once() -> None:
    parts = [{"type": "text", "value": "Vistula"}]
    body = {"messages": [USER, {"role": "assistant", "content": parts}, USER]}
    assert CHAT.requests.read(body, {}).problems == (
        "messages[1].content[0]: 'text' is a required property",
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "the request body is not a JSON object"),
        ({}, "body: 'messages' is a required property"),
        ({"messages": []}, "messages: "),
        ({"messages": [{"content": "Hi"}]}, "messages[0]: 'role' is a required property"),
        ({"messages": [{"role": "model", "content": ""}]}, "messages[0].role: 'model' is not one"),
        ({"messages": [{"role": "user"}]}, "messages[0]: 'content' is a required property"),
        ({"messages": [{"role": "user", "content": None}]}, "messages[0].content: None is not"),
        ({"messages": [{"role": "assistant"}]}, "messages[0]: 'content' is a required property"),
        (
            {"messages": [USER, {"role": "assistant", "content": None}]},
            "messages[1].content: None is not of type 'string'",
        ),
        ({"messages": [{"role": "tool", "content": "1"}]}, "messages[0]: 'tool_call_id' is a"),
        (
            {"messages": [USER], "tools": [{"type": "function", "name": "f"}]},
            "tools[0]: 'function' is a required property",
        ),
        ({"messages": [USER], "n": 0}, "n: 0 is less than the minimum of 1"),
        ({"messages": [USER], "stop": ["a"] * 5}, "stop: "),
        ({"messages": [USER], "tool_choice": "any"}, "tool_choice: 'any' is not one of"),
    ],
)
def test_the_refusal_of_a_malformed_request_names_the_field(body: Any, message: str) -> None:
    problems = CHAT.requests.read(body, {}).problems
    assert any(problem.startswith(message) for problem in problems), problems


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"tools": [{"type": "function", "function": FUNCTION}]}, ["f"]),
        ({"functions": [FUNCTION]}, ["f"]),
        ({"functions": [FUNCTION], "function_call": "none"}, []),
        (
            {
                "tools": [{"type": "function", "function": FUNCTION}],
                "tool_choice": {"type": "function", "function": {"name": "g"}},
            },
            [],
        ),
        (ANNEX, ["search"]),
    ],
)
def test_tools_that_may_be_called_are_those_of_the_request(body: Json, names: list[str]) -> None:
    assert [
        name for name, _ in CHAT.requests.read({"messages": [USER], **body}, {}).tools or ()
    ] == names


def test_an_error_has_the_shape_of_openai() -> None:
    assert CHAT.requests.refuse(404, "no such scenario", "model") == {
        "error": {
            "message": "no such scenario",
            "type": "invalid_request_error",
            "param": "model",
            "code": None,
        }
    }
