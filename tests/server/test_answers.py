"""Plain answers and attempts, as a client receives them."""

from pathlib import Path
from typing import Any

import openai
import pytest
from aiohttp import ClientSession

from mockserver.server.serving import Server
from tests.server import REQUEST, answer_text, connection, open_run, write

LIMIT = """
title: The limit is reached
source: [x]
turns:
  - status: 429
    headers: {Retry-After: "7", x-request-id: req_theirs}
    body: {error: {message: Slow down, code: rate_limit_exceeded}}
    expect: {parts: [], outcome: failed}
"""
EMPTY = """
title: Nothing
conduct: violation
turns: [{status: 200, expect: {parts: [], outcome: failed}}]
"""
TWICE = """
title: Away twice
conduct: deviation
turns:
  - attempts:
      - status: 503
        headers: &soon {retry-after-ms: "1"}
        body: Away
        expect: &fails {parts: [], outcome: failed}
      - {status: 502, headers: *soon, expect: *fails}
      - says: [{text: Here}]
"""


@pytest.fixture(autouse=True)
def scenarios(folder: Path) -> None:
    for name, text in {"limit": LIMIT, "empty": EMPTY, "twice": TWICE}.items():
        write(folder, f"any/{name}", text)


async def journal(client: ClientSession, run: dict[str, Any]) -> list[dict[str, Any]]:
    async with client.get(f"/_mock/runs/{run['id']}/journal") as response:
        exchanges: list[dict[str, Any]] = (await response.json())["exchanges"]
    return exchanges


@pytest.mark.parametrize("asks", [{"stream": True}, {"stream": False}, {}], ids=str)
async def test_an_answer_is_the_same_for_streaming_and_non_streaming_requests(
    client: ClientSession, asks: dict[str, bool]
) -> None:
    body = {"model": "mock", "input": "Hello", **asks}
    async with client.post("/s/any/limit/v1/responses", json=body) as response:
        assert response.status == 429
        assert response.headers["Retry-After"] == "7"
        assert response.headers["Content-Type"] == "application/json"
        assert response.headers.getall("x-request-id") == ["req_theirs"]
        expected = {"error": {"message": "Slow down", "code": "rate_limit_exceeded"}}
        assert await response.json() == expected


async def test_an_answer_without_a_body_has_a_length_and_no_type(server: Server) -> None:
    async with connection(server.url) as raw:
        await raw.post("/s/any/empty/v1/responses")
        head = (await raw.read_until(b"\r\n\r\n")).decode().lower()
    assert head.startswith("http/1.1 200")
    assert "content-length: 0" in head
    assert "content-type" not in head


async def test_a_malformed_request_is_refused_before_it_is_answered(client: ClientSession) -> None:
    run = await open_run(client, "any/limit")
    async with client.post(f"{run['base_url']}/responses", json={"input": 7}) as response:
        assert response.status == 400
    (exchange,) = await journal(client, run)
    assert (exchange["turn"], exchange["answer"]) == (None, None)


async def test_the_journal_has_the_answer(client: ClientSession) -> None:
    run = await open_run(client, "any/limit")
    async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
        await response.read()
    (exchange,) = await journal(client, run)
    assert (exchange["turn"], exchange["status"], exchange["events"]) == (0, 429, [])
    assert exchange["answer"]["headers"]["Retry-After"] == "7"
    assert exchange["answer"]["body"].startswith('{"error":{"message":"Slow down"')


async def test_the_journal_cuts_a_long_body(client: ClientSession, folder: Path) -> None:
    write(folder, "any/limit", LIMIT.replace("Slow down", "x" * 5000))
    run = await open_run(client, "any/limit")
    async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
        assert len(await response.read()) > 5000
    (exchange,) = await journal(client, run)
    assert len(exchange["answer"]["body"]) == 2001


async def test_a_variation_does_not_apply_to_a_plain_answer(client: ClientSession) -> None:
    async with client.post(
        "/_mock/runs", json={"case": "any/limit@openresponses+crlf"}
    ) as response:
        assert response.status == 400
        assert "changes a stream, and any/limit has none" in await response.text()


async def test_a_run_answers_attempts_in_turn_and_repeats_the_last(client: ClientSession) -> None:
    run, other = await open_run(client, "any/twice"), await open_run(client, "any/twice")
    seen = []
    for _ in range(4):
        async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
            seen.append((response.status, answer_text(await response.read())))
    assert seen == [(503, ""), (502, ""), (200, "Here"), (200, "Here")]
    exchanges = await journal(client, run)
    assert [exchange["attempt"] for exchange in exchanges] == [1, 2, 3, 4]
    assert exchanges[3]["why"].endswith("answer 3 of 3")
    async with client.post(f"{other['base_url']}/responses", json=REQUEST) as response:
        assert response.status == 503


async def test_a_variation_changes_only_the_streams_among_attempts(client: ClientSession) -> None:
    run = await open_run(client, "any/twice+crlf")
    bodies = []
    for _ in range(3):
        async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
            bodies.append(await response.read())
    assert bodies[:2] == [b"Away", b""]
    assert bodies[2].startswith(b"event: response.created\r\n")


@pytest.mark.parametrize(
    ("again", "status"),
    [(None, 503), ("0", 503), ("1", 502), ("2", 200), ("9", 200), ("-1", 503), ("x", 503)],
)
async def test_outside_runs_a_request_has_its_attempt_in_a_header(
    client: ClientSession, again: str | None, status: int
) -> None:
    headers = {} if again is None else {"x-stainless-retry-count": again}
    for _ in range(2):
        async with client.post("/s/any/twice/v1/responses", json=REQUEST, headers=headers) as got:
            assert got.status == status


async def test_openai_python_succeeds_by_retrying(server: Server) -> None:
    url = f"{server.url}/s/any/twice/v1"
    async with openai.AsyncOpenAI(base_url=url, api_key="any", max_retries=2) as client:
        response = await client.responses.create(model="gpt-4o", input="Hello")
        assert response.output_text == "Here"


async def test_openai_python_reads_the_reason_of_a_refusal(server: Server) -> None:
    url = f"{server.url}/s/any/limit/v1"
    async with openai.AsyncOpenAI(base_url=url, api_key="any", max_retries=0) as client:
        with pytest.raises(openai.RateLimitError, match="Slow down") as caught:
            await client.responses.create(model="gpt-4o", input="Hello", stream=True)
    assert caught.value.code == "rate_limit_exceeded"
    assert caught.value.response.headers["retry-after"] == "7"


async def test_a_scenario_is_shown_with_each_of_its_answers(client: ClientSession) -> None:
    async with client.get("/_mock/scenarios/any/twice") as response:
        (turn,) = (await response.json())["turns"]
    first, second, third = (each["plays"]["openresponses"] for each in turn["attempts"])
    assert (first["status"], first["body"]) == (503, "Away")
    assert second == {"status": 502, "headers": {"retry-after-ms": "1"}, "body": ""}
    assert third["events"][-1]["type"] == "[DONE]"
