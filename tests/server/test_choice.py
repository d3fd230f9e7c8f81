"""The case that answers a request is chosen, also when it comes again, or it is said why not."""

import os
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from mockserver.cases.case import CaseId, make_case
from mockserver.cases.catalogue import Catalogue
from mockserver.dialects import DIALECTS
from mockserver.dialects.chat import CHAT
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.dialects.requests import Inbound
from mockserver.foundation.faults import Place
from mockserver.scenario.model import Scenario
from mockserver.server.address import Address
from mockserver.server.answers import Refused
from mockserver.server.choice import Request, _log_once, choose
from mockserver.server.runs import Run
from mockserver.server.state import State
from tests.server import REQUEST, SCENARIOS, answer_text, text, write

HELLO = "/s/any/hello/v1/responses"


def posted(
    base: str = "", model: str = "mock", header: str = "", dialect: Any = OPENRESPONSES
) -> Request:
    address = Address("scenario" if base else "plain", base, "responses")
    return Request(dialect, address, asking(model), header)


def asking(model: str = "mock") -> Inbound:
    return OPENRESPONSES.requests.read({"model": model, "input": "Hello"}, {})


@pytest.fixture
def catalogue(state: State) -> Catalogue:
    return state.catalogue


@pytest.mark.parametrize(
    ("request_", "chosen", "how"),
    [
        (posted("any/hello", "mock/any/goodbye", "any/slow"), "any/hello", "the base URL"),
        (posted("any/hello", "gpt-4o"), "any/hello", "the base URL"),
        (posted("", "mock/any/goodbye", "any/slow"), "any/goodbye", "the model id"),
        (posted("", "gpt-4o", "any/slow"), "any/slow", "the header x-mock-scenario"),
        (posted("", "mock/any/hello@openresponses"), "any/hello", "the model id"),
    ],
)
def test_the_base_url_has_precedence_over_the_model_and_the_model_over_the_header(
    catalogue: Catalogue, request_: Request, chosen: str, how: str
) -> None:
    choice = choose(catalogue, request_)
    assert str(choice.case) == f"{chosen}@openresponses"
    assert choice.turn == 0
    assert choice.why == f"chosen by {how}; turn 0 is its only one"


CHUNK = """
title: A chunk
turns:
  - sends: [delta: {content: Hi}]
    expect: {parts: [text: Hi], outcome: failed}
"""


def test_the_variations_of_a_case_id_are_applied(catalogue: Catalogue) -> None:
    choice = choose(catalogue, posted("any/hello@openresponses+crlf+no-done"))
    assert choice.case.variations == ("crlf", "no-done")


def test_a_variation_that_does_not_apply_is_refused_with_the_reason(catalogue: Catalogue) -> None:
    message = refusal(catalogue, posted("openresponses/cut@openresponses+calls-only-in-completed"))
    assert message == (
        "the variation 'calls-only-in-completed' makes no sense for openresponses/cut: "
        "the response is never completed"
    )


def refusal(catalogue: Catalogue, request: Request) -> str:
    with pytest.raises(Refused) as caught:
        choose(catalogue, request)
    assert caught.value.status == 404
    return caught.value.message


def test_without_a_choice_the_answer_is_improvised(catalogue: Catalogue) -> None:
    choice = choose(catalogue, posted())
    assert choice.case.scenario.id == "improvised"
    assert choice.why == "nothing was chosen: no tool was offered, so text follows"


@pytest.mark.parametrize("model", ["any/hello", "any/helo", "hello", "hello@openresponses"])
def test_a_model_that_is_nearly_a_scenario_is_named_once_in_the_log(
    catalogue: Catalogue, model: str, caplog: pytest.LogCaptureFixture
) -> None:
    _log_once.cache_clear()
    for _ in range(2):
        assert (
            "though the model is nearly mock/any/hello" in choose(catalogue, posted("", model)).why
        )
    assert caplog.messages == [f"the model {model!r} chooses no scenario; mock/any/hello does"]


@pytest.mark.parametrize("model", ["gpt-5", "mock", "openai/gpt-5-mini", ""])
def test_a_model_unlike_all_scenarios_is_not_logged(
    catalogue: Catalogue, model: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert "nearly" not in choose(catalogue, posted("", model)).why
    assert caplog.messages == []


def test_a_scenario_is_what_a_model_means_only_in_its_dialect(catalogue: Catalogue) -> None:
    assert "nearly mock/openresponses/cut:" in choose(catalogue, posted("", "cut")).why
    assert "nearly" not in choose(catalogue, posted("", "cut", dialect=CHAT)).why


def test_an_unknown_name_is_refused_with_the_nearest_names(catalogue: Catalogue) -> None:
    message = refusal(catalogue, posted("any/helo"))
    assert "no scenario is called 'any/helo' (the base URL names it)" in message
    assert "  any/hello: its name differs" in message


def test_a_name_without_its_folder_finds_the_scenario(catalogue: Catalogue) -> None:
    assert "  any/goodbye: its name differs" in refusal(catalogue, posted("", "mock/goodbye"))


def test_a_refusal_without_a_near_name_says_where_all_names_are(catalogue: Catalogue) -> None:
    message = refusal(catalogue, posted("zzzzzz"))
    assert f"none is near; GET /_mock/scenarios lists all {len(SCENARIOS)}" in message


def test_a_near_scenario_of_another_dialect_is_listed_with_its_dialects(
    catalogue: Catalogue,
) -> None:
    near = refusal(catalogue, posted("openresponses/cutt", dialect=DIALECTS["chat"]))
    assert "openresponses/cut: does not speak chat (it speaks openresponses)" in near
    chosen = refusal(catalogue, posted("openresponses/cut", dialect=DIALECTS["chat"]))
    assert "openresponses/cut is not played in 'chat' (it speaks openresponses)" in chosen


def test_a_case_of_another_dialect_than_the_route_is_refused(catalogue: Catalogue) -> None:
    message = refusal(catalogue, posted("any/hello@openresponses", dialect=DIALECTS["chat"]))
    assert "asks for 'openresponses'; …/chat/completions is 'chat'" in message


def test_a_broken_near_scenario_is_listed_with_its_place(
    catalogue: Catalogue, folder: Path
) -> None:
    path = write(folder, "any/hallo", "title: A greeting\nturns:\n  - sais: []\n")
    message = refusal(catalogue, posted("any/halo"))
    assert "  any/hallo: its file is broken: " in message
    assert f"{Place(str(path), 3, 5)}: unknown key 'sais'" in message
    assert "  any/hello: its name differs" in message


def test_a_broken_file_without_a_good_version_is_refused_with_its_place(
    catalogue: Catalogue, folder: Path
) -> None:
    path = write(folder, "any/broken", "title: A greeting\nturns: 7\n")
    message = refusal(catalogue, posted("any/broken"))
    assert "the scenario 'any/broken' cannot be played" in message
    assert f"{path}:2:8: 7 is a whole number; a list is expected" in message


@pytest.mark.parametrize(
    ("base", "said_of_it"),
    [
        ("any/hello@openresponses+crfl", "did you mean 'crlf'?"),
        ("any/hello@openrespnses", "it speaks openresponses"),
        ("Any Hello", "'Any Hello' is not a case id"),
    ],
)
def test_a_wrong_case_id_is_reported(catalogue: Catalogue, base: str, said_of_it: str) -> None:
    assert said_of_it in refusal(catalogue, posted(base))


def run_of(catalogue: Catalogue) -> Run:
    scenario = catalogue.get("any/hello")
    assert isinstance(scenario, Scenario)
    return Run("abc", make_case(scenario, CaseId("any/hello")))


def test_a_run_plays_its_own_case_whatever_else_the_request_chooses(catalogue: Catalogue) -> None:
    address, run = Address("run", "abc", "responses"), run_of(catalogue)
    request = Request(OPENRESPONSES, address, asking("mock/any/goodbye"), "any/slow", run)
    assert choose(catalogue, request).case is run.case


def test_a_run_that_is_not_open_is_refused(catalogue: Catalogue) -> None:
    address = Address("run", "gone", "responses")
    request = Request(OPENRESPONSES, address, asking("mock/any/hello"))
    assert "no open run has the id 'gone'" in refusal(catalogue, request)


def test_a_run_is_not_played_in_another_dialect(catalogue: Catalogue) -> None:
    request = Request(DIALECTS["chat"], Address("run", "abc", "x"), asking(), run=run_of(catalogue))
    assert "this run plays 'openresponses'" in refusal(catalogue, request)


# The same over HTTP


async def test_no_match_gets_404_in_the_dialects_shape(client: ClientSession, state: State) -> None:
    async with client.post("/s/any/helo/v1/responses", json=REQUEST) as response:
        error = (await response.json())["error"]
    assert response.status == 404
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["type"] == "not_found"
    assert "any/hello: its name differs" in error["message"]
    (exchange,) = state.local.exchanges
    assert (exchange.status, exchange.refused) == (404, error["message"])


@pytest.mark.parametrize(
    ("path", "model", "headers"),
    [
        ("/s/any/hello/v1/responses", "mock", {}),
        ("/s/any%2Fhello%40openresponses%2Bcrlf/v1/responses", "mock", {}),
        ("/s/any/hello/responses", "mock/any/goodbye", {}),
        ("/v1/responses", "mock/any/hello", {"x-mock-scenario": "any/goodbye"}),
        ("/responses", "mock", {"X-Mock-Scenario": "any/hello"}),
    ],
)
async def test_each_way_to_choose_works_over_http(
    client: ClientSession, path: str, model: str, headers: dict[str, str]
) -> None:
    request = {**REQUEST, "model": model}
    async with client.post(path, json=request, headers=headers) as response:
        assert answer_text((await response.read()).replace(b"\r\n", b"\n")) == "Hello there"


async def test_an_edit_takes_effect_on_the_next_request_and_a_broken_one_does_not(
    client: ClientSession, folder: Path, state: State
) -> None:
    def edit(text: str, version: int) -> None:
        path = write(folder, "any/hello", text)
        os.utime(path, ns=(version, version))

    assert await text(client, HELLO) == "Hello there"
    edit(SCENARIOS["any/hello"].replace("Hello", "Well"), 1)
    assert await text(client, HELLO) == "Well there"
    edit("title: [", 2)
    assert await text(client, HELLO) == "Well there"
    assert "the last good version plays" in list(state.local.exchanges)[-1].why
    edit(SCENARIOS["any/hello"], 3)
    assert await text(client, HELLO) == "Hello there"
    assert "last good version" not in list(state.local.exchanges)[-1].why


def test_each_dialect_has_an_operation_of_its_own() -> None:
    operations = [path for dialect in DIALECTS.values() for path in dialect.requests.operations]
    assert len(operations) == len(set(operations))


async def test_repeated_requests_have_ids_and_entries_of_their_own(
    client: ClientSession, state: State
) -> None:
    assert [await text(client, HELLO) for _ in range(3)] == ["Hello there"] * 3
    exchanges = list(state.local.exchanges)
    assert len({exchange.values["id"] for exchange in exchanges}) == 3
    assert len({(each.case, each.why, each.turn, each.attempt) for each in exchanges}) == 1
    first, *others = [list(exchange.events()) for exchange in exchanges]
    assert [[event["type"] for event in events] for events in others] == [
        [event["type"] for event in first]
    ] * 2


async def test_an_answer_repeats_values_of_its_request(client: ClientSession, state: State) -> None:
    for temperature in (0.25, 0.5, 0.25, 0.5):
        asked = {**REQUEST, "temperature": temperature}
        async with client.post(HELLO, json=asked) as response:
            assert f'"temperature":{temperature},'.encode() in await response.read()
    for exchange, temperature in zip(state.local.exchanges, (0.25, 0.5) * 2, strict=True):
        assert next(iter(exchange.events()))["data"]["response"]["temperature"] == temperature
        assert f'"temperature":{temperature},'.encode() in b"".join(exchange.bodies() or [])


async def test_an_edited_scenario_answers_a_repeated_request(
    client: ClientSession, folder: Path
) -> None:
    assert [await text(client, HELLO) for _ in range(2)] == ["Hello there"] * 2
    write(folder, "any/hello", SCENARIOS["any/hello"].replace("Hello", "Well"))
    os.utime(folder / "any/hello.yaml", ns=(1, 1))
    assert [await text(client, HELLO) for _ in range(2)] == ["Well there"] * 2


@pytest.mark.parametrize("header", ["any/hello", "any/hello+crlf"])
async def test_the_header_that_names_a_scenario_is_part_of_the_request(
    client: ClientSession, state: State, header: str
) -> None:
    for case in (header, "any/goodbye"):
        await text(client, "/v1/responses", **{"x-mock-scenario": case})
    first, second = state.local.exchanges
    assert first.case != second.case


async def test_a_malformed_request_is_refused_each_time(client: ClientSession) -> None:
    for _ in range(2):
        async with client.post(HELLO, json={**REQUEST, "input": 7}) as response:
            assert response.status == 400
