"""Rules on the results of the upstream's own tools: their outputs, failures and previews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.arguments import shortened
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.framing.judged import is_finished
from conformance.rules.hosted.uses import Use, not_judged, uses
from conformance.rules.hosted.values import missing_from, texts_in
from conformance.vocabularies import FULLSTREAM
from mockserver.foundation.call_arguments import is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.findings.finding import Level
    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart

Wrong = tuple[str, "Level"]

_FLAGS = ("isError", "isFailure")


def _hosted_result(evidence: Evidence) -> Iterator[Defect]:
    """The final result of a tool is what the upstream sent, under the name of its call."""
    for use in uses(evidence):
        final = [each for each in use.results if not _is_preliminary(each)]
        if not final or use.sent.by_host or not use.sent.finished:
            continue
        message, level = next(_wrong(use, final[-1]), ("", "must"))
        if message:
            yield prose_defect(
                message,
                right=_right(use),
                about=topics(f"result:{final[-1].id}"),
                event=use.sent.event,
                part=final[-1].n,
                level=level,
                needs=use.claims | topics(f"part:{final[-1].n}"),
            )


def _is_preliminary(part: StreamPart) -> bool:
    return part.fields.get("preliminary") is True


def value_of(part: StreamPart) -> Any:
    """The value of a result; the core of the AI SDK calls it output, or error."""
    return next((part.fields[n] for n in ("result", "output", "error") if n in part.fields), None)


def _right(use: Use) -> str:
    if use.sent.failed:
        return f"the failure of {use.named}: {', '.join(use.sent.error) or 'an error'}"
    sent = use.sent.given.value if use.sent.given else None
    return f"a result with what was sent: {shortened(str(sent))}"


def _wrong(use: Use, part: StreamPart) -> Iterator[Wrong]:
    """What is wrong with a result, the worst first."""
    value = value_of(part)
    if given := use.sent.given:
        due = use.sent.error if use.sent.failed and use.sent.error else given.texts
        if lost := missing_from(value, due):
            yield f"the result of {use.named} lacks {shortened(repr(lost[0]))}", "must"
        if made := _invented(use, value):
            how = _not_its_result(use, made)
            yield f"the result of {use.named} has {shortened(repr(made))}, which {how}", "must"
    flagged = any(part.fields.get(flag) is True for flag in _FLAGS)
    if flagged and not use.sent.failed:
        yield f"the result of {use.named} is marked as an error, and the tool did not fail", "must"
    if use.sent.failed and not flagged and not _says_failure(use, value):
        yield f"the result of {use.named} does not say that the tool failed", "should"
    if use.call and part.name != use.call.name:
        names = f"{part.name!r}, and its call of {use.call.name!r}"
        yield f"the result of {use.named} is of {names}", "should"
    if use.sent.tool == "code_interpreter" and _made_empty(use, value):
        yield f"the result of {use.named} has no outputs, and the upstream sent null", "should"
    details = use.sent.given.details if use.sent.given and not use.sent.failed else ()
    if lost := missing_from(value, details):
        yield f"the result of {use.named} lacks {shortened(repr(lost[0]))}", "should"


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


def _not_its_result(use: Use, text: str) -> str:
    """Why a text is not in the result that was sent."""
    is_preview = any(each in text or text in each for each in use.sent.previews)
    return "is a partial image, not its result" if is_preview else "the upstream did not send"


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


HOSTED_RESULT = Rule(
    id="hosted-result",
    holds="the result of a tool of the upstream has the outputs as sent, and nothing else; it is "
    "an error only where the tool failed; it has the name of its call, says that the tool failed, "
    "keeps outputs that are null, and has the query of a search and the timeouts of commands "
    "(should)",
    source="semantics § hosted-results; @ai-sdk/provider § LanguageModelV4ToolResult",
    check=_hosted_result,
    not_applicable=not_judged(_hosted_result),
)


def _image_previews(evidence: Evidence) -> Iterator[Defect]:
    """Previews are those that were sent, in order; with the trait, all of them.

    The core of the AI SDK drops `preliminary`, so a full stream does not say what is a preview.
    """
    if evidence.transcript.vocabulary == FULLSTREAM.name:
        return
    for use in uses(evidence):
        emitted = [each for each in use.results if _is_preliminary(each)]
        found = _wrong_preview(use, emitted)
        due = evidence.traits.hosted_tools == "emitted" and is_finished(evidence) and use.call
        if not found and due and len(emitted) < len(use.sent.previews):
            count = len(use.sent.previews)
            found = f"{len(emitted)} of {count} previews of {use.named} came", use.results[-1:]
        if found:
            message, at = found
            yield prose_defect(
                message,
                right="each preview as sent, in order, marked as preliminary",
                about=topics(f"preview:{use.named}"),
                part=at[0].n if at else None,
                needs=use.claims | topics(*(f"result:{id_}" for id_ in use.sent.ids)),
            )


def _wrong_preview(use: Use, emitted: list[StreamPart]) -> tuple[str, list[StreamPart]] | None:
    """What is wrong with the previews, and where; None if nothing is."""
    left = list(use.sent.previews)
    for part in emitted:
        value = value_of(part)
        at = next((n for n, each in enumerate(left) if not missing_from(value, [each])), -1)
        if at < 0:
            was_sent = any(not missing_from(value, [each]) for each in use.sent.previews)
            how = "comes again or too late" if was_sent else "is not one that was sent"
            return f"a preliminary result of {use.named} {how}", [part]
        left = left[at + 1 :]
    return None


IMAGE_PREVIEWS = Rule(
    id="image-previews",
    holds="preliminary results are the partial images that were sent, each once and in order; with "
    "hosted_tools: emitted none is left out",
    source="semantics § image-results; @ai-sdk/provider § LanguageModelV4ToolResult",
    check=_image_previews,
    not_applicable=not_judged(_image_previews),
)
