"""Adapters that count correctly in different ways, and adapters that each break one rule."""

from math import ceil
from typing import Any

from conformance.suite.counting.play import MODEL
from tests.counting.counting_adapter import CountingAdapter, Json

# Correct adapters


class ByWords(CountingAdapter):
    """Estimates four tokens for three words."""

    def length(self, message: Json) -> float:
        return len(str(message["content"]).split()) * 4 / 3


class Generous(CountingAdapter):
    """Estimates too many tokens."""

    characters_a_token = 1.5


class Sparing(CountingAdapter):
    """Estimates too few tokens."""

    characters_a_token = 9.0


class WithOverheads(CountingAdapter):
    """Adds four tokens for each message and three for the reply, as OpenAI's cookbook does."""

    around_a_message = 4
    around_all = 3


class CountsOnly(CountingAdapter):
    """Reports counts and no total, as ``provideTokenCount`` of VS Code does."""

    reports_total = False


class TotalOnly(CountingAdapter):
    """Reports a total and no counts."""

    reports_counts = False


class KeepsFirstEstimates(CountingAdapter):
    """Counts exactly as stream-mapping describes, where its parts are consistent.

    The first estimate of a message is kept, messages have no shares of the usage, and the total is
    the usage of the last request and the estimates of new messages. The correction factor is learnt
    from uncorrected estimates.
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
        total = self.total(state, asked["messages"], counts) + self.tools(asked)
        return {"type": "counted", "id": asked["id"], "counts": counts, "total": total}

    def total(self, state: Json, messages: list[Json], counts: list[int]) -> int:
        last = state.get("last", [])
        if last and list(map(self.key, messages))[: len(last)] == last:
            return int(state["actual"]) + sum(counts[len(last) :])
        return sum(counts) + 4 * len(messages)

    def learn(self, state: Json, messages: list[Json], actual: int) -> None:
        self.correct(state, actual / sum(map(self.estimate, messages)))
        state |= {"last": list(map(self.key, messages)), "actual": actual}


class SendsHalfTheLimit(CountingAdapter):
    """Sends half of the model's output limit where the host sets none, as stream-mapping does."""

    default_limit = MODEL["max_tokens"] // 2

    async def run(self, run: Json, emit: Any, cancel: Any) -> Json:
        options = {"max_output_tokens": self.default_limit, **run["options"]}
        return await super().run({**run, "options": options}, emit, cancel)


GOOD = [
    SendsHalfTheLimit, ByWords, Generous, Sparing, WithOverheads, CountsOnly, TotalOnly,
    KeepsFirstEstimates,
]  # fmt: skip

# Broken adapters


def _parts(message: Json) -> list[Json]:
    """The parts of a message of the model."""
    return message["content"] if message["role"] == "assistant" else []


class ReportsNoCounts(CountingAdapter):
    """Answers a count with neither counts nor a total."""

    async def count(self, asked: Json) -> Json:
        return {"type": "counted", "id": asked["id"]}


class CountsZeroBeforeUsage(CountingAdapter):
    """Counts zero until a run has reported usage."""

    def estimate(self, message: Json) -> float:
        return super().estimate(message) or 1

    def counts(self, state: Json, messages: list[Json]) -> list[int]:
        return super().counts(state, messages) if state["known"] else [0] * len(messages)


class FailsByItsOwnCount(CountingAdapter):
    """Fails every run with a token limit of its own, without a request."""

    async def run(self, run: Json, emit: Any, cancel: Any) -> Json:
        error = {"kind": "unknown", "message": "Message exceeds token limit."}
        return {"type": "done", "id": run["id"], "outcome": "failed", "error": error}


class IgnoresUsage(CountingAdapter):
    """Estimates messages whose usage is known."""

    def known(self, state: Json, messages: list[Json]) -> list[int | None]:
        return [None] * len(messages)


class EstimatesAllForANewMessage(CountingAdapter):
    """Estimates the total of all messages if one of them is new."""

    def total(self, state: Json, messages: list[Json], counts: list[int]) -> int:
        if None not in self.known(state, messages):
            return sum(counts)
        return ceil(sum(map(self.estimate, messages)) * float(state["factor"]))


class OmitsNewMessages(CountingAdapter):
    """Reports the last usage as the total, without the messages since then."""

    def total(self, state: Json, messages: list[Json], counts: list[int]) -> int:
        known = [each for each in self.known(state, messages) if each is not None]
        return sum(known) or sum(counts)


class KnowsMessagesByPosition(CountingAdapter):
    """Knows messages only while no earlier one has changed (stream-mapping's first design)."""

    def known(self, state: Json, messages: list[Json]) -> list[int | None]:
        known, last = super().known(state, messages), state.get("last", [])
        same = list(map(self.key, messages))[: len(last)] == last[: len(messages)]
        return known if same else [None] * len(messages)

    def learn(self, state: Json, messages: list[Json], actual: int) -> None:
        super().learn(state, messages, actual)
        state["last"] = list(map(self.key, messages))


class KnowsMessagesByTheirBeginning(CountingAdapter):
    """Knows a user's message by its first 100 characters, so an edit after them is not noticed."""

    def key(self, message: Json) -> str:
        key = super().key(message)
        return key[:100] if message["role"] == "user" else key


class KnowsMessagesByTheirLength(CountingAdapter):
    """Knows a user's message by its length, so an edit that keeps the length is not noticed."""

    def key(self, message: Json) -> str:
        key = super().key(message)
        return str(len(key)) if message["role"] == "user" else key


class KnowsMessagesByPlace(CountingAdapter):
    """Knows a message at its place only, so that all after a deleted one are estimated again."""

    def known(self, state: Json, messages: list[Json]) -> list[int | None]:
        return super().known(state, [m | {"role": n} for n, m in enumerate(messages)])

    def learn(self, state: Json, messages: list[Json], actual: int) -> None:
        super().learn(state, [m | {"role": n} for n, m in enumerate(messages)], actual)


class KnowsFilesByTheirType(CountingAdapter):
    """Knows a message with a file by the media type."""

    def key(self, message: Json) -> str:
        files = [part["mimeType"] for part in _parts(message) if "mimeType" in part]
        return str(files) if files else super().key(message)


class CountsNoTools(CountingAdapter):
    """Reports a total without the tools."""

    def tools(self, asked: Json) -> int:
        return 0


class CountsToolsTenTimes(CountingAdapter):
    """Reports a total with ten times the tokens of the tools."""

    def tools(self, asked: Json) -> int:
        return 10 * super().tools(asked)


class KnowsCallsByTheirIds(CountingAdapter):
    """Knows a call by its name and its id, as the hash function of stream-mapping does."""

    def key(self, message: Json) -> str:
        calls = [(part["name"], part["callId"]) for part in _parts(message) if "callId" in part]
        return str(calls) if calls else super().key(message)


class KnowsResultsByTheirCalls(CountingAdapter):
    """Knows a tool result by the id of its call, as the hash function of stream-mapping does."""

    def key(self, message: Json) -> str:
        return str(message["callId"]) if message["role"] == "tool" else super().key(message)


class KnowsResultsByTheirLength(CountingAdapter):
    """Knows a tool result by the id of its call and its length."""

    def key(self, message: Json) -> str:
        is_result = message["role"] == "tool"
        return (
            f"{message['callId']} {len(message['content'])}" if is_result else super().key(message)
        )


class KnowsResultsByTheirCallsInTotal(KnowsResultsByTheirCalls):
    """Likewise, and reports a total only."""

    reports_counts = False


class DividesByTheCorrectedEstimate(CountingAdapter):
    """Divides the usage by the corrected estimate, so that the factor never arrives."""

    def correct(self, state: Json, ratio: float) -> None:
        super().correct(state, ratio / state["factor"])


class NeverCorrects(CountingAdapter):
    """Does not correct its estimates by the usage."""

    old, new = 1.0, 0.0


class CorrectsByTheInverse(CountingAdapter):
    """Corrects by estimate / usage in place of usage / estimate."""

    def correct(self, state: Json, ratio: float) -> None:
        super().correct(state, 1 / ratio)


class CorrectsByTheSquare(CountingAdapter):
    """Corrects by the square of the ratio."""

    def correct(self, state: Json, ratio: float) -> None:
        state["factor"] *= ratio * ratio


class CorrectsWithWrongWeights(CountingAdapter):
    """Weighs the old factor and the new ratio 0.5 to 0.5, not 0.7 to 0.3."""

    old, new = 0.5, 0.5


class CorrectsSlowly(CountingAdapter):
    """Weighs the old factor and the new ratio 0.8 to 0.2: after two runs, the factor is 1.36."""

    old, new = 0.8, 0.2


class LearnsZeroFromMissingUsage(CountingAdapter):
    """Learns from a run without usage as if its usage were zero."""

    def ran(self, state: Json, messages: list[Json], actual: int | None) -> None:
        self.learn(state, messages, actual or 0)


class TreatsMissingUsageAsZero(CountingAdapter):
    """Counts new messages of a run without usage as zero tokens."""

    def ran(self, state: Json, messages: list[Json], actual: int | None) -> None:
        super().ran(state, messages, actual)
        if actual is None and state["known"]:
            state["known"] = {self.key(m): 0 for m in messages} | state["known"]


class KeepsStateInMemory(CountingAdapter):
    """Keeps its counts in memory only, so that they are lost at a restart."""

    def __init__(self) -> None:
        super().__init__()
        self.state: Json = {"factor": 1.0, "known": {}}

    def read(self, asked: Json) -> Json:
        return self.state

    def write(self, asked: Json, state: Json) -> None:
        self.state = state


class ReservesOutputTokens(CountingAdapter):
    """Reports 85 % of the context window as its input limit (an earlier form of stream-mapping)."""

    def limits(self) -> Json:
        return {"limits": {"input": int(WINDOW * 0.85), "output": MOST}}


class ReportsAFixedOutputLimit(CountingAdapter):
    """Reports an output limit of 4096 tokens in place of the model's."""

    def limits(self) -> Json:
        return {"limits": {"input": WINDOW, "output": 4096}}


class ReportsNoLimits(CountingAdapter):
    """Claims to report limits, and reports none."""

    claims_limits = True


class SendsAFixedLimit(SendsHalfTheLimit):
    """Sends 100,000 as the output limit, whatever the model's is."""

    default_limit = 100_000


WINDOW, MOST = MODEL["context_window"], MODEL["max_tokens"]

BROKEN: list[tuple[type[CountingAdapter], str, str]] = [
    (ReportsNoCounts, "count-answered", "must"),
    (CountsZeroBeforeUsage, "count-answered", "must"),
    (FailsByItsOwnCount, "count-answered", "must"),
    (IgnoresUsage, "count-actual", "must"),
    (EstimatesAllForANewMessage, "count-new-only", "must"),
    (OmitsNewMessages, "count-new-only", "must"),
    (KnowsMessagesByPosition, "count-edited", "must"),
    (KnowsMessagesByTheirBeginning, "count-edited", "must"),
    (KnowsMessagesByTheirLength, "count-edited", "must"),
    (KnowsMessagesByPlace, "count-edited", "must"),
    (KnowsFilesByTheirType, "count-files", "must"),
    (CountsNoTools, "count-tools", "must"),
    (CountsToolsTenTimes, "count-tools", "must"),
    (KnowsCallsByTheirIds, "count-tool-results", "must"),
    (KnowsResultsByTheirCalls, "count-tool-results", "must"),
    (KnowsResultsByTheirCallsInTotal, "count-tool-results", "must"),
    (KnowsResultsByTheirLength, "count-tool-results", "must"),
    (DividesByTheCorrectedEstimate, "count-ratio", "should"),
    (NeverCorrects, "count-correction", "must"),
    (CorrectsByTheInverse, "count-correction", "must"),
    (CorrectsByTheSquare, "count-correction", "must"),
    (CorrectsWithWrongWeights, "count-correction", "should"),
    (CorrectsSlowly, "count-correction", "should"),
    (LearnsZeroFromMissingUsage, "count-fallback", "must"),
    (TreatsMissingUsageAsZero, "count-fallback", "must"),
    (KeepsStateInMemory, "count-kept", "must"),
    (ReservesOutputTokens, "count-limits", "must"),
    (ReportsAFixedOutputLimit, "count-limits", "must"),
    (ReportsNoLimits, "count-limits", "must"),
    (SendsAFixedLimit, "count-default-limit", "should"),
]
"""Each broken adapter, the rule that it breaks, and the level of its findings."""
