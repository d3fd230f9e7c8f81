"""Compares the versions of a streamed text: the deltas joined, and events with the full text."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from conformance.findings.values import TextDifference


@dataclass(frozen=True, slots=True)
class TextVersion:
    """A text as given by one source: the type of an event, or empty for the deltas joined."""

    event: int
    source: str
    text: str


def joined(deltas: Sequence[str]) -> str:
    """The deltas as one text; surrogates that were split between two deltas are joined."""
    return _join_surrogates("".join(deltas))


def _join_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def first_difference(versions: Sequence[TextVersion]) -> tuple[int, TextDifference] | None:
    """The event of the first version that differs from the one before it, and how it differs."""
    for before, after in pairwise(versions):
        was, is_ = _join_surrogates(before.text), _join_surrogates(after.text)
        if was != is_:
            pairs = enumerate(zip(was, is_, strict=False))
            at = next((n for n, (a, b) in pairs if a != b), min(len(was), len(is_)))
            rests = after.source, is_[at:], before.source, was[at:]
            return after.event, TextDifference(at, *rests)
    return None
