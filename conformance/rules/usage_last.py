"""usage-last: the last real usage is told, once; what is missing is missing, not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.findings import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.evidence import Evidence

_SIDES = (("input", "input_tokens"), ("output", "output_tokens"))


def _check(evidence: Evidence) -> Iterator[Defect]:
    told = evidence.reading.usage
    # A plain answer is judged by what came out of it; its usage is in no event.
    if not told or evidence.transcript.plain:
        return
    sent = _sent(evidence)
    for side, field in _SIDES:
        if side in told and told[side] != sent.get(field):
            was = "none" if field not in sent else str(sent[field])
            yield Defect(
                f"the run reports {told[side]} {side} tokens; the upstream told {was}",
                right="the upstream's last usage, or none where it told none",
                about=topics("usage"),
            )
            return


def _sent(evidence: Evidence) -> Mapping[str, Any]:
    """The usage of the last event that has one."""
    for event in reversed(evidence.answer):
        response = event.data.get("response") if isinstance(event.data, dict) else None
        if isinstance(response, dict) and isinstance(usage := response.get("usage"), dict):
            return usage
    return {}


RULE = Rule(
    id="usage-last",
    holds="the last real usage, once; missing is missing, not zero",
    source="stream-mapping § Token Usage",
    check=_check,
    level="should",
)
