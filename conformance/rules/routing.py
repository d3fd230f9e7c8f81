"""Rules about refusals, reasoning and citations: each is emitted where the adapter declares."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

from conformance.contract.citations import IDENTITY
from conformance.contract.link_forms import link_forms
from conformance.contract.traits import THINKING_PREFIX, or_declared, stated
from conformance.dialects.short_text import as_json
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.differences import clipped, difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.traits import ReasoningRoute, RefusalRoute
    from conformance.rules.evidence import Evidence
    from mockserver.scenario.script import Citation


def _due(what: str, where: str) -> str:
    """Where something should go, in words."""
    return f"no {what}" if where == _NOWHERE else f"the {what} {where}"


_NOWHERE = "nowhere"
# "nowhere" is tried before a failure: a run that had to fail anyway says nothing of the refusal.
_REFUSAL_WENT: dict[RefusalRoute, str] = {
    "text": "into the answer text",
    "hidden": _NOWHERE,
    "error": "into a failure",
}


def _refusal_routed(evidence: Evidence) -> Iterator[Defect]:
    """A refusal is emitted where the adapter declares."""
    refused = [segment for segment in evidence.content.segments if segment.kind == "refusal"]
    if not refused or evidence.fits(evidence.expected):
        return
    declared = evidence.traits.refusal
    if went := _refusal_went(evidence):
        yield prose_defect(
            f"the refusal went {_REFUSAL_WENT[went]}; {stated(evidence.traits, 'refusal')}",
            right=_due("refusal", _REFUSAL_WENT[declared]) + or_declared("refusal", went),
            about=topics("text", "end"),
            event=next((e.event for e in evidence.entries if e.has("refusal")), None),
        )


def _refusal_went(evidence: Evidence) -> RefusalRoute | None:
    """Where the refusal went, wherever the reasoning did; None if no other trait explains it."""
    declared = evidence.traits
    others = [went for went in _REFUSAL_WENT if went != declared.refusal]
    declared_first = sorted(_REASONING_WENT, key=lambda route: route != declared.reasoning)
    for reasoning, went in product(declared_first, others):
        other = evidence.declaring(reasoning=reasoning)
        if any(map(other.fits, other.expected_with(refusal=went))):
            return went
    return None


REFUSAL_ROUTED = Rule(
    id="refusal-routed",
    holds="a refusal goes where the trait says",
    source="rfc-00022 § Refusal Events",
    check=_refusal_routed,
)


_REASONING_WENT: dict[ReasoningRoute, str] = {
    "thinking": "into thinking parts",
    "text": "into the answer text",
    "prefixed": f"into text parts that begin with {THINKING_PREFIX!r}",
    "hidden": _NOWHERE,
}

_IN_TEXT: frozenset[ReasoningRoute] = frozenset({"text", "prefixed"})


def _thinking_routed(evidence: Evidence) -> Iterator[Defect]:
    """Reasoning is emitted where the adapter declares, complete and in order."""
    expected, reading = evidence.expected, evidence.reading
    declared = evidence.traits.reasoning
    if expected.thinking.fits(reading.thinking) and expected.text.fits(reading.text):
        return
    event = next((e.event for e in evidence.entries if e.has("reasoning")), None)
    if event is None and not reading.thinking:
        return
    if went := _reasoning_went(evidence):
        yield prose_defect(
            f"the reasoning went {_REASONING_WENT[went]}; {stated(evidence.traits, 'reasoning')}",
            right=_due("reasoning", _REASONING_WENT[declared]) + or_declared("reasoning", went),
            about=topics("thinking", *(["text"] if _IN_TEXT & {went, declared} else [])),
            event=event,
        )
        return
    if declared == "prefixed" and (defect := _wrong_prefix(evidence, event)):
        yield defect
        return
    if expected.thinking.fits(reading.thinking):
        return
    in_parts = declared not in ("thinking", "prefixed") and reading.thinking
    if in_parts and event is not None:
        yield prose_defect(
            f"{stated(evidence.traits, 'reasoning')}, but thinking came out: "
            f"{clipped(reading.thinking)}",
            right=_due("reasoning", _REASONING_WENT[declared])
            + or_declared("reasoning", "thinking"),
            about=topics("thinking"),
            event=_event_of_reasoning(evidence, event),
        )
    else:
        yield prose_defect(
            difference("the thinking", expected.thinking.text, reading.thinking),
            right=f"the thinking {expected.thinking.text!r}",
            # A prefix too few or too many moves words between the thinking and the text.
            about=topics("thinking", *(["text"] if declared == "prefixed" else [])),
            event=event,
        )


def _reasoning_went(evidence: Evidence) -> ReasoningRoute | None:
    """Where the reasoning went, wherever a refusal did; None if no other trait explains it."""
    declared = evidence.traits
    others = [went for went in _REASONING_WENT if went != declared.reasoning]
    declared_first = sorted(_REFUSAL_WENT, key=lambda route: route != declared.refusal)
    for refusal, went in product(declared_first, others):
        other = evidence.declaring(reasoning=went, refusal=refusal)
        if any(map(other.fits_text_and_thinking, other.expected_with())):
            return went
    return None


def _wrong_prefix(evidence: Evidence, event: int | None) -> Defect | None:
    """The first part of the answer that has the prefix, or of the reasoning that has none."""
    text, thinking = evidence.expected.text.text, evidence.expected.thinking.text
    for emitted in evidence.transcript.parts:
        read = evidence.vocabulary.read([emitted.part], None)
        if said := _only_in(text, thinking, read.thinking):
            message = f"a part of the answer begins with {THINKING_PREFIX!r}: {said[:_SHOWN]!r}"
        elif said := _only_in(thinking, text, read.text):
            message = f"a part of the reasoning lacks {THINKING_PREFIX!r}: {said[:_SHOWN]!r}"
        else:
            continue
        return prose_defect(
            message,
            right=f"{THINKING_PREFIX!r} before each part of the reasoning, and before no other",
            about=topics("text", "thinking"),
            event=event,
            part=emitted.n,
        )
    return None


def _only_in(first: str, second: str, words: str) -> str:
    """The words if they are in the first text and not in the second; empty otherwise."""
    return words if words.strip() and words in first and words not in second else ""


_SHOWN = 40


def _event_of_reasoning(evidence: Evidence, first: int) -> int:
    """The event that sent the reasoning with which the thinking parts begin; else ``first``."""
    thinking = evidence.reading.thinking
    sent = (
        entry.event
        for entry in evidence.entries
        for piece in entry.adds
        if piece.kind == "reasoning" and piece.value and thinking.startswith(piece.value)
    )
    return next(sent, first)


THINKING_ROUTED = Rule(
    id="thinking-routed",
    holds="reasoning goes where the trait says, whole and in order, "
    "and never into answer text otherwise",
    source="lm-stream-semantics § 2.4, § 9.5",
    check=_thinking_routed,
)


# "nowhere" is tried first: if no citation has a URL, text without links equals text with links.
_CITATIONS_WENT = {
    "hidden": _NOWHERE,
    "link": "into the text",
    "data": "into data parts",
}


def _citation_routed(evidence: Evidence) -> Iterator[Defect]:
    """A citation is emitted where the adapter declares, complete, once and in order.

    ``link`` means at the place where the upstream cites: the link comes with the event (rfc-00022
    § Gap 2). A citation that has no event, and is only in the finished part, the finished item or
    the final response, is linked after what was sent by then. Without a URL there is no link.
    Inside a word good adapters differ, since some hold the link back to the end of the word or
    sentence: a scenario that cites there lists all three places.

    In a data part the source must be the cited one. Its title or file name is a ``should``, since
    stream-mapping shows a part without them.
    """
    if not evidence.content.citations and not evidence.reading.citations:
        return
    if evidence.fits_text_and_citations(evidence.expected):
        yield from _nameless(evidence)
    elif elsewhere := _cited_elsewhere(evidence):
        where = _CITATIONS_WENT[elsewhere]
        yield _misrouted(
            evidence,
            f"the citations went {where}; {stated(evidence.traits, 'annotations')}",
            or_declared("annotations", elsewhere),
        )
    elif _only_links_differ(evidence):
        yield _misrouted(evidence, _wrong_links(evidence))
    elif not evidence.fits_citations(evidence.expected) and not _has_searched_sources(evidence):
        yield _wrong_parts(evidence)


def _has_searched_sources(evidence: Evidence) -> bool:
    """Whether the citations are right but for the sources that a search of the upstream found.

    Some libraries make a source of each page or file that a search names, once.
    """
    searches = (tool for tool in evidence.sent_items.tools if tool.tool in _SEARCHES and tool.given)
    found = {name for tool in searches if tool.given for name in tool.given.named}
    due = [_source(each) for each in evidence.expected.citations]
    came = [_source(read.citation) for read in evidence.reading.citations]
    others = [each for each in came if each not in due]
    return len(came) == len(set(came)) and {*due} <= {*came} and found >= {*others} != set()


_SEARCHES = ("web_search", "file_search")


def _cited_elsewhere(evidence: Evidence) -> str:
    """The trait that explains all differences, by where the citations went; empty if none does."""
    for went in _CITATIONS_WENT:
        others = (
            evidence.expected_with(annotations=went) if went != evidence.traits.annotations else ()
        )
        if any(evidence.fits_text_and_citations(other) for other in others):
            return went
    return ""


def _misrouted(evidence: Evidence, message: str, or_declared: str = "") -> Defect:
    declared = evidence.traits.annotations
    due = "no citation" if declared == "hidden" else f"each citation {_CITATIONS_WENT[declared]}"
    in_order = "" if declared == "hidden" else ", once, in the order of the upstream"
    return prose_defect(
        message,
        right=f"{due}{in_order}{or_declared}",
        about=topics("text", "citations"),
        event=next((e.event for e in evidence.entries if e.has("citation")), None),
        part=next((read.part for read in evidence.reading.citations), None),
    )


def _only_links_differ(evidence: Evidence) -> bool:
    """Whether the text without links and the data parts are right."""
    plain = _any_link(evidence).sub("", evidence.reading.text)
    hidden = evidence.expected_with(annotations="hidden")
    return evidence.fits_citations(evidence.expected) and any(o.text.fits(plain) for o in hidden)


def _any_link(evidence: Evidence) -> re.Pattern[str]:
    """A pattern for links to a citation in any form, and for its title or URL with any target."""
    cited = evidence.content.citations
    forms = {form for citation in cited for form in link_forms(citation) if form}
    names = {name for c in cited for name in (c.title, c.url) if name}
    written = [_either(forms)] if forms else []
    elsewhere = [rf" ?\[(?:{_either(names)})\]\([^()\s]*\)"] if names else []
    return re.compile("|".join([*written, *elsewhere]) or r"(?!)")


def _either(texts: set[str]) -> str:
    return "|".join(sorted(map(re.escape, texts), key=len, reverse=True))


def _wrong_links(evidence: Evidence) -> str:
    linked = evidence.traits.annotations == "link"
    cited = (s.value for s in evidence.content.segments if s.citation and s.value)
    due = Counter(cited) if linked else Counter[str]()
    got = Counter(_any_link(evidence).findall(evidence.reading.text))
    for what, links in (("lacks", due - got), ("has once too often", got - due)):
        if links:
            return f"the text {what} {next(iter(links))!r}"
    return "the links do not stand where the upstream cites"


def _wrong_parts(evidence: Evidence) -> Defect:
    got = [read.citation.fields() for read in evidence.reading.citations]
    came = f"citations came out in data parts: {as_json(got)}"
    if got and evidence.traits.annotations == "hidden":
        declared = stated(evidence.traits, "annotations")
        return _misrouted(evidence, f"{declared}, but {came}", or_declared("annotations", "data"))
    if got and evidence.traits.annotations == "link":
        as_well = " as well" if evidence.expected.text.fits(evidence.reading.text) else ""
        return _misrouted(evidence, came.replace(":", f"{as_well}:", 1))
    due = [citation.fields() for citation in evidence.expected.citations]
    return prose_defect(
        f"the citations in data parts are {as_json(got)}"
        if got
        else "no citation came out in a data part",
        right=as_json(due),
        about=topics("citations"),
        event=next((e.event for e in evidence.entries if e.has("citation")), None),
        part=next((read.part for read in evidence.reading.citations), None),
    )


def _nameless(evidence: Evidence) -> Iterator[Defect]:
    due = evidence.expected.citations
    for expected, read in zip(due, evidence.reading.citations, strict=False):
        lost = expected.fields().keys() - read.citation.fields().keys()
        if lost:
            yield prose_defect(
                f"the citation of {_source(expected)!r} has lost its {' and '.join(sorted(lost))}",
                right=as_json(expected.fields()),
                about=topics("citations"),
                part=read.part,
                level="should",
            )
            return


def _source(citation: Citation) -> str:
    known = citation.fields()
    return next((known[name] for name in IDENTITY if name in known), citation.title)


CITATION_ROUTED = Rule(
    id="citation-routed",
    holds="citations go where the trait says, whole, once and in order",
    source="rfc-00022 § Gap 2; stream-mapping § Priority 2: Source/Citation Support",
    check=_citation_routed,
)
