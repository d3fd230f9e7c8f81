"""The state of ``streamproof adapter check``: an adapter being probed, and results of probes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from conformance.suite.workbench import run
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.case import Case
from streamproof._commands.cases import case_of_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.adapter import Description
    from conformance.contract.transcript import Part
    from conformance.report.results import Result
    from conformance.suite.play import Session
    from mockserver.cases.catalogue import Catalogue

Status = Literal["ok", "failed", "not asked"]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of a probe; ``next`` is the next step if it failed."""

    status: Status
    message: str = ""
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
        return Case(case_of_id(id_, self.catalogue).scenario, self.described.dialects[0])

    def played(self, id_: str) -> Result:
        """The judged result of a case, played at the first call."""
        if id_ not in self._played:
            self._played[id_] = run(self.session, self.case(id_))
        return self._played[id_]

    def parts(self, id_: str) -> list[Part]:
        """The parts that it emitted in a case."""
        transcript = self.played(id_).transcript
        return [emitted.part for emitted in transcript.parts] if transcript else []

    def read(self, parts: Sequence[Part]) -> tuple[Any, ...]:
        """The text and the calls of parts, which a concurrent run must not change."""
        vocabulary = VOCABULARIES[self.described.vocabulary].with_traits(self.described.traits)
        reading = vocabulary.read(parts, None)
        return reading.text, [(call.id, call.name, call.input) for call in reading.calls]

    def show_command(self, id_: str) -> str:
        """The command that shows a case with its timeline."""
        return shlex.join(["streamproof", "show", id_, "--adapter", str(self.described.path)])
