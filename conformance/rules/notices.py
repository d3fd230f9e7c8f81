"""The rule that what Copilot's proxy sends beside an answer reaches its host."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence
from conformance.vocabularies import COPILOT
from mockserver.foundation.json_fields import listed, mapping

_OF_CHUNKS = {
    "copilot_references": "copilotReferences",
    "copilot_errors": "copilotErrors",
    "copilot_confirmation": "copilotConfirmation",
}
_OF_TEXT = {"CodeVulnerability": "codeVulnAnnotations", "IPCodeCitations": "ipCitations"}
"""The fields of the proxy, with the fields of a delta for its host."""


class NoticeLost(Kind, weighs="loss"):
    """What the proxy sent beside the answer is in no delta."""

    sent: str
    due: str

    message = "{sent} came, and no delta has {due}"
    right = "a delta with {due}, so that the host can show it"
    same_by = ("due",)


def _without_fields(evidence: Evidence) -> str:
    """Why nothing is due; empty if the host has fields for what the proxy sends."""
    is_copilot = evidence.transcript.vocabulary == COPILOT.name
    return "" if is_copilot else "the vocabulary has no fields for it"


@rule(
    holds="references, errors of agents, confirmations and annotations of text reach the host",
    source="copilot-annex § Sanitized SSE chunk trace",
    not_applicable=_without_fields,
    kinds=(NoticeLost,),
)
def notices_kept(evidence: Evidence) -> Iterator[Defect]:
    """Each is due in a response that was not cut, from a chunk whose choices are null.

    Annotations are due beside text that continues.
    """
    if evidence.expected.upstream == "failed" or evidence.transcript.cancelled:
        return
    came = {name for part in evidence.turn.parts for name in mapping(mapping(part).get("delta"))}
    for event in evidence.answer:
        for sent, due in _notices(mapping(event.data)):
            if due not in came:
                yield Defect(NoticeLost(sent, due), topics(f"notice:{due}"), event=event.n)


def _notices(chunk: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is due of a chunk: the field of the proxy, and that of the host."""
    if chunk.get("choices") is None:
        yield from ((sent, due) for sent, due in _OF_CHUNKS.items() if chunk.get(sent))
    for choice in map(mapping, listed(chunk.get("choices"))):
        delta = mapping(choice.get("delta"))
        if delta.get("content") and not choice.get("finish_reason"):
            annotations = mapping(delta.get("copilot_annotations"))
            yield from ((sent, due) for sent, due in _OF_TEXT.items() if annotations.get(sent))
