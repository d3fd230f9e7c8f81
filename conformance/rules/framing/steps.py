"""The rules on the parts around an answer: its start and metadata, its steps, and its finish."""

from collections.abc import Iterator, Mapping

from conformance.dialects import KIT
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.error_told import without_rejection
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import (
    ANYWHERE,
    defect_at,
    is_finished,
    is_framing_excused,
    unframed,
)
from conformance.vocabularies import FULLSTREAM, STREAM


class StartNotFirst(Kind, weighs="falsehood"):
    """A ``stream-start`` comes after another part."""

    before: str

    message = "stream-start comes after {before}"
    right = "stream-start once, as the first part"


@rule(
    holds="stream-start, where there is one, is the first part, and comes once",
    source="@ai-sdk/provider § LanguageModelV4StreamPart; ai § streamText",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(StartNotFirst,),
)
def stream_start_first(evidence: Evidence) -> Iterator[Defect]:
    """``stream-start`` is optional. The core of the AI SDK 5 drops the warnings of a later one."""
    before = ""
    for part in evidence.stream_parts:
        if part.type == "stream-start" and before:
            yield defect_at(part, StartNotFirst(before), "stream-start")
            return
        if part.type not in ANYWHERE:
            before = before or part.written


_METADATA = ("id", "timestamp", "modelId")


class MetadataAgain(Kind, weighs="falsehood"):
    """The metadata of the response comes again with fields that came before."""

    fields: tuple[str, ...]

    message = "response-metadata comes again with {fields:list}"
    right = "each field of the metadata once"
    same_by = ("fields",)


@rule(
    holds="response-metadata gives each of its fields once",
    source="@ai-sdk/provider § LanguageModelV4ResponseMetadata; ai § streamText",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(MetadataAgain,),
)
def metadata_once(evidence: Evidence) -> Iterator[Defect]:
    """Hosts merge several parts field by field, so a field may come later, and comes once."""
    known: set[str] = set()
    for part in evidence.stream_parts:
        if part.type != "response-metadata":
            continue
        given = {name for name in _METADATA if part.fields.get(name) is not None}
        if again := sorted(given & known):
            yield defect_at(part, MetadataAgain(tuple(again)), "response-metadata")
            return
        known |= given


_EDGES = frozenset({"start", "start-step", "finish-step", "finish", "abort"})
# They come between steps as well: an error has no step if no model answers, and the core gives the
# results of calls of an earlier answer before the first step.
_ASIDE = ANYWHERE | {
    "error",
    "steering-message",
    "tool-result",
    "tool-output-denied",
    "tool-approval-request",
    "tool-approval-response",
}

# The state after each part; a part that is not listed for a state is a breach.
_AFTER: Mapping[str, Mapping[str, str]] = {
    "": {"start": "between"},
    "between": {"start-step": "step", "finish": "over", "abort": "over"},
    "step": {"content": "step", "finish-step": "between", "abort": "over"},
    # What follows finish is judged by finish-last.
    "over": {"content": "over", "finish": "over"},
}


class _WrongStep(Kind, weighs="falsehood"):
    """The parts of a full stream are not in steps that start and finish."""

    right = "start; start-step, its parts and finish-step for each step; finish or abort"


class OutOfStep(_WrongStep):
    """A part comes where the steps of a full stream have no place for it."""

    type: str
    state: str

    message = "{type} comes {state:phrase}"
    phrases = {
        "state": {
            "": "before start",
            "between": "outside of a step",
            "step": "in a step that has not finished",
            "over": "after the end",
        }
    }
    same_by = ("type", "state")


class StepNeverFinishes(_WrongStep):
    """The last step of a full stream never finishes."""

    message = "the last step never finishes"


def _not_applicable(evidence: Evidence) -> str:
    has_steps = evidence.transcript.vocabulary == FULLSTREAM.name
    return "" if has_steps else "the vocabulary has no steps"


@rule(
    holds="a full stream begins with start; the parts of an answer are in a step that starts and "
    "finishes; finish and start are outside of steps; nothing but these and errors, results and "
    "approvals is outside of a step",
    source="AI SDK Core § streamText; ai § streamText",
    not_applicable=_not_applicable,
    kinds=(OutOfStep, StepNeverFinishes),
)
def step_framing(evidence: Evidence) -> Iterator[Defect]:
    """The first part that is out of order, or else a step that never finishes."""
    state, last = "", None
    for part in evidence.stream_parts:
        kind = part.type if part.type in _EDGES else "content"
        if part.type in _ASIDE and state:
            continue
        if (after := _AFTER[state].get(kind)) is None:
            yield defect_at(part, OutOfStep(part.written, state), "steps", "end")
            return
        state, last = after, part
    if state == "step" and last and is_finished(evidence):
        yield defect_at(last, StepNeverFinishes(), "steps", "end")


class _NotLast(Kind, weighs="falsehood"):
    """A run does not end with one finish part."""

    right = "finish once, as the last part"


class NoFinish(_NotLast):
    """A run completed, or told a failure in a part, without a finish part."""

    has_failed: bool

    message = "the run [[{has_failed:if}told a failure and ended|completed]] without a finish part"
    same_by = ("has_failed",)


class SeveralFinishes(_NotLast):
    """A run has more than one finish part."""

    times: int

    message = "{times} finish parts were emitted"


class CallAfterFinish(_NotLast):
    """A call comes after the finish part, when hosts have executed the calls."""

    call: str | None

    message = "the call {call!r} comes after finish, when hosts have executed the calls"


class PartAfterFinish(_NotLast):
    """A part that is not a call comes after the finish part."""

    type: str

    message = "{type} comes after finish"
    same_by = ("type",)


@rule(
    holds="a completed run has one finish part, and so has one of a provider that tells its "
    "upstream's failure in a part; nothing follows it",
    source="semantics § stream-finish; @ai-sdk/provider § LanguageModelV4StreamPart; "
    "ai § streamText",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(NoFinish, SeveralFinishes, CallAfterFinish, PartAfterFinish),
)
def finish_last(evidence: Evidence) -> Iterator[Defect]:
    """A host executes the calls when it reads ``finish``, as often as it comes."""
    parts = evidence.stream_parts
    places = [n for n, part in enumerate(parts) if part.type == "finish"]
    if not places:
        if _is_finish_due(evidence):
            yield Defect(NoFinish(has_failed=False), topics("finish"), needs=topics("end"))
        elif _is_finish_of_failure_due(evidence):
            yield Defect(NoFinish(has_failed=True), topics("finish"), needs=topics("end", "told"))
        return
    late = [part for part in parts[places[0] + 1 :] if part.type not in ANYWHERE]
    if again := next((part for part in late if part.type == "finish"), None):
        yield defect_at(again, SeveralFinishes(len(places)), "finish")
    elif call := next((part for part in late if part.type == "tool-call"), None):
        yield defect_at(call, CallAfterFinish(call.id), "finish")
    elif late:
        yield defect_at(late[0], PartAfterFinish(late[0].written), "finish")


def _is_finish_of_failure_due(evidence: Evidence) -> bool:
    """Whether a provider's parts have no finish after a failure that its upstream told.

    The core of the AI SDK finishes no step of an answer that has failed.
    """
    is_provider = evidence.transcript.vocabulary == STREAM.name
    is_stream = evidence.transcript.plain_answer is None and not evidence.transcript.cancelled
    return is_provider and is_stream and without_rejection(evidence) is not None


def _is_finish_due(evidence: Evidence) -> bool:
    """Whether a completed run has no finish at all, although its upstream gave one."""
    transcript, end = evidence.transcript, evidence.end
    if transcript.cancelled or end is None or end.outcome != "completed":
        return False
    returned = transcript.end is not None and transcript.end.finish
    optional = KIT[transcript.dialect].endings.reason_optional
    given = not optional or evidence.reasons_sent
    return bool(given and not returned)
