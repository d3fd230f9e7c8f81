"""Every level of a finding about an adapter, by its weight and by the stream of its case."""

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.findings.finding import LEVELS, Defect, Kind, levels_in, rule, topics
from conformance.rules import engine
from conformance.rules.tables import TABLES

# The rows and columns of "What a verdict weighs".
STANDINGS = ("legal", "deviation", "violation", "unknown")
TABLE = {
    "harm": ("must", "must", "must", "must"),
    "loss": ("must", "must", "should", "should"),
    "falsehood": ("must", "should", "should", "should"),
    "manners": ("should", "should", "should", None),
}

# Each kind of finding about an adapter: rules, each with its kinds.
WEIGHTS = {
    "harm": """
        call-complete: arguments-of-another-call calls-merged other-input own-id-twice; call-name:
        other-name; call-none-invented: cut-off not-offered call-after-the-end unreadable-arguments
        of-another-choice never-executable never-made; call-not-early: before-complete
        out-too-early; call-once: emitted-again two-calls-one-id id-of-another-call; claims-kept:
        run-beside-others-broken text-of-another-run calls-of-another-run; end-honest:
        failure-hidden blanks-for-failure; end-once: run-lost not-ended not-ended-by-cancellation
        not-ended-without-request hangs-sometimes process-broken; error-told: not-told;
        hosted-emitted: nobody-asked; hosted-executor: not-marked; hosted-input: other-input;
        ignored-silently: call-made never-ended; retry-clean: retried-after-parts; turn-approvals:
        answer-changed answer-not-given; turn-no-half-call: call-not-handed-over arguments-changed
    """,
    "loss": """
        approval-asked: approval-not-asked; call-none-lost: lost; cancel-resolves:
        crashed-when-cancelled; citation-routed:
        citations-elsewhere link-missing no-citation other-citations; data-exact: data-again
        other-media-type other-bytes never-sent data-lost; end-honest: contradiction-found crashed
        call-not-run; hosted-emitted: tool-lost announced-only result-lost compaction-lost;
        hosted-input: input-without-text; hosted-result: text-lost text-invented; ignored-silently:
        text-added lost-the-rest brought-no-call crashed; image-previews: previews-lost
        preview-repeated preview-invented; limits-passed: limit-changed; options-passed:
        option-changed own-option-sent; part-after-end: after-the-end late-message;
        reasoning-encrypted: other-encrypted; refusal-routed: refusal-elsewhere; request-valid:
        crashed-before-request ended-without-request other-address invalid-request;
        text-exact: sent-after-the-end never-came never-sent text-twice came-twice stops-early
        added-at-one-side added-around lacks-beginning differs;
        text-unicode: broken-character; thinking-routed:
        reasoning-elsewhere never-came never-sent text-twice came-twice stops-early
        added-at-one-side added-around lacks-beginning differs; turn-authorized: key-not-sent;
        turn-approvals: answer-lost answer-repeated question-repeated question-lost; turn-asked:
        failed-without-request; turn-history: words-lost call-lost; turn-hosted-outputs:
        result-of-another-type result-field-changed; turn-hosted-tools: hosted-tool-not-offered
        setting-changed; turn-no-half-call: call-of-another-type hosted-call-changed; turn-opaque:
        encrypted-changed encrypted-lost encrypted-repeated reasoning-changed; turn-output-shape:
        result-changed; turn-pairs:
        foreign-id result-lost result-repeated result-without-call result-before-call; turn-request:
        request-not-as-scenario; turn-roles: system-text-not-system; turn-token: token-sent;
        turn-tool-name: wrong-tool-named; turn-tools: tool-not-offered
        schema-lost description-lost; turn-model: model-not-named; notices-kept: notice-lost
    """,
    "falsehood": """
        approval-id: other-approval-id approved-under-another-id; approval-once: no-approval-id
        approval-of-no-call asked-again; begin-once: begun-again; block-framing: before-its-start
        in-another-state never-ends; call-complete: id-of-the-item other-id; call-prompt:
        before-declared; call-namespaced: lacks-prefix; cancel-stops: emitted-after-cancellation;
        cancel-upstream: connection-held; citation-routed: link-too-often links-misplaced
        citations-in-data citations-not-only-linked; claims-kept: made-up-dialect-played no-stream
        held-back wrong-alone fewer-at-once; count-actual: usage-ignored; count-answered:
        count-not-answered counted-as-nothing run-between-counts-broken call-between-counts-lost;
        count-correction: estimate-not-corrected; count-edited: others-recounted
        edited-not-recounted recounted-after-deletion; count-fallback: count-changed; count-files:
        file-not-recounted; count-kept: lost-at-restart; count-limits: other-limit; count-new-only:
        reply-recounted sent-messages-recounted new-message-miscounted; count-tool-results:
        content-not-recounted; count-tools: tools-not-counted; end-honest: answer-failed
        nobody-cancelled refused-as-unsupported finish-contradicts cut-read-as-failure; end-once:
        ended-again; error-told: told-in-error-part no-error-part told-in-answer told-again
        told-without-message; finish-last: no-finish several-finishes call-after-finish
        part-after-finish; finish-reason: other-reason finish-not-reported; hosted-executor:
        result-denies-executor marked-for-provider; hosted-result: marked-as-error failure-not-said
        other-tool-named; ignored-silently: call-of-the-item ended-otherwise part-made;
        input-agrees: other-tool provider-of-stream-only provider-of-call-only other-field
        other-deltas; metadata-once: metadata-again; part-known: not-an-object tool-result
        lacks-field empty-field other-type unknown-type not-valid; part-order: behind-text
        before-text; reasoning-end: ends-after-text ends-after-next; response-named:
        response-id-lost; result-of-call: result-of-no-call preliminary-after-final final-again
        result-of-the-host only-preliminary; step-framing: out-of-step step-never-finishes;
        stream-start-first: start-not-first; text-annotations: foreign-annotation
        other-number-of-annotations; thinking-routed: thinking-came answer-prefixed
        reasoning-not-prefixed; traits-kept: no-blank frames-came; updates-cumulative:
        not-continued; usage-last: other-usage usage-not-reported
        usage-not-asked-for
    """,
    "manners": """
        arguments-incremental: arguments-in-one; call-none-lost: lost-with-failure; call-prompt:
        not-out-yet; call-released: followed-in-its-choice; cancel-resolves: cancelled-run-failed;
        citation-routed: citation-lacks; count-correction: other-weight; count-default-limit:
        default-limit-too-high; count-ratio: divided-by-corrected; end-honest: cut-not-said
        cut-not-in-failure; end-once: waits-for-close; error-told: unknown-error-class
        several-error-parts error-lost; finish-reason: vague-reason; hosted-emitted:
        input-not-streamed; hosted-executor: placeholder-for-computer; hosted-result:
        null-made-empty; reasoning-encrypted: other-encrypted-where-stored;
        text-annotations: annotations-lost; text-incremental: not-all-out; text-markup: own-markup
        dangerous-link; turn-approvals: reason-changed; turn-hosted-outputs: repeated-field-changed;
        turn-no-half-call: half-call-with-result hosted-call-marked-otherwise; turn-opaque:
        encrypted-not-kept; turn-output-shape: result-in-quotes; turn-pairs:
        result-of-half-call
    """,
}


def _rule(listed: str) -> tuple[str, set[str]]:
    id_, names = listed.split(":")
    return id_.strip(), set(names.split())


def test_the_levels_are_those_of_the_table() -> None:
    assert {w: dict(zip(STANDINGS, row, strict=True)) for w, row in TABLE.items()} == LEVELS


def test_every_kind_about_an_adapter_has_its_weight_and_no_level_of_its_own() -> None:
    found: dict[str, dict[str, set[str]]] = {weight: {} for weight in WEIGHTS}
    for about, rules in TABLES.items():
        for each in rules:
            for kind in each.kinds:
                assert (kind.weight is None) == about.startswith("what an upstream sends"), kind
                if kind.weight:
                    found[kind.weight].setdefault(each.id, set()).add(kind.name)
    assert found == {weight: dict(map(_rule, each.split(";"))) for weight, each in WEIGHTS.items()}


class Greater(Kind, weighs="loss"):
    """A text is lost."""

    message = "lost"


class Lesser(Kind, weighs="falsehood"):
    """A number is wrong."""

    message = "wrong"


class Least(Kind, weighs="manners"):
    """A text is late."""

    message = "late"


def judged(*kinds: type[Kind], levels: Any) -> list[tuple[str, str, int]]:
    """The findings of these kinds about one text: kind, level, and how many each explains."""

    @rule(holds="texts are right", source="made up", kinds=(Greater, Lesser, Least))
    def made_up(_: object) -> Iterator[Defect]:
        yield from (Defect(kind(), topics("text")) for kind in kinds)

    found = engine.judge(None, [made_up], levels)
    return [(each.kind.name, each.level, len(each.explains)) for each in found]


@pytest.mark.parametrize(
    ("kinds", "standing", "has_failed", "found"),
    [
        # What is lost with a failure that was told is not lost in silence.
        ((Greater,), "deviation", False, [("greater", "must", 0)]),
        ((Greater,), "deviation", True, [("greater", "should", 0)]),
        ((Greater,), "legal", True, [("greater", "must", 0)]),
        # A cause is never weaker than what it explains.
        ((Lesser, Greater), "deviation", False, [("lesser", "must", 1)]),
        ((Lesser, Greater), "violation", False, [("lesser", "should", 1)]),
        ((Least, Greater), "legal", False, [("least", "should", 0), ("greater", "must", 0)]),
        ((Least, Greater), "violation", False, [("least", "should", 1)]),
        # What is no finding explains nothing.
        ((Least, Greater), "unknown", False, [("greater", "should", 0)]),
    ],
)
def test_a_cause_and_a_told_failure_decide_with_the_weight(
    kinds: Any, standing: Any, has_failed: bool, found: list[tuple[str, str, int]]
) -> None:
    assert judged(*kinds, levels=levels_in(standing, has_failed=has_failed)) == found
