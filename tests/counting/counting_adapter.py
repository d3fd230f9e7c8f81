"""An adapter that counts tokens, independent of the reference counter; others are built on it."""

import asyncio
import json
from math import ceil
from pathlib import Path
from typing import Any

from conformance.dialects.openresponses.reference import vscode as openresponses

Json = dict[str, Any]


class CountingAdapter:
    """Counts correctly. Keeps ``{"factor": 1.0, "known": {KEY: TOKENS}}`` in its storage."""

    # Values in which correct adapters may differ.
    characters_a_token = 4.0
    around_a_message = 0
    around_all = 0
    reports_counts = True
    reports_total = True
    claims_limits = False
    old, new = 0.7, 0.3

    def __init__(self) -> None:
        self.plays = openresponses.adapter()

    def hello(self) -> Json:
        return self.plays.hello()

    async def run(self, run: Json, emit: Any, cancel: asyncio.Event) -> Json:
        done: Json = await self.plays.run(run, emit, cancel)
        state = self.read(run)
        self.ran(state, run["messages"], done.get("usage", {}).get("input"))
        self.write(run, state)
        return done

    async def count(self, asked: Json) -> Json:
        state = self.read(asked)
        counts = self.counts(state, asked["messages"])
        counted: Json = {"type": "counted", "id": asked["id"]}
        if self.reports_counts:
            counted["counts"] = counts
        if self.reports_total:
            counted["total"] = self.total(state, asked["messages"], counts) + self.tools(asked)
        return counted | self.limits()

    def tools(self, asked: Json) -> int:
        """The tokens of the tools that are offered."""
        return (
            ceil(len(json.dumps(asked["tools"])) / self.characters_a_token) if asked["tools"] else 0
        )

    def limits(self) -> Json:
        return {}

    # Storage

    def read(self, asked: Json) -> Json:
        file = Path(asked["storage"]) / "state.json"
        return json.loads(file.read_text()) if file.exists() else {"factor": 1.0, "known": {}}

    def write(self, asked: Json, state: Json) -> None:
        (Path(asked["storage"]) / "state.json").write_text(json.dumps(state))

    # Counting

    def key(self, message: Json) -> str:
        return json.dumps([message["role"], message["content"]])

    def length(self, message: Json) -> float:
        return len(json.dumps(message["content"])) / self.characters_a_token

    def estimate(self, message: Json) -> float:
        return self.length(message) + self.around_a_message

    def known(self, state: Json, messages: list[Json]) -> list[int | None]:
        return [state["known"].get(self.key(message)) for message in messages]

    def counts(self, state: Json, messages: list[Json]) -> list[int]:
        return [
            ceil(self.estimate(message) * state["factor"]) if known is None else known
            for message, known in zip(messages, self.known(state, messages), strict=True)
        ]

    def total(self, state: Json, messages: list[Json], counts: list[int]) -> int:
        """The sum of the counts, plus the overhead ``around_all`` if a count is an estimate.

        Counts from reported usage include that overhead already.
        """
        estimated = None in self.known(state, messages)
        return sum(counts) + (self.around_all if estimated else 0)

    # Learning from usage

    def ran(self, state: Json, messages: list[Json], actual: int | None) -> None:
        if actual is not None:
            self.learn(state, messages, actual)

    def learn(self, state: Json, messages: list[Json], actual: int) -> None:
        estimates = list(map(self.estimate, messages))
        self.correct(state, actual / sum(estimates))
        shares = [round(actual * each / sum(estimates)) for each in estimates]
        state["known"] |= dict(zip(map(self.key, messages), shares, strict=True))

    def correct(self, state: Json, ratio: float) -> None:
        state["factor"] = self.old * state["factor"] + self.new * ratio
