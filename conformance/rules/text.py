"""Rules about the answer text: nothing is lost, repeated or added, and it is emitted at once."""

import re
from collections.abc import Iterator

from conformance.contract.citations import Danger, danger_in, link
from conformance.expectation.match import common_prefix_length
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import TextPlace
from conformance.rules.alternatives import failure_instead
from conformance.rules.differences import DIFFERENCES, difference, end_before_text, find_text_twice
from conformance.rules.evidence import Evidence

_BROKEN = re.compile("[\ufffd\ud800-\udfff]")


class BrokenCharacter(Kind, weighs="loss"):
    """The text has a replacement character or a lone surrogate that was not sent."""

    character: str
    at: int

    message = "the text has {character} at character {at}, which was not sent"
    right = "characters whole, wherever the reads or the deltas were cut"
    same_by = ("character",)


@rule(
    holds="no replacement character or lone surrogate that the model did not send",
    source="lm-stream-semantics § 2.2",
    kinds=(BrokenCharacter,),
)
def text_unicode(evidence: Evidence) -> Iterator[Defect]:
    got = evidence.reading.text
    found = next(
        (m for m in _BROKEN.finditer(got) if m[0] not in evidence.expected.text.text), None
    )
    if found:
        yield Defect(
            BrokenCharacter(f"U+{ord(found[0]):04X}", found.start()),
            about=topics("text"),
            event=evidence.event_at(found.start()),
            part=evidence.reading.part_at(found.start()),
        )


class SentAfterTheEnd(Kind, weighs="loss"):
    """Text was emitted that the upstream sent after its response had ended."""

    added: str
    end: int
    due: TextPlace
    at_most: bool

    message = "text that was sent after the end (event {end}) came out: {added:start}"
    right = "[[{at_most:if}no more than ]]the text {due:around}, and nothing after the end"
    headline = "text sent after the end came out: {added:start}"


@rule(
    holds="concatenated text is the model's text: nothing lost, doubled, added",
    source="lm-stream-semantics § 2.2; stream-mapping § The Whitespace Bug",
    kinds=(SentAfterTheEnd, *DIFFERENCES),
)
def text_exact(evidence: Evidence) -> Iterator[Defect]:
    expected, got = evidence.expected.text, evidence.reading.text
    if expected.fits(got):
        return
    if twice := find_text_twice(evidence, "text"):
        yield twice
        return
    at = common_prefix_length(expected.text, got)
    calls = {name for name in evidence.lost_by_stopping_early() if name.startswith("call:")}
    cut = at == len(got)
    added = got[at:] if at == len(expected.text) else ""
    end = end_before_text(evidence, added) if added else None
    if end is not None:
        kind: Kind = SentAfterTheEnd(added, end, TextPlace(expected.text, at), expected.cut)
    else:
        instead = failure_instead(evidence)
        kind = difference("text", expected.text, got, at_most=expected.cut, or_failure=instead)
    yield Defect(
        kind,
        about=topics("text", *(calls if cut else ())),
        event=evidence.event_at(at),
        part=evidence.reading.part_at(at),
    )


class NotAllOut(Kind, weighs="manners"):
    """At a checkpoint, some of the text so far has not been emitted."""

    checkpoint: str

    message = "at the checkpoint {checkpoint!r} not all of the text so far had come out"
    right = "each piece of text as it arrives, not at the end"


@rule(
    holds="text is emitted as it arrives, not at the end",
    source="lm-stream-semantics § 8.2",
    kinds=(NotAllOut,),
)
def text_incremental(evidence: Evidence) -> Iterator[Defect]:
    """The text so far has been emitted at each checkpoint."""
    for reached in evidence.transcript.checkpoints:
        if not reached.reached:
            yield Defect(NotAllOut(reached.name), about=topics("text"), event=reached.event)
            return


# Elements that people write in messages; a '<' alone is no markup.
_MARKUP = re.compile(
    r"</?(?:a|b|br|code|details|div|em|font|h[1-6]|hr|i|img|li|p|pre|script|span|strong|style|"
    r"summary|table|td|tr|u|ul)\b[^<>]*>|!\[[^\]]*\]\(",
    re.IGNORECASE,
)


class OwnMarkup(Kind, weighs="manners"):
    """The words that the adapter adds hold markup."""

    markup: str

    message = "the adapter's own words hold markup that hosts strip: {markup!r}"
    right = "words, or Markdown without images and HTML"


class DangerousLink(Kind, weighs="manners"):
    """A link to a source runs code, or shows more than the link."""

    link: str
    danger: Danger

    message = (
        "the text has the link {link!r}, in which the {danger.place} {danger.value!r} "
        "[[has {danger.markup!r} in it|{danger.does:phrase}]]"
    )
    right = "a link with an escaped title, or no link if the URL is not one of the web"
    phrases = {"danger.does": {"end the link": "ends the link", "run code": "runs code"}}


@rule(
    holds="the adapter itself adds no external images, no raw HTML, and no link that runs code or "
    "that a title breaks out of",
    source="lm-stream-semantics § 2.6",
    kinds=(OwnMarkup, DangerousLink),
)
def text_markup(evidence: Evidence) -> Iterator[Defect]:
    """Text that the adapter adds has no image and no HTML, and no link that runs code.

    It adds the words with which it reports a failure, and links to sources. Any other added text
    breaks `text-exact`.
    """
    yield from _dangerous_links(evidence)
    expected, got = evidence.expected, evidence.reading.text
    if expected.text.tail is None or not expected.text.fits(got):
        return
    start = len(expected.text.text)
    said = got[start:]
    repeated = expected.error.message if expected.error else ""
    found = next((m for m in _MARKUP.finditer(said) if m[0] not in repeated), None)
    if found:
        yield Defect(
            OwnMarkup(found[0]),
            about=topics("markup"),
            part=evidence.reading.part_at(start + found.start()),
        )


def _dangerous_links(evidence: Evidence) -> Iterator[Defect]:
    """Links whose title or URL, both written by the author of a page, does more than link."""
    if evidence.traits.annotations != "link":
        return
    for citation in evidence.content.citations:
        at = evidence.reading.text.find(link(citation))
        if (danger := danger_in(citation)) and at >= 0:
            yield Defect(
                DangerousLink(link(citation).strip(), danger),
                about=topics("markup"),
                part=evidence.reading.part_at(at),
            )
