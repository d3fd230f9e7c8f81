"""The AI SDK's three layers: the parts on the wire, and what a scenario may contain.

Sources: ai 4.3.19, 5.0.277, 6.0.326, 7.0.173 and @ai-sdk/gateway as they were run; ai
(TextStreamPart, UIMessageChunk); @ai-sdk/provider (LanguageModelV2 to V4).
"""

import json
from typing import Any

import pytest

from conformance.dialects.vercel.events import is_valid_part
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.dialects.dialect import NonStreamingAnswer
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, KNOWN, UI
from mockserver.foundation.faults import ScenarioError
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import fill, fill_json

Json = dict[str, Any]

CALL: Json = {"call": {"id": "call1", "name": "search", "input": {"q": "x"}}}
HELLO: list[Json] = [
    {"start": {"text": "t"}},
    {"delta": {"t": "Hel"}},
    {"delta": {"t": "lo"}},
    {"end": "t"},
]
STREAMED: list[Json] = [
    {"start": {"call": "a", "id": "call1", "name": "search"}},
    {"delta": {"a": '{"q":'}},
    {"delta": {"a": '"x"}'}},
    {"end": "a"},
]


def scenario(dialect: str, *steps: Any, form: str = "says", **fields: Any) -> Scenario:
    turn = {form: list(steps), **({"expect": {"parts": []}} if form == "sends" else {})}
    value = {"title": "mine", "dialects": [dialect], "turns": [turn], **fields}
    return load(json.dumps(value).encode(), "vercel/mine.yaml", "vercel/mine")


def parts(dialect: str, *steps: Any, form: str = "says", **fields: Any) -> list[Json]:
    """The data of every event, with its slots filled."""
    script = scenario(dialect, *steps, form=form, **fields).turns[0].script
    events = DIALECTS[dialect].steps(script, 0)  # type: ignore[arg-type]
    sample = DIALECTS[dialect].sample()
    return [fill_json(e.data, sample) for e in events if isinstance(e, Event)]


def sends(dialect: str, *steps: Any, **fields: Any) -> list[Json]:
    return parts(dialect, *steps, form="sends", **fields)


def types(sent: list[Json]) -> list[str]:
    return [str(each["type"]) for each in sent]


BEGINS = {
    GATEWAY: ["stream-start", "response-metadata"],
    FULLSTREAM: ["start", "start-step"],
    UI: ["start", "start-step"],
}
ENDS = {GATEWAY: ["finish"], FULLSTREAM: ["finish-step", "finish"], UI: ["finish-step", "finish"]}


@pytest.mark.parametrize("dialect", KNOWN)
def test_a_text_is_a_block_in_a_step(dialect: str) -> None:
    sent = parts(dialect, *HELLO)
    field = "text" if dialect == FULLSTREAM else "delta"
    block = sent[2:-1] if dialect == GATEWAY else sent[2:-2]
    id_ = block[0]["id"]
    assert types(sent[:2]) == BEGINS[dialect]
    assert types(sent)[-len(ENDS[dialect]) :] == ENDS[dialect]
    assert block == [
        {"type": "text-start", "id": id_},
        {"type": "text-delta", "id": id_, field: "Hel"},
        {"type": "text-delta", "id": id_, field: "lo"},
        {"type": "text-end", "id": id_},
    ]


@pytest.mark.parametrize(
    ("dialect", "id_", "delta", "started", "ends", "input_"),
    [
        (GATEWAY, "id", "delta", {}, ("tool-input-end", "tool-call"), '{"q":"x"}'),
        (
            FULLSTREAM,
            "id",
            "delta",
            {"dynamic": False},
            ("tool-input-end", "tool-call"),
            {"q": "x"},
        ),
        (UI, "toolCallId", "inputTextDelta", {}, ("tool-input-available",), {"q": "x"}),
    ],
)
def test_a_streamed_input_is_followed_by_the_complete_call(
    dialect: str, id_: str, delta: str, started: Json, ends: tuple[str, ...], input_: Any
) -> None:
    call = {"toolName": "search", "toolCallId": "call1", "input": input_}
    expected = [
        {"type": "tool-input-start", id_: "call1", "toolName": "search", **started},
        {"type": "tool-input-delta", id_: "call1", delta: '{"q":'},
        {"type": "tool-input-delta", id_: "call1", delta: '"x"}'},
        *({"type": type_, id_: "call1"} for type_ in ends[:-1]),
        {"type": ends[-1], **call},
    ]
    assert parts(dialect, *STREAMED)[2 : 2 + len(expected)] == expected


@pytest.mark.parametrize(("dialect", "input_"), [(GATEWAY, ""), (FULLSTREAM, {}), (UI, {})])
def test_missing_arguments_are_an_empty_object_above_the_provider(
    dialect: str, input_: Any
) -> None:
    sent = parts(dialect, {"start": {"call": "a", "id": "c", "name": "f"}}, {"end": "a"})
    (call,) = (each for each in sent if each["type"] in ("tool-call", "tool-input-available"))
    assert call["input"] == input_


def test_an_input_that_is_not_json_is_an_invalid_call_with_its_error() -> None:
    cut = [{**step, "delta": {"a": '{"q"'}} if "delta" in step else step for step in STREAMED[:2]]
    sent = parts(FULLSTREAM, *cut, {"end": "a"})
    call, error = sent[-4:-2]
    assert (call["type"], error["type"]) == ("tool-call", "tool-error")
    assert (call["input"], call["invalid"], call["dynamic"]) == ('{"q"', True, True)
    assert "error" in call
    assert (error["input"], error["dynamic"]) == ('{"q"', True)
    wrong, output = parts(UI, *cut, {"end": "a"})[-4:-2]
    assert (wrong["type"], wrong["input"]) == ("tool-input-error", '{"q"')
    assert isinstance(wrong["errorText"], str)
    assert (output["type"], output["errorText"]) == ("tool-output-error", wrong["errorText"])
    assert parts(GATEWAY, *cut, {"end": "a"})[-2]["input"] == '{"q"'


@pytest.mark.parametrize("dialect", KNOWN)
def test_each_part_of_reasoning_is_a_block_and_the_last_has_encrypted_content(dialect: str) -> None:
    script = {"reasoning": {"text": ["think", "twice"], "encrypted": "x="}}
    sent = [each for each in parts(dialect, script) if each["type"].startswith("reasoning")]
    names = ["reasoning-start", "reasoning-delta", "reasoning-end"]
    assert types(sent) == names * 2
    assert len({each["id"] for each in sent}) == 2
    sealed = {"openai": {"reasoningEncryptedContent": "x="}}
    assert [each.get("providerMetadata") for each in sent] == [None] * 5 + [sealed]


_URL = {"url": "https://a.b", "title": "A"}


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (GATEWAY, {"type": "source", "sourceType": "url", "id": "source_0", **_URL}),
        (FULLSTREAM, {"type": "source", "sourceType": "url", "id": "source_0", **_URL}),
        (UI, {"type": "source-url", "sourceId": "source_0", **_URL}),
    ],
)
def test_a_citation_is_a_source(dialect: str, expected: Json) -> None:
    steps = [
        {"start": {"text": "t"}},
        {"delta": {"t": "Hi"}},
        {"cite": {"block": "t", **_URL}},
        {"end": "t"},
    ]
    assert expected in parts(dialect, *steps)


@pytest.mark.parametrize("dialect", KNOWN)
def test_a_refusal_is_text(dialect: str) -> None:
    assert parts(dialect, {"refusal": "No."}) == parts(dialect, {"text": "No."})


@pytest.mark.parametrize(
    ("steps", "reason", "raw"),
    [
        ([{"text": "Hi"}], "stop", "stop"),
        ([CALL], "tool-calls", "tool_calls"),
        ([{"text": "Hi"}, {"incomplete": "length"}], "length", "length"),
        ([{"text": "Hi"}, {"incomplete": "content-filter"}], "content-filter", "content_filter"),
    ],
)
def test_every_layer_has_its_own_finish(steps: list[Json], reason: str, raw: str) -> None:
    assert parts(GATEWAY, *steps)[-1]["finishReason"] == {"unified": reason, "raw": raw}
    for each in parts(FULLSTREAM, *steps)[-2:]:
        assert (each["finishReason"], each["rawFinishReason"]) == (reason, raw)
    assert parts(UI, *steps)[-2:] == [
        {"type": "finish-step"},
        {"type": "finish", "finishReason": reason},
    ]


def test_a_failure_is_an_error_part_and_a_finish_with_error() -> None:
    steps = [{"text": "Hi"}, {"failed": {"code": "overloaded", "message": "Too much."}}]
    error = {"type": "error", "error": {"message": "Too much.", "code": "overloaded"}}
    gateway, full, ui = (parts(dialect, *steps) for dialect in (GATEWAY, FULLSTREAM, UI))
    assert (gateway[-2], full[-3]) == (error, error)
    assert ui[-3] == {"type": "error", "errorText": "Too much."}
    assert gateway[-1]["finishReason"]["unified"] == "error"
    assert [each["finishReason"] for each in (*full[-2:], ui[-1])] == ["error"] * 3


def test_usage_has_the_field_names_of_the_layer() -> None:
    steps = [{"text": "Hi"}, {"usage": {"input": 11, "output": 22}}]
    provider = parts(GATEWAY, *steps)[-1]["usage"]
    assert (provider["inputTokens"]["total"], provider["outputTokens"]["total"]) == (11, 22)
    step, run = parts(FULLSTREAM, *steps)[-2:]
    for used in (step["usage"], run["totalUsage"]):
        assert (used["inputTokens"], used["outputTokens"], used["totalTokens"]) == (11, 22, 33)
    assert "usage" not in run


# Given fields, and fields that are filled in


@pytest.mark.parametrize("dialect", KNOWN)
def test_required_fields_of_a_part_are_filled_in(dialect: str) -> None:
    names = ("stream-start", "response-metadata", "start", "start-step", "finish-step", "finish")
    sent = sends(dialect, *(name for name in names if name in KNOWN[dialect]))
    assert all(is_valid_part(dialect, each) for each in sent), sent


FLAT = {"inputTokens": 16, "outputTokens": 8, "totalTokens": 24}
FLAT |= {"reasoningTokens": 0, "cachedInputTokens": 0}
DETAILS = {
    "inputTokenDetails": {"noCacheTokens": 16, "cacheReadTokens": 0},
    "outputTokenDetails": {"textTokens": 8, "reasoningTokens": 0},
}


@pytest.mark.parametrize(
    ("generation", "usage", "has_raw"), [("v5", FLAT, False), ("v6", FLAT | DETAILS, True)]
)
def test_filled_fields_fit_the_generation(generation: str, usage: Json, has_raw: bool) -> None:
    step, run = sends(FULLSTREAM, "start", "start-step", "finish-step", "finish",
                      generation=generation)[-2:]  # fmt: skip
    assert (step["usage"], run["totalUsage"]) == (usage, usage)
    assert ("rawFinishReason" in step, "rawFinishReason" in run) == (has_raw, has_raw)


def test_ai_4_has_other_parts_and_other_counts() -> None:
    begin, step, run = sends(FULLSTREAM, "step-start", "step-finish", "finish", generation="v4")
    counted = {"promptTokens": 16, "completionTokens": 8, "totalTokens": 24}
    assert {"messageId", "request", "warnings"} <= begin.keys()
    assert (step["usage"], run["usage"]) == (counted, counted)
    assert step["isContinued"] is False
    assert "totalUsage" not in run


def test_the_usage_of_a_run_is_the_sum_of_its_steps() -> None:
    used = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    one: Json = {"finish-step": {"usage": used}, "absent": ["usage.inputTokenDetails"]}
    sent = sends(FULLSTREAM, "start", "start-step", one, "start-step", one, "finish")
    total = sent[-1]["totalUsage"]
    assert {name: total[name] for name in used} == {name: 2 * n for name, n in used.items()}
    assert "inputTokenDetails" not in total


def test_a_reason_stands_for_all_fields_of_a_finish() -> None:
    (end,) = sends(GATEWAY, {"finish": {"reason": "tool-calls"}})
    assert end["finishReason"] == {"unified": "tool-calls", "raw": "tool_calls"}
    (end,) = sends(UI, {"finish": {"reason": "length"}})
    assert end == {"type": "finish", "finishReason": "length"}


@pytest.mark.parametrize("error", ["It broke.", {"type": "x"}, {"error": {"message": "a"}}])
def test_an_error_is_sent_in_the_given_shape(error: Any) -> None:
    (sent,) = sends(FULLSTREAM, {"error": {"error": error}})
    assert sent == {"type": "error", "error": error}


@pytest.mark.parametrize(
    ("dialect", "step", "expected"),
    [
        (UI, {"finish": {"finishReason": None, "messageMetadata": {"a": None}}},
         {"type": "finish", "finishReason": None, "messageMetadata": {"a": None}}),
        (UI, {"finish": {"messageMetadata": {"a": 1}}, "absent": ["finishReason"]},
         {"type": "finish", "messageMetadata": {"a": 1}}),
        (FULLSTREAM, {"error": {"error": None}}, {"type": "error", "error": None}),
        (FULLSTREAM, {"error": {"errorText": "x"}, "absent": ["error"]},
         {"type": "error", "errorText": "x"}),
        (FULLSTREAM, {"error": {}, "absent": ["error.message"]}, {"type": "error", "error": {}}),
        (GATEWAY, {"stream-start": {"warnings": None}, "absent": ["type"]}, {"warnings": None}),
        (GATEWAY, {"unknown": {"type": "x", "a": None}}, {"type": "x", "a": None}),
    ],
)  # fmt: skip
def test_null_is_sent_and_absent_removes_a_field(dialect: str, step: Json, expected: Json) -> None:
    assert sends(dialect, step) == [expected]


# What a scenario may not contain


@pytest.mark.parametrize(
    ("dialect", "step", "fields", "message"),
    [
        (FULLSTREAM, {"text-dleta": {"id": "t"}}, {}, "no 'text-dleta'"),
        (GATEWAY, "start-step", {}, "vercel-gateway has no 'start-step'"),
        (UI, {"tool-call": {"toolCallId": "c"}}, {}, "vercel-ui has no 'tool-call'"),
        (FULLSTREAM, {"unknown": {"type": "text-delta"}}, {}, "has 'text-delta'"),
        (UI, {"unknown": {"type": "data-a"}}, {}, "has 'data-a'"),
        (FULLSTREAM, {"tool-call": {"toolCalId": "c"}}, {}, "did you mean 'toolCallId'?"),
        (FULLSTREAM, {"step-start": {}}, {}, "fullStream of v6 has no 'step-start'; v4 have it"),
        (FULLSTREAM, "start", {"generation": "v4"}, "fullStream of v4 has no 'start'"),
        (FULLSTREAM, "ping", {"generation": "v6"}, "v7 have it"),
        (FULLSTREAM, {"text": {"text": "a"}}, {}, "seed have it"),
    ],
)
def test_a_part_that_the_upstream_cannot_send_is_refused(
    dialect: str, step: Any, fields: Json, message: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(dialect, step, form="sends", **fields)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("dialect", "step", "fields"),
    [
        (FULLSTREAM, {"step-start": {}}, {"conduct": "deviation"}),
        (FULLSTREAM, {"step-start": {}}, {"generation": "v4"}),
        (FULLSTREAM, {"text-delta": {"textDelta": "a"}}, {"conduct": "deviation"}),
        (FULLSTREAM, {"source": {"sourceId": "s"}}, {"conduct": "deviation"}),
        (GATEWAY, "ping", {}),
        (UI, {"data-weather": {"data": 1}}, {}),
        (UI, {"unknown": {"type": "future", "a": 1}}, {}),
    ],
)
def test_a_part_that_the_upstream_can_send_or_a_declared_deviation_is_sent(
    dialect: str, step: Any, fields: Json
) -> None:
    assert len(sends(dialect, step, **fields)) == 1


def test_a_checkpoint_follows_a_text() -> None:
    with pytest.raises(ScenarioError, match="does not stand right after a text delta"):
        scenario(FULLSTREAM, "start", {"checkpoint": "here"}, form="sends")
    text = {"text-delta": {"id": "t", "text": "a"}}
    assert sends(FULLSTREAM, text, {"checkpoint": "here"}) == [
        {"type": "text-delta", "id": "t", "text": "a"}
    ]


# On the wire


def wire(dialect: str, *steps: Any, form: str = "") -> list[str]:
    plan = render(Case(scenario(dialect, *steps), dialect), 0, form=form).plan
    sample = DIALECTS[dialect].sample()
    data = b"".join(fill(write.pieces, sample) for write in plan.writes)  # type: ignore[union-attr]
    return data.decode().split("\n\n")[:-1]


@pytest.mark.parametrize("dialect", KNOWN)
def test_parts_are_data_lines_and_done_is_last(dialect: str) -> None:
    lines = wire(dialect, {"text": "Hi"})
    assert all(line.startswith("data: ") and "\n" not in line for line in lines)
    assert [line == "data: [DONE]" for line in lines] == [False] * (len(lines) - 1) + [True]


def test_messages_are_marked_by_a_header() -> None:
    assert DIALECTS[UI].answers.headers["x-vercel-ai-ui-message-stream"] == "v1"


def test_version_2_has_a_flat_usage_and_a_finish_reason_that_is_a_string() -> None:
    steps = [CALL, {"usage": {"input": 11, "output": 22}}]
    end = json.loads(wire(GATEWAY, *steps, form="2")[-2].removeprefix("data: "))
    assert end["finishReason"] == "tool-calls"
    assert end["usage"] == {
        "inputTokens": 11,
        "outputTokens": 22,
        "totalTokens": 33,
        "reasoningTokens": 0,
        "cachedInputTokens": 0,
    }
    assert wire(GATEWAY, *steps, form="3") == wire(GATEWAY, *steps, form="4")


PNG = "iVBORw0KGgo="


def in_form(step: Any, form: str) -> list[Json]:
    """The parts that a specification version has for a step, without their types."""
    script, dialect = scenario(GATEWAY, step, form="sends").turns[0].script, DIALECTS[GATEWAY]
    steps = dialect.forms.apply(dialect.steps(script, 0), form)  # type: ignore[arg-type]
    return [
        {name: value for name, value in each.data.items() if name != "type"}
        for each in steps
        if isinstance(each, Event)
    ]


FILE = {"mediaType": "image/png", "data": PNG}
TAGGED = FILE | {"data": {"type": "data", "data": PNG}}
BY_URL = FILE | {"data": {"type": "url", "url": "https://files.example/a.png"}}
RESULT = {"toolCallId": "c", "toolName": "f", "result": 1}
MARKED = {**RESULT, "preliminary": True, "dynamic": True}
APPROVAL = {"approvalId": "a", "toolCallId": "c"}


@pytest.mark.parametrize(
    ("step", "forms"),
    [
        ({"file": FILE}, {"2": [FILE], "3": [FILE], "4": [TAGGED]}),
        ({"file": BY_URL}, {"2": [], "3": [], "4": [BY_URL]}),
        ({"tool-result": MARKED}, {"2": [{**RESULT, "providerExecuted": True}], "3": [MARKED]}),
        (
            {"tool-input-start": {"id": "c", "toolName": "f", "dynamic": True, "title": "F"}},
            {"2": [{"id": "c", "toolName": "f"}]},
        ),
        ({"text-end": {"id": "t", "citations": []}}, {"3": [{"id": "t"}]}),
        ("ping", {"2": [], "3": [], "4": [{}]}),
        ({"tool-approval-request": APPROVAL}, {"2": [], "3": [APPROVAL]}),
    ],
)
def test_a_version_has_its_own_types_and_fields(step: Any, forms: dict[str, list[Json]]) -> None:
    for form, expected in forms.items():
        assert in_form(step, form) == expected


@pytest.mark.parametrize(("form", "reason"), [("2", "unknown"), ("3", {"unified": "other"})])
def test_an_interrupted_answer_has_a_reason_that_the_version_knows(form: str, reason: Any) -> None:
    finish = {"finish": {"reason": "interrupted"}, "absent": ["finishReason.raw"]}
    (end,) = in_form(finish, form)
    assert end["finishReason"] == reason


# Non-streaming answers


def non_streaming(
    *steps: Any, dialect: str = GATEWAY, form: str = "3"
) -> NonStreamingAnswer | None:
    mock = DIALECTS[dialect]
    script = scenario(dialect, *steps).turns[0].script
    answer_at_once = mock.answers.non_streaming
    answer = answer_at_once and answer_at_once(mock.steps(script, 0), form)  # type: ignore[arg-type]
    return answer and NonStreamingAnswer(answer.status, fill_json(answer.body, mock.sample()))


def test_a_non_streaming_answer_has_the_same_content() -> None:
    steps = [{"reasoning": "think"}, *HELLO, CALL]
    answer = non_streaming(*steps)
    assert answer is not None
    assert answer.status == 200
    assert answer.body["content"] == [
        {"type": "reasoning", "text": "think"},
        {"type": "text", "text": "Hello"},
        {"type": "tool-call", "toolCallId": "call1", "toolName": "search", "input": '{"q":"x"}'},
    ]
    assert answer.body["finishReason"]["unified"] == "tool-calls"
    assert answer.body["warnings"] == []
    assert answer.body["response"]["modelId"] == "mock"
    assert isinstance(answer.body["usage"]["inputTokens"], dict)


def test_a_non_streaming_answer_has_the_requested_form() -> None:
    answer = non_streaming({"text": "Hi"}, form="2")
    assert answer is not None
    assert answer.body["finishReason"] == "stop"


@pytest.mark.parametrize("given", [None, ["old"], "x"])
def test_a_non_streaming_answer_has_the_warnings_of_the_stream(given: Any) -> None:
    script = scenario(
        GATEWAY, {"stream-start": {"warnings": given}}, "finish", form="sends", conduct="violation"
    ).turns[0].script  # fmt: skip
    assert isinstance(script, Sends)
    mock = DIALECTS[GATEWAY]
    assert mock.answers.non_streaming
    answer = mock.answers.non_streaming(mock.steps(script, 0), "3")
    assert answer is not None
    assert answer.body["warnings"] == given


def test_a_non_streaming_failure_is_an_http_status() -> None:
    answer = non_streaming(
        {"text": "Hi"}, {"failed": {"code": "overloaded", "message": "Too much."}}
    )
    assert answer == NonStreamingAnswer(
        500, {"error": {"message": "Too much.", "code": "overloaded"}}
    )


def test_a_script_without_an_ending_has_no_non_streaming_answer() -> None:
    assert non_streaming({"text": "Hi"}, {"close": "cut"}) is None


@pytest.mark.parametrize("dialect", [FULLSTREAM, UI])
def test_the_layers_above_the_gateway_always_stream(dialect: str) -> None:
    assert non_streaming({"text": "Hi"}, dialect=dialect, form="") is None
