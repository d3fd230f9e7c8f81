"""The suite's one output: JSON Lines with a header, a result for each case, and a footer.

A file without its footer is incomplete, and says so by that alone.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Literal

from conformance.findings import Finding
from conformance.transcript import Transcript, from_json
from mockserver.faults import Problem, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT = 1

Status = Literal["passed", "failed", "known", "not-applicable", "broken"]


@dataclass(frozen=True, slots=True)
class Result:
    """One case played to one adapter; ``broken`` is a scenario that could not be played."""

    case: str
    adapter: str
    status: Status
    findings: tuple[Finding, ...] = ()
    transcript: Transcript | None = None
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "kind": "result",
            "case": self.case,
            "adapter": self.adapter,
            "status": self.status,
            "verdict": self.transcript.verdict if self.transcript else "not-run",
            "why": self.why,
            "findings": [finding.to_json() for finding in self.findings],
            "transcript": self.transcript.to_json() if self.transcript else None,
        }


def result_from_json(value: Mapping[str, Any]) -> Result:
    """A result from what ``to_json`` gave."""
    transcript = value["transcript"]
    return Result(
        value["case"],
        value["adapter"],
        value["status"],
        tuple(Finding(**finding) for finding in value["findings"]),
        from_json(transcript) if transcript else None,
        value["why"],
    )


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


def read_results(path: Path) -> tuple[dict[str, Any], list[Result], dict[str, Any] | None]:
    """Header, results and footer of a file; no footer where the run did not come to its end.

    Raises UserError for a file that is none of ours.
    """
    header: dict[str, Any] = {}
    footer: dict[str, Any] | None = None
    results: list[Result] = []
    for n, line in enumerate(_lines(path), start=1):
        try:
            value = json.loads(line)
            kind = value["kind"]
            if kind == "header":
                header = _known_format(value)
            elif kind == "footer":
                footer = value
            else:
                results.append(result_from_json(value))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            hint = "results are written by: pytest conformance --results FILE"
            raise UserError(
                Problem(f"{path}:{n}: no result of ours ({error})", hint=hint)
            ) from error
    return header, results, footer


def _known_format(header: dict[str, Any]) -> dict[str, Any]:
    if header["format"] != FORMAT:
        raise ValueError(f"format {header['format']!r}; this version reads {FORMAT}")
    return header


def _lines(path: Path) -> list[str]:
    """The whole lines; a last one that was cut off belongs to a run that was."""
    try:
        return path.read_text(encoding="utf-8").split("\n")[:-1]
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is no results file: {error}") from error
