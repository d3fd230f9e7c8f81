"""Sequences of counts and runs, as data.

Steps refer to messages by name. A name that begins with ``result`` is one of a tool's result, which
answers the call in the reply ``call``; any other that is no reply is one of a user. A text has the
same words for each name, in another order, so that every way to estimate tokens gives the same
number for texts of the same size, while their hashes differ. A reply is the parts that the run with
this name emitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.findings.finding import Rule
    from conformance.rules.counting.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Count:
    """Have the messages named in ``of`` counted, and keep the answer under ``name``.

    With ``offers_tool``, the host offers ``TOOL``.
    """

    name: str
    of: tuple[str, ...]
    offers_tool: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """Send the messages named in ``sent``, and keep the parts of the answer as ``reply``.

    The upstream reports as input tokens ``times`` the count named ``counted``; if ``times`` is 0,
    it reports no usage. With ``calls``, the answer is a call of ``TOOL``, which is offered.
    """

    reply: str
    sent: tuple[str, ...]
    times: float = 0.0
    counted: str = ""
    calls: bool = False


@dataclass(frozen=True, slots=True)
class Restart:
    """End the adapter and start it again; its storage stays."""


Step = Count | Play | Restart


@dataclass(frozen=True, slots=True)
class Sequence:
    """The steps of an item, and the rules that judge it; ``holds`` is true if they find nothing."""

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

# Texts of more than one portion.
_PORTIONS = {"more": 2, "probe-1": 2, "probe-2": 2, "probe-3": 2, "five": 5, "six": 6}

# An edited text is the text before, followed by ``_ADDED`` portions.
EDITED = "-edited"
_ADDED = 4

RESULT = "result"
CALL = "call"

REPLY = "It depends on the model, and nobody knows it before the bill has come."


def text_of(name: str) -> str:
    """The user's text that has this name."""
    original = name.removesuffix(EDITED)
    if original != name:
        return f"{text_of(original)} {_shuffled(name, _ADDED)}"
    return _shuffled(name, _PORTIONS.get(name, 1))


def _shuffled(name: str, portions: int) -> str:
    keyed = [
        (sha256(f"{name} {n}".encode()).digest(), word)
        for n, word in enumerate(_PORTION.split() * portions)
    ]
    return " ".join(word for _, word in sorted(keyed))


TOOL = {
    "name": "search_letters",
    "description": text_of("tool"),
    "input_schema": {
        "type": "object",
        "properties": {"sender": {"type": "string"}},
        "required": ["sender"],
    },
}
"""The tool that is offered; its description has the words of a user's text."""
