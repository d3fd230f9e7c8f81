"""What a result means for a test: passed, failed, known, or not to be judged, and in what words."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.report import summary as gist
from conformance.report import timeline
from conformance.report.columns import drawn
from conformance.suite.known_failures import sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.results import Result, Status
    from conformance.suite.known_failures import Listed
    from conformance.suite.workbench import Item


_MOST = 10


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The status of a case once the list of known failures has been asked."""

    status: Status
    message: str = ""
    # What the findings do not say.
    why: str = ""


def conclude(
    item: Item,
    result: Result,
    listed: Sequence[Listed],
    levels: Sequence[str],
    scenarios: Sequence[str] = (),
) -> Conclusion:
    """Judge a result by the levels that count and by what is known to fail.

    ``scenarios`` are the folders of one's own that the case may have come from.
    """
    if result.status == "not-applicable":
        return Conclusion("not-applicable", f"not applicable: {result.why}")
    if result.status == "broken":
        return Conclusion("broken", f"the scenario is at fault:\n{result.why}")
    # A finding that does not count today may be listed all the same.
    found = sort(result.case, result.findings, listed)
    if new := [finding for finding in found.unlisted if finding.level in levels]:
        more = [f"… and {len(new) - _MOST:,} more findings"] if len(new) > _MOST else []
        told = [*map(gist.of_finding, new[:_MOST]), *more, *map(_other_message, found.passing)]
        return Conclusion("failed", "\n".join([*told, *_shown(item, result, scenarios)]))
    if found.passing:
        passing = "\n".join(map(_not_failing, found.passing))
        return Conclusion("failed", passing, passing)
    failures = [finding for finding in result.findings if finding.level in levels]
    if failures:
        known = "; ".join(f"{finding.rule}: {finding.message}" for finding in failures)
        return Conclusion("known", known)
    return Conclusion("passed")


def _shown(item: Item, result: Result, scenarios: Sequence[str]) -> list[str]:
    """The timeline, what else was noticed, and how to see it again."""
    if transcript := result.transcript:
        rows = timeline.of_run(transcript, item.adapter.traits, result.findings)
        lines = ["", drawn(rows, "the upstream sent", f"{result.adapter} emitted")]
        lines += ["", *transcript.notes] if transcript.notes else []
    else:
        lines = [f"  {gist.of_right(finding)}" for finding in result.findings]
        lines += ["", result.why] if result.why else []
    again = ["streamproof", "show", result.case, "--adapter", str(item.adapter.path)]
    for folder in scenarios:
        again += ["--scenarios", folder]
    return [*lines, "", f"again: {shlex.join(again)}"]


def _not_failing(entry: Listed) -> str:
    return (
        f"{entry.place}: listed as a known failure of {entry.rule}, but it does not fail so any "
        "more: remove or correct the entry"
    )


def _other_message(entry: Listed) -> str:
    return f"{entry.place}: listed as a known failure of {entry.rule}, but not with this message"
