"""The results file of the suite: JSON Lines with a header, a result for each case, and a footer.

A file without a footer is incomplete.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Literal

from conformance.contract.finding import Finding
from conformance.contract.json_values import structure
from conformance.contract.transcript import Transcript
from mockserver.faults import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT = 1

Status = Literal["passed", "failed", "known", "not-applicable", "broken"]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one case with one adapter.

    The status ``broken`` means that the scenario could not be played, and ``why`` says why.
    ``implementation`` is the name and version from the adapter's ``hello`` message; empty if it
    sent none.
    """

    case: str
    adapter: str
    status: Status
    findings: tuple[Finding, ...] = ()
    transcript: Transcript | None = None
    why: str = ""
    implementation: str = ""

    def to_json(self) -> dict[str, Any]:
        """The result as a JSON object, a line of the results file."""
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
    """A result from the JSON object that ``to_json`` returns."""
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
