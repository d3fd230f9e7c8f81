"""The kit's HTTP routes: runs, readings, verdicts and expectations for any language."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from jsonschema import Draft202012Validator

from mockserver.foundation.shipped import schema
from tests.suite import ROOT, STREAMPROOF, run_all

Json = dict[str, Any]

CONTRACT = Draft202012Validator(schema("transcript"))
PATIENCE = 30.0
CASE = "any/text-and-call-interleave"
TEXT = [{"type": "text", "value": "Let me "}, {"type": "text", "value": "check that…"}]
CALL = {
    "type": "toolCall", "callId": "gw-call_1", "name": "read_file",
    "input": {"path": "/src/app.ts"},
}  # fmt: skip
DONE = {"type": "done", "outcome": "completed", "finish": "tool-calls"}
RIGHT = {"parts": [*TEXT, CALL], "end": DONE, "traits": {"call_id_prefix": "gw-"}}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server in a process of its own, read from the file that it writes."""
    ready = tmp_path_factory.mktemp("serving") / "ready"
    process = subprocess.Popen(
        [sys.executable, *STREAMPROOF, "serve", "--port", "0", "--ready-file", str(ready)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    killer = threading.Timer(PATIENCE, process.kill)
    killer.start()
    # The file is written before the first line of output.
    assert process.stdout.readline().startswith("streamproof ")
    killer.cancel()
    yield ready.read_text("utf-8").strip()
    process.terminate()
    process.stdout.close()
    assert process.wait(PATIENCE) == 0


def asked(url: str, body: Any = None) -> tuple[int, Any]:
    """The status and the JSON of an answer; a POST if there is a body."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    request = Request(url, data, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=PATIENCE) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def opened(url: str, case: str = CASE) -> tuple[str, str]:
    """The URL of a run's verdict, and the base URL to play it at."""
    status, run = asked(f"{url}/_mock/runs", {"case": case})
    assert status == 201
    return f"{url}/_mock/runs/{run['id']}", run["base_url"]


def played(base_url: str, *tools: str) -> list[Json]:
    """The events of the run, read by a plain HTTP client that offers functions of these names."""
    body = {"model": "mock", "input": "Hello", "stream": True}
    body |= {"tools": [{"type": "function", "name": name, "parameters": {}} for name in tools]}
    headers = {"Content-Type": "application/json"}
    request = Request(f"{base_url}/responses", json.dumps(body).encode(), headers)
    with urlopen(request, timeout=PATIENCE) as response:
        lines = [line.decode().strip() for line in response]
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
    return [json.loads(event) for event in data]


def judged(url: str, body: Any, case: str = CASE, *tools: str) -> tuple[int, Any]:
    run, base_url = opened(url, case)
    played(base_url, *tools)
    return asked(f"{run}/verdict", body)


def test_a_run_is_played_over_plain_http_and_judged(url: str) -> None:
    run, base_url = opened(url)
    events = played(base_url)
    text = [e["delta"] for e in events if e["type"] == "response.output_text.delta"]
    assert text == ["Let me ", "check that…"]
    status, verdict = asked(f"{run}/verdict", RIGHT)
    assert status == 200
    assert verdict["case"] == f"{CASE}@openresponses"
    assert (verdict["status"], verdict["findings"]) == ("passed", [])


def test_a_verdict_can_be_saved_and_judged_again(url: str, tmp_path: Path) -> None:
    _, right = judged(url, RIGHT)
    _, wrong = judged(url, RIGHT | {"parts": TEXT, "traits": {"reasoning": "text"}})
    assert CONTRACT.is_valid(wrong["transcript"])
    assert wrong["traits"]["reasoning"] == "text"
    for name, verdict in {"right": right, "wrong": wrong}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(verdict), "utf-8")
    judge = [*STREAMPROOF, "judge", "--json"]
    again = run_all(
        {name: [*judge, tmp_path / f"{name}.json"] for name in ("right", "wrong")}, tmp_path
    )
    assert [each.code for each in again.values()] == [0, 1]
    (run,) = json.loads(again["wrong"].text)["runs"]
    assert run["findings"] == wrong["findings"]
    assert run["traits"] == wrong["traits"]


ROUNDS = "any/conversation-two-rounds"
WEATHER = {"name": "weather", "parameters": {"type": "object"}, "type": "function"}
HANDED_OVER: list[Json] = [
    {"role": "system", "content": "You are careful with numbers."},
    {"role": "user", "content": "How warm is it in Oslo?"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "value": "I will look that up."},
            {
                "type": "toolCall",
                "callId": "gw-call_oslo",
                "name": "weather",
                "input": {"place": "Oslo"},
            },
        ],
    },
    {"role": "tool", "callId": "gw-call_oslo", "content": '{"celsius":-4.5,"sky":"clear"}'},
]
ITEMS: list[Json] = [
    *HANDED_OVER[:2],
    {"role": "assistant", "content": "I will look that up."},
    {
        "type": "function_call",
        "call_id": "call_oslo",
        "name": "weather",
        "arguments": '{"place":"Oslo"}',
    },
    {"type": "function_call_output", "call_id": "call_oslo", "output": HANDED_OVER[3]["content"]},
]
ANSWER = [{"type": "text", "value": "It is 4.5 degrees below zero, and the sky is clear."}]


def second_turn(url: str, items: list[Json]) -> Any:
    """The verdict on the second turn of a conversation, whose request has these items."""
    run, base_url = opened(url, ROUNDS)
    body = {"model": "mock", "input": items, "stream": True, "tools": [WEATHER]}
    headers = {"Content-Type": "application/json"}
    with urlopen(
        Request(f"{base_url}/responses", json.dumps(body).encode(), headers), timeout=PATIENCE
    ) as response:
        assert response.read()
    posted = {"parts": ANSWER, "end": {**DONE, "finish": "stop"}, "turn": 1}
    posted |= {"messages": HANDED_OVER, "traits": {"call_id_prefix": "gw-"}}
    status, verdict = asked(f"{run}/verdict", posted)
    assert status == 200
    return verdict


def test_a_turn_of_a_conversation_is_judged_alone(url: str) -> None:
    verdict = second_turn(url, ITEMS)
    assert (verdict["status"], verdict["findings"]) == ("passed", [])


def test_the_request_is_judged_if_the_host_messages_are_given(url: str) -> None:
    named = [{**i, **({"call_id": "gw-call_oslo"} if "call_id" in i else {})} for i in ITEMS]
    verdict = second_turn(url, named)
    assert [(f["rule"], f["turn"]) for f in verdict["findings"]] == [("turn-pairs", 1)]


def test_the_schema_of_a_turn_is_requested_by_its_number(url: str) -> None:
    status, second = asked(f"{url}/_mock/expectations/{ROUNDS}?turn=1")
    assert (status, second["properties"]["text"]) == (200, {"const": ANSWER[0]["value"]})
    status, answer = asked(f"{url}/_mock/expectations/{ROUNDS}?turn=2")
    assert (status, "has no turn 2" in answer["error"]["message"]) == (400, True)


TWICE = "openresponses/status-429-then-stream"
LIMIT = "Rate limit reached for requests."
ANSWERED = {
    "parts": [{"type": "text", "value": "Thank you for waiting."}],
    "end": {"type": "done", "outcome": "completed", "finish": "stop"},
}
REFUSED = {
    "parts": [],
    "end": {
        "type": "done", "outcome": "failed",
        "error": {"kind": "http", "message": LIMIT, "code": "rate_limit_exceeded"},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("posted", "statuses"),
    [(REFUSED, ["passed", "failed"]), (ANSWERED, ["failed", "passed"])],
    ids=["refused", "answered"],
)
def test_the_verdict_judges_the_last_attempt(url: str, posted: Json, statuses: list[str]) -> None:
    run, base_url = opened(url, TWICE)
    with pytest.raises(HTTPError):
        played(base_url)
    first = asked(f"{run}/verdict", posted)[1]["status"]
    played(base_url)
    assert [first, asked(f"{run}/verdict", posted)[1]["status"]] == statuses


@pytest.mark.parametrize("posted", [REFUSED, ANSWERED])
def test_a_cases_schema_accepts_a_correct_reading_after_any_attempt(url: str, posted: Json) -> None:
    run, _ = opened(url, TWICE)
    reading = asked(f"{run}/reading", posted)[1]
    expectation = asked(f"{url}/_mock/expectations/{TWICE}")[1]
    assert Draft202012Validator(expectation).is_valid(reading)
    assert not Draft202012Validator(expectation).is_valid({**reading, "text": "Thank you"})


WRONG: list[tuple[str, Json, str]] = [
    ("a call that is emitted twice", {"parts": [*TEXT, CALL, CALL]}, "call-once"),
    ("text that is lost", {"parts": [TEXT[0], CALL]}, "text-exact"),
    ("a call that is lost", {"parts": TEXT}, "call-none-lost"),
    ("arguments that broke", {"parts": [*TEXT, {**CALL, "input": {}}]}, "call-complete"),
    (
        "a failure that there was not",
        {"end": {"type": "done", "outcome": "failed", "error": {"kind": "http", "message": "x"}}},
        "end-honest",
    ),
    ("a part that is none", {"parts": [*TEXT, CALL, None]}, "part-known"),
]


@pytest.mark.parametrize(("change", "rule"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_reading_has_a_finding(url: str, change: Json, rule: str) -> None:
    status, verdict = judged(url, RIGHT | change)
    assert status == 200
    assert verdict["status"] == "failed"
    assert [finding["rule"] for finding in verdict["findings"]] == [rule]
    (finding,) = verdict["findings"]
    assert finding["level"] == "must"
    assert finding["message"]
    assert finding["right"]
    assert finding["source"]


@pytest.mark.parametrize(
    ("body", "tools", "noted"),
    [
        (RIGHT | {"parts": TEXT}, [], ["read_file"]),
        (RIGHT | {"parts": TEXT}, ["write_file"], ["read_file"]),
        (RIGHT | {"parts": TEXT}, ["write_file", "read_file"], []),
        (RIGHT, [], []),
    ],
    ids=["no tool", "another tool", "the tool", "a run that passes"],
)
def test_a_failed_verdict_says_which_tool_the_test_has_not_offered(
    url: str, body: Json, tools: list[str], noted: list[str]
) -> None:
    _, verdict = judged(url, body, CASE, *tools)
    assert [note.split("'")[1] for note in verdict["notes"]] == noted
    assert verdict["timeline"].count("\n\nnote: the request offered no tool") == len(noted)


def test_a_run_without_a_request_is_judged(url: str) -> None:
    run, _ = opened(url)
    status, verdict = asked(f"{run}/verdict", {"parts": []})
    assert status == 200
    assert verdict["status"] == "failed"


def test_a_reading_is_the_neutral_form_of_the_parts(url: str) -> None:
    run, _ = opened(url)
    status, reading = asked(f"{run}/reading", RIGHT)
    assert status == 200
    assert reading["text"] == "Let me check that…"
    call = {"id": "gw-call_1", "name": "read_file", "input": {"path": "/src/app.ts"}, "after": 18}
    assert reading["calls"] == [call]
    assert (reading["outcome"], reading["finish"]) == ("completed", "tool-calls")


def expectation(url: str, query: str = "?call_id_prefix=gw-") -> Draft202012Validator:
    status, schema = asked(f"{url}/_mock/expectations/{quote(CASE)}{query}")
    assert status == 200
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_a_compiled_expectation_accepts_a_correct_reading_in_any_schema_library(url: str) -> None:
    run, _ = opened(url)
    _, reading = asked(f"{run}/reading", RIGHT)
    assert expectation(url).is_valid(reading)


@pytest.mark.parametrize(
    "change",
    [
        {"parts": [*TEXT, CALL, CALL]},
        {"parts": [CALL, *TEXT]},
        {"parts": [*TEXT]},
        {"parts": [*TEXT, {**CALL, "name": "read"}]},
        {"end": {"type": "done", "outcome": "cancelled"}},
        {"end": None},
    ],
)
def test_the_compiled_expectation_refuses_a_wrong_reading(url: str, change: Json) -> None:
    run, _ = opened(url)
    _, reading = asked(f"{run}/reading", RIGHT | change)
    assert not expectation(url).is_valid(reading)


STOPPED = {"end": {"type": "done", "outcome": "cancelled"}, "cancelled": {"parts": 1}}


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (TEXT[:1], []),
        # One last piece of text may still arrive.
        (TEXT, []),
        ([*TEXT, CALL], ["cancel-stops"]),
        ([TEXT[1]], ["text-exact"]),
    ],
)
def test_a_run_that_its_test_cancelled_is_judged_as_cancelled(
    url: str, parts: list[Json], found: list[str]
) -> None:
    _, verdict = judged(url, RIGHT | STOPPED | {"parts": parts})
    assert [finding["rule"] for finding in verdict["findings"]] == found


def test_a_cancelled_client_that_stays_connected_is_noticed(url: str) -> None:
    run, base_url = opened(url, "any/cancel-in-a-stall")
    body = json.dumps({"model": "mock", "input": "Hello", "stream": True}).encode()
    request = Request(f"{base_url}/responses", body, {"Content-Type": "application/json"})
    stopped = {**STOPPED, "parts": [{"type": "text", "value": "The capital of "}]}
    with urlopen(request, timeout=PATIENCE):
        _, verdict = asked(f"{run}/verdict", stopped)
    assert [finding["rule"] for finding in verdict["findings"]] == ["cancel-upstream"]
    assert verdict["status"] == "passed"
    _, verdict = asked(f"{run}/verdict", stopped)
    assert verdict["findings"] == []


def test_the_schema_of_a_cancelled_run_accepts_any_beginning_of_a_correct_reading(url: str) -> None:
    run, _ = opened(url)
    _, schema = asked(f"{url}/_mock/expectations/{CASE}?call_id_prefix=gw-&cancelled=true")
    for parts, right in ((TEXT[:1], True), ([*TEXT, CALL], True), ([*TEXT[:1], CALL], False)):
        _, reading = asked(f"{run}/reading", RIGHT | STOPPED | {"parts": parts})
        assert Draft202012Validator(schema).is_valid(reading) == right
        assert not expectation(url).is_valid(reading)


MALFORMED: list[tuple[Any, str]] = [
    *(
        ({**RIGHT, "cancelled": wrong}, "'cancelled' says how many parts were out")
        for wrong in (True, 2, {}, {"parts": -1}, {"parts": True}, {"parts": 1, "at": 2})
    ),
    (b"{", "the request body is not JSON"),
    (b"[NaN]", "NaN is not a JSON number"),
    ([], "the body has no list of parts"),
    ({}, "the body has no list of parts"),
    ({"parts": {}}, "the body has no list of parts"),
    ({**RIGHT, "trait": {}}, "unknown key 'trait'"),
    ({**RIGHT, "vocabulary": "vs-code"}, "no vocabulary is called 'vs-code'"),
    ({**RIGHT, "vocabulary": []}, "no vocabulary is called []"),
    ({**RIGHT, "end": "completed"}, "'end' is no ending"),
    ({**RIGHT, "end": {"type": "done"}}, "'outcome' is a required property"),
    ({**RIGHT, "end": {"type": "bye"}}, "'end' is no ending"),
    ({**RIGHT, "end": {"type": "done", "outcome": "finished"}}, "failed, cancelled: 'finished'"),
    ({**RIGHT, "traits": None}, "not a trait"),
    ({**RIGHT, "traits": {"emit_cal_at": "end"}}, "unknown trait 'emit_cal_at'"),
    ({**RIGHT, "traits": {"reasoning": "loud"}}, "not a trait: reasoning: 'loud' is not one of"),
]


@pytest.mark.parametrize("what", ["reading", "verdict"])
@pytest.mark.parametrize(("body", "message"), MALFORMED, ids=[message for _, message in MALFORMED])
def test_a_malformed_request_is_explained(url: str, what: str, body: Any, message: str) -> None:
    run, _ = opened(url)
    status, answer = asked(f"{run}/{what}", body)
    assert status == 400
    assert message in answer["error"]["message"]


HINTS: list[tuple[Json, str]] = [
    ({"traits": {"emit_cal_at": "end"}}, "did you mean 'emit_call_at'?"),
    ({"vocabulary": "vs-code"}, "did you mean 'vscode'?"),
    ({"trait": {}}, "did you mean 'traits'?"),
]


@pytest.mark.parametrize(("change", "hint"), HINTS)
def test_a_misspelt_word_gets_a_hint_of_the_nearest_one(url: str, change: Json, hint: str) -> None:
    run, _ = opened(url)
    assert asked(f"{run}/verdict", RIGHT | change)[1]["error"]["hint"] == hint


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("expectations/any/text-and-cal-interleave", 404, "no scenario is called"),
        (f"expectations/{CASE}@copilot-chat", 400, "is not played in 'copilot-chat'"),
        (f"expectations/{CASE}@openresponses+crfl", 400, "no variation is called 'crfl'"),
        (f"expectations/{CASE}?prefix=gw-", 400, "unknown trait 'prefix'"),
        (f"expectations/{CASE}?cancelled=1", 400, "cancelled is true or false, not '1'"),
    ],
)
def test_a_request_for_an_impossible_expectation_is_explained(
    url: str, path: str, status: int, message: str
) -> None:
    got, answer = asked(f"{url}/_mock/{path}")
    assert got == status
    assert message in answer["error"]["message"]


def test_a_run_that_is_not_open_has_no_verdict(url: str) -> None:
    status, answer = asked(f"{url}/_mock/runs/nowhere/verdict", RIGHT)
    assert status == 404
    assert "no open run has the id 'nowhere'" in answer["error"]["message"]


def test_the_routes_of_the_server_are_beside_those_of_the_kit(url: str) -> None:
    assert asked(f"{url}/_mock/health")[1]["ok"] is True
    assert Path(asked(f"{url}/_mock/scenarios/{CASE}")[1]["id"]) == Path(CASE)
