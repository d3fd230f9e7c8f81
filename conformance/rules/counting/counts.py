"""Rules about counts without usage: counts are answered, and only new or edited messages change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.counting.evidence import agrees_with_estimate, are_unchanged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence


def _count_answered(evidence: Evidence) -> Iterator[Defect]:
    """Each count is answered, and the runs between counts complete."""
    if evidence.broken:
        yield prose_defect(
            evidence.broken,
            right="a counted message with a count for each message, a total, or both; runs that "
            "complete; or an adapter.yaml without count: true",
            about=topics("end"),
        )


COUNT_ANSWERED = Rule(
    id="count-answered",
    holds="a count is answered, with a count for each message or a total, and runs go on as ever",
    source="drive/1",
    check=_count_answered,
)


FIGURES = {"input": "context_window", "output": "max_tokens"}


def _count_limits(evidence: Evidence) -> Iterator[Defect]:
    """The limits are those of the model.

    The review in stream-mapping subtracts 15 % from the context window; its later decision does
    not.
    """
    limits = evidence.answers["asked"].limits
    for side, name in FIGURES.items():
        if side in limits and name in evidence.model and limits[side] != evidence.model[name]:
            yield prose_defect(
                f"the limit of the {side} is told as {limits[side]}, and the upstream gives the "
                f"model a {name} of {evidence.model[name]}",
                right=f"{evidence.model[name]}, as it is",
                about=topics(side),
            )


def _no_limits(evidence: Evidence) -> str:
    """Why limits cannot be compared; empty if they can."""
    if not evidence.answers["asked"].limits:
        return "the adapter tells no limits"
    return "" if evidence.model else "the upstream tells no figures of its model"


COUNT_LIMITS = Rule(
    id="count-limits",
    holds="limits are the model's own: its context_window for the input, its max_tokens for the "
    "output",
    source="stream-mapping § Token Limit Communication",
    check=_count_limits,
    not_applicable=_no_limits,
)


def _count_default_limit(evidence: Evidence) -> Iterator[Defect]:
    """An output limit that the adapter chooses itself is one that the model can keep.

    stream-mapping chooses half of the model's own limit where the host sets none.
    """
    most = evidence.model["max_tokens"]
    for limit in dict.fromkeys(evidence.default_limits):
        if limit > most:
            yield prose_defect(
                f"the host sets no output limit, and the request has {limit}; the upstream gives "
                f"the model a max_tokens of {most}",
                right=f"no limit, or one of at most {most}",
                about=topics("default"),
            )


def _no_default(evidence: Evidence) -> str:
    """Why a default limit cannot be judged; empty if it can."""
    if not evidence.default_limits:
        return "the adapter sends no output limit of its own"
    return "" if "max_tokens" in evidence.model else "the upstream tells no figures of its model"


COUNT_DEFAULT_LIMIT = Rule(
    id="count-default-limit",
    holds="where the host sets no output limit, one that the adapter sends is at most the model's",
    source="stream-mapping § BLOCKER: Token Limit Miscommunication",
    level="should",
    check=_count_default_limit,
    not_applicable=_no_default,
)


_ONLY_NEW = "what was sent as it was counted, and an estimate of what is new beside it"


def _count_new_only(evidence: Evidence) -> Iterator[Defect]:
    """A new message leaves the counts of the messages before it as they were."""
    first, answered, grown = (evidence.tokens(name) for name in ("first", "answered", "grown"))
    added, alone = grown - answered, evidence.tokens("new")
    # A reply is short, and how to estimate it is up to the adapter.
    if not -first / 10 <= answered - first <= first / 2:
        yield _recounted(f"with its short reply behind it, {first} tokens become {answered}")
    elif not are_unchanged(
        evidence.counts("answered"), evidence.counts("first")
    ) or not are_unchanged(evidence.counts("grown"), evidence.counts("answered")):
        yield _recounted(f"messages that were sent are counted anew: {_shown(evidence)}")
    elif not agrees_with_estimate(added, alone):
        yield _recounted(f"a new message of {alone} tokens, if it is counted alone, adds {added}")


def _recounted(message: str) -> Defect:
    return prose_defect(message, right=_ONLY_NEW, about=topics("new"), needs=topics("actual"))


def _shown(evidence: Evidence) -> str:
    names = ("first", "answered", "grown")
    return ", then ".join(str(list(evidence.counts(name))) for name in names)


COUNT_NEW_ONLY = Rule(
    id="count-new-only",
    holds="only new messages are estimated; what was sent keeps its count",
    source="stream-mapping § Hybrid Token Estimation",
    check=_count_new_only,
)


# The names of the edited messages, with their indexes in the conversation.
_EDITED = {"first": 0, "last": 2}


def _count_edited(evidence: Evidence) -> Iterator[Defect]:
    """An edited message is counted again, and no other message is."""
    kept = evidence.counts("kept")
    for which, place in _EDITED.items():
        counts, alike = evidence.counts(f"{which} edited"), evidence.tokens(f"{which} alike")
        others = counts[:place] + counts[place + 1 :], kept[:place] + kept[place + 1 :]
        if not are_unchanged(*others):
            yield prose_defect(
                f"when the {which} message is edited, {list(kept)} becomes {list(counts)}",
                right=f"another count of the {which} message, and those of the others as they were",
                about=topics("others"),
            )
        elif not agrees_with_estimate(counts[place], alike):
            yield prose_defect(
                f"the {which} message was edited, and is counted as {counts[place]}; before it was "
                f"{kept[place]}, and a new text of as many words is {alike}",
                right=f"an estimate of the new text, about {alike}",
                about=topics("edited"),
            )


def _only_totals(evidence: Evidence) -> str:
    """Why the counts of messages cannot be compared; empty if they can."""
    return "" if evidence.counts("kept") else "the adapter tells totals only"


COUNT_EDITED = Rule(
    id="count-edited",
    holds="an edited message is estimated anew, and all others keep their counts",
    source="stream-mapping § Per-Message Hash-Based Caching",
    check=_count_edited,
    not_applicable=_only_totals,
)
