"""Every legal scenario is read by the openai package of npm over a socket.

One table lists what the client does not read completely, with the reason; its error is asserted, so
that an entry fails when the client changes.
"""

import json
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from conformance.suite.upstream import Upstream
from tests.clients.lines import UNREAD, read_by
from tests.clients.node_client import Error, How, NodeClient, Reading
from tests.clients.node_process import PATIENCE
from tests.clients.reading import neutral
from tests.clients.truth import KINDS, RESPONSES, Truth
from tests.rows import row

HOWS: tuple[How, ...] = ("raw", "helper")

each_how = pytest.mark.parametrize("how", HOWS)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The error that the client throws in a legal stream, the ways to read that throw it, and why.

    ``message`` is the beginning of the client's own message. If ``is_upstreams``, the error is the
    upstream's failure, with its message and after all of the content.
    """

    name: str
    message: str
    because: str
    by: tuple[How, ...] = ("helper",)
    is_upstreams: bool = False


def upstream_failure(message: str) -> Refusal:
    because = (
        "6.49.0 throws whatever has an 'error' object at its top: the error event as OpenResponses "
        "has it. Its plain stream hands over the flat error of its own types, which OpenResponses "
        "has not"
    )
    return Refusal("APIError", message, because, HOWS, is_upstreams=True)


def unhandled(event: str, because: str) -> Refusal:
    message = f'Unhandled response stream event: {{"type":"{event}"'
    return Refusal(
        "OpenAIError", message, f"6.49.0's helper has a closed list of events: {because}"
    )


REFUSED: dict[str, Refusal] = {
    "any/error-at-once": upstream_failure("You exceeded your current quota."),
    "openresponses/error-then-failed": upstream_failure("Rate limit reached for requests."),
    "openresponses/raw-reasoning": unhandled(
        "response.reasoning.delta",
        "raw reasoning is in it as response.reasoning_text, OpenAI's name for response.reasoning",
    ),
    "openresponses/unknown-events": unhandled(
        "acme:trace_event",
        "events of vendors, which openresponses § Extending Streaming Events allows, are not in it",
    ),
}


def refused(id_: str, how: How) -> Refusal | None:
    refusal = REFUSED.get(id_)
    return refusal if refusal and how in refusal.by else None


Readings = Mapping[tuple[str, How], Future[Reading]]


@pytest.fixture(scope="session")
def readings(node: NodeClient, upstream: Upstream) -> Readings:
    """Every legal stream, read in each way; all are requested at once."""
    return {
        (id_, how): node.ask(how, f"{upstream.url}/s/{id_}/v1") for id_ in RESPONSES for how in HOWS
    }


def calls(reading: Reading) -> dict[str, tuple[str, Any]]:
    found = {call["id"]: (call["name"], json.loads(call["arguments"])) for call in reading["calls"]}
    assert len(found) == len(reading["calls"])
    return found


def expect_content(reading: Reading, truth: Truth) -> None:
    assert {kind: reading[kind] for kind in KINDS} == truth.streamed
    assert calls(reading) == truth.calls


def expect_ending(reading: Reading, truth: Truth) -> None:
    content, error = truth.content, reading["error"]
    assert reading["ended"] == content.outcome, error
    if content.outcome == "incomplete" and content.reason:
        assert neutral(reading["reason"]) == content.reason
    if content.outcome == "failed":
        expect_error(error, truth)


def expect_error(error: Error | None, truth: Truth) -> None:
    """The error has the upstream's message and code."""
    if failure := truth.content.error:
        assert error
        assert failure.message in ("", error["message"])
        assert failure.code in ("", error["code"])


def expect_read(reading: Reading, truth: Truth) -> None:
    expect_ending(reading, truth)
    expect_content(reading, truth)


def expect_refusal(reading: Reading, refusal: Refusal, truth: Truth) -> None:
    """It threw the listed error; what it had read is a prefix of the truth."""
    error = reading["error"]
    assert (reading["ended"], error and error["name"]) == ("threw", refusal.name)
    assert error
    assert error["message"].startswith(refusal.message)
    for kind in KINDS:
        assert truth.streamed[kind].startswith(reading[kind])
    assert calls(reading).items() <= truth.calls.items()
    if refusal.is_upstreams:
        expect_content(reading, truth)
        expect_error(error, truth)


@each_how
def test_its_stream_has_the_text_the_calls_and_the_ending(readings: Readings, how: How) -> None:
    for id_, truth in RESPONSES.items():
        with row(id_):
            reading = readings[id_, how].result(PATIENCE)
            if refusal := refused(id_, how):
                expect_refusal(reading, refusal, truth)
            else:
                expect_read(reading, truth)


def test_its_helper_assembles_the_same(readings: Readings) -> None:
    for id_ in RESPONSES:
        if not refused(id_, "helper"):
            with row(id_):
                expect_assembled(readings[id_, "helper"].result(PATIENCE), RESPONSES[id_])


def expect_assembled(reading: Reading, truth: Truth) -> None:
    final, held = reading["final"], reading["held"]
    expect_ending(final, truth)
    assert {kind: final[kind] for kind in truth.final} == truth.final
    assert calls(final) == truth.calls
    assert held["text"] == truth.by_item["text"]
    assert calls(held) == truth.calls


def test_a_refused_scenario_is_a_legal_one_of_the_catalogue() -> None:
    assert REFUSED.keys() <= RESPONSES.keys()


def test_its_helper_reads_raw_reasoning_under_openais_name(
    node: NodeClient, upstream: Upstream
) -> None:
    url = f"{upstream.url}/s/openresponses/reasoning-text-events/v1"
    reading = node.ask("helper", url).result(PATIENCE)
    assert (reading["ended"], reading["error"]) == ("completed", None)
    assert reading["reasoning"] == "The moon is the nearer one."
    assert reading["final"]["reasoning"] == reading["reasoning"]


def test_a_flat_error_stops_its_helper_but_not_its_stream(
    node: NodeClient, upstream: Upstream
) -> None:
    truth = RESPONSES["openresponses/error-then-failed"]
    url = f"{upstream.url}/s/{truth.id}+flat-error/v1"
    expect_read(node.ask("raw", url).result(PATIENCE), truth)
    # The helper of 6.49.0 emits events under their type, and takes an emitted 'error' for its own
    # failure: it throws the event, which is an object without a class.
    reading = node.ask("helper", url).result(PATIENCE)
    expect_refusal(reading, replace(upstream_failure("Rate limit"), name="Object"), truth)


@each_how
def test_variations_of_the_wire_do_not_change_what_it_reads(
    node: NodeClient, upstream: Upstream, how: How
) -> None:
    truth = RESPONSES["any/text-looks-like-framing"]
    for variation in read_by("openai-node"):
        url = f"{upstream.url}/s/{truth.id}+{variation}/v1"
        with row(variation):
            expect_read(node.ask(how, url).result(PATIENCE), truth)


@each_how
@pytest.mark.parametrize("variation", UNREAD["openai-node"])
def test_it_fails_at_blocks_without_data_and_at_a_later_bom(
    node: NodeClient, upstream: Upstream, variation: str, how: How
) -> None:
    url = f"{upstream.url}/s/any/text-looks-like-framing+{variation}/v1"
    reading = node.ask(how, url).result(PATIENCE)
    assert reading["error"]
    assert "JSON" in reading["error"]["message"]


def test_it_reads_its_base_url_from_the_environment(project: Path, upstream: Upstream) -> None:
    truth = RESPONSES["openresponses/parallel-calls"]
    url = f"{upstream.url}/s/{truth.id}@openresponses+crlf+no-event-line/v1"
    with NodeClient(OPENAI_BASE_URL=url) as pointed:
        for how in HOWS:
            expect_read(pointed.ask(how).result(PATIENCE), truth)


@each_how
@pytest.mark.parametrize(
    ("id_", "text"),
    [
        ("any/cut-inside-text", "Take two tablets a day, but never"),
        ("openresponses/cut-without-terminal-event", "Deleting the old files"),
    ],
)
def test_a_cut_stream_throws_after_its_content(
    node: NodeClient, upstream: Upstream, id_: str, text: str, how: How
) -> None:
    reading = node.ask(how, f"{upstream.url}/s/{id_}/v1").result(PATIENCE)
    assert (reading["ended"], reading["text"], reading["calls"]) == ("threw", text, [])
    # The message of Node's fetch for a chunked body without its last chunk.
    assert reading["error"]
    assert reading["error"]["message"] == "terminated"
