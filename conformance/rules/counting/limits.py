"""Rules about the token limits that an adapter reports and sends."""

from collections.abc import Iterator
from typing import Literal

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.counting.evidence import Evidence

FIGURES: dict[Literal["input", "output"], str] = {"input": "context_window", "output": "max_tokens"}


class OtherLimit(Kind, weighs="falsehood"):
    """A limit is another one than the model's own, or is not reported as adapter.yaml claims."""

    side: Literal["input", "output"]
    limit: int | None
    figure: str
    due: int

    message = (
        "the limit of the {side} is [[told as {limit}|not told]], and the upstream gives the model "
        "a {figure} of {due}"
    )
    right = "{due}, as it is"
    headline = "the limit of the {side} is [[told as {limit}, not {due}|not told]]"
    same_by = ("side",)


def _no_limits(evidence: Evidence) -> str:
    """Why limits cannot be compared; empty if they can."""
    if not (evidence.answers["asked"].limits or evidence.claims_limits):
        return "the adapter tells no limits"
    return "" if evidence.model else "the upstream tells no figures of its model"


@rule(
    holds="limits are the model's own: its context_window for the input, its max_tokens for the "
    "output; what adapter.yaml claims to report is reported",
    source="stream-mapping § Token Limit Communication",
    not_applicable=_no_limits,
    kinds=(OtherLimit,),
)
def count_limits(evidence: Evidence) -> Iterator[Defect]:
    """The limits are those of the model.

    The review in stream-mapping subtracts 15 % from the context window; its later decision does
    not.
    """
    limits = evidence.answers["asked"].limits
    for side, name in FIGURES.items():
        limit, due = limits.get(side), evidence.model.get(name)
        if due is not None and limit != due and (side in limits or evidence.claims_limits):
            yield Defect(OtherLimit(side, limit, name, due), topics(side))


class DefaultLimitTooHigh(Kind, weighs="manners"):
    """The output limit that the adapter chooses is more than the model can keep."""

    limit: int
    most: int

    message = (
        "the host sets no output limit, and the request has {limit}; the upstream gives the model "
        "a max_tokens of {most}"
    )
    right = "no limit, or one of at most {most}"
    headline = "the request has the output limit {limit}, the model {most}"


def _no_default(evidence: Evidence) -> str:
    """Why a default limit cannot be judged; empty if it can."""
    if not evidence.default_limits:
        return "the adapter sends no output limit of its own"
    return "" if "max_tokens" in evidence.model else "the upstream tells no figures of its model"


@rule(
    holds="where the host sets no output limit, one that the adapter sends is at most the model's",
    source="stream-mapping § BLOCKER: Token Limit Miscommunication",
    not_applicable=_no_default,
    kinds=(DefaultLimitTooHigh,),
)
def count_default_limit(evidence: Evidence) -> Iterator[Defect]:
    """An output limit that the adapter chooses itself is one that the model can keep.

    stream-mapping chooses half of the model's own limit where the host sets none.
    """
    most = evidence.model["max_tokens"]
    for limit in dict.fromkeys(evidence.default_limits):
        if limit > most:
            yield Defect(DefaultLimitTooHigh(limit, most), topics("default"))
