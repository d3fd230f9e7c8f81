"""Rules on the calls of the upstream's own tools: who executes them, their input, and none lost."""

import json
from collections.abc import Iterator
from typing import Any, Literal

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import is_excused_by_upstream, is_finished
from conformance.rules.hosted.uses import OfUse, Use, joined, texts_in, uses, without_hosted_parts
from conformance.vocabularies.fullstream import StreamPart
from conformance.vocabularies.stream import input_of
from mockserver.foundation.call_arguments import is_blank, read_arguments, same_json
from mockserver.foundation.json_fields import text


class ResultDeniesExecutor(OfUse, weighs="falsehood"):
    """A result says that the provider does not execute its call."""

    message = "a result of {use:use} says that the provider does not execute it"
    right = "results that are marked as their call is, or not at all"


class MarkedForProvider(OfUse, weighs="falsehood"):
    """A call that the host runs is marked as executed by the provider."""

    message = "the call {use:use} is marked as executed by the provider, and nobody runs it"
    right = "a call for the host, without providerExecuted"
    headline = "the call {use:use} is marked as executed by the provider"


class NotMarked(OfUse, weighs="harm"):
    """A call that the upstream runs is not marked as executed by the provider."""

    needs_approval: bool

    message = (
        "the call {use:use} is not marked, so the host runs what the upstream "
        "[[{needs_approval:if}runs after the approval|has run]]"
    )
    right = "providerExecuted: true"
    headline = "the call {use:use} is not marked providerExecuted"


class PlaceholderForComputer(OfUse, weighs="manners"):
    """The call of a computer does not say who runs it: early adapters had a placeholder for it."""

    message = "the call {use:use} does not say rightly whether the provider runs it"
    right = "providerExecuted: true if the upstream runs it, and else no such mark"


@rule(
    holds="a call of a tool that the upstream runs is marked providerExecuted, and one that the "
    "host runs is not (should for computers); no result says otherwise than its call",
    source="semantics § hosted-tools; @ai-sdk/provider § LanguageModelV4ToolCall",
    not_applicable=without_hosted_parts,
    kinds=(ResultDeniesExecutor, MarkedForProvider, NotMarked, PlaceholderForComputer),
)
def hosted_executor(evidence: Evidence) -> Iterator[Defect]:
    for use in uses(evidence):
        for call in use.of_type("tool-call"):
            if call.provider_executed == use.sent.by_host and not call.fields.get("invalid"):
                yield Defect(
                    _wrong_executor(use),
                    about=use.claims | topics(f"part:{call.n}"),
                    event=use.sent.event,
                    part=call.n,
                    invalidates=topics("finish"),
                )
        denying = (each.n for each in use.results if each.fields.get("providerExecuted") is False)
        if not use.sent.by_host and (part := next(denying, None)) is not None:
            about = topics(f"executor:{use.named}")
            kind = ResultDeniesExecutor(use.value)
            yield Defect(kind, about, part=part, needs=use.claims)


def _wrong_executor(use: Use) -> Kind:
    if use.sent.tool == "computer":
        return PlaceholderForComputer(use.value)
    if use.sent.by_host:
        return MarkedForProvider(use.value)
    return NotMarked(use.value, bool(use.sent.asks))


class _Incomplete(OfUse, weighs="loss"):
    """Not all that was sent of a call comes out."""

    right = "the call, then the result or the request for approval that was sent"


class ToolLost(_Incomplete):
    """A call, or a request for approval, does not come out."""

    what: Literal["call", "request for approval"]

    message = "the {what} {use:use} was lost"
    same_by = ("what", "use.tool")


class AnnouncedOnly(_Incomplete):
    """A call is announced and does not come."""

    part_type: str

    message = "{part_type} announces {use:use}, and no call comes"


class NobodyAsked(_Incomplete, weighs="harm"):
    """A call that needs approval comes without a request for it."""

    approval: str

    message = "the call {use:use} needs approval as {approval!r}, and nobody is asked for it"
    headline = "nobody is asked to approve the call {use:use}"


class ResultLost(_Incomplete):
    """A call comes without the result that was sent."""

    message = "the call {use:use} has no result, and the upstream sent one"
    headline = "the call {use:use} has no result"


class InputNotStreamed(OfUse, weighs="manners"):
    """An input that was sent in deltas, or with its item, comes in one piece or with its call."""

    in_one: bool
    was_whole: bool = False

    message = (
        "the input of {use:use} was [[{was_whole:if}complete with its item|sent in deltas]], and "
        "came [[{in_one:if}in one piece|with its call only]]"
    )
    right = "the input as it arrives, between tool-input-start and tool-input-end"
    same_by = ("use.tool", "in_one", "was_whole")


class CompactionLost(Kind, weighs="loss"):
    """A compacted conversation is in no part."""

    item: str
    encrypted: str

    message = "the encrypted conversation of {item!r} is in no part"
    right = "a part with {encrypted:quoted-40} in its metadata"


@rule(
    holds="a tool of the upstream that has any part has its call, and its result or its request "
    "for approval, and a compacted conversation its content; with hosted_tools: emitted all of "
    "them come, and input that is sent in deltas streams (should)",
    source="semantics § hosted-results; @ai-sdk/provider § LanguageModelV4ToolResult; "
    "OpenResponses § Extending Items",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(ToolLost, AnnouncedOnly, NobodyAsked, ResultLost, InputNotStreamed, CompactionLost),
)
def hosted_emitted(evidence: Evidence) -> Iterator[Defect]:
    if not is_finished(evidence):
        return
    yield from _compaction_lost(evidence)
    for use in uses(evidence):
        if use.sent.finished and (lost := _lost(use, evidence.traits.hosted_tools)):
            yield Defect(
                lost,
                about=use.claims | topics(f"emitted:{use.named}"),
                event=use.sent.event,
                part=use.parts[-1].n if use.parts else None,
                needs=topics(f"approval:{use.sent.asks}"),
            )
        elif evidence.traits.hosted_tools == "emitted" and (held := _not_streamed(use)):
            yield Defect(
                held, about=topics(f"emitted:{use.named}"), event=use.sent.event, needs=use.claims
            )


def _lost(use: Use, hosted_tools: str) -> Kind | None:
    """What is missing of a finished tool; None if nothing is."""
    sent = use.sent
    shown = use.approval or use.parts or use.shown
    if not shown:
        lost = ToolLost(use.value, "request for approval" if sent.asks else "call")
        return lost if hosted_tools == "emitted" else None
    if sent.by_host and sent.failed:
        return None
    if not use.call and not use.shown:
        return AnnouncedOnly(use.value, use.parts[0].written)
    if sent.asks and not use.approval:
        return NobodyAsked(use.value, sent.asks)
    final = [each for each in use.results if not each.is_preliminary]
    gave = sent.given and (sent.given.value is not None or sent.failed)
    return ResultLost(use.value) if gave and not final else None


def _not_streamed(use: Use) -> Kind | None:
    """How an input came that was sent in deltas, if it did not stream; None if it did."""
    deltas = [part.delta for part in use.of_type("tool-input-delta")]
    if use.sent.tool == "apply_patch" and not use.sent.deltas:
        is_empty = use.of_type("tool-input-start") and not any(deltas)
        return InputNotStreamed(use.value, in_one=False, was_whole=True) if is_empty else None
    if use.sent.tool not in ("code_interpreter", "apply_patch", "custom") or not use.sent.deltas:
        return None
    if not deltas:
        return InputNotStreamed(use.value, in_one=False)
    streamed = use.sent.texts[-1] if use.sent.texts else ""
    forms = {streamed, json.dumps(streamed)[1:-1], json.dumps(streamed, ensure_ascii=False)[1:-1]}
    in_one = streamed and any(form in delta for form in forms for delta in deltas)
    return InputNotStreamed(use.value, in_one=True) if in_one and use.sent.deltas > 1 else None


def _compaction_lost(evidence: Evidence) -> Iterator[Defect]:
    """An encrypted conversation is passed on unchanged, or not at all; with the trait, it is."""
    if not (compactions := evidence.sent_items.compactions):
        return
    held = {each for part in evidence.stream_parts for each in texts_in(part.fields)}
    kinds = [part for part in evidence.stream_parts if part.type == "custom"]
    made = next((part for part in kinds if "compaction" in text(part.fields.get("kind"))), None)
    for item in compactions:
        if item.encrypted not in held and (made or evidence.traits.hosted_tools == "emitted"):
            yield Defect(
                CompactionLost(item.id, item.encrypted),
                about=topics(f"compaction:{item.id}"),
                event=item.event,
                part=made.n if made else None,
            )


class _WrongInput(OfUse, weighs="loss"):
    """A call, or its streamed input, does not have the input that was sent."""

    is_streamed: bool
    input: Any

    same_by = ("use.tool", "is_streamed")


class OtherInput(_WrongInput, weighs="harm"):
    """A call, or its streamed input, has another input than was sent."""

    due: Any

    message = (
        "[[{is_streamed:if}the streamed input of|the call]] {use:use} has the input "
        "{input:arguments}"
    )
    right = "an input with {due:arguments}"


class InputWithoutText(_WrongInput):
    """The input of a call, or its streamed input, does not have a text that was sent."""

    text: str
    due: tuple[str, ...]

    message = (
        "[[{is_streamed:if}the streamed input of|the call]] {use:use} does not have "
        "{text:quoted-40} in its input {input:arguments}"
    )
    right = "an input with {due:quotes}"


@rule(
    holds="the input of a call holds the code, the patch, the commands or the text exactly as they "
    "were sent, and arguments as JSON; a streamed input without a call likewise",
    source="semantics § tool-input-parts; @ai-sdk/provider § LanguageModelV4ToolCall",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(OtherInput, InputWithoutText),
)
def hosted_input(evidence: Evidence) -> Iterator[Defect]:
    for use in uses(evidence):
        call = use.call
        if call and not call.fields.get("invalid"):
            if call.provider_executed and use.sent.tool == "computer":
                continue
            if wrong := _wrong_input(use, input_of(call.fields).value):
                yield _wrong(use, wrong, call, use.claims)
        elif not call and (end := next(iter(use.of_type("tool-input-end")), None)):
            deltas = joined(p.delta for p in use.of_type("tool-input-delta"))
            start = use.of_type("tool-input-start")
            is_text = bool(start) and start[0].fields.get("inputEncoding") == "text"
            value = deltas if is_text else read_arguments(deltas).value
            if not is_blank(deltas) and (wrong := _wrong_input(use, value, is_streamed=True)):
                yield _wrong(use, wrong, end, topics(f"input:{end.id}"))


def _wrong(use: Use, kind: Kind, part: StreamPart, about: frozenset[str]) -> Defect:
    return Defect(kind, about, event=use.sent.event, part=part.n, needs=topics(f"part:{part.n}"))


def _wrong_input(use: Use, value: Any, *, is_streamed: bool = False) -> Kind | None:
    """What is wrong with an input; None if nothing is."""
    sent = use.sent
    if sent.arguments is not None:
        values = value, read_arguments(value).value
        is_same = any(same_json(each, sent.arguments) for each in values)
        return None if is_same else OtherInput(use.value, is_streamed, value, sent.arguments)
    texts = texts_in(value)
    lost = next((each for each in sent.texts if each not in texts), None)
    if lost is None:
        return None
    return InputWithoutText(use.value, is_streamed, value, lost, sent.texts)


class ArgumentsInOne(Kind, weighs="manners"):
    """Arguments that were sent in several deltas come in one, or in none."""

    call: str | None
    deltas: int
    in_one: bool

    message = (
        "the arguments of {call!r} were sent in {deltas} deltas, and "
        "[[{in_one:if}came in one|none came]]"
    )
    right = "deltas as they arrive, between tool-input-start and tool-input-end"
    headline = "the arguments of {call!r} came [[{in_one:if}in one delta|without deltas]]"
    same_by = ("in_one",)


@rule(
    holds="the arguments of a function that start before they are complete, and are sent in "
    "several deltas, stream in several",
    source="semantics § tool-input-parts; @ai-sdk/provider § LanguageModelV4StreamPart",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(ArgumentsInOne,),
)
def arguments_incremental(evidence: Evidence) -> Iterator[Defect]:
    """Arguments whose start is announced grow as they are written. An adapter may announce none."""
    for sent in evidence.sent_items.arguments:
        parts = [part for part in evidence.stream_parts if part.id in sent.ids]
        first = {part.type: part for part in reversed(parts)}
        call = first.get("tool-call")
        if len(sent.deltas) < 2 or call is None or "tool-input-start" not in first:
            continue
        deltas = [p.delta for p in parts if p.type == "tool-input-delta"]
        arguments = joined(sent.deltas)
        in_one = any(arguments in delta for delta in deltas)
        if in_one or not any(deltas):
            yield Defect(
                ArgumentsInOne(call.id, len(sent.deltas), in_one),
                about=topics(f"streamed:{call.id}"),
                part=call.n,
                needs=topics(f"call:{call.id}", f"framing:tool-input:{call.id}"),
            )
