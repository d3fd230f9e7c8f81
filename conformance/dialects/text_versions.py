"""Compares the versions of a streamed text: the deltas joined, and events with the full text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_SHOWN = 24


@dataclass(frozen=True, slots=True)
class TextVersion:
    """A text as given by one source: an event type, or the deltas joined."""

    event: int
    source: str
    text: str


def joined(deltas: Sequence[str]) -> str:
    """The deltas as one text; surrogates that were split between two deltas are joined."""
    return _join_surrogates("".join(deltas))


def _join_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def first_difference(versions: Sequence[TextVersion]) -> tuple[TextVersion, str] | None:
    """The first version that differs from the one before it, and a description of how."""
    for before, after in pairwise(versions):
        was, is_ = _join_surrogates(before.text), _join_surrogates(after.text)
        if was != is_:
            return after, (
                f"{after.source} {_describe(is_, was)} where {before.source} {_describe(was, is_)}"
            )
    return None


def _describe(text: str, other: str) -> str:
    """A description of what a text has where it begins to differ from another."""
    pairs = enumerate(zip(text, other, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(text), len(other)))
    rest = text[at:]
    if not rest:
        return f"ends after {at} characters"
    shown = repr(rest if len(rest) <= _SHOWN else rest[:_SHOWN] + "…")
    return f"goes on after {at} characters with {shown}" if at else f"begins with {shown}"
