"""Every legal scenario is read by the AI SDK over its gateway, in each generation."""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest

from conformance.suite.offered_tools import tools_of
from conformance.suite.upstream import Upstream
from mockserver.cases.catalogue import Catalogue
from mockserver.wire.lines import LINES
from tests.clients.ai_client import VERSIONS, AiClient, Answer, How
from tests.clients.node_process import PATIENCE
from tests.clients.npm import needs_node
from tests.clients.parts import expect_answer, expect_parts
from tests.clients.truth import GATEWAY, Truth
from tests.rows import row

pytestmark = pytest.mark.installs

SPECIFICATIONS = {"5": "v2", "6.0.50": "v3", "6": "v3", "7": "v4"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP error, and the class of the error that each version throws for it.

    ``but`` has the versions that throw another class than ``name``.
    """

    status: int
    type: str
    name: str
    but: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.status} {self.type or 'in HTML'}"

    @property
    def id(self) -> str:
        return f"own/{self.status}-{self.type or 'html'}".replace("_", "-")

    @property
    def scenario(self) -> str:
        error = {"message": "No.", "type": self.type, "param": None, "code": None}
        body = {"error": error} if self.type else "<h1>No.</h1>"
        turn = {"status": self.status, "body": body, "expect": {"parts": [], "outcome": "failed"}}
        return json.dumps({"title": "An error", "dialects": ["vercel-gateway"], "turns": [turn]})

    def of(self, version: str) -> str:
        return f"Gateway{self.but.get(version, self.name)}"


_UNKNOWN = "InternalServerError"


def unknown_to(*versions: str) -> Mapping[str, str]:
    """The error class of versions that do not know a type."""
    return dict.fromkeys(versions, _UNKNOWN)


# Source: @ai-sdk/gateway, createGatewayErrorFromResponse, of each version.
REFUSALS = [
    Refusal(400, "invalid_request_error", "InvalidRequestError"),
    Refusal(401, "authentication_error", "AuthenticationError"),
    Refusal(403, "forbidden", "ForbiddenError", unknown_to("6.0.50")),
    Refusal(404, "model_not_found", "ModelNotFoundError"),
    Refusal(404, "not_found", "NotFoundError", unknown_to("5", "6.0.50", "6")),
    Refusal(424, "failed_dependency", "FailedDependencyError", unknown_to("5", "6.0.50")),
    Refusal(429, "rate_limit_exceeded", "RateLimitError"),
    Refusal(500, "internal_server_error", _UNKNOWN),
    Refusal(503, "", "ResponseError"),
]

Readings = Mapping[tuple[str, How], Future[Answer]]


@pytest.fixture(scope="module", params=VERSIONS)
def sdk(request: pytest.FixtureRequest) -> Iterator[AiClient]:
    needs_node()
    with AiClient(request.param) as running:
        yield running


@pytest.fixture(scope="module")
def readings(sdk: AiClient, upstream: Upstream) -> Readings:
    """Every legal answer, streaming and non-streaming; all are requested at once."""
    hows: tuple[How, ...] = ("stream", "generate")
    return {(id_, how): ask(sdk, upstream, id_, how) for id_ in GATEWAY for how in hows}


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upstream]:
    """A mock with a scenario for each error."""
    folder = tmp_path_factory.mktemp("refusals")
    (folder / "own").mkdir()
    for refusal in REFUSALS:
        (folder / f"{refusal.id}.yaml").write_text(refusal.scenario, "utf-8")
    with Upstream(Catalogue([folder])) as running:
        yield running


def ask(sdk: AiClient, upstream: Upstream, case: str, how: How = "stream") -> Future[Answer]:
    scenario = GATEWAY[case.partition("@")[0]].scenario
    tools = [tool["name"] for tool in tools_of(scenario)]
    return sdk.ask(how, f"{upstream.url}/s/{case}/v1", tools=tools)


def test_its_full_stream_has_the_content_the_ending_and_the_usage(readings: Readings) -> None:
    for id_, truth in GATEWAY.items():
        with row(id_):
            answer = readings[id_, "stream"].result(PATIENCE)
            assert answer["thrown"] is None
            expect_parts(answer["parts"], truth)


def test_its_non_streaming_answer_is_the_same(readings: Readings) -> None:
    for id_, truth in GATEWAY.items():
        with row(id_):
            expect_generated(readings[id_, "generate"].result(PATIENCE), truth)


def expect_generated(answer: Answer, truth: Truth) -> None:
    if truth.content.outcome != "failed":
        assert answer["thrown"] is None
        expect_answer(answer["result"], truth)
        return
    assert answer["thrown"]
    assert answer["thrown"]["name"] == "GatewayInternalServerError"
    assert truth.content.error
    assert answer["thrown"]["message"] == truth.content.error.message


def test_variations_of_the_wire_do_not_change_what_it_reads(
    sdk: AiClient, upstream: Upstream
) -> None:
    id_ = "any/text-looks-like-framing"
    for variation in LINES:
        with row(variation.name):
            answer = ask(sdk, upstream, f"{id_}@vercel-gateway+{variation.name}").result(PATIENCE)
            assert answer["thrown"] is None
            expect_parts(answer["parts"], GATEWAY[id_])


def test_it_lists_the_models_of_its_specification(sdk: AiClient, upstream: Upstream) -> None:
    listed = sdk.ask("models", f"{upstream.url}/v1").result(PATIENCE)["result"]["models"]
    ids = {model["id"] for model in listed}
    assert {"mock", *(f"mock/{id_}" for id_ in GATEWAY)} <= ids
    versions = {model["specification"]["specificationVersion"] for model in listed}
    assert versions == {SPECIFICATIONS[sdk.version]}


def test_its_credits_are_those_of_the_mock(sdk: AiClient, upstream: Upstream) -> None:
    answer = sdk.ask("credits", f"{upstream.url}/v1").result(PATIENCE)
    assert answer["thrown"] is None
    assert float(answer["result"]["balance"]) > float(answer["result"]["totalUsed"]) == 0


def test_an_http_error_is_one_part_of_its_error_class(sdk: AiClient, refusing: Upstream) -> None:
    for refusal in REFUSALS:
        with row(refusal):
            answer = sdk.ask("stream", f"{refusing.url}/s/{refusal.id}/v1").result(PATIENCE)
            error = expect_error(answer)
            assert error["name"] == refusal.of(sdk.version)
            assert error["statusCode"] == refusal.status
            # For a failed authentication the library has an explanation of its own.
            own = refusal.name in ("AuthenticationError", "ResponseError")
            assert (error["message"] == "No.") != own


def test_a_missing_model_is_a_not_found_error(sdk: AiClient, upstream: Upstream) -> None:
    error = expect_error(sdk.ask("stream", f"{upstream.url}/s/any/gone/v1").result(PATIENCE))
    assert error["name"] == "GatewayModelNotFoundError"
    assert "'any/gone'" in error["message"]


def test_a_refused_request_is_an_invalid_request_error(sdk: AiClient, upstream: Upstream) -> None:
    output = {"type": "text", "value": "4 °C"}
    result = {"type": "tool-result", "toolCallId": "c", "toolName": "t", "output": output}
    messages = [{"role": "user", "content": "Hello"}, {"role": "tool", "content": [result]}]
    answer = sdk.ask("stream", f"{upstream.url}/v1", messages=messages).result(PATIENCE)
    error = expect_error(answer)
    assert error["name"] == "GatewayInvalidRequestError"
    assert "toolCallId 'c'" in error["message"]


def expect_error(answer: Answer) -> dict[str, Any]:
    """Nothing was thrown, and the error is the only part."""
    assert answer["thrown"] is None
    begin, last = answer["parts"]
    assert (begin["type"], last["type"]) == ("start", "error")
    error: dict[str, Any] = last["error"]
    return error
