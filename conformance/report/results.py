"""The results file of the suite: JSON Lines with a header, a result for each case, and a footer.

A file without a footer is incomplete.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal, get_args

from cattrs import BaseValidationError

from conformance.contract.json_values import structure, structure_by
from conformance.contract.transcript import Transcript
from conformance.findings.finding import Finding, Level, Recorded
from conformance.findings.words import finding_json
from conformance.rules.tables import KINDS
from mockserver.foundation.faults import Place, UserError
from mockserver.scenario.model import Conduct

FORMAT = 1

CONDUCTS: tuple[Conduct, ...] = get_args(Conduct)

Status = Literal["passed", "failed", "known", "not-applicable", "broken"]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one case with one adapter.

    The status ``broken`` means that the scenario could not be played, and ``why`` says why.
    ``implementation`` is the name and version from the adapter's ``hello`` message; empty if it
    sent none. ``conduct`` is that of the case's streams; a claim, which has none, counts as legal.
    ``place`` is the entry of a list of known failures that ``why`` is about, if it is about one.
    """

    case: str
    adapter: str
    status: Status
    findings: tuple[Finding, ...] = ()
    transcript: Transcript | None = None
    why: str = ""
    implementation: str = ""
    conduct: Conduct = "legal"
    place: Place | None = None

    @property
    def size(self) -> int:
        """The number of the events that were sent; 0 without a transcript."""
        turns = self.transcript.turns if self.transcript else ()
        return sum(len(request.events) for turn in turns for request in turn.requests)

    def to_json(self) -> dict[str, Any]:
        """The result as a JSON object, a line of the results file."""
        return {
            "kind": "result",
            "case": self.case,
            "adapter": self.adapter,
            "implementation": self.implementation,
            "conduct": self.conduct,
            "status": self.status,
            "verdict": self.transcript.verdict if self.transcript else "not-run",
            "why": self.why,
            **({"place": asdict(self.place)} if self.place else {}),
            "findings": [finding_json(finding) for finding in self.findings],
            "transcript": self.transcript.to_json() if self.transcript else None,
        }


@dataclass(frozen=True, slots=True)
class _Written:
    """A finding as ``finding_json`` writes it."""

    rule: str
    kind: str
    level: Level
    message: str
    right: str
    values: Mapping[str, Any]
    source: str
    event: int | None
    part: int | None
    turn: int = 0
    explains: tuple[Finding, ...] = ()


def _read_finding(value: Any, _type: Any) -> Finding:
    """A finding from its JSON; one of a kind that the kit lacks, or words differently, is as read.

    Dialects may have kinds of the same name.
    """
    written = structure(value, _Written)
    recorded = Recorded(written.kind, written.values, written.message, written.right)
    place = written.event, written.part, written.turn
    source, explains = written.source, written.explains
    finding = Finding(written.rule, written.level, recorded, source, *place, explains)
    for kind in KINDS.get((written.rule, written.kind), ()):
        with suppress(BaseValidationError):
            known = replace(finding, kind=structure(written.values, kind))
            if finding_json(known) == finding_json(finding):
                return known
            finding = replace(finding, kind=replace(recorded, told_apart_by=known.kind.same()))
    return finding


structure_by(Finding, _read_finding)


def result_from_json(value: Mapping[str, Any]) -> Result:
    """A result from the JSON object that ``to_json`` returns.

    A finding whose kind the kit does not have, or words differently, keeps the words of the file.
    """
    return structure({n: value[n] for n in value if n not in ("kind", "verdict")}, Result)


@dataclass
class Writer:
    """Writes a results file line by line.

    If a write fails, ``failed`` holds the message, later lines are dropped, and the run goes on.
    """

    path: Path
    failed: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    _file: IO[str] | None = None

    def open(self, header: Mapping[str, Any]) -> None:
        """Create the file with its header. Raises UserError if it cannot be created."""
        try:
            self._file = self.path.open("w", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror}") from error
        self._line({"kind": "header", "format": FORMAT, **header})

    def add(self, line: Mapping[str, Any]) -> None:
        """Write one result, as ``Result.to_json`` returns it, and count its status."""
        self.counts[line["status"]] += 1
        self._line(line)

    def close(self, exit_status: int) -> None:
        """Write the footer, with the counts and the exit status of the run, and close the file."""
        self._line({"kind": "footer", "counts": dict(self.counts), "exit": exit_status})
        if self._file is not None:
            # Closing flushes the buffer; if that fails, the write before has failed and was noted.
            with suppress(OSError):
                self._file.close()
            self._file = None

    def _line(self, line: Mapping[str, Any]) -> None:
        if self._file is None or self.failed:
            return
        try:
            self._file.write(json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n")
            self._file.flush()
        except OSError as error:
            self.failed = f"{self.path}: {error.strerror}; the results are incomplete"
