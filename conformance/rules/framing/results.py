"""Rules on what becomes of a call that the provider executes: its results and its approval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.framing.judged import framing_is_not_judged, is_finished
from conformance.vocabularies import FULLSTREAM
from conformance.vocabularies.stream_parts import stream_parts
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart


def _calls_before(evidence: Evidence) -> dict[str | None, StreamPart]:
    """The calls of the earlier turns of the conversation: a provider may give a result later."""
    before = evidence.transcript.before
    earlier = (part for turn in before for part in stream_parts(turn.parts, turn.vocabulary))
    return {part.id: part for part in earlier if part.type == "tool-call"}


def _result_of_call(evidence: Evidence) -> Iterator[Defect]:
    """A result is of a call that the provider executes; the last one is its only final one."""
    made = _calls_before(evidence)
    # In a full stream, the core of the AI SDK gives the results of the tools that it runs itself.
    by_host = evidence.transcript.vocabulary == FULLSTREAM.name
    last: dict[str | None, StreamPart] = {}
    for part in evidence.stream_parts:
        if part.type == "tool-call":
            made[part.id] = part
        elif part.type == "tool-result":
            call, before = made.get(part.id), last.get(part.id)
            message = _wrong_result(part, call, before, by_host=by_host)
            if message:
                yield _defect(message, part)
            last[part.id] = part
    for part in last.values() if is_finished(evidence) else ():
        if _is_preliminary(part):
            yield _defect(f"the last result of {part.id!r} is preliminary", part)


def _wrong_result(
    part: StreamPart, call: StreamPart | None, before: StreamPart | None, *, by_host: bool
) -> str:
    """What is wrong with a result of ``call`` after an earlier one; empty if nothing is.

    With ``by_host`` the host's own tools have results as well.
    """
    if call is None:
        return f"{part.written} is of {part.id!r}, and no such call was made before it"
    if before and not _is_preliminary(before):
        kind = "a preliminary" if _is_preliminary(part) else "another final"
        return (
            f"{kind} result of {part.id!r} comes after its final result, part {before.n}, which is "
            "not marked preliminary"
        )
    # The core of the AI SDK reports a call that it refuses as an error of the tool.
    by_provider = call.provider_executed or part.provider_executed
    if not (by_provider or by_host) and part.fields.get("isError") is not True:
        return f"a result is of {part.id!r}, which the host executes"
    return ""


def _is_preliminary(part: StreamPart) -> bool:
    return part.fields.get("preliminary") is True


def _defect(message: str, part: StreamPart) -> Defect:
    return prose_defect(
        message,
        right="results of calls that the provider executes, the final one once and last",
        about=topics(f"result:{part.id}"),
        part=part.n,
        needs=topics(f"part:{part.n}", f"call:{part.id}"),
    )


RESULT_OF_CALL = Rule(
    id="result-of-call",
    holds="a tool result is of a call that was made before it and that the provider executes; "
    "preliminary results come before the final one, which comes once",
    source="semantics § hosted-results; @ai-sdk/provider § LanguageModelV4ToolResult; "
    "ai § streamText, § readUIMessageStream",
    check=_result_of_call,
    not_applicable=framing_is_not_judged(_result_of_call),
)


def _approval_once(evidence: Evidence) -> Iterator[Defect]:
    """An approval is asked for once, under an id, for a call that was made before."""
    made = set(_calls_before(evidence))
    asked: set[str | None] = set()
    for part in evidence.stream_parts:
        if part.type == "tool-call":
            made.add(part.id)
        elif part.type == "tool-approval-request":
            approval = text(part.fields.get("approvalId"))
            message = ""
            if not approval:
                message = f"the approval of {part.id!r} is asked for without an approvalId"
            elif part.id not in made:
                message = f"an approval of {part.id!r} is asked for, and no such call was made"
            elif approval in asked or part.id in asked:
                message = f"the approval of {part.id!r} is asked for again, as {approval!r}"
            if message:
                yield prose_defect(
                    message,
                    right="one request for each call, with an approvalId, after the call",
                    about=topics(f"approval:{part.id}"),
                    part=part.n,
                    needs=topics(f"part:{part.n}", f"call:{part.id}"),
                )
            asked |= {approval, part.id}


APPROVAL_ONCE = Rule(
    id="approval-once",
    holds="an approval is asked for once, with an approvalId that is not empty, after its call",
    source="semantics § mcp-approvals; @ai-sdk/provider § LanguageModelV4ToolApprovalRequest; "
    "ai § streamText",
    check=_approval_once,
    not_applicable=framing_is_not_judged(_approval_once),
)
