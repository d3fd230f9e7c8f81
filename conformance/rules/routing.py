"""Rules about refusals, reasoning and approval requests: each is emitted where it belongs."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from conformance.contract.traits import THINKING_PREFIX
from conformance.expectation.own_ids import approval_ids
from conformance.expectation.projection import Expected
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import Declared
from conformance.rules.alternatives import trait_of
from conformance.rules.differences import DIFFERENCES, difference, find_text_twice
from conformance.rules.evidence import Evidence

_WENT: Mapping[str, Mapping[str, str]] = {
    # "nowhere" comes before a failure: a run that had to fail anyway says nothing of the refusal.
    "refusal": {"text": "into the answer text", "hidden": "nowhere", "error": "into a failure"},
    "reasoning": {
        "thinking": "into thinking parts",
        "text": "into the answer text",
        "prefixed": f"into text parts that begin with {THINKING_PREFIX!r}",
        "hidden": "nowhere",
    },
}


def _due(what: str) -> Mapping[str, str]:
    """Where something should go, in words, by the value of the trait that says it."""
    return {
        value: f"no {what}" if value == "hidden" else f"the {what} {where}"
        for value, where in _WENT[what].items()
    }


class _Elsewhere(Kind, weighs="loss"):
    """Something is emitted elsewhere than the adapter declares, or not at all."""

    went: str
    declared: Declared

    right = "{declared.value:phrase}; if it is meant so, declare the trait {declared.trait}: {went}"
    same_by = ("went",)


class RefusalElsewhere(_Elsewhere):
    """A refusal is emitted elsewhere than the adapter declares, or not at all."""

    message = "the refusal went {went:phrase}; {declared:declared}"
    phrases = {"went": _WENT["refusal"], "declared.value": _due("refusal")}


@rule(
    holds="a refusal goes where the trait says",
    source="rfc-00022 § Refusal Events",
    kinds=(RefusalElsewhere,),
)
def refusal_routed(evidence: Evidence) -> Iterator[Defect]:
    refused = [segment for segment in evidence.content.segments if segment.kind == "refusal"]
    if not refused or evidence.fits(evidence.expected):
        return
    if went := _where_went(evidence, "refusal", "reasoning", Evidence.fits):
        yield Defect(
            RefusalElsewhere(went, trait_of(evidence, "refusal")),
            about=topics("text", "end"),
            event=evidence.first_event_with("refusal"),
        )


_IN_TEXT = frozenset({"text", "prefixed"})


class ReasoningElsewhere(_Elsewhere):
    """Reasoning is emitted elsewhere than the adapter declares, or not at all."""

    message = "the reasoning went {went:phrase}; {declared:declared}"
    phrases = {"went": _WENT["reasoning"], "declared.value": _due("reasoning")}


class ThinkingCame(Kind, weighs="falsehood"):
    """Some of the reasoning is emitted in thinking parts, against what the adapter declares."""

    came: str
    declared: Declared

    message = "{declared:declared}, but thinking came out: {came:start}"
    right = "{declared.value:phrase}; if it is meant so, declare the trait reasoning: thinking"
    phrases = {"declared.value": _due("reasoning")}


class _WrongPrefix(Kind, weighs="falsehood"):
    """The prefix that marks reasoning in text parts is missing, or is where it should not be."""

    said: str

    right = f"{THINKING_PREFIX!r} before each part of the reasoning, and before no other"


class AnswerPrefixed(_WrongPrefix):
    """A part of the answer begins with the prefix that marks reasoning."""

    message = f"a part of the answer begins with {THINKING_PREFIX!r}: {{said!r}}"


class ReasoningNotPrefixed(_WrongPrefix):
    """A part of the reasoning lacks the prefix that marks it."""

    message = f"a part of the reasoning lacks {THINKING_PREFIX!r}: {{said!r}}"


@rule(
    holds="reasoning goes where the trait says, whole and in order, "
    "and never into answer text otherwise",
    source="lm-stream-semantics § 2.4, § 9.5",
    kinds=(ReasoningElsewhere, ThinkingCame, AnswerPrefixed, ReasoningNotPrefixed, *DIFFERENCES),
)
def thinking_routed(evidence: Evidence) -> Iterator[Defect]:
    expected, reading = evidence.expected, evidence.reading
    declared = evidence.traits.reasoning
    # Text with a prefix is read as thinking as well.
    in_parts = evidence.declaring(reasoning="thinking").reading.thinking
    is_prefixed = declared != "prefixed" or not in_parts
    fits_thinking = expected.thinking.fits(reading.thinking) and is_prefixed
    if fits_thinking and expected.text.fits(reading.text):
        return
    event = evidence.first_event_with("reasoning")
    if event is None and not (reading.thinking or expected.thinking.text):
        return
    fits = Evidence.fits_text_and_thinking
    if went := _where_went(evidence, "reasoning", "refusal", fits):
        yield Defect(
            ReasoningElsewhere(went, trait_of(evidence, "reasoning")),
            about=topics("thinking", *(["text"] if _IN_TEXT & {went, declared} else [])),
            event=event,
        )
        return
    if twice := find_text_twice(evidence, "thinking"):
        yield twice
        return
    if declared == "prefixed" and (defect := _wrong_prefix(evidence, event)):
        yield defect
        return
    if fits_thinking:
        return
    if declared != "thinking" and in_parts and event is not None:
        yield Defect(
            ThinkingCame(in_parts, trait_of(evidence, "reasoning")),
            about=topics("thinking"),
            event=_event_of_reasoning(evidence, event),
        )
    else:
        yield Defect(
            difference("thinking", expected.thinking.text, reading.thinking),
            # A prefix too few or too many moves words between the thinking and the text.
            about=topics("thinking", *(["text"] if declared == "prefixed" else [])),
            event=event,
        )


def _where_went(
    evidence: Evidence, what: str, other: str, fits: Callable[[Evidence, Expected], bool]
) -> str | None:
    """Where refusal or reasoning went, wherever the other did; None if no other trait explains it.

    What the adapter declares for the other is tried first.
    """
    traits = evidence.traits
    declared_first = sorted(_WENT[other], key=lambda route: route != getattr(traits, other))
    for route, went in product(declared_first, _WENT[what]):
        changed = evidence.declaring(**{what: went, other: route})
        is_other = went != getattr(traits, what)
        if is_other and any(fits(changed, expected) for expected in changed.expected_with()):
            return went
    return None


def _wrong_prefix(evidence: Evidence, event: int | None) -> Defect | None:
    """The first part of the answer that has the prefix, or of the reasoning that has none."""
    text, thinking = evidence.expected.text.text, evidence.expected.thinking.text
    for emitted in evidence.transcript.parts:
        read = evidence.turn.vocabulary.read([emitted.part], None)
        if said := _only_in(text, thinking, read.thinking):
            kind: Kind = AnswerPrefixed(said[:_SHOWN])
        elif said := _only_in(thinking, text, read.text):
            kind = ReasoningNotPrefixed(said[:_SHOWN])
        else:
            continue
        return Defect(kind, topics("text", "thinking"), event=event, part=emitted.n)
    return None


def _only_in(first: str, second: str, words: str) -> str:
    """The words if they are in the first text and not in the second; empty otherwise."""
    return words if words.strip() and words in first and words not in second else ""


_SHOWN = 40


def _event_of_reasoning(evidence: Evidence, first: int) -> int:
    """The event that sent the reasoning with which the thinking parts begin; else ``first``."""
    thinking = evidence.reading.thinking
    sent = (
        entry.event
        for entry in evidence.turn.entries
        for piece in entry.adds
        if piece.kind == "reasoning" and piece.value and thinking.startswith(piece.value)
    )
    return next(sent, first)


class ApprovalNotAsked(Kind, weighs="loss"):
    """An approval request of the upstream does not reach the host."""

    request: str

    message = "the approval request {request!r} did not come out"
    right = "a tool-approval-request with an approvalId, so that the host can answer it"


@rule(
    holds="each approval request of the upstream that the host has to answer reaches the host",
    source="semantics § mcp-approvals; @ai-sdk/provider § LanguageModelV4ToolApprovalRequest",
    not_applicable=lambda evidence: (
        "" if evidence.content.approvals else "the host of this turn answers no approval request"
    ),
    kinds=(ApprovalNotAsked,),
)
def approval_asked(evidence: Evidence) -> Iterator[Defect]:
    due = evidence.content.approvals
    emitted = approval_ids(evidence.transcript, due)
    for id_ in due:
        if id_ not in emitted:
            about = topics(f"approval:{id_}")
            yield Defect(ApprovalNotAsked(id_), about, needs=topics("end"))
