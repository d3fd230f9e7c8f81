"""Rules about how the usage that the upstream reports changes counts and estimates."""

from collections.abc import Iterator
from typing import Literal

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.counting.evidence import Evidence, is_near

_Counted = Literal["messages", "text", "conversation"]
_PAIR_SLACK = 0.02
# Counts before and after a run without usage, with what was counted and how much they may differ.
_PAIRS: dict[tuple[str, str], tuple[_Counted, float]] = {
    ("before", "after"): ("messages", 0.0),
    ("text before", "text after"): ("text", _PAIR_SLACK),
    ("known", "still known"): ("conversation", 0.0),
}


class CountChanged(Kind, weighs="falsehood"):
    """Something is counted otherwise after a run without usage."""

    what: _Counted
    before: int
    after: int

    message = (
        "before a run whose upstream told no usage, {what:phrase} had {before} tokens, and behind "
        "it {after}"
    )
    right = "{before}: usage that is missing is no usage of zero, and no reason to forget"
    headline = "after a run without usage, {before} tokens became {after}"
    same_by = ("what",)
    phrases = {
        "what": {
            "messages": "the messages that it sent",
            "text": "a text of as many words",
            "conversation": "a conversation whose beginning had an actual count",
        }
    }


@rule(
    holds="where no usage is told, estimates and actual counts stay as they were",
    source="stream-mapping § Accurate Token Tracking Design",
    kinds=(CountChanged,),
)
def count_fallback(evidence: Evidence) -> Iterator[Defect]:
    for (before, after), (what, slack) in _PAIRS.items():
        was, is_ = evidence.tokens(before), evidence.tokens(after)
        if not is_near(is_, was, slack * was):
            yield Defect(CountChanged(what, was, is_), topics("missing"))
            return


class UsageIgnored(Kind, weighs="falsehood"):
    """Messages that were sent have another count than the upstream reported for them."""

    used: int
    count: int
    estimate: int

    message = (
        "messages that were sent, for which the upstream told {used} input tokens, are counted as "
        "{count}; before, they were estimated as {estimate}"
    )
    right = "{used}: the actual count in place of the estimate"
    headline = "counted as {count}; the upstream told {used} input tokens"


# The estimate, the run that was then played, and the count of the same messages after it.
_RUNS = (("estimate", "reply", "first"), ("grown", "reply-2", "second"))
_MESSAGES = 3


@rule(
    holds="an actual count replaces the estimate of messages that were sent",
    source="stream-mapping § Accurate Token Tracking Design",
    kinds=(UsageIgnored,),
)
def count_actual(evidence: Evidence) -> Iterator[Defect]:
    """Messages that were sent count as many tokens as the upstream reported for them.

    The runs of the sequence cost 1.5 times or twice their estimate, which is more than any
    rounding. A tenth of the difference is left to fixed overheads.
    """
    for estimated, run, counted in _RUNS:
        estimate, used = evidence.tokens(estimated), evidence.used_tokens[run]
        if not is_near(
            count := evidence.tokens(counted), used, _MESSAGES + abs(used - estimate) / 10
        ):
            yield Defect(UsageIgnored(used, count, estimate), topics("actual"))


class LostAtRestart(Kind, weighs="falsehood"):
    """A message that was sent has another count after a restart."""

    before: int
    after: int

    message = "before a restart a message that was sent had {before} tokens, and behind it {after}"
    right = "{before}, from what was kept in the storage"
    headline = "before a restart {before} tokens, after it {after}"


@rule(
    holds="actual counts survive a restart of the adapter",
    source="stream-mapping § Per-Message Hash-Based Caching",
    kinds=(LostAtRestart,),
)
def count_kept(evidence: Evidence) -> Iterator[Defect]:
    before, after = evidence.tokens("before"), evidence.tokens("after")
    if before != after:
        yield Defect(LostAtRestart(before, after), topics("restart"))


OLD, NEW = 0.7, 0.3
# Words in another order are other tokens here and there, and an overhead may stay uncorrected.
_LEAST, _MOST = 0.05, 1.1
_FACTOR_SLACK = 0.04


class EstimateNotCorrected(Kind, weighs="falsehood"):
    """After a run, estimates do not move toward the ratio of its usage to its estimate."""

    actual: float
    before: int
    after: int
    factor: float
    due: int

    message = (
        "a run cost {actual:ratio} times its estimate, and a text of {before} tokens is then "
        "estimated as {after}, {factor:ratio} times as much"
    )
    right = "an estimate that has moved toward the actual ratio: about {due}"
    headline = "estimates did not move after a run that cost {actual:ratio} times its own"


class OtherWeight(Kind, weighs="manners"):
    """The correction factor moves with another weight than 0.3."""

    factor: float
    actual: float
    due: float

    message = (
        "the correction factor went from 1 to {factor:ratio}, when a run cost {actual:ratio} times "
        "its estimate"
    )
    right = f"{OLD} of the old factor and {NEW} of the new ratio: {{due:ratio}}"
    headline = "the correction factor went from 1 to {factor:ratio}, not {due:ratio}"


@rule(
    holds="estimates move toward the actual ratio; by 0.7 of the old factor and 0.3 of the new "
    "ratio: `should`",
    source="stream-mapping § Correction Factor Update",
    kinds=(EstimateNotCorrected, OtherWeight),
)
def count_correction(evidence: Evidence) -> Iterator[Defect]:
    """Estimates are corrected toward the actual ratio.

    Two texts of the same words are estimated, one before and one after a run that cost twice or
    half its estimate. The ratio of the two is the correction factor, which was 1 at first.
    """
    before, after = evidence.tokens("text before"), evidence.tokens("text after")
    actual = evidence.used_tokens["reply"] / evidence.tokens("estimate")
    seen, right = after / before, OLD + NEW * actual
    # How much of the way from 1 to the actual ratio the factor has gone.
    gone = (seen - 1) / (actual - 1)
    if not _LEAST < gone < _MOST:
        kind = EstimateNotCorrected(actual, before, after, seen, round(before * right))
        yield Defect(kind, topics("factor"))
    elif not is_near(after, before * right, 2 + _FACTOR_SLACK * before):
        yield Defect(OtherWeight(seen, actual, right), topics("factor"))


class DividedByCorrected(Kind, weighs="manners"):
    """The second ratio is the usage by the corrected estimate."""

    actual: float
    once: float
    twice: float
    due: float

    message = (
        "two runs cost {actual:ratio} times what their texts were estimated at first, and the "
        "correction factor went from 1 to {once:ratio} and to {twice:ratio}: the second ratio was "
        "divided by the corrected estimate"
    )
    right = "{due:ratio}, if the second ratio is {actual:ratio} as the first was"
    headline = "the second ratio was divided by the corrected estimate"


# The least distance between the two factors at which a count can tell one from the other.
_APART = 0.04


@rule(
    holds="a ratio for the correction factor is the usage by the uncorrected estimate",
    source="stream-mapping § Correction Factor Update",
    kinds=(DividedByCorrected,),
)
def count_ratio(evidence: Evidence) -> Iterator[Defect]:
    """The ratio has the uncorrected estimate below the line.

    Two runs of equal size cost twice their uncorrected estimate. The quotient of usage and
    corrected estimate is the factor's error and not the factor: by it, the moving average settles
    at the square root of the right factor. The first run shows the weight of a new ratio, whatever
    weight the adapter has chosen.
    """
    names = ("text before", "text between", "text after")
    before, between, after = (evidence.tokens(name) for name in names)
    actual = evidence.used_tokens["reply"] / evidence.tokens("estimate")
    once, seen = between / before, after / before
    weight = (once - 1) / (actual - 1)
    right, wrong = (once + weight * (ratio - once) for ratio in (actual, actual / once))
    if right - wrong > _APART and abs(seen - wrong) < abs(seen - right):
        yield Defect(DividedByCorrected(actual, once, seen, right), topics("factor"))
