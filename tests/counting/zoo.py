"""Adapters that count well, each in its own way, and such that break one rule."""

from __future__ import annotations

from math import ceil
from typing import Any

from conformance.suite.counting.usage_report import MODEL
from tests.counting.animal import Animal, Json

# Good ones


class ByWords(Animal):
    """Three words are four tokens."""

    def length(self, message: Json) -> float:
        return len(str(message["content"]).split()) * 4 / 3


class Generous(Animal):
    characters_a_token = 1.5


class Sparing(Animal):
    characters_a_token = 9.0


class WithOverheads(Animal):
    """As OpenAI's cookbook counts: four for each message, and three for the reply that follows."""

    around_a_message = 4
    around_all = 3


class OfMessages(Animal):
    """What ``provideTokenCount`` of VS Code tells."""

    tells_total = False


class TotalOnly(Animal):
    tells_counts = False


class AsPublished(Animal):
    """stream-mapping to the letter, where its parts fit together.

    Estimates are kept as they were first told, messages have no shares, and the total is that of
    the last request and the estimates of what is new.
    """

    def counts(self, state: Json, messages: list[Json]) -> list[int]:
        kept = state.setdefault("estimates", {})
        for message in messages:
            kept.setdefault(self.key(message), ceil(self.estimate(message) * state["factor"]))
        return [kept[self.key(message)] for message in messages]

    async def count(self, asked: Json) -> Json:
        state = self.read(asked)
        counts = self.counts(state, asked["messages"])
        self.write(asked, state)
        total = self.total(state, asked["messages"], counts)
        return {"type": "counted", "id": asked["id"], "counts": counts, "total": total}

    def total(self, state: Json, messages: list[Json], counts: list[int]) -> int:
        last = state.get("last", [])
        if last and list(map(self.key, messages))[: len(last)] == last:
            return int(state["actual"]) + sum(counts[len(last) :])
        return sum(counts) + 4 * len(messages)

    def learn(self, state: Json, messages: list[Json], actual: int) -> None:
        estimated = self.total(state, messages, self.counts(state, messages))
        self.correct(state, actual / estimated)
        state |= {"last": list(map(self.key, messages)), "actual": actual}


GOOD = [ByWords, Generous, Sparing, WithOverheads, OfMessages, TotalOnly, AsPublished]

# Broken ones


class TellsNothing(Animal):
    async def count(self, asked: Json) -> Json:
        return {"type": "counted", "id": asked["id"]}


class CannotCountYet(Animal):
    """All is nothing before the first bill."""

    def estimate(self, message: Json) -> float:
        return super().estimate(message) or 1

    def counts(self, state: Json, messages: list[Json]) -> list[int]:
        return super().counts(state, messages) if state["known"] else [0] * len(messages)


class FailsBehindACount(Animal):
    """A run fails for no other reason than that it was counted as too much."""

    async def run(self, run: Json, emit: Any, cancel: Any) -> Json:
        error = {"kind": "unknown", "message": "Message exceeds token limit."}
        return {"type": "done", "id": run["id"], "outcome": "failed", "error": error}


class IgnoresTheBill(Animal):
    """What was sent stays an estimate, however corrected."""

    def known(self, state: Json, messages: list[Json]) -> list[int | None]:
        return [None] * len(messages)


class StartsOver(Animal):
    """As soon as one message is new, the total is an estimate of all of them."""

    def total(self, state: Json, messages: list[Json], counts: list[int]) -> int:
        if None not in self.known(state, messages):
            return sum(counts)
        return ceil(sum(map(self.estimate, messages)) * float(state["factor"]))


class ForgetsTheNew(Animal):
    """The last bill is the total, whatever has been added since."""

    def total(self, state: Json, messages: list[Json], counts: list[int]) -> int:
        known = [each for each in self.known(state, messages) if each is not None]
        return sum(known) or sum(counts)


class ByItsPlace(Animal):
    """stream-mapping's first design: what was sent is known as long as all of it is the same."""

    def known(self, state: Json, messages: list[Json]) -> list[int | None]:
        known, last = super().known(state, messages), state.get("last", [])
        same = list(map(self.key, messages))[: len(last)] == last[: len(messages)]
        return known if same else [None] * len(messages)

    def learn(self, state: Json, messages: list[Json], actual: int) -> None:
        super().learn(state, messages, actual)
        state["last"] = list(map(self.key, messages))


class ByItsBeginning(Animal):
    """What it knows a message by does not see all of it."""

    def key(self, message: Json) -> str:
        return super().key(message)[:100]


class NeverCorrects(Animal):
    old, new = 1.0, 0.0


class CorrectsTheWrongWay(Animal):
    def correct(self, state: Json, ratio: float) -> None:
        super().correct(state, 1 / ratio)


class OvershootsTheRatio(Animal):
    def correct(self, state: Json, ratio: float) -> None:
        state["factor"] *= ratio * ratio


class CorrectsByHalf(Animal):
    old, new = 0.5, 0.5


class TakesMissingForZero(Animal):
    def ran(self, state: Json, messages: list[Json], actual: int | None) -> None:
        self.learn(state, messages, actual or 0)


class CountsAMissingBillAsTheLast(Animal):
    """The number of messages that were sent is noted also where what they cost is not."""

    def ran(self, state: Json, messages: list[Json], actual: int | None) -> None:
        super().ran(state, messages, actual)
        if actual is None and state["known"]:
            state["known"] = {self.key(m): 0 for m in messages} | state["known"]


class Forgetful(Animal):
    """What it knows goes with its process."""

    def __init__(self) -> None:
        super().__init__()
        self.state: Json = {"factor": 1.0, "known": {}}

    def read(self, asked: Json) -> Json:
        return self.state

    def write(self, asked: Json, state: Json) -> None:
        self.state = state


class ReservesSome(Animal):
    """As the review of stream-mapping wanted it, before its later decision."""

    def limits(self) -> Json:
        return {"limits": {"input": int(WINDOW * 0.85), "output": MOST}}


class TellsItsOwn(Animal):
    def limits(self) -> Json:
        return {"limits": {"input": WINDOW, "output": 4096}}


WINDOW, MOST = MODEL["context_window"], MODEL["max_tokens"]

BROKEN: list[tuple[type[Animal], str, str]] = [
    (TellsNothing, "count-answered", "must"),
    (CannotCountYet, "count-answered", "must"),
    (FailsBehindACount, "count-answered", "must"),
    (IgnoresTheBill, "count-actual", "must"),
    (StartsOver, "count-new-only", "must"),
    (ForgetsTheNew, "count-new-only", "must"),
    (ByItsPlace, "count-edited", "must"),
    (ByItsBeginning, "count-edited", "must"),
    (NeverCorrects, "count-correction", "must"),
    (CorrectsTheWrongWay, "count-correction", "must"),
    (OvershootsTheRatio, "count-correction", "must"),
    (CorrectsByHalf, "count-correction", "should"),
    (TakesMissingForZero, "count-fallback", "must"),
    (CountsAMissingBillAsTheLast, "count-fallback", "must"),
    (Forgetful, "count-kept", "must"),
    (ReservesSome, "count-limits", "must"),
    (TellsItsOwn, "count-limits", "must"),
]
"""What each of them breaks, and at which level."""
