"""An unmodified provider of a VS Code extension against the mock upstream.

The scenarios define what is right.
"""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from conformance.contract.reading import Reading
from conformance.contract.transcript import end_of
from conformance.suite.upstream import Upstream
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.server.runs import Run
from tests.docs.pages import ROOT
from tests.node.adapter import RUN, Message, NodeAdapter, parts
from tests.node.conftest import Start

EXAMPLES = ROOT / "docs" / "node"
ROME = {"in": "Rome"}
ADAPTER = EXAMPLES.joinpath("acme.mjs").read_text("utf-8")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(start_shared: Start, shared_project: Path) -> NodeAdapter:
    shutil.copytree(EXAMPLES / "acme", shared_project / "acme")
    return await start_shared(ADAPTER)


@pytest_asyncio.fixture(loop_scope="module")
async def acme(running: NodeAdapter, upstream: Upstream) -> AsyncIterator[NodeAdapter]:
    """The extension of the documentation, in a process that tests share and read to the end."""
    yield running
    assert await running.unread(base_url=f"{upstream.url}/s/any/reasoning/v1") == []


# Tests that share a process must run in the event loop of the process.
sharing = pytest.mark.asyncio(loop_scope="module")


def order(upstream: Upstream, scenario: str, **more: Any) -> dict[str, Any]:
    return RUN | {"base_url": f"{upstream.url}/s/{scenario}/v1"} | more


def read(messages: list[Message]) -> Reading:
    return VSCODE.read(parts(messages), end_of(messages[-1], 0.0))


@sharing
async def test_text_and_a_call_are_emitted(acme: NodeAdapter, upstream: Upstream) -> None:
    reading = read(await acme.play(**order(upstream, "any/text-and-call-interleave")))
    assert (reading.text, reading.outcome) == ("Let me check that…", "completed")
    [call] = reading.calls
    assert (call.id, call.name, call.input) == ("call_1", "read_file", {"path": "/src/app.ts"})
    assert call.after == len("Let me check that…")


@pytest.mark.parametrize(
    ("thinking", "expected"), [("true", "The user wants the sum. 2 + 2 is 4."), ("false", "")]
)
async def test_thinking_is_emitted_if_the_host_has_thinking_parts(
    start: Start, project: Path, upstream: Upstream, thinking: str, expected: str
) -> None:
    shutil.copytree(EXAMPLES / "acme", project / "acme")
    adapter = await start(ADAPTER.replace("extension:", f"thinking: {thinking}, extension:"))
    reading = read(await adapter.play(**order(upstream, "any/reasoning")))
    assert (reading.thinking, reading.text, reading.outcome) == (expected, "It is 4.", "completed")


@sharing
@pytest.mark.parametrize(
    ("scenario", "text", "message", "code"),
    [
        (
            "openresponses/failed-after-text",
            "The capital of France is",
            "The model produced invalid content.",
            "server_error",
        ),
        ("openresponses/status-401", "", "Incorrect API key provided.", "NoPermissions"),
        (
            "any/cut-inside-text",
            "Take two tablets a day, but never",
            # The message of Node's fetch for a chunked body without its last chunk.
            "terminated",
            "",
        ),
        (
            "any/stream-ends-without-an-ending",
            "I have checked the list.",
            "the connection was lost before the answer was complete",
            "",
        ),
    ],
)
async def test_a_failure_is_reported_after_the_content_before_it(
    acme: NodeAdapter, upstream: Upstream, scenario: str, text: str, message: str, code: str
) -> None:
    reading = read(await acme.play(**order(upstream, scenario)))
    assert (reading.text, reading.outcome) == (text, "failed")
    assert reading.error
    assert message in reading.error["message"]
    assert reading.error["code"] == code


@sharing
@pytest.mark.parametrize("after", range(3))
async def test_it_stops_inside_a_burst(acme: NodeAdapter, upstream: Upstream, after: int) -> None:
    burst = order(upstream, "any/cancel-in-a-burst", cancel={"after_parts": after})
    messages = await acme.play(**burst)
    assert len(parts(messages)) == after
    assert [each["type"] for each in messages] == ["part"] * after + ["cancelling", "done"]
    assert read(messages).outcome == "cancelled"


@sharing
async def test_it_stops_and_disconnects_while_the_upstream_is_silent(
    acme: NodeAdapter, upstream: Upstream
) -> None:
    run = opened(upstream, "any/cancel-in-a-stall")
    await acme.say(RUN | {"base_url": upstream.url + run.path})
    assert (await acme.next())["type"] == "part"
    await acme.say({"type": "cancel", "id": "r-1"})
    messages = await acme.until_ending()
    assert messages[-1]["outcome"] == "cancelled"
    upstream.settle(run, 10)
    [exchange] = run.exchanges
    assert exchange.left
    upstream.close(run)


@sharing
async def test_runs_are_concurrent_and_each_has_its_own_upstream(
    acme: NodeAdapter, upstream: Upstream
) -> None:
    texts = {"any/reasoning": "It is 4.", "any/text-and-call-interleave": "Let me check that…"}
    runs = {f"{id_}-{n}": id_ for n in range(8) for id_ in texts}
    for id_, scenario in runs.items():
        await acme.say(order(upstream, scenario, id=id_))
    for id_, scenario in runs.items():
        assert read(await acme.until_ending(id_)).text == texts[scenario]


@sharing
async def test_the_conversation_and_the_key_are_sent_upstream(
    acme: NodeAdapter, upstream: Upstream
) -> None:
    run = opened(upstream, "any/reasoning")
    conversation = [
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "value": "Let me see."},
                {
                    "type": "toolCall",
                    "callId": "call_1",
                    "name": "weather",
                    "input": {"in": "Rome"},
                },
            ],
        },
        {"role": "tool", "callId": "call_1", "content": "sunny"},
    ]
    tool = {"name": "weather", "description": "It tells.", "input_schema": {"type": "object"}}
    base_url = upstream.url + run.path
    await acme.play(base_url=base_url, messages=conversation, tools=[tool])
    [exchange] = run.exchanges
    assert exchange.problems == ()
    assert exchange.body["model"] == "acme-1"
    assert exchange.body["input"] == [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "Let me see."},
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"in":"Rome"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "sunny"},
    ]
    [sent] = exchange.body["tools"]
    assert (sent["name"], sent["parameters"]) == ("weather", {"type": "object"})
    upstream.close(run)


async def test_the_ten_line_adapter_works_as_documented(start: Start, upstream: Upstream) -> None:
    adapter = await start(EXAMPLES.joinpath("fetch.mjs").read_text("utf-8"))
    reading = read(await adapter.play(**order(upstream, "any/text-and-call-interleave")))
    assert (reading.text, reading.outcome) == ("Let me check that…", "completed")
    assert [call.input for call in reading.calls] == [{"path": "/src/app.ts"}]
    stopped = await adapter.play(**order(upstream, "any/reasoning", cancel={"after_parts": 0}))
    assert [each["type"] for each in stopped] == ["cancelling", "done"]
    assert stopped[-1]["outcome"] == "cancelled"


def opened(upstream: Upstream, scenario: str) -> Run:
    """A run of a scenario in OpenResponses, whose exchanges can be read."""
    found = Catalogue.shipped().get(scenario)
    assert found
    return upstream.open(Case(found, "openresponses"))
