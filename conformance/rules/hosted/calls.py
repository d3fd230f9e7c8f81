"""Rules on the calls of the upstream's own tools: who executes them, their input, and none lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.dialects.arguments import shortened
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.framing.judged import is_finished
from conformance.rules.hosted.uses import Use, not_judged, uses, without_hosted_parts
from conformance.rules.hosted.values import inexact, joined, texts_in
from conformance.vocabularies.stream import input_of
from mockserver.foundation.call_arguments import is_blank, read_arguments, same_json
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.findings.finding import Level
    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart


def _hosted_executor(evidence: Evidence) -> Iterator[Defect]:
    """A call says who executes it, as it is sent; its result does not deny it."""
    for use in uses(evidence):
        for call in use.of_type("tool-call"):
            if call.provider_executed == use.sent.by_host and not call.fields.get("invalid"):
                yield _wrong_executor(use, call)
        for result in () if use.sent.by_host else use.results:
            if result.fields.get("providerExecuted") is False:
                yield prose_defect(
                    f"a result of {use.named} says that the provider does not execute it",
                    right="results that are marked as their call is, or not at all",
                    about=topics(f"executor:{use.named}"),
                    part=result.n,
                    level="should",
                    needs=use.claims,
                )
                break


def _wrong_executor(use: Use, call: StreamPart) -> Defect:
    if use.sent.by_host:
        message = f"the call {use.named} is marked as executed by the provider, and nobody runs it"
        right = "a call for the host, without providerExecuted"
    else:
        done = "runs after the approval" if use.sent.asks else "has run"
        message = f"the call {use.named} is not marked, so the host runs what the upstream {done}"
        right = "providerExecuted: true"
    # The first adapters had a placeholder for computers, which no host could act on.
    level: Level = "should" if use.sent.tool == "computer" else "must"
    return prose_defect(
        message,
        right=right,
        about=use.claims | topics(f"part:{call.n}"),
        event=use.sent.event,
        part=call.n,
        level=level,
        invalidates=topics("finish"),
    )


HOSTED_EXECUTOR = Rule(
    id="hosted-executor",
    holds="a call of a tool that the upstream runs is marked providerExecuted, and one that the "
    "host runs is not (should for computers); no result says otherwise than its call (should)",
    source="semantics § hosted-tools; @ai-sdk/provider § LanguageModelV4ToolCall",
    check=_hosted_executor,
    not_applicable=without_hosted_parts,
)


def _hosted_emitted(evidence: Evidence) -> Iterator[Defect]:
    """What an adapter begins to tell about a tool is completed; with the trait, all is told."""
    if not is_finished(evidence):
        return
    yield from _compaction_lost(evidence)
    for use in uses(evidence):
        if use.sent.finished and (message := _lost(use, evidence.traits.hosted_tools)):
            yield prose_defect(
                message,
                right="the call, then the result or the request for approval that was sent",
                about=use.claims | topics(f"emitted:{use.named}"),
                event=use.sent.event,
                part=use.parts[-1].n if use.parts else None,
                needs=topics(f"approval:{use.sent.asks}"),
            )
        elif evidence.traits.hosted_tools == "emitted" and (how := _not_streamed(use)):
            yield prose_defect(
                f"the input of {use.named} was sent in deltas, and came {how}",
                right="the input as it arrives, between tool-input-start and tool-input-end",
                about=topics(f"emitted:{use.named}"),
                event=use.sent.event,
                level="should",
                needs=use.claims,
            )


def _lost(use: Use, hosted_tools: str) -> str:
    """What is missing of a finished tool, in words; empty if nothing is."""
    sent = use.sent
    shown = use.approval or use.parts or use.shown
    if not shown:
        what = "the request for approval" if sent.asks else "the call"
        return f"{what} {use.named} was lost" if hosted_tools == "emitted" else ""
    if sent.by_host and sent.failed:
        return ""
    if not use.call and not use.shown:
        return f"{use.parts[0].written} announces {use.named}, and no call comes"
    if sent.asks and not use.approval:
        return f"the call {use.named} needs approval as {sent.asks!r}, and nobody is asked for it"
    final = [each for each in use.results if each.fields.get("preliminary") is not True]
    gave = sent.given and (sent.given.value is not None or sent.failed)
    if gave and not final:
        return f"the call {use.named} has no result, and the upstream sent one"
    return ""


def _not_streamed(use: Use) -> str:
    """How an input came that was sent in deltas, if it did not stream; empty if it did."""
    if use.sent.tool not in ("code_interpreter", "apply_patch", "custom") or not use.sent.deltas:
        return ""
    deltas = [text(part.fields.get("delta")) for part in use.of_type("tool-input-delta")]
    if not deltas:
        return "with its call only"
    streamed = use.sent.texts[-1] if use.sent.texts else ""
    forms = {streamed, json.dumps(streamed)[1:-1], json.dumps(streamed, ensure_ascii=False)[1:-1]}
    in_one = streamed and any(form in delta for form in forms for delta in deltas)
    return "in one piece" if in_one and use.sent.deltas > 1 else ""


def _compaction_lost(evidence: Evidence) -> Iterator[Defect]:
    """An encrypted conversation is passed on unchanged, or not at all; with the trait, it is."""
    if not (compactions := evidence.sent_items.compactions):
        return
    held = {each for part in evidence.stream_parts for each in texts_in(part.fields)}
    kinds = [part for part in evidence.stream_parts if part.type == "custom"]
    made = next((part for part in kinds if "compaction" in text(part.fields.get("kind"))), None)
    for item in compactions:
        if item.encrypted not in held and (made or evidence.traits.hosted_tools == "emitted"):
            yield prose_defect(
                f"the encrypted conversation of {item.id!r} is in no part",
                right=f"a part with {shortened(item.encrypted)!r} in its metadata",
                about=topics(f"compaction:{item.id}"),
                event=item.event,
                part=made.n if made else None,
            )


HOSTED_EMITTED = Rule(
    id="hosted-emitted",
    holds="a tool of the upstream that has any part has its call, and its result or its request "
    "for approval, and a compacted conversation its content; with hosted_tools: emitted all of "
    "them come, and input that is sent in deltas streams (should)",
    source="semantics § hosted-results; @ai-sdk/provider § LanguageModelV4ToolResult; "
    "OpenResponses § Extending Items",
    check=_hosted_emitted,
    not_applicable=not_judged(_hosted_emitted),
)


def _hosted_input(evidence: Evidence) -> Iterator[Defect]:
    """The input of a call holds what was sent, exactly."""
    for use in uses(evidence):
        call = use.call
        if call and not call.fields.get("invalid"):
            if call.provider_executed and use.sent.tool == "computer":
                continue
            if message := _wrong_input(use, input_of(call.fields).value):
                yield _wrong(use, f"the call {use.named} {message}", call)
        elif not call and (end := next(iter(use.of_type("tool-input-end")), None)):
            deltas = joined(text(p.fields.get("delta")) for p in use.of_type("tool-input-delta"))
            start = use.of_type("tool-input-start")
            is_text = bool(start) and start[0].fields.get("inputEncoding") == "text"
            value = deltas if is_text else read_arguments(deltas).value
            if not is_blank(deltas) and (message := _wrong_input(use, value)):
                yield _wrong(use, f"the streamed input of {use.named} {message}", end, "should")


def _wrong(use: Use, message: str, part: StreamPart, level: Level = "must") -> Defect:
    return prose_defect(
        message,
        right=f"an input with {shortened(_right(use))}",
        about=use.claims if level == "must" else topics(f"input:{part.id}"),
        event=use.sent.event,
        part=part.n,
        level=level,
        needs=topics(f"part:{part.n}"),
    )


def _right(use: Use) -> str:
    if use.sent.arguments is not None:
        return str(use.sent.arguments)
    return ", ".join(map(repr, use.sent.texts))


def _wrong_input(use: Use, value: Any) -> str:
    """What is wrong with an input, as the end of a sentence; empty if nothing is."""
    sent = use.sent
    if sent.arguments is not None:
        is_same = same_json(value, sent.arguments) or same_json(
            read_arguments(value).value, sent.arguments
        )
        return "" if is_same else f"has the input {shortened(str(value))}"
    if lost := inexact(value, sent.texts):
        return f"does not have {shortened(repr(lost[0]))} in its input {shortened(str(value))}"
    return ""


HOSTED_INPUT = Rule(
    id="hosted-input",
    holds="the input of a call holds the code, the patch, the commands or the text exactly as they "
    "were sent, and arguments as JSON; a streamed input without a call likewise (should)",
    source="semantics § tool-input-parts; @ai-sdk/provider § LanguageModelV4ToolCall",
    check=_hosted_input,
    not_applicable=not_judged(_hosted_input),
)
