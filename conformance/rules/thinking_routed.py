"""thinking-routed: reasoning goes where the adapter declares, whole and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_WENT = {
    "thinking": "into thinking parts",
    "text": "into the answer text",
    "hidden": "nowhere",
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    expected, reading = evidence.expected, evidence.reading
    declared = evidence.traits.reasoning
    event = next((e.event for e in evidence.entries if e.has("reasoning")), None)
    routed_well = expected.thinking.fits(reading.thinking) and expected.text.fits(reading.text)
    if routed_well or (event is None and not reading.thinking):
        return
    for went, where in _WENT.items():
        if went != declared and any(evidence.shows(o) for o in evidence.under(reasoning=went)):
            yield Defect(
                f"the reasoning went {where}; the adapter declares reasoning: {declared}",
                right=f"the reasoning {_WENT[declared]}",
                about=topics("text", "thinking"),
                event=event,
            )
            return
    if not expected.thinking.fits(reading.thinking):
        yield Defect(
            f"the thinking is {reading.thinking!r}",
            right=f"the thinking {expected.thinking.text!r}",
            about=topics("thinking"),
            event=event,
        )


RULE = Rule(
    id="thinking-routed",
    holds="reasoning goes where the trait says, whole and in order, "
    "and never into answer text otherwise",
    source="lm-stream-semantics § 2.4, § 9.5",
    check=_check,
)
