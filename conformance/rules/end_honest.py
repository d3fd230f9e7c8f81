"""end-honest: the ending is the upstream's, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_HOW = {
    "completed": "completed the response",
    "incomplete": "cut the response short",
    "failed": "failed, or never ended the response",
    "cancelled": "was answering until the run was cancelled",
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    end, expected = evidence.end, evidence.expected
    if end is None:
        return
    if end.outcome not in expected.outcomes:
        yield _wrong_outcome(evidence, end.outcome)
    elif end.outcome == "completed":
        yield from _finish(evidence, end.finish)


def _wrong_outcome(evidence: Evidence, outcome: str) -> Defect:
    told = evidence.end.error.message if evidence.end and evidence.end.error else ""
    said = f"{outcome}: {told}" if told else outcome
    return Defect(
        f"the run ended as {said!r}, but the upstream {_HOW[evidence.expected.upstream]}",
        right="every run played that adapter.yaml claims"
        if outcome == "unsupported"
        else f"an ending that says {' or '.join(evidence.expected.outcomes)}",
        about=topics("end", "told") | evidence.stopped_early(),
    )


def _finish(evidence: Evidence, finish: str | None) -> Iterator[Defect]:
    expected = evidence.expected
    if finish in expected.wrong_finish:
        yield Defect(
            f"the run finished as {finish!r}, but the upstream {_HOW[expected.upstream]}",
            right=f"finish {expected.reason!r}" if expected.reason else "the upstream's own finish",
            about=topics("end"),
        )
    elif expected.upstream == "incomplete" and finish is None and expected.text.tail is None:
        yield Defect(
            "nothing says that the answer is incomplete",
            right=f"finish {expected.reason or 'other'!r}, or a failure that says so",
            about=topics("end"),
            level="should",
        )


RULE = Rule(
    id="end-honest",
    holds="never completed after failed, error or a cut; never failed after completed; "
    "incomplete is said",
    source="lm-stream-semantics § 5.3",
    check=_check,
)
