"""The rule that a declared trait is kept, where a run that does not keep it is right otherwise.

The other rules judge a run by what the adapter declares, and so find most that is not kept. What is
left are traits that allow more than an adapter without them may do.
"""

from collections.abc import Callable, Iterator

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import Declared
from conformance.rules.alternatives import trait_of
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import FRAMES
from conformance.vocabularies import STREAM


class NoBlank(Kind, weighs="falsehood"):
    """No blank comes before the first call of an answer with text, although one is declared."""

    call: str
    declared: Declared

    message = "no blank came before the call {call!r}; {declared:declared}"
    right = "a blank before the first call; if it is meant so, no blank_before_call: true"


class FramesCame(Kind, weighs="falsehood"):
    """A part frames others, although the adapter declares that it has none that does."""

    type: str
    declared: Declared

    message = "{type} came, which frames other parts; {declared:declared}"
    right = "no part that frames others; if it is meant so, no framing: none"
    same_by = ("type",)


@rule(
    holds="what a trait declares is so, also where it allows more than is done",
    source="semantics § traits-kept",
    kinds=(NoBlank, FramesCame),
)
def traits_kept(evidence: Evidence) -> Iterator[Defect]:
    for trait, (value, check) in _CHECKS.items():
        if getattr(evidence.traits, trait) == value and not evidence.transcript.cancelled:
            yield from check(evidence, trait_of(evidence, trait))


def _no_blank(evidence: Evidence, declared: Declared) -> Iterator[Defect]:
    """The text has no blank at all that was not sent, and some came before the call.

    Where there are several choices, the text before the call may be that of another one.
    """
    text, choices = evidence.expected.text, evidence.content.first_choice
    if text.blanks and text.text == evidence.reading.text and not choices:
        for expected, call in evidence.pairing.pairs[:1]:
            if evidence.announced_at(expected.id):
                needs = topics("text", "calls")
                kind = NoBlank(call.id, declared)
                yield evidence.defect_of_call(kind, expected.id, call.part, needs)


def _frames_came(evidence: Evidence, declared: Declared) -> Iterator[Defect]:
    if evidence.transcript.vocabulary == STREAM.name:
        for part in evidence.stream_parts:
            if part.type in FRAMES:
                yield Defect(FramesCame(part.type, declared), topics("framing"), part=part.n)
                return


_CHECKS: dict[str, tuple[object, Callable[[Evidence, Declared], Iterator[Defect]]]] = {
    "blank_before_call": (True, _no_blank),
    "framing": ("none", _frames_came),
}
