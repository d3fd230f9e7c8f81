"""The proof of a known failure: what makes it a finding that its maintainer would accept."""

from collections.abc import Sequence
from dataclasses import dataclass

from mockserver.foundation.faults import Place


@dataclass(frozen=True, slots=True)
class Shown:
    """What the program of a reproduction prints, and what the library sends.

    ``came`` are pieces of its output in their order, ``lacks`` are texts that its output does not
    have. ``sent`` and ``lacks_sent`` are the same for the body of the last request. ``ends`` is
    false if the program waits for ever.
    """

    came: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    lacks_sent: tuple[str, ...] = ()
    ends: bool = True

    def departure(self, output: str, ended: bool, request: str = "") -> str:
        """The first thing in which a run differs; empty if it is as described.

        ``request`` is the body of the last request of the run, empty if it made none.
        """
        if missing := _missing(self.came, output):
            return f"it does not print {missing}"
        if printed := next((text for text in self.lacks if text in output), ""):
            return f"it prints {printed!r}"
        if ended != self.ends:
            return "it comes to its end" if ended else "it does not come to its end"
        return self._departure_sent(request)

    def _departure_sent(self, request: str) -> str:
        if not request and (self.sent or self.lacks_sent):
            return "it makes no request"
        if missing := _missing(self.sent, request):
            return f"its last request does not have {missing}"
        present = next((text for text in self.lacks_sent if text in request), "")
        return f"its last request has {present!r}" if present else ""


def _missing(pieces: Sequence[str], text: str) -> str:
    """The first piece that a text does not have after those before it; empty if it has all."""
    start = 0
    for piece in pieces:
        found = text.find(piece, start)
        if found < 0:
            return f"{piece!r} after {text[:start][-40:]!r}" if start else repr(piece)
        start = found + len(piece)
    return ""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a known failure is the library's: the reproduction, the clause, and the other side.

    ``does`` names the failure, as its entry in the list of known failures does, which has the same
    case, rule and kind. ``clause`` are the
    words of ``source`` that forbid it. ``counter`` is what the maintainer would say, ``answer`` why
    that fails. ``program`` is the name of the program that shows it, a file beside the binding; if
    empty, it is the binding's own.
    """

    does: str
    case: str
    rule: str
    kind: str
    clause: str
    source: str
    counter: str
    answer: str
    shown: Shown
    place: Place
    program: str = ""
