"""The content that the upstream sends in a turn, from which every expectation is derived.

The place of a call is a pair of moments: ``earliest``, when the last piece of its arguments has
been sent, and ``latest``, when the wire has said that the call is complete. A moment is the number
of code points of each kind of content sent before it, because an adapter's traits decide which
kinds its answer text shows.

Content is limited to what a dialect can express (``as_rendered``), and its links may be written in
several ways (``link_spellings``).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from conformance.contract.citations import link, link_forms
from conformance.contract.traits import Traits
from conformance.expectation.hosted import Hosted
from mockserver.dialects import CODES, REFUSALS
from mockserver.scenario.expected import ExpectAt, ExpectData, ExpectError, Outcome
from mockserver.scenario.model import Conduct
from mockserver.scenario.script import Citation

Kind = Literal["text", "reasoning", "refusal", "citation"]
Moment = Mapping[Kind, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of content of one kind.

    ``block`` identifies the message, thought or refusal that the piece belongs to. The value of a
    citation is its link, and its block is that of the text that cites.
    """

    kind: Kind
    value: str
    block: str
    citation: Citation | None = None

    @property
    def block_key(self) -> tuple[Kind, str]:
        """What tells its block from others; a citation is in the block of its text."""
        return ("text" if self.kind == "citation" else self.kind, self.block)


@dataclass(frozen=True, slots=True)
class ContentCall:
    """A call that the upstream sent with its complete input; ``raw`` is the input of a text tool.

    ``ended`` is whether the wire has said that the call is complete. ``parsable_at`` is the moment
    at which the arguments first were a JSON object, which may be before their last piece: white
    space can follow.
    """

    id: str
    name: str
    input: Any
    earliest: Moment
    latest: Moment
    raw: str = ""
    ended: bool = True
    parsable_at: Moment | None = None


@dataclass(frozen=True, slots=True)
class ExpectedContent:
    """The expected content of one attempt of a turn, in one of its right versions.

    ``at`` holds what is expected at each checkpoint, ``data`` the expected data parts, and
    ``sendable`` the data of all versions. If the answer has several choices, ``first_choice`` is
    the content of the first one. ``approvals`` are the ids of the approval
    requests that the host answers. ``hosted`` are the calls of OpenAI's tools and the requests
    for approval, each with the moment before it, also those that an adapter may ignore.
    ``attempt`` is counted from 1, ``turn`` from 0. ``conduct`` says whether the scenario's upstream
    keeps to its specification.
    """

    segments: tuple[Segment, ...]
    calls: tuple[ContentCall, ...]
    outcome: Outcome
    reason: str = ""
    error: ExpectError | None = None
    at: Mapping[str, ExpectAt] = field(default_factory=dict)
    data: tuple[ExpectData, ...] = ()
    sendable: frozenset[ExpectData] = frozenset()
    approvals: tuple[str, ...] = ()
    attempt: int = 1
    turn: int = 0
    first_choice: "ExpectedContent | None" = None
    hosted: tuple[tuple[Hosted, Moment], ...] = ()
    conduct: Conduct = "legal"

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations, in order."""
        return tuple(segment.citation for segment in self.segments if segment.citation)

    def text_of(self, kind: str) -> str:
        """The content of one kind."""
        return "".join(segment.value for segment in self.segments if segment.kind == kind)

    @property
    def total(self) -> Moment:
        """The moment after all content."""
        counts: Counter[Kind] = Counter()
        for segment in self.segments:
            counts[segment.kind] += len(segment.value)
        return counts


def citation_segment(citation: Citation, block: str) -> Segment:
    """The segment of a citation in this block."""
    return Segment("citation", link(citation), block, citation)


def as_rendered(content: ExpectedContent, capabilities: Set[str]) -> ExpectedContent:
    """The content limited to the ``capabilities`` of a dialect.

    Without ``REFUSALS`` a refusal is ordinary text; without ``CODES`` errors have no code.
    """
    if CODES not in capabilities and content.error:
        content = replace(content, error=replace(content.error, code=""))
    if REFUSALS in capabilities or all(each.kind != "refusal" for each in content.segments):
        return content
    calls = tuple(
        replace(
            call, earliest=_refusals_as_text(call.earliest), latest=_refusals_as_text(call.latest)
        )
        for call in content.calls
    )
    segments = tuple(
        replace(each, kind="text", block=f"refusal {each.block}")
        if each.kind == "refusal"
        else each
        for each in content.segments
    )
    return replace(content, segments=segments, calls=calls)


def _refusals_as_text(moment: Moment) -> Moment:
    """The moment with refusals counted as text."""
    counts: Counter[Kind] = Counter(moment)
    counts["text"] += counts.pop("refusal", 0)
    return counts


def link_spellings(content: ExpectedContent, traits: Traits) -> Iterator[ExpectedContent]:
    """The content with its links written in each right way, as ``citations.link`` does first.

    That is the content alone if the adapter emits no links, or if all ways are the same.
    """
    yield content
    if traits.annotations != "link" or not content.citations:
        return
    verbatim, *others = dict.fromkeys(zip(*map(link_forms, content.citations), strict=True))
    for forms in others:
        yield _written(content, forms, sum(map(len, forms)) - sum(map(len, verbatim)))


def _written(content: ExpectedContent, forms: tuple[str, ...], growth: int) -> ExpectedContent:
    """The content with these links, which are longer by ``growth`` code points together."""
    links = iter(forms)
    segments = tuple(
        replace(segment, value=next(links)) if segment.citation else segment
        for segment in content.segments
    )
    calls = tuple(within(call, growth) for call in content.calls)
    return replace(content, segments=segments, calls=calls)


def within(call: ContentCall, growth: int) -> ContentCall:
    """The call with bounds that hold wherever the longer or shorter links are."""
    return replace(
        call,
        earliest=_shifted(call.earliest, min(growth, 0)),
        latest=_shifted(call.latest, max(growth, 0)),
    )


def _shifted(moment: Moment, by: int) -> Moment:
    return {**moment, "citation": moment.get("citation", 0) + by}
