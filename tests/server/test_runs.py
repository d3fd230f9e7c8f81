"""Runs: one case at one URL, independent of all others; its scenario may come with the request."""

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession

from mockserver.scenario import source
from mockserver.scenario.source import MAX_DEPTH
from mockserver.server.state import State
from tests.server import REQUEST, answer_text, open_run, text

SAYS = {"any/hello": "Hello there", "any/goodbye": "Good bye"}

TURN = {"says": [{"text": "Here you are \U0001f40d\u2028"}]}
TEXT = """\
title: Greets
turns:
  - says:
      - text: Hello from a file
"""


# The most values of a scenario in these tests
MOST = 1000


async def test_a_run_has_a_base_url_that_plays_its_case(client: ClientSession) -> None:
    run = await open_run(client, "any/hello")
    assert run.keys() == {"id", "case", "base_url"}
    assert run["case"] == "any/hello@openresponses"
    assert run["base_url"].endswith(f"/r/{run['id']}/v1")
    request = {**REQUEST, "model": "mock/any/goodbye"}
    async with client.post(f"{run['base_url']}/responses", json=request) as response:
        assert answer_text(await response.read()) == "Hello there"


@pytest.mark.parametrize(
    ("path", "headers", "body"),
    [
        ("/v1/responses", {}, {**REQUEST, "model": "mock/r/{id}"}),
        ("/v1/chat/completions", {}, {"messages": [], "model": "mock/r/{id}", "stream": True}),
        (
            "/v3/ai/language-model",
            {"ai-language-model-id": "mock/r/{id}", "ai-language-model-streaming": "true"},
            {"prompt": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]},
        ),
    ],
    ids=["openresponses", "chat", "vercel-gateway"],
)
async def test_a_model_names_a_run_where_the_base_url_names_nothing(
    client: ClientSession, path: str, headers: dict[str, str], body: dict[str, Any]
) -> None:
    async with client.post(
        "/_mock/runs",
        json={
            "cases": [{"case": "any/hello", "when": {"model": "mock/r/*"}}, {"case": "any/goodbye"}]
        },
    ) as response:
        run = await response.json()
    named = {name: value.format(id=run["id"]) for name, value in headers.items()}
    asked = {k: v.format(id=run["id"]) if k == "model" else v for k, v in body.items()}
    async with client.post(path, json=asked, headers=named) as response:
        await response.read()
    async with client.get(f"/_mock/runs/{run['id']}/journal") as response:
        (exchange,) = (await response.json())["exchanges"]
    assert exchange["case"].startswith("any/hello@")
    assert exchange["path"] == path


async def test_a_base_url_has_precedence_over_a_run_in_the_model(client: ClientSession) -> None:
    run = await open_run(client, "any/hello")
    body = {**REQUEST, "model": f"mock/r/{run['id']}"}
    async with client.post("/s/any/goodbye/v1/responses", json=body) as response:
        assert answer_text(await response.read()) == "Good bye"


async def test_a_model_that_names_a_closed_run_is_refused(client: ClientSession) -> None:
    body = {**REQUEST, "model": "mock/r/gone"}
    async with client.post("/v1/responses", json=body) as response:
        assert response.status == 404
        assert "no open run has the id 'gone'" in (await response.json())["error"]["message"]


async def test_200_concurrent_runs_have_only_their_own_exchanges(server: Any, state: State) -> None:
    connector = aiohttp.TCPConnector(limit=0)
    async with ClientSession(server.url, connector=connector) as client:

        async def whole(case: str) -> tuple[str, str]:
            run = await open_run(client, case)
            async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
                body = await response.read()
            async with client.get(f"/_mock/runs/{run['id']}/journal") as response:
                journal = await response.json()
            (exchange,) = journal["exchanges"]
            assert exchange["case"] == run["case"]
            assert exchange["attempt"] == 1
            assert exchange["events"][-1]["type"] == "[DONE]"
            return run["id"], answer_text(body)

        cases = ["any/hello", "any/goodbye"] * 100
        async with asyncio.timeout(60):
            answers = await asyncio.gather(*(whole(case) for case in cases))
    assert [text for _, text in answers] == [SAYS[case] for case in cases]
    assert len({id_ for id_, _ in answers}) == len(state.local.open_runs.all()) == 200


async def test_answers_of_a_turn_in_a_run_are_counted_as_attempts(client: ClientSession) -> None:
    run, other = await open_run(client, "any/hello"), await open_run(client, "any/hello")
    for body in ({"input": 7}, REQUEST, REQUEST):
        async with client.post(f"{run['base_url']}/responses", json=body) as response:
            await response.read()
    async with client.post(f"{run['base_url']}/embeddings", json={}) as response:
        assert response.status == 404
    async with client.get(f"/_mock/runs/{run['id']}/journal") as response:
        exchanges = (await response.json())["exchanges"]
    assert [exchange["attempt"] for exchange in exchanges] == [1, 1, 2, 1]
    assert [exchange["status"] for exchange in exchanges] == [400, 200, 200, 404]
    async with client.get(f"/_mock/runs/{other['id']}") as response:
        assert (await response.json())["requests"] == 0


async def test_the_journal_of_a_run_has_what_was_sent_and_when(client: ClientSession) -> None:
    run = await open_run(client, "any/hello")
    async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
        await response.read()
    async with client.get(f"/_mock/runs/{run['id']}/journal") as response:
        journal = await response.json()
    (exchange,) = journal["exchanges"]
    assert journal["dropped"] == 0
    assert exchange["body"] == REQUEST
    assert (exchange["turn"], exchange["why"]) == (0, "chosen by the run; turn 0 is its only one")
    events = exchange["events"]
    assert [event["n"] for event in events] == list(range(len(events)))
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    assert events[0]["data"]["response"]["model"] == "mock"
    assert [write["last"] for write in exchange["writes"]] == [len(events) - 1]


async def test_the_models_of_a_run_do_not_name_scenarios(client: ClientSession) -> None:
    run = await open_run(client, "any/hello")
    async with client.get(f"{run['base_url']}/models") as response:
        assert [model["id"] for model in (await response.json())["data"]] == ["mock"]
    async with client.get(f"{run['base_url']}/models/mock") as response:
        assert (await response.json())["id"] == "mock"
    async with client.get(f"{run['base_url']}/models/mock/any/hello") as response:
        assert response.status == 404


async def test_a_closed_run_plays_no_more(client: ClientSession) -> None:
    run = await open_run(client, "any/hello")
    async with client.delete(f"/_mock/runs/{run['id']}") as response:
        assert response.status == 200
        assert (await response.json())["id"] == run["id"]
    async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
        assert response.status == 404
        assert "no open run has the id" in (await response.json())["error"]["message"]
    for method, path in (("GET", ""), ("GET", "/journal"), ("DELETE", "")):
        async with client.request(method, f"/_mock/runs/{run['id']}{path}") as response:
            assert response.status == 404


async def test_the_default_run_has_the_servers_own_base_url(client: ClientSession) -> None:
    async with client.post("/_mock/runs", json={"case": "any/hello", "default": True}) as response:
        run = await response.json()
    assert run["base_url"].endswith(f":{response.url.port}/v1")
    # Neither does the model choose, as in every run.
    request = {**REQUEST, "model": "mock/any/goodbye"}
    async with client.post("/v1/responses", json=request) as response:
        assert answer_text(await response.read()) == "Hello there"
    async with client.post("/s/any/goodbye/v1/responses", json=request) as response:
        assert answer_text(await response.read()) == "Good bye"
    async with client.get(f"/_mock/runs/{run['id']}/journal") as response:
        (exchange,) = (await response.json())["exchanges"]
    assert exchange["path"] == "/v1/responses"


async def test_one_run_at_a_time_is_the_default(client: ClientSession) -> None:
    wanted = {"case": "any/hello", "default": True}
    async with client.post("/_mock/runs", json=wanted) as response:
        run = await response.json()
    async with client.post("/_mock/runs", json=wanted) as response:
        message = (await response.json())["error"]["message"]
    assert (response.status, message) == (400, "any/hello@openresponses is the default run")
    async with client.delete(f"/_mock/runs/{run['id']}") as response:
        assert response.status == 200
    async with client.post("/v1/responses", json=REQUEST) as response:
        assert answer_text(await response.read()) != "Hello there"
    async with client.post("/_mock/runs", json=wanted) as response:
        assert response.status == 201


async def test_open_runs_are_listed_newest_first(client: ClientSession) -> None:
    ids = [(await open_run(client, "any/hello"))["id"] for _ in range(3)]
    async with client.get("/_mock/runs?limit=2") as response:
        assert [run["id"] for run in (await response.json())["runs"]] == [ids[2], ids[1]]


@pytest.mark.parametrize(
    ("body", "status", "message", "hint"),
    [
        ({"case": "any/helo"}, 404, "no scenario is called 'any/helo'", "any/hello"),
        ({"case": "any/hello+crfl"}, 400, "no variation is called 'crfl'", "crlf"),
        ({"case": "any/hello@klingon"}, 400, "is not played in 'klingon'", ""),
        ({"case": "Any Hello"}, 400, "'Any Hello' is not a case id", "FOLDER/SCENARIO"),
        ({"case": 7}, 400, "'case' is not a string", ""),
        ({"csae": "any/hello"}, 400, "unknown key 'csae'", "case"),
        ({"case": "any/hello", "default": 1}, 400, "'default' is true or false", ""),
        ({"cases": "any/hello"}, 400, "'cases' is a list of 1 to 64 cases", "when"),
        ({"cases": []}, 400, "'cases' is a list of 1 to 64 cases", "when"),
        (
            {"cases": ["any/hello", "any/goodbye@openresponses"]},
            400,
            "any/goodbye@openresponses would never answer, since any/hello has no condition",
            "stands last",
        ),
        ({"cases": [{"case": "any/hello", "if": {}}]}, 400, "unknown key 'if'", ""),
        ({"cases": [{"case": "any/hello", "when": {"mesage": "Hi"}}]}, 400, "'mesage'", "message"),
        ({"cases": [{"case": "any/hello", "when": {"tool": 1}}]}, 400, "a condition has texts", ""),
        ({"case": "any/hello", "cases": ["any/hello"]}, 400, "'cases' stands beside a case", ""),
        ({"cases": [{}]}, 400, "a case's id, or has the key 'case' or 'scenario'", ""),
        ({}, 400, "the key 'case' is missing", ""),
        ([], 400, "the body is not a JSON object", ""),
    ],
)
async def test_a_run_that_cannot_be_opened_is_explained(
    client: ClientSession, body: Any, status: int, message: str, hint: str
) -> None:
    async with client.post("/_mock/runs", json=body) as response:
        error = (await response.json())["error"]
    assert response.status == status
    assert error.keys() == {"culprit", "message", "hint"}
    assert message in error["message"]
    assert hint in error["hint"]


async def post_run(client: ClientSession, body: Any) -> tuple[int, Any]:
    async with client.post("/_mock/runs", json=body) as response:
        return response.status, await response.json()


@pytest.mark.parametrize(
    ("body", "case", "text"),
    [
        ({"scenario": {"title": "Greets", "turns": [TURN]}}, "scenario", TURN["says"][0]["text"]),
        ({"scenario": TURN}, "scenario", TURN["says"][0]["text"]),
        ({"scenario": TEXT, "case": "mine/greets"}, "mine/greets", "Hello from a file"),
        ({"cases": [{"scenario": TURN, "case": "own+crlf"}]}, "own", TURN["says"][0]["text"]),
    ],
)
async def test_a_run_plays_a_scenario_of_its_own(
    client: ClientSession, body: Any, case: str, text: str
) -> None:
    status, run = await post_run(client, body)
    assert (status, run["case"].partition("@")[0]) == (201, case)
    async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
        assert answer_text((await response.read()).replace(b"\r\n", b"\n")) == text


async def test_runs_of_scenarios_of_the_same_name_are_apart(client: ClientSession) -> None:
    said = ["one", "two"]
    runs = [await post_run(client, {"scenario": {"says": [{"text": each}]}}) for each in said]
    for (_, run), expected in zip(runs, said, strict=True):
        assert await text(client, f"{run['base_url']}/responses") == expected


async def test_a_scenario_of_its_own_is_offered_on_a_condition(client: ClientSession) -> None:
    offers = [{"scenario": TURN, "when": {"message": "bomb"}}, "any/hello"]
    _, run = await post_run(client, {"cases": offers})
    assert await text(client, f"{run['base_url']}/responses") == "Hello there"


def nested(depth: int) -> Any:
    value: Any = "text"
    for _ in range(depth):
        value = [value]
    return {"says": value}


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ({"says": [{"txt": "Hi"}]}, "mine.turns[0].says[0].txt: "),
        ({"turns": [], "titel": "T"}, "mine.titel: unknown key 'titel'"),
        ({**TURN, "status": 500}, "mine.turns[0]: a turn has either 'says'"),
        ({"sends": ["response.created"]}, "mine.turns[0]: a turn with 'sends' says in 'expect'"),
        ({"title": "T"}, "'turns' is missing"),
        (TEXT.replace("says", "say"), "mine.yaml:3:5: "),
        ("", "mine.yaml:1:1: the file is empty"),
        (["says"], "'scenario' is an object, or the text of a YAML file"),
        (nested(MAX_DEPTH), f"nested deeper than {MAX_DEPTH} levels"),
        ({"says": [0] * (MOST + 1)}, f"more than {MOST:,} values"),
    ],
)
async def test_a_wrong_scenario_is_explained(
    client: ClientSession, scenario: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MAX_VALUES", MOST)
    status, answer = await post_run(client, {"scenario": scenario, "case": "mine"})
    assert status == 400
    assert message in answer["error"]["message"]
