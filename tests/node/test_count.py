"""An adapter in Node counts with a function of its own, or with a provider of VS Code."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.node.conftest import Start

TWO = [{"role": "user", "content": "Hello"}, {"role": "user", "content": "You there?"}]
WEATHER = {"name": "weather", "input_schema": {"type": "object"}}


def counting(count: str) -> str:
    return f"""
import {{ serve, Unsupported }} from "streamproof";
serve({{ name: "counts" }}, () => undefined, {count});
"""


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        ("({ messages }) => messages.map(({ content }) => content.length)", {"counts": [5, 10]}),
        ("async () => ({ total: 7, limits: { input: 9 } })", {"total": 7, "limits": {"input": 9}}),
    ],
)
async def test_the_functions_result_is_reported(start: Start, count: str, expected: Any) -> None:
    adapter = await start(counting(count))
    await adapter.hello()
    answer = {"type": "counted", "id": "c-1", **expected}
    assert await adapter.count(messages=TWO) == answer


async def test_the_function_is_given_the_storage_folder(start: Start) -> None:
    adapter = await start(counting("(count) => { throw new Error(JSON.stringify(count)); }"))
    await adapter.hello()
    answer = await adapter.count(tools=[WEATHER])
    asked = json.loads(answer["message"].removeprefix("Error: "))
    assert (asked["storage"], asked["baseUrl"]) == ("/nowhere", "http://127.0.0.1:9/v1")
    assert asked["tools"] == [{"name": "weather", "inputSchema": {"type": "object"}}]


@pytest.mark.parametrize(
    ("count", "type_", "message"),
    [
        ("undefined", "unsupported", "this adapter does not count"),
        ("() => { throw new Unsupported('not yet') }", "unsupported", "not yet"),
        ("() => { throw new RangeError('too long') }", "error", "RangeError: too long"),
        ("() => undefined", "error", "count returned undefined, neither counts nor"),
        ("() => ({ total: 7n })", "error", "BigInt"),
    ],
)
async def test_an_invalid_count_is_reported_and_the_next_run_is_unaffected(
    start: Start, count: str, type_: str, message: str
) -> None:
    adapter = await start(counting(count))
    await adapter.hello()
    answer = await adapter.count()
    assert answer["type"] == type_
    assert message in str(answer)
    assert (await adapter.play())[-1]["outcome"] == "completed"


PROVIDER = """
import * as vscode from "vscode";
import { provideInVscode } from "streamproof/vscode";

class Provider {
  constructor(context) {
    this.state = context.workspaceState;
  }

  async provideLanguageModelChatInformation() {
    return [{ id: "m", maxInputTokens: 100, maxOutputTokens: 20 }];
  }

  async provideTokenCount(model, { content: [{ value }] }) {
    return this.state.get(value, model.maxOutputTokens);
  }

  async provideLanguageModelChatResponse(model, messages) {
    for (const { content: [{ value }] } of messages) await this.state.update(value, 3);
  }
}

provideInVscode({ name: "counts", provider: (context) => new Provider(context) });
"""
REGISTERED = ("--import", "streamproof/vscode/register")


async def test_a_provider_counts_messages_in_the_editors_form(start: Start, tmp_path: Path) -> None:
    adapter = await start(PROVIDER, *REGISTERED)
    await adapter.hello()
    answer = await adapter.count(messages=TWO, storage=str(tmp_path))
    assert answer["counts"] == [20, 20]
    assert answer["limits"] == {"input": 100, "output": 20}


async def test_a_providers_workspace_state_survives_a_restart(start: Start, tmp_path: Path) -> None:
    storage = str(tmp_path)
    first = await start(PROVIDER, *REGISTERED)
    await first.hello()
    await first.play(messages=TWO[:1], storage=storage)
    assert (await first.count(messages=TWO, storage=storage))["counts"] == [3, 20]
    await first.bye()
    again = await start(PROVIDER, *REGISTERED)
    await again.hello()
    assert (await again.count(messages=TWO, storage=storage))["counts"] == [3, 20]


async def test_a_broken_memento_is_read_as_empty(start: Start, tmp_path: Path) -> None:
    tmp_path.joinpath("workspaceState.json").write_text("{", "utf-8")
    adapter = await start(PROVIDER, *REGISTERED)
    await adapter.hello()
    answer = await adapter.count(messages=TWO[:1], storage=str(tmp_path))
    assert answer["counts"] == [20]


async def test_a_provider_without_a_count_does_not_count(start: Start) -> None:
    without = PROVIDER.replace("provideTokenCount", "countsNothing")
    adapter = await start(without, *REGISTERED)
    await adapter.hello()
    answer = await adapter.count()
    assert answer["type"] == "unsupported"
    assert "provideTokenCount" in answer["reason"]
