"""What a result means for a test: passed, failed, known, or not to be judged, and in what words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance import timeline
from conformance.drawn import drawn
from conformance.known_failures import sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.findings import Finding
    from conformance.known_failures import Listed
    from conformance.results import Result, Status
    from conformance.suite import Item


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The status of a case once the list of known failures has been asked."""

    status: Status
    message: str = ""


def conclude(
    item: Item, result: Result, listed: Sequence[Listed], levels: Sequence[str]
) -> Conclusion:
    """Judge a result by the levels that count and by what is known to fail."""
    if result.status == "not-applicable":
        return Conclusion("not-applicable", f"not applicable: {result.why}")
    if result.status == "broken":
        return Conclusion("broken", f"the scenario is at fault:\n{result.why}")
    failures = [finding for finding in result.findings if finding.level in levels]
    found = sort(result.case, failures, listed)
    if found.unlisted:
        return Conclusion("failed", _failure(item, result, found.unlisted))
    if found.passing:
        return Conclusion("failed", _passing(found.passing))
    if failures:
        known = "; ".join(f"{finding.rule}: {finding.message}" for finding in failures)
        return Conclusion("known", known)
    return Conclusion("passed")


def _failure(item: Item, result: Result, findings: Sequence[Finding]) -> str:
    """What a failing test shows: the findings, the timeline, and how to see it again."""
    lines = [f"✗ {f.rule} ({f.level}): {f.message}" for f in findings]
    if transcript := result.transcript:
        rows = timeline.of_run(transcript, item.adapter.traits, result.findings)
        lines += ["", drawn(rows, "the upstream sent", f"{result.adapter} emitted")]
        lines += ["", *transcript.notes] if transcript.notes else []
    lines += ["", f"again: streamproof show '{result.case}' --adapter {item.adapter.path}"]
    return "\n".join(lines)


def _passing(entries: Sequence[Listed]) -> str:
    return "\n".join(
        f"{entry.place}: listed as a known failure of {entry.rule}, but it does not fail so any "
        "more: remove or correct the entry"
        for entry in entries
    )
