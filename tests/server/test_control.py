"""The control interface: the catalogue and the journal as JSON, and which hosts are allowed."""

import os
from base64 import urlsafe_b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web

from mockserver import __version__
from mockserver.cases.catalogue import Catalogue
from mockserver.server.control import is_trusted
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import REQUEST, SCENARIOS, write


async def asked(client: ClientSession, path: str, status: int = 200) -> Any:
    async with client.get(path) as response:
        assert response.status == status
        assert response.content_type == "application/json"
        return await response.json()


async def test_health_names_the_server(client: ClientSession) -> None:
    health = await asked(client, "/_mock/health")
    assert health == {"ok": True, "name": "streamproof", "version": __version__}


async def test_the_catalogue_lists_every_scenario_and_broken_ones_with_their_problems(
    client: ClientSession, folder: Path
) -> None:
    path = write(folder, "any/broken", "title: A greeting\nturns: 7\n")
    listed = (await asked(client, "/_mock/scenarios"))["scenarios"]
    found = {scenario["id"]: scenario for scenario in listed}
    assert found.keys() == {*SCENARIOS, "any/broken"}
    assert found["openresponses/cut"] == {
        "id": "openresponses/cut",
        "title": "The connection is cut in the middle",
        "dialects": ["openresponses"],
        "unable": {},
        "conduct": "violation",
        "problems": [],
    }
    (problem,) = found["any/broken"]["problems"]
    assert (problem["file"], problem["line"], problem["column"]) == (str(path), 2, 8)
    assert "a list is expected" in problem["message"]
    assert found["any/broken"]["title"] is None


async def test_a_scenario_is_shown_with_its_events(client: ClientSession, folder: Path) -> None:
    write(
        folder,
        "any/told",
        """
title: A call behind a text
about: Why this hurts.
source: [rfc-00022 § Gap 1]
seen: [{at: vercel/ai#18548, line: "data: 1", upstream: Copilot}]
turns:
  - says:
      - text: "One"
      - pause: 5ms
      - call: {id: call_1, name: search, input: {q: x}}
    expect:
      parts:
        - text: "One"
        - call: {id: call_1, name: search, input: {q: x}}
""",
    )
    shown = await asked(client, "/_mock/scenarios/any/told")
    assert shown["about"] == "Why this hurts."
    assert (shown["source"], shown["reports"]) == (["rfc-00022 § Gap 1"], [])
    assert shown["seen"] == [{"at": "vercel/ai#18548", "line": "data: 1", "upstream": "Copilot"}]
    (turn,) = shown["turns"]
    (attempt,) = turn["attempts"]
    assert attempt["expect"][0]["parts"] == [
        {"text": "One"},
        {"call": {"id": "call_1", "name": "search", "input": {"q": "x"}}},
    ]
    plays = attempt["plays"]["openresponses"]
    assert plays["close"] == "clean"
    assert [event["n"] for event in plays["events"]] == list(range(len(plays["events"])))
    assert {event["at"] for event in plays["events"][:-1]} == {0.0, 0.005}
    assert plays["events"][0]["data"]["response"]["id"] == "resp_1"
    assert plays["events"][0]["data"]["response"]["tool_choice"] == "auto"
    assert plays["events"][-1]["type"] == "[DONE]"


async def test_a_broken_edit_shows_the_last_good_version_and_the_problems(
    client: ClientSession, folder: Path
) -> None:
    await asked(client, "/_mock/scenarios/any/hello")
    os.utime(write(folder, "any/hello", "title: A greeting\nturns: 7\n"), ns=(1, 1))
    shown = await asked(client, "/_mock/scenarios/any/hello")
    assert shown["title"] == "A greeting"
    assert shown["turns"]
    assert shown["problems"][0]["line"] == 2


async def test_an_unknown_scenario_is_not_found_and_the_nearest_are_listed(
    client: ClientSession,
) -> None:
    error = (await asked(client, "/_mock/scenarios/any/helo", 404))["error"]
    assert error["culprit"] == "the request"
    assert "no scenario is called 'any/helo'" in error["message"]
    assert "any/hello" in error["hint"]


async def test_every_base_url_lists_the_scenarios_as_models(client: ClientSession) -> None:
    for base in ("/v1", "", "/s/any/hello/v1"):
        listed = await asked(client, f"{base}/models")
        assert listed["object"] == "list"
        assert [model["id"] for model in listed["data"]] == [
            "mock",
            *(f"mock/{id_}" for id_ in sorted(SCENARIOS)),
        ]
        for model in listed["data"]:
            assert (model["object"], model["owned_by"]) == ("model", "streamproof")
            assert isinstance(model["created"], int)


async def test_every_listed_model_can_be_looked_up(client: ClientSession) -> None:
    listed = (await asked(client, "/v1/models"))["data"]
    for base in ("/v1", "", "/s/any/hello/v1"):
        assert [await asked(client, f"{base}/models/{model['id']}") for model in listed] == listed
    assert await asked(client, "/v1/models/mock%2Fany%2Fhello") in listed


async def test_an_unknown_model_is_refused_in_the_dialects_shape(client: ClientSession) -> None:
    for base in ("/v1", "/s/any/hello/v1"):
        error = (await asked(client, f"{base}/models/mock/any/helo", 404))["error"]
        assert (
            error["message"] == "no model is called 'mock/any/helo'; did you mean 'mock/any/hello'?"
        )
        assert (error["type"], error["param"], error["code"]) == ("not_found", "model", None)


async def test_the_journal_shows_the_newest_exchanges_first(client: ClientSession) -> None:
    for id_ in ("any/hello", "any/goodbye", "any/nothing"):
        async with client.post(f"/s/{id_}/v1/responses", json=REQUEST) as response:
            await response.read()
    newest = (await asked(client, "/_mock/journal?limit=2"))["exchanges"]
    assert [exchange["n"] for exchange in newest] == [2, 1]
    assert [exchange["status"] for exchange in newest] == [404, 200]
    assert len((await asked(client, "/_mock/journal"))["exchanges"]) == 3


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "x", "", "１", "9" * 5000])
async def test_a_limit_is_a_number_within_a_range(client: ClientSession, limit: str) -> None:
    for path in ("/_mock/journal", "/_mock/runs"):
        async with client.get(path, params={"limit": limit}) as response:
            assert response.status == 400
            assert "is not a number from 1 to 1,000" in (await response.json())["error"]["message"]


async def test_unknown_routes_and_wrong_methods_of_the_control_interface_are_refused(
    client: ClientSession, state: State
) -> None:
    for path in ("/_mock", "/_mock/", "/_mock/nothing", "/_mock/health/more"):
        assert "/_mock/health" in (await asked(client, path, 404))["error"]["hint"]
    async with client.put("/_mock/runs", json={}) as response:
        assert response.status == 405
        assert response.headers["Allow"] == "GET, HEAD, POST"
    assert list(state.local.exchanges) == []


async def test_the_size_of_a_control_body_is_limited(client: ClientSession) -> None:
    headers = {"Content-Type": "application/json"}
    body = BytesIO(b" " * ((4 << 20) + 1))
    async with client.post("/_mock/runs", data=body, headers=headers) as response:
        assert response.status == 413
        assert "4,194,304 bytes are allowed" in (await response.json())["error"]["message"]


async def test_folders_that_share_an_id_are_reported(
    tmp_path: Path, folder: Path, client: ClientSession
) -> None:
    write(tmp_path / "mine", "any/hello", SCENARIOS["any/hello"])
    async with (
        Server(State(Catalogue([folder, tmp_path / "mine"]))) as twice,
        ClientSession(twice.url) as session,
    ):
        error = (await asked(session, "/_mock/scenarios", 400))["error"]
        assert "have the same id 'any/hello'" in error["message"]
        async with session.post("/s/any/hello/v1/responses", json=REQUEST) as response:
            assert response.status == 500
            error = (await response.json())["error"]
        assert error["type"] == "server_error"
        assert "have the same id 'any/hello'" in error["message"]


# Allowed hosts and origins


@pytest.mark.parametrize(
    ("host", "bound", "expected"),
    [
        ("127.0.0.1:4100", "127.0.0.1", True), ("localhost:4100", "127.0.0.1", True),
        ("LOCALHOST", "127.0.0.1", True), ("app.localhost:4100", "127.0.0.1", True),
        ("[::1]:4100", "127.0.0.1", True), ("127.8.9.10", "127.0.0.1", True),
        ("mock.internal:4100", "mock.internal", True), ("192.168.1.5:4100", "192.168.1.5", True),
        ("192.168.1.5:4100", "0.0.0.0", True), ("[fd00::5]:4100", "::", True),
        ("192.168.1.5:4100", "127.0.0.1", False), ("evil.example:4100", "127.0.0.1", False),
        ("evil.example:4100", "0.0.0.0", False), ("localhost.evil.example", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False), ("evillocalhost", "127.0.0.1", False),
        ("", "127.0.0.1", False),
    ],
)  # fmt: skip
def test_the_host_must_be_loopback_or_the_bound_one(host: str, bound: str, expected: bool) -> None:
    assert is_trusted(host, bound) is expected


@pytest.mark.parametrize("path", ["/_mock/health", "/%5Fmock/health", "/_mock/runs", "/_mock/mine"])
async def test_a_page_with_a_name_rebound_to_this_host_is_refused(state: State, path: str) -> None:
    async def mine(_request: web.Request) -> web.Response:
        return web.Response(text="secret")

    async with (
        Server(state, extra_routes=[web.get("/_mock/mine", mine)]) as server,
        ClientSession() as session,
    ):
        headers = {"Host": "evil.example"}
        async with session.get(server.url + path, headers=headers) as response:
            assert response.status in (403, 404)
            assert "secret" not in await response.text()
        if "%" not in path:
            assert response.status == 403


async def test_the_upstream_answers_any_host(client: ClientSession) -> None:
    headers = {"Host": "api.openai.com"}
    url = "/s/any/hello/v1/responses"
    async with client.post(url, json=REQUEST, headers=headers) as response:
        assert response.status == 200
        await response.read()


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
async def test_a_form_of_another_page_opens_no_run(
    client: ClientSession, state: State, content_type: str
) -> None:
    headers = {"Content-Type": content_type}
    body = b'{"case": "any/hello"}'
    async with client.post("/_mock/runs", data=body, headers=headers) as response:
        assert response.status == 415
        assert "application/json" in (await response.json())["error"]["hint"]
    assert state.local.open_runs.all() == []


async def test_the_file_at_a_url_is_no_page_of_the_servers_origin(client: ClientSession) -> None:
    page = b"<script>fetch('/_mock/runs')</script>"
    path = f"/_mock/files/text/html/{urlsafe_b64encode(page).decode()}"
    async with client.get(path) as response:
        assert (response.status, await response.read()) == (200, page)
        assert response.headers["Content-Type"] == "text/html"
        assert response.headers["Content-Security-Policy"] == "sandbox"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert (await asked(client, "/_mock/files/text/html/a", 404))["error"]
