"""Rules on what becomes of a call that the provider executes: its results and its approval."""

from collections.abc import Iterator, Set

from conformance.findings.finding import Defect, Kind, rule
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import defect_at, is_finished, is_framing_excused, unframed
from conformance.vocabularies import FULLSTREAM
from conformance.vocabularies.fullstream import StreamPart, parts_of_type


class _WrongResult(Kind, weighs="falsehood"):
    """A result is not one of a call that the provider executes, or is not the last one."""

    call: str | None

    right = "results of calls that the provider executes, the final one once and last"


class ResultOfNoCall(_WrongResult):
    """A result is of a call that was not made before it."""

    type: str

    message = "{type} is of {call!r}, and no such call was made before it"
    same_by = ("type",)


class PreliminaryAfterFinal(_WrongResult):
    """A preliminary result of a call comes after its final one."""

    final: int

    message = (
        "a preliminary result of {call!r} comes after its final result, part {final}, which is not "
        "marked preliminary"
    )


class FinalAgain(_WrongResult):
    """A second final result of a call comes."""

    final: int

    message = (
        "another final result of {call!r} comes after its final result, part {final}, which is not "
        "marked preliminary"
    )


class ResultOfTheHost(_WrongResult):
    """A result is of a call that the host executes."""

    message = "a result is of {call!r}, which the host executes"


class OnlyPreliminary(_WrongResult):
    """The last result of a call is preliminary."""

    message = "the last result of {call!r} is preliminary"


def _calls_before(evidence: Evidence) -> dict[str | None, StreamPart]:
    """The calls of the earlier turns of the conversation: a provider may give a result later."""
    return {part.id: part for part in parts_of_type(evidence.transcript.before, "tool-call")}


@rule(
    holds="a tool result is of a call that was made before it and that the provider executes; "
    "preliminary results come before the final one, which comes once",
    source="semantics § hosted-results; @ai-sdk/provider § LanguageModelV4ToolResult; "
    "ai § streamText, § readUIMessageStream",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(ResultOfNoCall, PreliminaryAfterFinal, FinalAgain, ResultOfTheHost, OnlyPreliminary),
)
def result_of_call(evidence: Evidence) -> Iterator[Defect]:
    made = _calls_before(evidence)
    # In a full stream, the core of the AI SDK gives the results of the tools that it runs itself.
    by_host = evidence.transcript.vocabulary == FULLSTREAM.name
    last: dict[str | None, StreamPart] = {}
    for part in evidence.stream_parts:
        if part.type == "tool-call":
            made[part.id] = part
        elif part.type == "tool-result":
            call, before = made.get(part.id), last.get(part.id)
            if kind := _wrong_result(part, call, before, by_host=by_host):
                yield defect_at(part, kind, f"result:{part.id}", f"call:{part.id}")
            last[part.id] = part
    for part in last.values() if is_finished(evidence) else ():
        if part.is_preliminary:
            yield defect_at(part, OnlyPreliminary(part.id), f"result:{part.id}", f"call:{part.id}")


def _wrong_result(
    part: StreamPart, call: StreamPart | None, before: StreamPart | None, *, by_host: bool
) -> Kind | None:
    """What is wrong with a result of ``call`` after an earlier one; None if nothing is.

    With ``by_host`` the host's own tools have results as well.
    """
    if call is None:
        return ResultOfNoCall(part.id, part.written)
    if before and not before.is_preliminary:
        return (PreliminaryAfterFinal if part.is_preliminary else FinalAgain)(part.id, before.n)
    # The core of the AI SDK reports a call that it refuses as an error of the tool.
    by_provider = call.provider_executed or part.provider_executed
    if not (by_provider or by_host) and part.fields.get("isError") is not True:
        return ResultOfTheHost(part.id)
    return None


class _WrongApproval(Kind, weighs="falsehood"):
    """An approval is not asked for as it should be."""

    call: str | None

    right = "one request for each call, with an approvalId, after the call"


class NoApprovalId(_WrongApproval):
    """An approval is asked for without an id."""

    message = "the approval of {call!r} is asked for without an approvalId"


class ApprovalOfNoCall(_WrongApproval):
    """An approval is asked for a call that was not made before."""

    message = "an approval of {call!r} is asked for, and no such call was made"


class AskedAgain(_WrongApproval):
    """An approval is asked for again."""

    approval: str

    message = "the approval of {call!r} is asked for again, as {approval!r}"


@rule(
    holds="an approval is asked for once, with an approvalId that is not empty, after its call",
    source="semantics § mcp-approvals; @ai-sdk/provider § LanguageModelV4ToolApprovalRequest; "
    "ai § streamText",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(NoApprovalId, ApprovalOfNoCall, AskedAgain),
)
def approval_once(evidence: Evidence) -> Iterator[Defect]:
    made = set(_calls_before(evidence))
    asked: set[str | None] = set()
    for part in evidence.stream_parts:
        if part.type == "tool-call":
            made.add(part.id)
        elif part.type == "tool-approval-request":
            if kind := _wrong_approval(part, made, asked):
                yield defect_at(part, kind, f"approval:{part.id}", f"call:{part.id}")
            asked |= {part.approval_id, part.id}


def _wrong_approval(part: StreamPart, made: Set[str | None], asked: Set[str | None]) -> Kind | None:
    if not part.approval_id:
        return NoApprovalId(part.id)
    if part.id not in made:
        return ApprovalOfNoCall(part.id)
    return AskedAgain(part.id, part.approval_id) if {part.approval_id, part.id} & asked else None
