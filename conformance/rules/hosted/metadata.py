"""Rules on metadata: of the ends of texts and of reasoning, and of the response."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from conformance.dialects.sent_items import SentMessage, SentReasoning
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import (
    defect_at,
    is_excused_by_upstream,
    is_finished,
    unframed,
)
from conformance.rules.hosted.uses import joined, texts_in, values_in, without_hosted_parts
from conformance.vocabularies import STREAM
from conformance.vocabularies.fullstream import StreamPart
from mockserver.foundation.call_arguments import same_json
from mockserver.foundation.json_fields import mapping, text


class _WrongAnnotations(Kind, weighs="falsehood"):
    """The end of a text does not have the annotations of its message."""

    id: str | None
    due: tuple[str, ...]

    right = "the annotations of the message: [[{due:annotations}|none]]"


class AnnotationsLost(_WrongAnnotations, weighs="manners"):
    """The end of a text has metadata without the annotations of its message."""

    message = "text-end of {id!r} has no annotations"


class ForeignAnnotation(_WrongAnnotations):
    """The end of a text has an annotation that is not its message's."""

    annotation: tuple[str, ...]

    message = "text-end of {id!r} has {annotation:annotations}, which is not its message's"


class OtherNumberOfAnnotations(_WrongAnnotations):
    """The end of a text has fewer or more annotations than its message."""

    number: int
    sent: int

    message = "text-end of {id!r} has {number} annotations of {sent}"


def metadata_of(part: StreamPart) -> Any:
    """The metadata of a part: ``providerMetadata`` in the AI SDK, ``metadata`` in Effect."""
    return part.fields.get("providerMetadata", part.fields.get("metadata"))


@rule(
    holds="annotations in the metadata of a text's end are all of those of its message, and none "
    "of another one; an end with metadata has them (should)",
    source="semantics § annotations-of-text; semantics § citations",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(AnnotationsLost, ForeignAnnotation, OtherNumberOfAnnotations),
)
def text_annotations(evidence: Evidence) -> Iterator[Defect]:
    messages = {each.id: each for each in evidence.sent_items.messages}
    for part in evidence.stream_parts:
        message = messages.get(_item_of(part, messages))
        if part.type != "text-end" or message is None or not message.finished:
            continue
        if found := _wrong_annotations(part, message):
            yield defect_at(part, found, f"annotations:{part.id}", "citations")


def _item_of(part: StreamPart, known: Mapping[str, Any]) -> str:
    """The id of the item that a part is of: its own id, or one of its metadata."""
    ids = [part.id or "", *texts_in(metadata_of(part))]
    return next((id_ for id_ in ids if id_ in known), "")


def _wrong_annotations(part: StreamPart, message: SentMessage) -> Kind | None:
    """What is wrong with the annotations of a text's end; None if nothing is."""
    about, due = metadata_of(part), tuple(map(_target, message.annotations))
    given = (each.get("annotations") for each in values_in(about) if isinstance(each, dict))
    held = next((each for each in given if isinstance(each, list)), None)
    if held is None:
        # An adapter without metadata of its own has sources alone.
        is_lost = about and message.annotations
        return AnnotationsLost(part.id, due) if is_lost else None
    sent = [*message.annotations, *message.later]
    others = [each for each in held if not any(_same(each, one) for one in sent)]
    if others:
        return ForeignAnnotation(part.id, due, (_target(others[0]),))
    if not len(message.annotations) <= len(held) <= len(sent):
        return OtherNumberOfAnnotations(part.id, due, len(held), len(sent))
    return None


def _target(annotation: Any) -> str:
    """The address or the id of the file that an annotation is of."""
    known = mapping(annotation)
    return next((text(known.get(n)) for n in ("url", "file_id", "fileId") if known.get(n)), "")


def _same(held: Any, sent: Mapping[str, Any]) -> bool:
    """Whether an annotation is the one that was sent; libraries may leave fields out."""
    known = mapping(held)
    values = [sent.get(name) for name in known if name in sent]
    kept = [known[name] for name in known if name in sent]
    return bool(kept) and same_json(kept, values)


class OtherEncrypted(Kind, weighs="loss"):
    """The last end of a reasoning item has other encrypted content than the item, or none."""

    id: str | None
    given: str
    due: str

    message = (
        "the reasoning {id!r} ends with "
        "[[the encrypted content {given!r}|no encrypted content]]; its item was finished with "
        "{due!r}"
    )
    right = "the encrypted content of the finished item on the last end"
    headline = "the reasoning {id!r} ends with [[{given:if}other|no]] encrypted content"


class OtherEncryptedWhereStored(OtherEncrypted, weighs="manners"):
    """The same, of a response that the upstream may have stored, so that ids refer to it."""


@rule(
    holds="an adapter that passes on encrypted content has that of the finished item on the last "
    "end of its reasoning, unless the request says store: true (should if it does not say it)",
    source="semantics § reasoning-summaries; OpenResponses § Reasoning items",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(OtherEncrypted, OtherEncryptedWhereStored),
)
def reasoning_encrypted(evidence: Evidence) -> Iterator[Defect]:
    """The last end of a reasoning item has the encrypted content that the item was finished with.

    Only of adapters that pass on such contents: for others, the next request says what is lost. A
    response that is stored is referred to by its ids.
    """
    if (store := _store(evidence)) is True or not is_finished(evidence):
        return
    for item in evidence.sent_items.reasoning:
        parts = _parts_of(evidence, item)
        ends = [part for part in parts if part.type == "reasoning-end"]
        if not (ends and item.encrypted and any(map(_has_place_for_content, parts))):
            continue
        given = _contents(ends[-1], item)
        if item.encrypted not in given:
            # An upstream stores what it is not told to forget, but hosts cannot know it.
            kind = OtherEncrypted if store is False else OtherEncryptedWhereStored
            yield Defect(
                kind(ends[-1].id, given[-1] if given else "", item.encrypted),
                about=topics(f"encrypted:{ends[-1].id}"),
                event=item.finished,
                part=ends[-1].n,
                needs=topics("thinking"),
            )


def _parts_of(evidence: Evidence, item: SentReasoning) -> list[StreamPart]:
    known = dict.fromkeys(item.ids)
    parts = (part for part in evidence.stream_parts if part.type.startswith("reasoning-"))
    return [part for part in parts if _item_of(part, known) or _base(part) in known]


def _base(part: StreamPart) -> str:
    """The id of a block without the number of the summary's part, which libraries add."""
    return (part.id or "").rpartition(":")[0]


def _has_place_for_content(part: StreamPart) -> bool:
    """Whether the metadata has a member for encrypted content, whatever its library calls it."""
    objects = (each for each in values_in(metadata_of(part)) if isinstance(each, dict))
    return any("encrypted" in name.lower() for each in objects for name in each)


def _contents(part: StreamPart, item: SentReasoning) -> list[str]:
    known = {item.announced, item.encrypted} - {""}
    return [each for each in texts_in(metadata_of(part)) if each in known]


class EndsAfterText(Kind, weighs="falsehood"):
    """A part of a summary ends after text that was sent after its end."""

    id: str | None
    characters: int
    due: int

    message = (
        "the reasoning {id!r} ends after {characters} characters of text, and it was over after "
        "{due}"
    )
    right = "reasoning-end before the text that follows"
    headline = "the reasoning {id!r} ends after text that was sent later"


class EndsAfterNext(Kind, weighs="falsehood"):
    """A part of a summary ends after the next one has started."""

    id: str | None
    next: str | None

    message = "the reasoning {id!r} ends after {next!r} has started"
    right = "the end of a part of the summary before the start of the next one"


@rule(
    holds="a part of a reasoning summary ends at its own end if the request says store: true, else "
    "with its item at the latest, and so before the next part starts and text that is sent later",
    source="semantics § reasoning-summaries",
    not_applicable=without_hosted_parts,
    is_excused=is_excused_by_upstream,
    kinds=(EndsAfterText, EndsAfterNext),
)
def reasoning_end(evidence: Evidence) -> Iterator[Defect]:
    """A part of a summary ends before the text that the upstream sent after its end.

    With `store` that is its own end, else the end of its item, which has the encrypted content.
    """
    for item in evidence.sent_items.reasoning:
        yield from _overlap(evidence, item)
        for section, event in _due(evidence, item):
            end = _end_of(evidence, item, section)
            if end is None:
                continue
            shown = _text_before(evidence, end)
            if shown > evidence.turn.text_sent[event]:
                yield Defect(
                    EndsAfterText(end.id, shown, evidence.turn.text_sent[event]),
                    about=topics(f"reasoning-end:{end.id}"),
                    event=event,
                    part=end.n,
                    needs=topics("text", "thinking", f"framing:reasoning:{end.id}"),
                )


def _overlap(evidence: Evidence, item: SentReasoning) -> Iterator[Defect]:
    """A part of a summary ends before the next one starts, as each is a block of its own."""
    parts = _parts_of(evidence, item)
    starts = [part for part in parts if part.type == "reasoning-start"]
    ends = {part.id: part for part in parts if part.type == "reasoning-end"}
    for one, after in pairwise(starts):
        if one.id != after.id and (end := ends.get(one.id)) and end.n > after.n:
            yield Defect(
                EndsAfterNext(one.id, after.id),
                about=topics(f"reasoning-end:{one.id}"),
                part=end.n,
                needs=topics("thinking", f"framing:reasoning:{one.id}"),
            )


def _due(evidence: Evidence, item: SentReasoning) -> Iterator[tuple[int, int]]:
    """Each part of a summary with the event at which it is over."""
    for section, event in item.ended.items():
        due = event if _store(evidence) is True else item.finished
        if due is not None and due < len(evidence.turn.text_sent):
            yield section, due


def _store(evidence: Evidence) -> bool | None:
    """Whether the request asks for its response to be stored; None if it does not say."""
    answered = evidence.transcript.answered
    store = mapping(answered[-1].body if answered else None).get("store")
    return store if isinstance(store, bool) else None


def _end_of(evidence: Evidence, item: SentReasoning, section: int) -> StreamPart | None:
    """The end of the block of one part of a summary, if each part has a block of its own."""
    ends = [p for p in _parts_of(evidence, item) if p.type == "reasoning-end"]
    return ends[section] if len(ends) == len(item.ended) else None


def _text_before(evidence: Evidence, end: StreamPart) -> int:
    before = (p for p in evidence.stream_parts if p.n < end.n and p.type == "text-delta")
    return len(joined(part.delta for part in before))


class ResponseIdLost(Kind, weighs="falsehood"):
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
    not_applicable=unframed,
    is_excused=is_excused_by_upstream,
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
