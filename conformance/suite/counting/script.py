"""Sequences of counts and runs, as data.

Messages go by names. A user's text is made of the same words for each name, in another order, so
that any way to estimate comes to the same for texts of as many portions, and no two of them share a
hash. A reply is what came out of the run that is named so.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.contract.finding import Rule
    from conformance.rules.counting.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Count:
    """Have these messages counted."""

    name: str
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """Send these messages; the upstream tells so many ``times`` what was counted under a name.

    Without ``times`` it tells no usage.
    """

    reply: str
    sent: tuple[str, ...]
    times: float = 0.0
    counted: str = ""


@dataclass(frozen=True, slots=True)
class Restart:
    """End the adapter and start it anew; its storage stays."""


Step = Count | Play | Restart


@dataclass(frozen=True, slots=True)
class Sequence:
    """``holds`` is what is so if its rules find nothing."""

    holds: str
    steps: tuple[Step, ...]
    rules: tuple[Rule[Evidence], ...]


_PORTION = (
    "the quick answer to a long question is seldom the whole of it because words come in many "
    "sizes and a model reads them in pieces of its own so nobody who counts letters can say how "
    "many there will be at the end of a page until somebody has paid for it and the bill tells "
    "what it was while the next page is again a guess that gets better with each bill that was "
    "read and kept in a drawer for later use when a friend asks how much of the room on the desk "
    "is left for one more letter from an old friend"
)

# How many portions a text has where it is not one.
_PORTIONS = {"more": 2, "probe-1": 2, "probe-2": 2, "five": 5, "six": 6}

# An edited text goes on behind what it was, for so many portions.
EDITED = "-edited"
_ADDED = 4

REPLY = "It depends on the model, and nobody knows it before the bill has come."


def text_of(name: str) -> str:
    """What a user says under this name."""
    was = name.removesuffix(EDITED)
    if was != name:
        return f"{text_of(was)} {_shuffled(name, _ADDED)}"
    return _shuffled(name, _PORTIONS.get(name, 1))


def _shuffled(name: str, portions: int) -> str:
    keyed = [
        (sha256(f"{name} {n}".encode()).digest(), word)
        for n, word in enumerate(_PORTION.split() * portions)
    ]
    return " ".join(word for _, word in sorted(keyed))
