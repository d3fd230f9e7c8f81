"""``Variation``: a named change of a stream; but for faults, adapters must emit the same.

A variation belongs to a layer: it changes events, the lines that carry them, the places at which
the bytes are cut into writes, or the HTTP response around them. A fault breaks an answer, so that
another result is right than that of its script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from mockserver.scenario.model import Sighting, Standing
from mockserver.scenario.script import Answer, CloseHow
from mockserver.wire.event import Change, Step
from mockserver.wire.frames import ChangePlan, Transfer, unchanged
from mockserver.wire.framing import Framing

Misfit = Callable[[Sequence[Step]], str]
Layer = Literal["events", "lines", "cuts", "http", "faults"]
EVERYWHERE = ("every dialect",)
"""The ``departs_in`` of a variation that departs from the specification of every dialect."""


def always_fits(_steps: Sequence[Step]) -> str:
    """Default of ``misfit``: the variation fits all steps."""
    return ""


@dataclass(frozen=True, slots=True)
class Break:
    """Where an answer breaks, in items of its stream, which are numbered from 0.

    - ``after`` is the number of items that arrive as they are.
    - ``close`` is how the stream closes then.
    - With ``readable``, only the empty line is missing that ends the next event, and some decoders
      read it.
    - With ``resumes``, the next item is damaged, and those after it arrive.
    - With ``whole``, all of the answer arrives in another form, which an adapter may accept.
    - ``message`` and ``code`` are those of an error that follows; empty if the upstream does not
      say what failed.
    - With ``incomplete``, the upstream says that the response is too long.
    """

    after: int
    close: CloseHow = "clean"
    readable: bool = False
    resumes: bool = False
    whole: bool = False
    message: str = ""
    code: str = ""
    incomplete: bool = False

    @property
    def reports(self) -> bool:
        """Whether the upstream says that the answer is not whole."""
        return bool(self.message) or self.incomplete


FindBreak = Callable[[Sequence[Step]], Break]
"""Finds the place in the steps of a turn, before the fault has changed them."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A named change of a stream; ``about`` names the upstreams that send it, or its source.

    ``change_steps`` maps the steps of a turn, ``change_framing`` how they are written as lines, and
    ``change_plan`` the writes of one answer, whose values are filled in: one write for each item.
    ``change_transfer`` maps the HTTP response around them. ``dialects`` lists the dialects that it
    applies to; empty means all. ``departs_in`` lists those whose specification its streams depart
    from, as real upstreams do. ``misfit`` returns why it cannot be applied to the steps of a turn,
    or an empty string. With ``calls_at_end``, calls are complete only when the response ends,
    whatever the script says. ``consists_of`` names the members of a bundle. A profile of several
    dialects has one bundle for each, in ``by_dialect``.

    A fault finds where the answer breaks (``find_break``), after which something else is right. It
    changes only the last answer of a case, once all other variations are applied. With
    ``instead``, that answer is a plain HTTP response.

    ``seen`` is the evidence that upstreams send what departs from the specification. A fault
    departs unless ``legal_by`` names the clause that allows its stream.
    """

    name: str
    about: str
    change_framing: Callable[[Framing], Framing] = unchanged
    change_steps: Change = unchanged
    change_plan: ChangePlan = unchanged
    change_transfer: Callable[[Transfer], Transfer] = unchanged
    layer: Layer = "events"
    dialects: tuple[str, ...] = ()
    departs_in: tuple[str, ...] = ()
    misfit: Misfit = always_fits
    calls_at_end: bool = False
    consists_of: tuple[str, ...] = ()
    by_dialect: tuple[tuple[str, Variation], ...] = ()
    find_break: FindBreak | None = None
    instead: Callable[[Sequence[Step]], Answer] | None = None
    seen: tuple[Sighting, ...] = ()
    legal_by: str = ""

    def applies_to(self, dialect: str) -> bool:
        """Whether the variation can be applied to streams of this dialect."""
        return not self.dialects or dialect in self.dialects

    def departs_from(self, dialect: str) -> bool:
        """Whether its streams depart from the specification of this dialect."""
        return not {dialect, *EVERYWHERE}.isdisjoint(self.in_dialect(dialect).departs_in)

    def standing_in(self, dialect: str) -> Standing:
        """The standing of its streams in a dialect; a profile is its own evidence."""
        each = self.in_dialect(dialect)
        if each.legal_by or not (self.is_fault or self.departs_from(dialect)):
            return "legal"
        if not (each.seen or each.consists_of):
            return "unknown"
        return "violation" if self.is_fault else "deviation"

    @property
    def is_fault(self) -> bool:
        """Whether it breaks an answer, so that its script is not what is right."""
        return self.layer == "faults"

    def in_dialect(self, dialect: str) -> Variation:
        """The variation to apply in a dialect; a bundle may differ by dialect."""
        return dict(self.by_dialect).get(dialect, self)


@dataclass(frozen=True, slots=True)
class Family:
    """The variations that are called ``name:PARAMETER``.

    ``parameters`` says in words which there are, and ``pattern`` as a regular expression, whose
    groups ``make`` takes. ``listed`` are the parameters of those that are listed.
    """

    name: str
    parameters: str
    pattern: str
    make: Callable[..., Variation]
    listed: tuple[str, ...] = ()

    def find(self, parameter: str) -> Variation | None:
        """The variation with this parameter; None if there is none."""
        found = re.fullmatch(self.pattern, parameter)
        return self.make(*found.groups()) if found else None

    @property
    def named(self) -> tuple[Variation, ...]:
        """The variations that are listed."""
        return tuple(filter(None, map(self.find, self.listed)))
