"""The proof of a known failure: what makes it a finding that its maintainer would accept."""

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
