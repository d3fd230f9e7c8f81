"""The reference counter: estimates, shares of the usage, and what it stores.

The formulas are those of stream-mapping § Per-Message Hash-Based Caching: a token for 3.5
characters, times the factor, rounded up; 0.7 of the old factor and 0.3 of the new one; four tokens
around a message (§ Hybrid Token Estimation).
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.dialects.client.counting import Counting, TokenFile, Tokens

WEATHER: dict[str, Any] = {"name": "weather", "input_schema": {"type": "object"}}


def user_message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


A, B, C = user_message("a" * 70), user_message("b" * 140), user_message("c" * 35)


def test_a_message_is_estimated_by_its_length() -> None:
    counted = Tokens().count([A, B, user_message("x")])
    assert counted.messages == (20 + 4, 40 + 4, 5)
    assert counted.total == 24 + 44 + 5


def test_tools_count_in_the_total_and_in_no_message() -> None:
    counted = Tokens().count([A], [WEATHER])
    assert counted.messages == Tokens().count([A]).messages
    assert counted.total > counted.messages[0]


def test_usage_replaces_estimates() -> None:
    tokens = Tokens()
    tokens.learn([A, B], [], 136)
    assert tokens.count([A, B]).messages == (48, 88)
    tokens.learn([A, B, C], [WEATHER], 1000)
    assert 1000 <= tokens.count([A, B, C], [WEATHER]).total < 1000 + 4


@given(
    st.lists(st.text(max_size=20), min_size=1, max_size=6),
    st.integers(min_value=1, max_value=10_000),
    st.booleans(),
)
def test_the_shares_add_up_to_the_usage(texts: list[str], actual: int, tools: bool) -> None:
    tokens, messages = Tokens(), list(map(user_message, texts))
    offered = [WEATHER] if tools else []
    tokens.learn(messages, offered, actual)
    counted = tokens.count(messages, offered)
    # Each share is rounded up.
    assert actual <= counted.total <= actual + len(messages) + tools
    assert min(counted.messages) > 0


def test_the_factor_moves_by_three_tenths_to_the_ratio() -> None:
    tokens = Tokens()
    tokens.learn([A], [], 48)
    assert tokens.factor == pytest.approx(0.7 + 0.3 * 2)
    # 44 * 1.3, rounded up.
    assert tokens.count([A, B]).messages == (48, 58)


def test_only_an_edited_message_is_estimated() -> None:
    tokens = Tokens()
    tokens.learn([A, B, C], [], 820)
    first, _, last = tokens.count([A, B, C]).messages
    edited = tokens.count([A, user_message("b" * 141), C]).messages
    assert (edited[0], edited[2]) == (first, last)
    assert edited == tokens.count([A]).messages + tokens.count(
        [user_message("b" * 141)]
    ).messages + (last,)


def test_role_and_call_id_are_part_of_a_message() -> None:
    tokens, answer = Tokens(), {"role": "tool", "callId": "c-1", "content": "sunny"}
    tokens.learn([answer], [], 500)
    assert tokens.count([answer]).total == 500
    assert tokens.count([{**answer, "callId": "c-2"}]).total < 500
    assert tokens.count([user_message("sunny")]).total < 500
    # The token between the host and its tools is not sent.
    assert tokens.count([{**answer, "toolInvocationToken": "t"}]).total == 500


def test_stored_counts_are_read_again(tmp_path: Path) -> None:
    tokens = Tokens()
    tokens.learn([A], [], 48)
    TokenFile(str(tmp_path)).write(tokens)
    assert TokenFile(str(tmp_path)).read() == tokens


# The message count


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


class Plays:
    """An adapter that ends each run at once, with these fields in its ``done`` message."""

    def __init__(self, **done: Any) -> None:
        self.done = done

    def hello(self) -> dict[str, object]:
        return {"type": "hello"}

    async def run(self, run: dict[str, object], _emit: Any, _cancel: Any) -> dict[str, object]:
        return {"type": "done", "id": run["id"], **self.done}


def run_message(folder: Path) -> dict[str, Any]:
    question = {"id": "1", "model": "m", "messages": [A], "tools": [], "storage": str(folder)}
    # Nobody listens at this port: limits that cannot be looked up are left out.
    return question | {"base_url": "http://127.0.0.1:9/v1", "api_key": "k"}


async def counted(folder: Path, **done: Any) -> dict[str, object]:
    """The answer to a count after a run that ended so."""
    adapter = Counting(Plays(**done))
    await adapter.run(run_message(folder), lambda _: None, asyncio.Event())
    return await adapter.count(run_message(folder))


async def test_the_counter_learns_from_the_usage_of_a_run(tmp_path: Path) -> None:
    answer = await counted(tmp_path, outcome="completed", usage={"input": 48})
    assert answer == {"type": "counted", "id": "1", "counts": [48], "total": 48}


@pytest.mark.parametrize(
    "done",
    [
        {"outcome": "completed"},
        {"outcome": "completed", "usage": {}},
        {"outcome": "completed", "usage": {"output": 7}},
        {"outcome": "completed", "usage": {"input": 0}},
        {"outcome": "failed", "usage": {"input": 48}},
        {"outcome": "cancelled", "usage": {"input": 48}},
    ],
    ids=json.dumps,
)
async def test_the_counter_learns_nothing_from_a_run_without_usage(
    tmp_path: Path, done: dict[str, Any]
) -> None:
    assert (await counted(tmp_path, **done))["counts"] == [24]
    assert files(tmp_path) == []


async def test_without_a_storage_it_estimates(tmp_path: Path) -> None:
    adapter = Counting(Plays(outcome="completed", usage={"input": 48}))
    run = {name: value for name, value in run_message(tmp_path).items() if name != "storage"}
    await adapter.run(run, lambda _: None, asyncio.Event())
    assert (await adapter.count(run))["counts"] == [24]
