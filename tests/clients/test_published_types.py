"""Every legal scenario, served over a socket, is valid by OpenResponses 2026-04-24.

A sample is read by default: every field of every type of event and every outcome. The other
scenarios are read in .ci/libraries.
"""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import ClientSession

from conformance.dialects.client.sse import Decoder, Message
from tests.clients.judges import SCHEMA, TYPES, Judge, each_judge, needs_types
from tests.clients.truth import RESPONSES, Truth, few_and_others, sample
from tests.data import needs_data

ASK: dict[str, Any] = {"model": "mock", "input": "Hello"}

each_legal = few_and_others(sample("openresponses", RESPONSES), RESPONSES)


@dataclass(frozen=True, slots=True)
class Refused:
    """Places in a legal stream that both published types refuse, by event type, and the reason."""

    events: frozenset[tuple[str, str]]
    response: frozenset[str]
    because: str


ACCEPTED = Refused(frozenset(), frozenset(), "")

REFUSED: dict[str, Refused] = {
    "openresponses/unknown-events": Refused(
        frozenset(
            {
                ("response.output_item.added", "$.item"),
                ("response.output_item.done", "$.item"),
                ("response.completed", "$.response.output[1]"),
            }
        ),
        frozenset({"$.output[1]"}),
        "openresponses § Extending Items allows an item of a vendor's type ('acme:search_call'), "
        "the schema of the release 2026-04-24 has a closed list of five, and so have the types of "
        "openresponses-types 2.4.0 that were made from it",
    )
}


async def streamed(client: ClientSession, id_: str) -> list[Message]:
    async with client.post(f"/s/{id_}/v1/responses", json={**ASK, "stream": True}) as response:
        assert response.status == 200
        assert response.content_type == "text/event-stream"
        decoder = Decoder()
        body = await response.read()
        return [*decoder.feed(body), *decoder.end()]


def is_extension(event: dict[str, Any]) -> bool:
    """Whether the type has a vendor's prefix (openresponses § Extending Streaming Events)."""
    slug, colon, _ = event["type"].partition(":")
    return bool(slug and colon)


@needs_data
@needs_types
def test_both_judges_know_the_same_24_events() -> None:
    assert len(TYPES.components()) == 24
    assert TYPES.components() == SCHEMA.components()


@each_judge
@each_legal
async def test_every_event_of_a_legal_scenario_is_valid(
    client: ClientSession, truths: list[Truth], judge: Judge
) -> None:
    for truth in truths:
        *messages, _ = await streamed(client, truth.id)
        events = [json.loads(message.data) for message in messages]
        refused = {
            (event["type"], place)
            for event in events
            if not is_extension(event)
            for place in judge.event(event)
        }
        assert refused == REFUSED.get(truth.id, ACCEPTED).events, truth.id


@each_judge
@each_legal
async def test_the_non_streaming_response_of_a_legal_scenario_is_valid(
    client: ClientSession, truths: list[Truth], judge: Judge
) -> None:
    for truth in truths:
        async with client.post(f"/s/{truth.id}/v1/responses", json=ASK) as response:
            assert response.status == 200, truth.id
            assert response.content_type == "application/json", truth.id
            body = await response.json()
        refused = judge.refuses("ResponseResource", body)
        assert refused == REFUSED.get(truth.id, ACCEPTED).response, truth.id


@each_legal
async def test_every_event_has_its_name_and_number_and_the_stream_ends_with_done(
    client: ClientSession, truths: list[Truth]
) -> None:
    """openresponses § Streaming HTTP Responses; extension events have a number, too."""
    for truth in truths:
        *messages, last = await streamed(client, truth.id)
        events = [json.loads(message.data) for message in messages]
        names = [(message.event, n) for n, message in enumerate(messages)]
        sent = [(event["type"], event["sequence_number"]) for event in events]
        assert sent == names, truth.id
        assert last == Message("message", "[DONE]"), truth.id


def test_a_refused_scenario_is_a_legal_one_of_the_catalogue() -> None:
    assert REFUSED.keys() <= RESPONSES.keys()


@each_judge
@pytest.mark.parametrize(
    ("path", "body", "status", "type_", "param"),
    [
        ("/s/any/refusal", {**ASK, "temperature": 7}, 400, "invalid_request_error", "temperature"),
        (
            "/s/any/refusal",
            {**ASK, "temperature": 7, "stream": True},
            400,
            "invalid_request_error",
            "temperature",
        ),
        ("/s/any/refusal", [], 400, "invalid_request_error", None),
        ("/s/any/refusals", ASK, 404, "not_found", None),
        ("/s/any/refusals", {**ASK, "stream": True}, 404, "not_found", None),
        ("/r/closed", ASK, 404, "not_found", None),
    ],
)
async def test_an_http_error_has_the_published_shape(
    client: ClientSession,
    judge: Judge,
    path: str,
    body: Any,
    status: int,
    type_: str,
    param: str | None,
) -> None:
    """openresponses § Errors: one object, with the payload that a streamed error has, too."""
    async with client.post(f"{path}/v1/responses", json=body) as response:
        assert response.status == status
        assert response.content_type == "application/json"
        body = await response.json()
    assert body.keys() == {"error"}
    assert judge.refuses("ErrorPayload", body["error"]) == set()
    assert body["error"]["type"] == type_
    assert body["error"]["param"] == param
    assert body["error"]["message"]


@each_judge
@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"sequence_number": "0"}, "$.sequence_number"),
        ({"output_index": None}, "$.output_index"),
        ({"item": {"type": "message", "id": "msg_1"}}, "$.item"),
    ],
)
def test_a_judge_refuses_invalid_events(judge: Judge, document: dict[str, Any], place: str) -> None:
    legal = {
        "type": "response.output_item.added",
        "sequence_number": 2,
        "output_index": 0,
        "item": {
            "type": "message",
            "id": "msg_1",
            "status": "in_progress",
            "role": "assistant",
            "content": [],
        },
    }
    assert judge.event(legal) == set()
    assert judge.event(legal | document) == {place}
