"""An adapter that is being probed, and what a probe comes to."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from conformance.suite.workbench import run
from conformance.vocabularies import VOCABULARIES
from mockserver.render import Case
from streamproof.chosen import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.adapter import Description
    from conformance.contract.results import Result
    from conformance.contract.transcript import Part
    from conformance.suite.play import Session
    from mockserver.scenario.catalogue import Catalogue

Status = Literal["ok", "failed", "not asked"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a probe came to; ``next`` is the next step where it failed."""

    status: Status
    told: str = ""
    next: str = ""


@dataclass
class Checkup:
    """An adapter that is being probed; each case is played to it once."""

    session: Session
    catalogue: Catalogue
    _played: dict[str, Result] = field(default_factory=dict)

    @property
    def described(self) -> Description:
        return self.session.description

    def case(self, id_: str) -> Case:
        """A case of the catalogue, in a dialect that the adapter claims."""
        return Case(named(id_, self.catalogue).scenario, self.described.dialects[0])

    def played(self, id_: str) -> Result:
        """How it played a case, judged."""
        if id_ not in self._played:
            self._played[id_] = run(self.session, self.case(id_))
        return self._played[id_]

    def parts(self, id_: str) -> list[Part]:
        """What it emitted of a case that was played."""
        transcript = self.played(id_).transcript
        return [emitted.part for emitted in transcript.parts] if transcript else []

    def read(self, parts: Sequence[Part]) -> tuple[Any, ...]:
        """What parts amount to, as far as a run beside may change nothing of it."""
        words = VOCABULARIES[self.described.vocabulary].with_traits(self.described.traits)
        reading = words.read(parts, None)
        return reading.text, [(call.id, call.name, call.input) for call in reading.calls]

    def again(self, id_: str) -> str:
        """The command that shows a case with its timeline."""
        return shlex.join(["streamproof", "show", id_, "--adapter", str(self.described.path)])
