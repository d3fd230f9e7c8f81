"""Values that findings of several rules have: calls, texts, traits, errors and endings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

FailureInstead = Literal["", "ending", "text"]
"""How a run reports a failure that would be right as well; empty if it would be wrong."""


@dataclass(frozen=True, slots=True)
class CallValue:
    """A call: the name of its tool, its input, and its id, which is empty if any is right."""

    name: str
    input: Any
    id: str = ""


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A text, and the number of characters before the place in it that matters."""

    text: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class Declared:
    """A trait and the value that holds, which is the default unless the adapter declares it."""

    trait: str
    value: str
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class OtherEnding:
    """An ending that is right with other parts: with the text, with calls, or with any others."""

    outcome: str
    with_text: bool = False
    with_calls: tuple[CallValue, ...] = ()
    with_others: bool = False


@dataclass(frozen=True, slots=True)
class RightEndings:
    """The outcomes that are right for the parts of a run, and those that other parts need."""

    outcomes: tuple[str, ...]
    others: tuple[OtherEnding, ...] = ()


@dataclass(frozen=True, slots=True)
class EndedValue:
    """How a run or a count ended: its verdict, the reason for it, and the class of its error."""

    verdict: str
    reason: str = ""
    error_class: str = ""


@dataclass(frozen=True, slots=True)
class WellUntil:
    """The event up to which a run went well, -1 for none, and the ignorable events to suspect.

    The only suspect is that event itself; of several, which come after it, none is accused alone.
    """

    event: int
    type: str
    suspects: tuple[int, ...]

    @property
    def is_accused(self) -> bool:
        """Whether the event itself is the one to be ignored."""
        return self.suspects == (self.event,)
