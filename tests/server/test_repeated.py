"""The same request again: the same answer, unless what decides on it has changed."""

from __future__ import annotations

import os
from pathlib import Path

import aiohttp
import pytest

from mockserver.server.state import State
from tests.server import REQUEST, SCENARIOS, answer_text, write

HELLO = "/s/any/hello/v1/responses"


async def text(client: aiohttp.ClientSession, path: str = HELLO, **headers: str) -> str:
    async with client.post(path, json=REQUEST, headers=headers) as response:
        assert response.status == 200
        return answer_text(await response.read())


async def test_repeated_requests_have_ids_and_entries_of_their_own(
    client: aiohttp.ClientSession, state: State
) -> None:
    assert [await text(client) for _ in range(3)] == ["Hello there"] * 3
    exchanges = list(state.journal)
    assert len({exchange.values["id"] for exchange in exchanges}) == 3
    assert len({(each.case, each.why, each.turn, each.attempt) for each in exchanges}) == 1
    first, *others = [list(exchange.events()) for exchange in exchanges]
    assert [[event["type"] for event in events] for events in others] == [
        [event["type"] for event in first]
    ] * 2


async def test_the_values_that_an_answer_repeats_are_those_of_its_own_request(
    client: aiohttp.ClientSession, state: State
) -> None:
    for temperature in (0.25, 0.5, 0.25, 0.5):
        asked = {**REQUEST, "temperature": temperature}
        async with client.post(HELLO, json=asked) as response:
            assert f'"temperature":{temperature},'.encode() in await response.read()
    for exchange, temperature in zip(state.journal, (0.25, 0.5) * 2, strict=True):
        assert next(iter(exchange.events()))["data"]["response"]["temperature"] == temperature
        assert f'"temperature":{temperature},'.encode() in b"".join(exchange.bodies() or [])


async def test_an_edited_scenario_answers_a_repeated_request(
    client: aiohttp.ClientSession, folder: Path
) -> None:
    assert [await text(client) for _ in range(2)] == ["Hello there"] * 2
    write(folder, "any/hello", SCENARIOS["any/hello"].replace("Hello", "Well"))
    os.utime(folder / "any/hello.yaml", ns=(1, 1))
    assert [await text(client) for _ in range(2)] == ["Well there"] * 2


@pytest.mark.parametrize("header", ["any/hello", "any/hello+crlf"])
async def test_the_header_that_names_a_scenario_is_part_of_the_request(
    client: aiohttp.ClientSession, state: State, header: str
) -> None:
    for case in (header, "any/goodbye"):
        await text(client, "/v1/responses", **{"x-mock-scenario": case})
    first, second = state.journal
    assert first.case != second.case


async def test_a_malformed_request_is_refused_each_time(client: aiohttp.ClientSession) -> None:
    for _ in range(2):
        async with client.post(HELLO, json={**REQUEST, "input": 7}) as response:
            assert response.status == 400
