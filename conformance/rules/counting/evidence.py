"""The token counts of a counting sequence, by the names of its steps.

Adapters estimate in different ways, add different overheads and round differently. So no rule
expects a certain number of tokens for a text: the counts of an adapter are compared with each
other, and with the usage that the upstream has reported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from conformance.findings.finding import Kind


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """The answer to a count: the tokens of each message, the total, or both; and the token limits.

    ``limits`` is empty if the adapter reports none.
    """

    counts: tuple[int, ...] | None = None
    total: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """The answer in a drive/1 ``counted`` message."""
        counts = message.get("counts")
        return cls(
            None if counts is None else tuple(map(int, counts)),
            message.get("total"),
            message.get("limits", {}),
        )

    @property
    def tokens(self) -> int:
        """The total, or else the sum of the messages."""
        return sum(self.counts or ()) if self.total is None else int(self.total)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What happened in a counting sequence.

    ``answers`` holds the counts by the names of their steps, ``used_tokens`` the input tokens that
    the upstream reported for a run, by the name of its reply. ``model`` holds the token limits that
    the upstream gives for the model, ``claims_limits`` says that counts are to report them, and
    ``default_limits`` holds the output limits in requests for which the host set none. ``broken``
    says why the sequence was aborted; None if it was not.
    """

    answers: Mapping[str, CountAnswer] = field(default_factory=dict)
    used_tokens: Mapping[str, int] = field(default_factory=dict)
    model: Mapping[str, int] = field(default_factory=dict)
    claims_limits: bool = False
    default_limits: tuple[int, ...] = ()
    broken: Kind | None = None
    notes: tuple[str, ...] = ()

    def tokens(self, name: str) -> int:
        """The total of the count with this name."""
        return self.answers[name].tokens

    def counts(self, name: str) -> tuple[int, ...]:
        """The tokens of each message in the count with this name; empty if it has a total only."""
        return self.answers[name].counts or ()

    @property
    def summary(self) -> str:
        """A line of text with all counts and usages, in order."""
        counted = ", ".join(f"{name} {answer.tokens}" for name, answer in self.answers.items())
        used = ", ".join(f"{name} {tokens}" for name, tokens in self.used_tokens.items())
        return f"counted: {counted or 'nothing'}" + (f"; used: {used}" if used else "")


def is_near(count: int, right: float, slack: float) -> bool:
    """Whether a count differs from the right one by at most ``slack`` tokens."""
    return abs(count - right) <= slack


OVERHEAD = 16
"""The most tokens that an adapter may add for a message or for a conversation."""


def agrees_with_estimate(count: int, estimate: int) -> bool:
    """Whether a count agrees with an estimate of the same text in another conversation."""
    return is_near(count, estimate, OVERHEAD + estimate / 4)


def are_unchanged(counts: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Whether messages have the counts that they had before, up to rounding."""
    return all(is_near(a, b, 1) for a, b in zip(counts, before, strict=False))
