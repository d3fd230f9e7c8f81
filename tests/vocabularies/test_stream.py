"""How parts of the vocabulary `stream`, of the AI SDK and of Effect, are read."""

from typing import Any

import pytest

from conformance.contract.transcript import End, ReportedError
from conformance.vocabularies import STREAM, VSCODE, Vocabulary
from mockserver.scenario.script import Citation

Part = dict[str, Any]

COMPLETED = End(1.0, "completed")


def _call(input_: Any, **more: Any) -> Part:
    call = {"type": "tool-call", "toolCallId": "call_1", "toolName": "search", "input": input_}
    return {**call, **more}


def test_deltas_are_joined_and_a_call_has_the_length_of_the_text_before_it() -> None:
    reading = STREAM.read(
        [
            {"type": "text-start", "id": "msg_1"},
            {"type": "text-delta", "id": "msg_1", "delta": "Let me "},
            {"type": "reasoning-delta", "id": "rs_1", "delta": "Hm."},
            {"type": "text-delta", "id": "msg_1", "delta": "🐍."},
            {"type": "tool-input-start", "id": "call_1", "toolName": "search"},
            {"type": "tool-input-delta", "id": "call_1", "delta": '{"q":1}'},
            {"type": "tool-input-end", "id": "call_1"},
            _call('{"q":1}'),
            {"type": "text-delta", "id": "msg_1", "delta": " Done."},
        ],
        COMPLETED,
    )
    assert (reading.text, reading.thinking) == ("Let me 🐍. Done.", "Hm.")
    (call,) = reading.calls
    assert (call.id, call.name, call.input, call.after, call.part) == (
        *("call_1", "search", {"q": 1}),
        len("Let me 🐍."),
        7,
    )
    assert reading.part_at(len("Let me 🐍. ")) == 8


@pytest.mark.parametrize(
    ("part", "input_"),
    [
        (_call('{"q":"x"}'), {"q": "x"}),
        (_call(""), {}),
        ({"type": "tool-call", "id": "call_1", "name": "search", "params": {"q": 1}}, {"q": 1}),
    ],
    ids=["json text", "nothing", "effect"],
)
def test_the_input_of_a_call_is_parsed(part: Part, input_: Any) -> None:
    (call,) = STREAM.read([part], COMPLETED).calls
    assert (call.id, call.name, call.input) == ("call_1", "search", input_)


@pytest.mark.parametrize("input_", ['{"q":"wea', "[1]", '"{}"', "null", '{"q":NaN}'], ids=str)
def test_a_call_whose_input_is_not_an_object_is_a_failure_and_no_call(input_: Any) -> None:
    parts = [_call(input_), {"type": "finish", "finishReason": "tool-calls"}]
    reading = STREAM.read(parts, COMPLETED)
    assert (reading.calls, reading.outcome, reading.errors) == ((), "failed", ())


TEXT_INPUT: Part = {
    "type": "tool-input-start",
    "id": "call_1",
    "toolName": "run_sql",
    "inputEncoding": "text",
}


def test_a_custom_tool_is_called_with_a_text() -> None:
    parts = [TEXT_INPUT, _call('"select \\"n\u00e4me\\"\\n"')]
    reading = STREAM.read(parts, COMPLETED)
    assert [call.input for call in reading.calls] == ['select "n\u00e4me"\n']
    assert (reading.outcome, reading.error) == ("completed", None)


@pytest.mark.parametrize("input_", ["select 1", "{}", "", "null"], ids=str)
def test_a_call_of_a_custom_tool_without_a_text_is_a_failure_and_no_call(input_: Any) -> None:
    reading = STREAM.read([TEXT_INPUT, _call(input_)], COMPLETED)
    assert (reading.calls, reading.outcome) == ((), "failed")


def test_a_text_is_not_an_input_of_another_tool() -> None:
    reading = STREAM.read([TEXT_INPUT, _call('"word"', toolCallId="call_2")], COMPLETED)
    assert (reading.calls, reading.outcome) == ((), "failed")


def test_a_provider_executed_call_is_not_read() -> None:
    parts = [_call("{}", providerExecuted=True), {"type": "tool-result", "toolCallId": "call_1"}]
    assert STREAM.read(parts, COMPLETED).calls == ()


@pytest.mark.parametrize(
    ("finish", "reason", "usage"),
    [
        ({"finishReason": "stop", "usage": {"inputTokens": 1, "outputTokens": 2}}, "stop", (1, 2)),
        (
            {
                "finishReason": {"unified": "length", "raw": "max_output_tokens"},
                "usage": {"inputTokens": {"total": 0}, "outputTokens": {"total": 5, "text": 5}},
            },
            *("length", (0, 5)),
        ),
        ({"reason": "unknown", "usage": {}}, "other", None),
        ({"finishReason": "stop"}, "stop", None),
        (
            {"finishReason": "stop", "usage": {"inputTokens": {}, "outputTokens": True}},
            *("stop", None),
        ),
    ],
    ids=["v2", "v3 and later", "effect", "without usage", "usage without numbers"],
)
def test_a_finish_has_the_reason_and_the_usage(
    finish: Part, reason: str, usage: tuple[int, int] | None
) -> None:
    end = STREAM.ended([{"type": "finish", **finish}], COMPLETED)
    assert end is not None
    assert (end.outcome, end.finish) == ("completed", reason)
    assert end.usage == (dict(zip(("input", "output"), usage, strict=True)) if usage else None)


def test_the_ending_of_the_run_has_precedence_over_its_parts() -> None:
    finish = {"type": "finish", "finishReason": "stop", "usage": {"inputTokens": 9}}
    returned = End(1.0, "completed", "length", {"input": 1})
    assert STREAM.ended([finish], returned) == returned


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        ("Overloaded.", "Overloaded.", ""),
        ({"message": "Overloaded.", "code": "busy"}, "Overloaded.", "busy"),
        ({"type": "error", "error": {"message": "M", "code": "c"}}, "M", "c"),
        ({"response": {"error": {"message": "M", "code": "c"}}}, "M", "c"),
        ({"message": "Failed", "cause": {"code": "ECONNRESET"}}, "Failed", "ECONNRESET"),
        ({"status": 1}, '{"status": 1}', ""),
        (None, "null", ""),
    ],
    ids=str,
)
def test_an_error_part_fails_the_run_with_its_message(error: Any, message: str, code: str) -> None:
    parts = [{"type": "error", "error": error}, {"type": "finish", "finishReason": "stop"}]
    end = STREAM.ended(parts, COMPLETED)
    assert end is not None
    assert (end.outcome, end.error) == ("failed", ReportedError("upstream", message, code))
    assert [each.part for each in STREAM.read(parts, COMPLETED).errors] == [0]


@pytest.mark.parametrize("reason", ["error", {"unified": "interrupted"}], ids=["error", "v4"])
def test_the_reason_error_and_a_truncated_stream_fail_the_run(reason: Any) -> None:
    end = STREAM.ended([{"type": "finish", "finishReason": reason}], COMPLETED)
    assert end is not None
    assert (end.outcome, end.finish) == ("failed", "error")


@pytest.mark.parametrize("outcome", ["cancelled", "failed", "unsupported", "error"])
def test_any_other_ending_of_the_run_is_kept(outcome: Any) -> None:
    end = STREAM.ended([{"type": "error", "error": "x"}], End(1.0, outcome))
    assert end is not None
    assert end.outcome == outcome


@pytest.mark.parametrize(
    ("source", "citation"),
    [
        (
            {"sourceType": "url", "url": "https://a.example", "title": "A"},
            Citation("https://a.example", "A"),
        ),
        (
            {
                "sourceType": "document",
                "title": "a.pdf",
                "filename": "a.pdf",
                "providerMetadata": {"openai": {"type": "file_citation", "fileId": "file_1"}},
            },
            Citation(file_id="file_1", filename="a.pdf"),
        ),
        (
            {
                "sourceType": "document",
                "filename": "b.csv",
                "providerMetadata": {"p": {"fileId": "file_2", "containerId": "cntr_1"}},
            },
            Citation(file_id="file_2", filename="b.csv", container_id="cntr_1"),
        ),
    ],
    ids=["url", "file", "file in a container"],
)
def test_a_source_is_a_citation(source: Part, citation: Citation) -> None:
    read = STREAM.read([{"type": "source", "id": "s", **source}], COMPLETED).citations
    assert [each.citation for each in read] == [citation]


@pytest.mark.parametrize("data", ["aGk=", {"type": "data", "data": "aGk="}], ids=["v3", "v4"])
def test_a_file_is_data(data: Any) -> None:
    (read,) = STREAM.read([{"type": "file", "mediaType": "a/b", "data": data}], COMPLETED).data
    assert (read.mime_type, read.data) == ("a/b", "aGk=")


@pytest.mark.parametrize(
    "part",
    [None, 7, "text-delta", [], {}, {"type": 7}, {"type": "text-delta", "delta": 7}],
    ids=str,
)
def test_an_invalid_part_is_reported_and_skipped(part: Any) -> None:
    assert STREAM.problem_of(part) is not None
    reading = STREAM.read([part], COMPLETED)
    assert (reading.text, reading.calls, reading.outcome) == ("", (), "completed")


@pytest.mark.parametrize("words", [STREAM, VSCODE], ids=lambda words: words.name)
def test_surrogates_in_two_parts_are_joined_to_one_character(words: Vocabulary) -> None:
    parts = [words.text("Up \ud83d"), words.text("\ude80 we go"), words.call("c", "go", {})]
    reading = words.read(parts, COMPLETED)
    assert reading.text == "Up \U0001f680 we go"
    assert reading.calls[0].after == len(reading.text)
    assert reading.part_at(len("Up \U0001f680")) == 1


def test_a_lone_surrogate_stays_a_lone_surrogate() -> None:
    parts = [STREAM.text("a\ud83d"), STREAM.text(""), STREAM.text("b")]
    assert STREAM.read(parts, COMPLETED).text == "a\ud83db"
