"""usage-last: the last real usage is told, once; what is missing is missing, not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Defect, Rule, topics
from mockserver.dialects.chat.chunks import choices
from mockserver.dialects.json_fields import mapping
from mockserver.dialects.vercel.field_names import names
from mockserver.dialects.vercel.parts import STEP_ENDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.rules.evidence import Evidence

# The fields of a usage on the wire: those of responses, of chat completions, and of the AI SDK.
_FIELDS = {
    "input": ("input_tokens", "prompt_tokens", *names("input_tokens")),
    "output": ("output_tokens", "completion_tokens", *names("output_tokens")),
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    told = evidence.reading.usage
    # A plain answer is judged by what came out of it; its usage is in no event.
    if not told or evidence.transcript.plain:
        return
    sent = list(_sent(evidence))
    if any(_wrong(told, each) is None for each in (sent[:1], _real(sent), _steps(evidence))):
        return
    side = _wrong(told, _real(sent)) or ""
    counted = _counted(_real(sent), side)
    yield Defect(
        f"the run reports {told[side]} {side} tokens; the upstream told "
        f"{'none' if counted is None else counted}",
        right="the upstream's last usage, or none where it told none",
        about=topics("usage"),
    )


def _wrong(told: Mapping[str, Any], sent: Sequence[Mapping[str, Any]]) -> str | None:
    """The first side of which something else was told than was sent."""
    return next((s for s in _FIELDS if s in told and told[s] != _counted(sent, s)), None)


def _counted(sent: Sequence[Mapping[str, Any]], side: str) -> Any:
    """The tokens of a side in the first of these usages."""
    usage = sent[0] if sent else {}
    told = next((usage[name] for name in _FIELDS[side] if name in usage), None)
    return told.get("total") if isinstance(told, dict) else told


def _sent(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """Each usage of the answer, the last one first; some gateways have it in a choice."""
    for event in reversed(evidence.answer):
        data = mapping(event.data)
        places = [mapping(data.get("response")), data, *choices(data)]
        told = [data.get("totalUsage"), *(place.get("usage") for place in places)]
        yield from (usage for each in told if (usage := mapping(each)))


def _steps(evidence: Evidence) -> Sequence[Mapping[str, Any]]:
    """What several steps used together, where nothing else tells it."""
    steps = [mapping(e.data) for e in evidence.answer if e.type in STEP_ENDS]
    if len(steps) < 2 or any(mapping(e.data).get("totalUsage") for e in evidence.answer):
        return []
    used = [mapping(step.get("usage")) for step in steps]
    return [{_FIELDS[side][0]: _sum(used, side) for side in _FIELDS}]


def _sum(used: Sequence[Mapping[str, Any]], side: str) -> int:
    counted = (_counted([usage], side) for usage in used)
    return sum(count for count in counted if isinstance(count, int))


def _real(sent: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """From the last usage on that is not zero: some upstreams fill in the others."""
    counts = [any(_counted([usage], side) for side in _FIELDS) for usage in sent]
    return sent[counts.index(True) :] if True in counts else sent


RULE = Rule(
    id="usage-last",
    holds="the last real usage, once; missing is missing, not zero",
    source="stream-mapping § Token Usage",
    check=_check,
    level="should",
)
