"""Rules on what becomes of calls of the upstream's own tools: results, previews and approvals."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import ToolResultValue
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import is_excused_by_upstream, is_finished
from conformance.rules.hosted.uses import (
    OfUse,
    Use,
    missing_from,
    texts_in,
    uses,
    without_hosted_parts,
)
from conformance.vocabularies import FULLSTREAM
from conformance.vocabularies.fullstream import StreamPart
from conformance.vocabularies.stream import input_of
from mockserver.foundation.call_arguments import is_blank


class _WrongResult(Kind):
    """Something is wrong with the result of a tool of the upstream."""

    due: ToolResultValue

    right = "{due:tool-result}"
    same_by: ClassVar[tuple[str, ...]] = ("due.use.tool",)


class TextLost(_WrongResult, weighs="loss"):
    """A result lacks what was sent: an output, how a command ended, what was searched for."""

    text: str

    message = "the result of {due.use:use} lacks {text:quoted-40}"


class TextInvented(_WrongResult, weighs="loss"):
    """A result has a text that was not sent with it, such as that of a preview."""

    text: str
    is_preview: bool

    message = (
        "the result of {due.use:use} has {text:quoted-40}, which "
        "[[{is_preview:if}is a partial image, not its result|the upstream did not send]]"
    )
    same_by = ("due.use.tool", "is_preview")


class MarkedAsError(_WrongResult, weighs="falsehood"):
    """A result is marked as an error although its tool did not fail."""

    message = "the result of {due.use:use} is marked as an error, and the tool did not fail"
    headline = "the result of {due.use:use} is marked as an error"


class FailureNotSaid(_WrongResult, weighs="falsehood"):
    """A result does not say that its tool failed."""

    message = "the result of {due.use:use} does not say that the tool failed"


class OtherToolNamed(_WrongResult, weighs="falsehood"):
    """A result has the name of another tool than its call."""

    tool: str
    called: str

    message = "the result of {due.use:use} is of {tool!r}, and its call of {called!r}"


class NullMadeEmpty(_WrongResult, weighs="manners"):
    """Outputs that are null come as an empty list."""

    message = "the result of {due.use:use} has no outputs, and the upstream sent null"


_FLAGS = ("isError", "isFailure")


@rule(
    holds="the result of a tool of the upstream has the outputs as sent, and nothing else: exit "
    "codes and timeouts of commands and the query of a search too; it is an error only where the "
    "tool failed; it has the name of its call and says that the tool failed; it keeps outputs "
    "that are null (should)",
    source="semantics § hosted-results; @ai-sdk/provider § LanguageModelV4ToolResult",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(TextLost, TextInvented, MarkedAsError, FailureNotSaid, OtherToolNamed, NullMadeEmpty),
)
def hosted_result(evidence: Evidence) -> Iterator[Defect]:
    for use in uses(evidence):
        final = [each for each in use.results if not each.is_preliminary]
        if not final or use.sent.by_host or not use.sent.finished:
            continue
        for kind in islice(_wrong(use, final[-1]), 1):
            yield Defect(
                kind,
                about=topics(f"result:{final[-1].id}"),
                event=use.sent.event,
                part=final[-1].n,
                needs=use.claims | topics(f"part:{final[-1].n}"),
            )


def value_of(part: StreamPart) -> Any:
    """The value of a result; the core of the AI SDK calls it output, or error."""
    return next((part.fields[n] for n in ("result", "output", "error") if n in part.fields), None)


def _due(use: Use) -> ToolResultValue:
    sent, given = use.sent, use.sent.given
    return ToolResultValue(use.value, sent.failed, sent.error, given.value if given else None)


def _wrong(use: Use, part: StreamPart) -> Iterator[Kind]:
    """What is wrong with a result, the worst first."""
    value, due = value_of(part), _due(use)
    if given := use.sent.given:
        outputs = use.sent.error if use.sent.failed and use.sent.error else given.texts
        # What was searched for is the input of a search, so that its call may have it.
        searched = use.call if use.sent.tool == "web_search" else None
        held = [value, input_of(searched.fields).value] if searched else value
        if lost := missing_from(held, outputs):
            yield TextLost(due, lost[0])
        if made := _invented(use, value):
            is_preview = any(each in made or made in each for each in use.sent.previews)
            yield TextInvented(due, made, is_preview)
    flagged = any(part.fields.get(flag) is True for flag in _FLAGS)
    if flagged and not use.sent.failed:
        yield MarkedAsError(due)
    if use.sent.failed and not flagged and not _says_failure(use, value):
        yield FailureNotSaid(due)
    if use.call and part.name != use.call.name:
        yield OtherToolNamed(due, part.name, use.call.name)
    if use.sent.tool == "code_interpreter" and _made_empty(use, value):
        yield NullMadeEmpty(due)


def _invented(use: Use, value: Any) -> str:
    """A text of a result that was not sent with the tool; empty if there is none.

    Words that a library has for types and states are not outputs.
    """
    given = use.sent.given
    if given is None:
        return ""
    sent = [*given.named, *use.sent.error, *use.sent.ids, use.sent.name]
    for each in texts_in(value):
        is_sent = any(each in known or _is_most_of(known, each) for known in sent)
        if not (is_blank(each) or _is_word(each) or is_sent):
            return each
    return ""


def _is_most_of(sent: str, value: str) -> bool:
    """Whether a text is one that was sent, with a little around it, as `data:` before an image."""
    return len(sent) > len(value) / 2 and sent in value


def _is_word(value: str) -> bool:
    return len(value) <= _LONGEST_WORD and value.replace("_", "").replace("-", "").isalpha()


_LONGEST_WORD = 32


def _says_failure(use: Use, value: Any) -> bool:
    """Whether a result holds the error, or the status of the item."""
    texts = texts_in(value)
    said = any(word in each for each in texts for word in ("fail", "incomplete", "error"))
    return said or (bool(use.sent.error) and not missing_from(value, use.sent.error))


def _made_empty(use: Use, value: Any) -> bool:
    """Whether outputs that were not requested became an empty list, which says there are none."""
    given = use.sent.given
    outputs = value.get("outputs") if isinstance(value, dict) else None
    return given is not None and given.value is None and isinstance(outputs, list) and not outputs


class _WrongPreview(OfUse, weighs="loss"):
    """Something is wrong with the previews of a tool."""

    right = "each preview as sent, in order, marked as preliminary"


class PreviewsLost(_WrongPreview):
    """Not all previews that were sent come out."""

    came: int
    sent: int

    message = "{came} of {sent} previews of {use:use} came"


class PreviewRepeated(_WrongPreview):
    """A preview comes again, or after a later one."""

    message = "a preliminary result of {use:use} comes again or too late"
    headline = "a preview of {use:use} comes again or too late"


class PreviewInvented(_WrongPreview):
    """A preview comes that was not sent."""

    message = "a preliminary result of {use:use} is not one that was sent"
    headline = "a preview of {use:use} was not sent"


@rule(
    holds="preliminary results are the partial images that were sent, each once and in order; with "
    "hosted_tools: emitted none is left out",
    source="semantics § image-results; @ai-sdk/provider § LanguageModelV4ToolResult",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(PreviewsLost, PreviewRepeated, PreviewInvented),
)
def image_previews(evidence: Evidence) -> Iterator[Defect]:
    """Previews are those that were sent, in order; with the trait, all of them.

    The core of the AI SDK drops `preliminary`, so a full stream does not say what is a preview.
    """
    if evidence.transcript.vocabulary == FULLSTREAM.name:
        return
    for use in uses(evidence):
        emitted = [each for each in use.results if each.is_preliminary]
        found = _wrong_preview(use, emitted)
        due = evidence.traits.hosted_tools == "emitted" and is_finished(evidence) and use.call
        if not found and due and len(emitted) < len(use.sent.previews):
            lost = PreviewsLost(use.value, len(emitted), len(use.sent.previews))
            found = lost, use.results[-1:]
        if found:
            kind, at = found
            yield Defect(
                kind,
                about=topics(f"preview:{use.named}"),
                part=at[0].n if at else None,
                needs=use.claims | topics(*(f"result:{id_}" for id_ in use.sent.ids)),
            )


def _wrong_preview(use: Use, emitted: list[StreamPart]) -> tuple[Kind, list[StreamPart]] | None:
    """What is wrong with the previews, and where; None if nothing is."""
    left = list(use.sent.previews)
    for part in emitted:
        value = value_of(part)
        at = next((n for n, each in enumerate(left) if not missing_from(value, [each])), -1)
        if at < 0:
            was_sent = any(not missing_from(value, [each]) for each in use.sent.previews)
            return (PreviewRepeated if was_sent else PreviewInvented)(use.value), [part]
        left = left[at + 1 :]
    return None


class OtherApprovalId(Kind, weighs="falsehood"):
    """A request for approval has another id than the upstream's request."""

    call: str | None
    approval: str
    due: tuple[str, ...]

    message = (
        "the approval of {call!r} is asked for as {approval!r}; the upstream asks as {due:quotes}"
    )
    right = "the id of the upstream's request, under which it takes the answer"
    headline = "approval is asked for as {approval!r}, not {due:quotes}"


class ApprovedUnderAnotherId(Kind, weighs="falsehood"):
    """The call that was approved, or its result, has another id than the call that was shown."""

    part_type: str
    id: str | None
    shown: str

    message = (
        "{part_type} of the approved call has the id {id!r}; approval was asked for {shown!r}, "
        "which stays without a result"
    )
    right = "the call and its result under {shown!r}"
    headline = "the approved call has the id {id!r}, not {shown!r}"
    same_by = ("part_type",)


@rule(
    holds="a request for approval has the id of the upstream's request; the call that was "
    "approved, and its result, have the id of the call for which approval was asked",
    source="semantics § mcp-approvals; @ai-sdk/provider § LanguageModelV4ToolApprovalRequest",
    not_applicable=without_hosted_parts,
    kinds=(OtherApprovalId, ApprovedUnderAnotherId),
)
def approval_id(evidence: Evidence) -> Iterator[Defect]:
    found = uses(evidence)
    asks = {use.sent.asks for use in found} - {""}
    for part in evidence.stream_parts:
        approval = part.approval_id
        if part.type == "tool-approval-request" and approval and approval not in asks and asks:
            about = [use for use in found if {use.sent.asks, use.sent.approval} & asks]
            yield Defect(
                OtherApprovalId(part.id, approval, tuple(sorted(asks))),
                about=topics(f"approval:{part.id}", *(f"call:{id_}" for id_ in asks))
                | topics(*(f"emitted:{use.named}" for use in about)),
                part=part.n,
            )
    for use in found:
        made = use.of_type("tool-call", "tool-result") if use.shown else []
        if other := next((part for part in made if part.id not in use.shown), None):
            (shown,) = use.shown
            yield Defect(
                ApprovedUnderAnotherId(other.written, other.id, shown),
                about=use.claims | topics(f"result:{other.id}"),
                event=use.sent.event,
                part=other.n,
            )
