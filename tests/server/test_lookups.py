"""What clients look up before a request: models with their limits, the gateway's list, credits."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from mockserver.server.state import State
from tests.server import open_run, write

SMALL = """
title: A model that remembers little
host: {model: {context_window: 200, max_tokens: 50}}
turns:
  - says: [{text: Hm}]
"""
USUAL = {"context_window": 128000, "max_tokens": 16384}
LITTLE = {"context_window": 200, "max_tokens": 50}

# The user agents of clients: @ai-sdk/gateway 2.0.168, 3.0.232 and 4.0.146.
CLIENTS = {
    "v2": "ai-sdk/gateway/2.0.168 ai-sdk/provider-utils/3.0.41 runtime/node.js/v20.20.2",
    "v3": "ai-sdk/gateway/3.0.232 ai-sdk/provider-utils/4.0.65 runtime/node.js/v20.20.2",
    "v4": "ai-sdk-gateway/4.0.146 ai-sdk-provider-utils/5.0.81 node.js/v20.20.2",
}


@pytest.fixture
def folder(folder: Path) -> Path:
    write(folder, "any/small", SMALL)
    return folder


async def looked_up(client: ClientSession, path: str, **headers: str) -> Any:
    async with client.get(path, headers=headers) as response:
        assert response.status == 200
        return await response.json()


def limits(model: dict[str, Any]) -> dict[str, Any]:
    return {name: model[name] for name in USUAL}


@pytest.mark.parametrize(
    ("base", "figures"),
    [
        ("/v1", USUAL),
        ("/s/any/hello/v1", USUAL),
        ("/s/any/small/v1", LITTLE),
        ("/s/any/small@openresponses+crlf/v1", LITTLE),
        ("/s/any/nowhere/v1", USUAL),
        ("/s/No case/v1", USUAL),
    ],
)
async def test_a_model_has_the_limits_of_its_scenario(
    client: ClientSession, base: str, figures: dict[str, int]
) -> None:
    listed = (await looked_up(client, f"{base}/models"))["data"]
    assert [limits(model) for model in listed] == [figures] * len(listed)
    for model in listed:
        assert (model["type"], model["name"]) == ("language", model["id"])
        assert isinstance(model["description"], str)


async def test_a_run_has_one_model_with_the_limits_of_its_scenario(client: ClientSession) -> None:
    run = await open_run(client, "any/small")
    (model,) = (await looked_up(client, f"{run['base_url']}/models"))["data"]
    assert (model["id"], limits(model)) == ("mock", LITTLE)
    assert await looked_up(client, f"{run['base_url']}/models/mock") == model
    (configured,) = (await looked_up(client, f"{run['base_url']}/config"))["models"]
    assert configured["id"] == "mock"


@pytest.mark.parametrize("version", CLIENTS)
@pytest.mark.parametrize("base", ["", "/v1/ai", "/v3/ai", "/v4/ai", "/s/any/hello/v1/ai"])
async def test_the_gateways_list_has_the_specification_of_the_client(
    client: ClientSession, version: str, base: str
) -> None:
    listed = await looked_up(client, f"{base}/config", **{"User-Agent": CLIENTS[version]})
    for model in listed["models"]:
        assert model.keys() >= {"id", "name", "specification"}
        assert model["specification"] == {
            "specificationVersion": version,
            "provider": "streamproof",
            "modelId": model["id"],
        }
        assert model["modelType"] == "language"
        assert all(isinstance(model["pricing"][name], str) for name in ("input", "output"))


@pytest.mark.parametrize(
    ("headers", "version"),
    [
        ({"ai-language-model-specification-version": "2"}, "v2"),
        ({"ai-language-model-specification-version": "4", "User-Agent": CLIENTS["v2"]}, "v4"),
        ({"User-Agent": "curl/8.5.0"}, "v3"),
        ({"User-Agent": "ai-sdk/gateway/9.0.0"}, "v3"),
    ],
)
async def test_an_unknown_client_gets_the_default_specification(
    client: ClientSession, headers: dict[str, str], version: str
) -> None:
    listed = await looked_up(client, "/config", **headers)
    versions = {model["specification"]["specificationVersion"] for model in listed["models"]}
    assert versions == {version}


@pytest.mark.parametrize("path", ["/v1/credits", "/credits", "/s/any/hello/v1/ai/credits"])
async def test_there_are_credits_and_none_are_used(client: ClientSession, path: str) -> None:
    assert await looked_up(client, path) == {"balance": "100.00", "total_used": "0.00"}


@pytest.mark.parametrize("base", ["/api", "/s/any/hello/api", ""])
async def test_a_chat_has_nothing_to_resume(client: ClientSession, state: State, base: str) -> None:
    async with client.get(f"{base}/chat/chat-1%2Fa/stream") as response:
        assert (response.status, await response.read()) == (204, b"")
    (exchange,) = state.local.exchanges
    assert (exchange.status, exchange.refused) == (204, "")


@pytest.mark.parametrize("operation", ["models", "config", "credits", "chat/chat-1/stream"])
async def test_a_post_to_a_lookup_route_is_refused(client: ClientSession, operation: str) -> None:
    async with client.post(f"/v1/{operation}", json={}) as response:
        assert (response.status, response.headers["Allow"]) == (405, "GET")


async def test_a_lookup_is_in_the_journal_with_no_key(client: ClientSession, state: State) -> None:
    await looked_up(client, "/v3/ai/config", Authorization="Bearer sk-secret")
    (exchange,) = state.local.exchanges
    assert (exchange.status, exchange.turn) == (200, None)
    assert exchange.headers["Authorization"] == "Bearer [redacted]"
