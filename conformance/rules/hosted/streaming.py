"""The rules on what a host needs early: arguments as they are written, and the response's id."""

from collections.abc import Iterator

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import (
    is_excused_by_upstream,
    is_finished,
    is_framing_excused,
    unframed,
)
from conformance.rules.hosted.uses import joined, texts_in, without_hosted_parts
from conformance.vocabularies import STREAM
from mockserver.foundation.json_fields import text


class ArgumentsInOne(Kind):
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
    level="should",
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
        deltas = [text(p.fields.get("delta")) for p in parts if p.type == "tool-input-delta"]
        arguments = joined(sent.deltas)
        in_one = any(arguments in delta for delta in deltas)
        if in_one or not any(deltas):
            yield Defect(
                ArgumentsInOne(call.id, len(sent.deltas), in_one),
                about=topics(f"streamed:{call.id}"),
                part=call.n,
                needs=topics(f"call:{call.id}", f"framing:tool-input:{call.id}"),
            )


class ResponseIdLost(Kind):
    """The response's id does not reach the host, or another one does."""

    id: str
    given: str

    message = (
        "the response has the id {id!r}, and "
        "[[response-metadata has the id {given!r}|no part says so]]"
    )
    right = "response-metadata with the id of the response"
    headline = "response-metadata does not have the id of the response"


@rule(
    holds="response-metadata has the id of the response",
    source="semantics § stream-model; @ai-sdk/provider § LanguageModelV4ResponseMetadata",
    level="should",
    not_applicable=unframed,
    is_excused=is_framing_excused,
    kinds=(ResponseIdLost,),
)
def response_named(evidence: Evidence) -> Iterator[Defect]:
    """The upstream's id of the response reaches the host; a full stream has it with its steps.

    The id is optional, so its absence counts only for an adapter that emits all of the tools.
    """
    sent = evidence.sent_items.response_ids
    if evidence.transcript.vocabulary != STREAM.name or not sent or not is_finished(evidence):
        return
    named = [part for part in evidence.stream_parts if part.type == "response-metadata"]
    given = [id_ for part in named for id_ in texts_in(part.fields.get("id"))]
    owed = given or evidence.traits.hosted_tools == "emitted"
    if owed and not sent & set(given):
        yield Defect(
            ResponseIdLost(min(sent), given[0] if given else ""),
            about=topics("response-metadata"),
            part=named[0].n if named else None,
        )
