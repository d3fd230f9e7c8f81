"""usage-last: the last real usage is told, once; what is missing is missing, not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.findings import Defect, Rule, topics
from mockserver.dialects.given import mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.evidence import Evidence

# The fields of a usage on the wire: those of responses, and those of chat completions.
_FIELDS = {
    "input": ("input_tokens", "prompt_tokens"),
    "output": ("output_tokens", "completion_tokens"),
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    told = evidence.reading.usage
    # A plain answer is judged by what came out of it; its usage is in no event.
    if not told or evidence.transcript.plain:
        return
    sent = _sent(evidence)
    for side, fields in _FIELDS.items():
        counted = next((sent[name] for name in fields if name in sent), None)
        if side in told and told[side] != counted:
            was = "none" if counted is None else str(counted)
            yield Defect(
                f"the run reports {told[side]} {side} tokens; the upstream told {was}",
                right="the upstream's last usage, or none where it told none",
                about=topics("usage"),
            )
            return


def _sent(evidence: Evidence) -> Mapping[str, Any]:
    """The usage of the last event that has one."""
    for event in reversed(evidence.answer):
        data = mapping(event.data)
        if usage := mapping(mapping(data.get("response", data)).get("usage")):
            return usage
    return {}


RULE = Rule(
    id="usage-last",
    holds="the last real usage, once; missing is missing, not zero",
    source="stream-mapping § Token Usage",
    check=_check,
    level="should",
)
