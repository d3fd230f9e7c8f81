"""What a growing text was said to be, telling by telling: its deltas joined, and each whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Telling:
    """A text as one event, or all deltas together, have it."""

    event: int
    what: str
    text: str


def joined(deltas: Sequence[str]) -> str:
    """Deltas as one text; two halves of a character that was cut in two are one again."""
    return _paired("".join(deltas))


def _paired(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def contradiction(tellings: Sequence[Telling]) -> tuple[Telling, str] | None:
    """The first telling that differs from the one before it, and how."""
    for before, after in pairwise(tellings):
        was, is_ = _paired(before.text), _paired(after.text)
        if was != is_:
            return after, (f"{after.what} {_from(is_, was)} where {before.what} {_from(was, is_)}")
    return None


def _from(text: str, other: str) -> str:
    """What a text has from where it leaves another one."""
    pairs = enumerate(zip(text, other, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(text), len(other)))
    rest = text[at:]
    if not rest:
        return f"ends after {at} characters"
    shown = repr(rest if len(rest) <= _SHOWN else rest[:_SHOWN] + "…")
    return f"goes on after {at} characters with {shown}" if at else f"begins with {shown}"
