"""The proof of a known failure: what makes it a finding that its maintainer would accept."""

from dataclasses import dataclass
from typing import Literal

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
class Upstream:
    """Why the stream is one that the library meets.

    It is ``legal`` by the source that ``at`` names, or it was seen in a ``recording`` or a
    ``report`` at that place. ``line`` is the line that has this shape: of the stream that is
    played, or of what was seen.
    """

    kind: Literal["legal", "recording", "report"]
    at: str
    line: str


@dataclass(frozen=True, slots=True)
class Duty:
    """What binds the library, in the words ``says``.

    ``own``: a file of the installed package, with its ``line``. ``itself``: the library's other
    path, whose output the program prints. ``fix``: the address of a merged fix. ``must``: the name
    of a source that binds readers.
    """

    kind: Literal["own", "itself", "fix", "must"]
    at: str
    says: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a known failure is the library's, and what its user loses by it.

    ``name`` is what the entries of lists of known failures name as their ``finding``. ``does`` says
    what the library does, ``loses`` what its user loses, at ``layer``, the function of the library
    that the program calls. ``counter`` is what the maintainer would say, ``answer`` why that fails.
    ``threads`` are the addresses at which it was reported. ``program`` is the name of the program
    that shows it, a file beside the binding; if empty, it is the binding's own.
    """

    name: str
    does: str
    loses: str
    layer: str
    case: str
    rule: str
    kind: str
    upstream: Upstream
    duty: Duty
    counter: str
    answer: str
    shown: Shown
    place: Place
    threads: tuple[str, ...] = ()
    program: str = ""
