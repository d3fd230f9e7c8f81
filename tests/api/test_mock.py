"""A mock server as a value: runs, what they received, verdicts, and several cases in one run."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

import streamproof
from streamproof import AsyncMock, Fault, Mock, When
from tests.api.asking import REFUSAL, body_of, parts, post, streamed

PATIENCE = 30


@pytest.fixture(scope="module")
def mock() -> Iterator[Mock]:
    with streamproof.serve() as started:
        yield started


def test_a_run_gives_its_verdict_and_what_it_received(mock: Mock) -> None:
    with mock.run("any/refusal@chat") as run:
        verdict = run.verdict(parts(run.base_url), traits=REFUSAL)
        (request,) = run.requests
    assert (verdict.passed, verdict.findings, verdict.case) == (True, (), "any/refusal@chat")
    assert request.body["messages"] == [{"role": "user", "content": "Hello"}]
    assert request.headers["authorization"] == "Bearer [redacted]"
    assert [event["type"] for event in request.events][-1] == "[DONE]"


def test_a_run_is_named_by_its_model_where_the_base_url_is_that_of_the_server(mock: Mock) -> None:
    run, other = mock.run("any/refusal@chat"), mock.run("any/refusal@chat")
    run.check(parts(mock.base_url, model=run.model), traits=REFUSAL)
    assert (len(run.requests), len(other.requests)) == (1, 0)


def test_a_failed_verdict_shows_the_timeline(mock: Mock) -> None:
    run = mock.run("any/refusal@chat")
    parts(run.base_url)
    with pytest.raises(AssertionError, match="text-exact") as caught:
        run.check([{"type": "text", "value": "No."}], traits=REFUSAL)
    assert "the upstream sent" in str(caught.value)
    assert "the adapter emitted" in str(caught.value)


@pytest.mark.parametrize(
    ("ending", "rules"),
    [
        ({}, ("end-honest",)),
        ({"error": "The model failed"}, ()),
        ({"error": RuntimeError("The model failed")}, ()),
        ({"error": {"kind": "upstream", "message": "The model failed"}}, ()),
        ({"outcome": "failed"}, ()),
        ({"outcome": "hung"}, ("end-once",)),
    ],
)
def test_a_test_says_how_its_code_ended(
    mock: Mock, ending: dict[str, Any], rules: tuple[str, ...]
) -> None:
    run = mock.run("openresponses/failed-after-text")
    post(f"{run.base_url}/responses", {"model": "mock", "input": "Hello", "stream": True})
    emitted = [{"type": "text", "value": "The capital of France is"}]
    found = [f for f in run.verdict(emitted, **ending).findings if f.level == "must"]
    assert tuple(finding.rule for finding in found) == rules


def test_a_run_that_the_test_cancels_ends_as_cancelled(mock: Mock) -> None:
    run = mock.run({"says": [{"text": "Let me "}, {"pause": "9s"}, {"text": "see."}]})
    with streamed(f"{run.base_url}/chat/completions", body_of()) as answer:
        assert any(b"Let me" in line for line in answer)
    run.check("Let me ", cancelled=1)
    verdict = run.verdict("Let me ", error="It broke", cancelled=1)
    assert verdict.rules == ("cancel-resolves",)


def test_a_run_without_a_dialect_speaks_that_of_the_request(mock: Mock) -> None:
    run = mock.run("any/refusal")
    emitted = parts(run.base_url)
    assert run.verdict(emitted, traits=REFUSAL).case == "any/refusal@chat"


def test_every_base_url_of_an_sdk_leads_to_its_dialect(mock: Mock) -> None:
    run = mock.run("any/refusal")
    chat = {"id": "c", "trigger": "submit-message", "messages": []}
    message = {"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}
    for path in ("chat", "api/chat"):
        post(f"{run.base_url}/{path}", {**chat, "messages": [message]})
    assert {request.case for request in run.requests} == {"any/refusal@vercel-ui"}


MANY = (
    When("any/status-500-html", message="bomb"),
    When("any/annex", tool="get_weather", model="gpt-*"),
    "any/refusal",
)


@pytest.mark.parametrize(
    ("asked", "case"),
    [
        ({"message": "How is the weather?"}, "any/refusal"),
        ({"tool": "get_weather"}, "any/refusal"),
        ({"tool": "get_weather", "model": "gpt-9"}, "any/annex"),
        ({"tool": "get_time", "model": "gpt-9"}, "any/refusal"),
    ],
)
def test_a_request_gets_the_first_case_whose_condition_holds(
    mock: Mock, asked: dict[str, str], case: str
) -> None:
    run = mock.run(*MANY)
    parts(run.base_url, **asked)
    assert [request.case for request in run.requests] == [f"{case}@chat"]


def test_a_request_without_a_case_is_told_why_each_did_not_match(mock: Mock) -> None:
    run = mock.run(When("any/refusal@openresponses"), When("any/annex", message="bomb"))
    with pytest.raises(HTTPError) as caught:
        parts(run.base_url)
    told = caught.value.read().decode()
    assert "any/refusal@openresponses: this run plays it in 'openresponses'" in told
    assert "any/annex: the last user message lacks 'bomb': 'Hello'" in told


def test_parts_of_a_run_that_played_several_cases_are_not_judged(mock: Mock) -> None:
    run = mock.run(*MANY)
    parts(run.base_url)
    parts(run.base_url, tool="get_weather", model="gpt-9")
    with pytest.raises(Fault, match="this run has played any/refusal@chat and any/annex@chat"):
        run.verdict([])


@pytest.mark.parametrize(
    ("set_already", "becomes"),
    [
        ({}, "127.0.0.1"),
        ({"NO_PROXY": "a.example, 127.0.0.1"}, "a.example,127.0.0.1"),
        ({"NO_PROXY": "a.example", "no_proxy": "b.example"}, "b.example,127.0.0.1"),
        ({"no_proxy": "*"}, "*"),
    ],
)
def test_the_environment_leads_past_proxies(
    mock: Mock, monkeypatch: pytest.MonkeyPatch, set_already: dict[str, str], becomes: str
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in set_already.items():
        monkeypatch.setenv(name, value)
    named = mock.environ()
    assert named["NO_PROXY"] == named["no_proxy"] == becomes


def test_the_environment_leads_sdks_to_a_run(mock: Mock) -> None:
    run = mock.run("any/refusal")
    assert mock.environ(run)["OPENAI_BASE_URL"] == run.base_url
    assert mock.environ()["OPENAI_BASE_URL"] == f"{mock.url}/v1"


async def test_the_same_in_asyncio(mock: Mock) -> None:
    run = await AsyncMock(mock).run("any/refusal", vary="crlf")
    emitted = await asyncio.to_thread(parts, run.base_url)
    await run.check(emitted, traits=REFUSAL)
    assert [request.case for request in await run.requests()] == ["any/refusal@chat+crlf"]


UNTYPED: Any = {"message": 7}


@pytest.mark.parametrize(
    ("cases", "why"),
    [
        (("any/refusals",), "no scenario is called 'any/refusals'\n.*any/refusal"),
        (("any/refusal+crfl",), "no variation is called 'crfl'\n.*crlf"),
        ((), r'a run plays a case: none is named\n.*run\("any/refusal"\)'),
        (["any/refusal"] * 65, "a run has at most 64 cases, and 65 are named"),
        ((When("any/refusal", **UNTYPED),), "message of a When is a text, not 7"),
        ((When("any/refusal", tool="x" * 201),), "'tool' in a condition is longer than 200"),
    ],
)
def test_a_case_that_is_none_is_explained(mock: Mock, cases: Sequence[Any], why: str) -> None:
    with pytest.raises(Fault, match=why):
        mock.run(*cases)


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        (
            {"outcome": "complete"},
            "outcome is none of completed, failed, cancelled, hung: 'complete'\n"
            ".*did you mean 'completed'",
        ),
        ({"cancelled": True}, "cancelled is the number of parts .*, not True\n.*cancelled=2"),
        ({"cancelled": -1}, "cancelled is the number of parts .*, not -1"),
        ({"finish": "tool_calls"}, "finish is none of .*: 'tool_calls'\n.*mean 'tool-calls'"),
        ({"usage": {"input_tokens": 3}}, "usage has no key 'input_tokens'\n.*'input'"),
        ({"error": {"kind": "http", "message": 3}}, "^error.message: 3 is not of type 'string'"),
        ({"error": {"kind": "tls"}}, "error.kind is none of http, transport, .*: 'tls'"),
    ],
)
def test_an_ending_that_is_none_is_explained_in_the_words_of_the_call(
    mock: Mock, ending: Any, why: str
) -> None:
    run = mock.run("any/refusal@chat")
    with pytest.raises(Fault, match=why):
        run.verdict([], **ending)


@pytest.mark.parametrize(
    ("asked", "came"),
    [(0, "none came to http://.*/v1$"), (2, "2 came\n  POST /r/.*: 200, turn 0 of ")],
)
def test_a_run_has_one_request_or_says_what_came(mock: Mock, asked: int, came: str) -> None:
    run = mock.run("any/refusal@chat")
    for _ in range(asked):
        parts(run.base_url)
    with pytest.raises(AssertionError, match=f"one request was expected, and {came}"):
        _ = run.request


def test_a_request_that_the_case_does_not_answer_is_said_to_be_the_cause(mock: Mock) -> None:
    run = mock.run("any/refusal@chat")
    with pytest.raises(HTTPError) as caught:
        post(f"{run.base_url}/responses", {"model": "mock", "input": "Hello", "stream": True})
    with caught.value as error:
        (finding,) = run.verdict([], error=error).findings
    assert finding.rule == "request-valid"
    assert "/v1/responses' got HTTP 404 (this run has no case for the request; " in finding.message
    assert finding.right.endswith("in chat, a POST to …/chat/completions below the base URL")
    assert "this run plays it in 'chat'; …/responses is 'openresponses'" in str(run.request)


def test_an_answer_in_full_is_judged_and_shown(mock: Mock) -> None:
    run = mock.run({"says": [{"text": "Hello"}]})
    asked = {**body_of(), "stream": False}
    answer = json.loads(post(f"{run.base_url}/chat/completions", asked))
    run.check(answer["choices"][0]["message"]["content"])
    timeline = run.verdict("Hi").timeline
    assert "\nHTTP 200, the complete response  #0 text 'Hi'\n" in timeline


def test_a_run_that_is_closed_can_be_closed_again(mock: Mock) -> None:
    run = mock.run("any/refusal@chat")
    run.close()
    run.close()
    with pytest.raises(Fault, match="no open run has the id"):
        run.verdict([])


def test_a_server_in_a_process_of_its_own_is_used_by_its_url(tmp_path: Path) -> None:
    with streamproof.serve(tmp_path, process=True) as own:
        other = streamproof.connect(own.url, traits=REFUSAL)
        run = other.run("any/refusal")
        run.check(parts(run.base_url))
        other.stop()
        assert own.run("any/annex").base_url.startswith(own.url)
    with pytest.raises(Fault, match="is it running there"):
        streamproof.connect(own.url)


def test_a_server_in_a_process_of_its_own_ends_with_the_tests() -> None:
    program = (
        "import os, signal, streamproof; mock = streamproof.serve(process=True);"
        "print(mock.url, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL
    until = time.monotonic() + PATIENCE
    while answers(killed.stdout.strip()):
        assert time.monotonic() < until, "the server goes on"
        time.sleep(0.02)


def answers(url: str) -> bool:
    try:
        streamproof.connect(url).stop()
    except Fault:
        return False
    return True


def test_a_url_that_is_none_is_explained() -> None:
    with pytest.raises(Fault, match="is not the URL of a mock server"):
        streamproof.connect("127.0.0.1:4100")


def test_settings_that_are_wrong_are_refused_at_the_start() -> None:
    with pytest.raises(Fault, match=r"no vocabulary is called 'vs-code'\n.*'vscode'"):
        streamproof.serve(vocabulary="vs-code")  # type: ignore[arg-type]
    with pytest.raises(Fault, match=r"unknown trait 'refusl'\n.*'refusal'"):
        streamproof.serve(traits={"refusl": "text"})
