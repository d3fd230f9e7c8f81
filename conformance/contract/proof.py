"""The proof of a known failure: what makes it a finding that its maintainer would accept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.contract.sources import link

if TYPE_CHECKING:
    from mockserver.faults import Place


@dataclass(frozen=True, slots=True)
class Shown:
    """What the program of a reproduction prints.

    ``came`` are pieces of its output in their order, ``lacks`` are texts that its output does not
    have. ``ends`` is false if the program waits for ever.
    """

    came: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    ends: bool = True

    def departure(self, output: str, ended: bool) -> str:
        """The first thing in which an output differs; empty if it is as described."""
        start = 0
        for piece in self.came:
            found = output.find(piece, start)
            if found < 0:
                after = f" after {output[:start][-40:]!r}" if start else ""
                return f"it does not print {piece!r}{after}"
            start = found + len(piece)
        if printed := next((text for text in self.lacks if text in output), ""):
            return f"it prints {printed!r}"
        if ended != self.ends:
            return "it comes to its end" if ended else "it does not come to its end"
        return ""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a known failure is the library's: the reproduction, the clause, and the other side.

    ``does`` names the failure, as its entry in the list of known failures does. ``clause`` are the
    words of ``source`` that forbid it. ``counter`` is what the maintainer would say, ``answer`` why
    that fails.
    """

    does: str
    case: str
    clause: str
    source: str
    counter: str
    answer: str
    shown: Shown
    place: Place

    @property
    def link(self) -> str:
        """The address of the clause, on the web or in ``docs/semantics.md``."""
        return link(self.source)
