"""Runs of a scenario that comes with the request that opens them."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from mockserver.scenario import source
from mockserver.scenario.yaml_nodes import MAX_DEPTH
from tests.server import REQUEST, answer_text

TURN = {"says": [{"text": "Here you are \U0001f40d\u2028"}]}
TEXT = """\
title: Greets
turns:
  - says:
      - text: Hello from a file
"""


# The most values of a scenario in these tests
MOST = 1000


async def post_run(client: aiohttp.ClientSession, body: Any) -> tuple[int, Any]:
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
    client: aiohttp.ClientSession, body: Any, case: str, text: str
) -> None:
    status, run = await post_run(client, body)
    assert (status, run["case"].partition("@")[0]) == (201, case)
    async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
        assert answer_text((await response.read()).replace(b"\r\n", b"\n")) == text


async def test_runs_of_scenarios_of_the_same_name_are_apart(client: aiohttp.ClientSession) -> None:
    texts = ["one", "two"]
    runs = [await post_run(client, {"scenario": {"says": [{"text": text}]}}) for text in texts]
    for (_, run), text in zip(runs, texts, strict=True):
        async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
            assert answer_text(await response.read()) == text


async def test_a_scenario_of_its_own_is_offered_on_a_condition(
    client: aiohttp.ClientSession,
) -> None:
    offers = [{"scenario": TURN, "when": {"message": "bomb"}}, "any/hello"]
    _, run = await post_run(client, {"cases": offers})
    async with client.post(f"{run['base_url']}/responses", json=REQUEST) as response:
        assert answer_text(await response.read()) == "Hello there"


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
        (nested(MAX_DEPTH), "the scenario is too large"),
        ({"says": [0] * (MOST + 1)}, "the scenario is too large"),
    ],
)
async def test_a_wrong_scenario_is_explained(
    client: aiohttp.ClientSession, scenario: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MAX_VALUES", MOST)
    status, answer = await post_run(client, {"scenario": scenario, "case": "mine"})
    assert status == 400
    assert message in answer["error"]["message"]
