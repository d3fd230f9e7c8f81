"""refusal-routed: a refusal goes where the adapter declares, and is not lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_WENT = {
    "text": "into the answer text",
    "error": "into a failure",
    "hidden": "nowhere",
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    refused = [atom for atom in evidence.story.atoms if atom.kind == "refusal"]
    if not refused or evidence.fits(evidence.expected):
        return
    for went, where in _WENT.items():
        if went != evidence.traits.refusal and any(
            evidence.fits(other) for other in evidence.under(refusal=went)
        ):
            yield Defect(
                f"the refusal went {where}; the adapter declares refusal: "
                f"{evidence.traits.refusal}",
                right=f"the refusal {_WENT[evidence.traits.refusal]}",
                about=topics("text", "end"),
                event=next((e.event for e in evidence.entries if e.has("refusal")), None),
            )
            return


RULE = Rule(
    id="refusal-routed",
    holds="a refusal goes where the trait says",
    source="rfc-00022 § Refusal Events",
    check=_check,
)
