"""The suite's one output: JSON Lines with a header, a result for each case, and a footer.

A file without its footer is incomplete, and says so by that alone.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any, Literal

from conformance.contract.finding import Finding
from conformance.contract.json_values import structured
from conformance.contract.transcript import Transcript, canonical_names
from mockserver.dialects.aliases import canonical_case
from mockserver.faults import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT = 1

Status = Literal["passed", "failed", "known", "not-applicable", "broken"]


@dataclass(frozen=True, slots=True)
class Result:
    """One case played to one adapter; ``broken`` is a scenario that could not be played.

    ``implementation`` is what the adapter called itself in its hello, as name and version; empty
    where it was not asked.
    """

    case: str
    adapter: str
    status: Status
    findings: tuple[Finding, ...] = ()
    transcript: Transcript | None = None
    why: str = ""
    implementation: str = ""

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "kind": "result",
            "case": self.case,
            "adapter": self.adapter,
            "implementation": self.implementation,
            "status": self.status,
            "verdict": self.transcript.verdict if self.transcript else "not-run",
            "why": self.why,
            "findings": [finding.to_json() for finding in self.findings],
            "transcript": self.transcript.to_json() if self.transcript else None,
        }


def result_from_json(value: Mapping[str, Any]) -> Result:
    """A result from what ``to_json`` gave."""
    told = structured({n: value[n] for n in value if n not in ("kind", "verdict")}, Result)
    transcript = told.transcript and canonical_names(told.transcript)
    return replace(told, case=canonical_case(told.case), transcript=transcript)


@dataclass
class Writer:
    """Writes results as they come. A disk that fails is told once; the run goes on."""

    path: Path
    failed: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    _file: IO[str] | None = None

    def open(self, header: Mapping[str, Any]) -> None:
        try:
            self._file = self.path.open("w", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror}") from error
        self._line({"kind": "header", "format": FORMAT, **header})

    def add(self, line: Mapping[str, Any]) -> None:
        """One result, as ``Result.to_json`` gives it."""
        self.counts[line["status"]] += 1
        self._line(line)

    def close(self, exit_status: int) -> None:
        """The footer: the counts, and the exit status of the run."""
        self._line({"kind": "footer", "counts": dict(self.counts), "exit": exit_status})
        if self._file is not None:
            # What could not be written is tried again here, and was told of before.
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
