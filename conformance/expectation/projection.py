"""The output that an adapter should produce: the content of a case, by the adapter's traits.

There are alternatives: several contents may be right, and some may be reported in several ways.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.contract.reading import ReadCall
from conformance.contract.traits import Traits
from conformance.dialects.ledger import ledger, shown_kinds, text_due
from conformance.expectation.arrangements import arrangements, in_order_of_arrival
from conformance.expectation.broken_answers import as_delivered
from conformance.expectation.content import (
    ContentCall,
    ExpectedContent,
    Moment,
    as_rendered,
    link_spellings,
)
from conformance.expectation.emission_points import EmissionPoints, emission_points
from conformance.expectation.finish_reasons import reasons_due, reasons_given, wrong_reasons
from conformance.expectation.match import MAX_SPACE, Match
from conformance.expectation.turn_content import expected_contents
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.cases.variations import variation
from mockserver.dialects import CALL_ENDS, DIALECTS
from mockserver.foundation.call_arguments import same_json
from mockserver.scenario.expected import ExpectAt, ExpectData, ExpectError
from mockserver.scenario.host import tool_name
from mockserver.scenario.script import Citation

# The deepest nesting of objects and lists in which a text input may be wrapped.
MAX_INPUT_DEPTH = 3


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that should be emitted.

    ``earliest`` and ``latest`` bound the number of code points of answer text before it. With fewer
    than ``declared`` the call may be complete, but the adapter declares a later point.
    ``bare_id`` is the upstream's id, without the adapter's prefix; to emit it without the prefix
    breaks only a ``should``. If it is empty, any id that no other call has is right. ``raw`` is the
    input of a text tool: the emitted input is this text, or contains it as a value. An ``optional``
    call may be missing. With ``any_id`` the adapter makes the id: it is emitted under any.
    """

    id: str
    name: str
    input: Any
    earliest: int
    latest: int
    bare_id: str = ""
    raw: str = ""
    optional: bool = False
    any_id: bool = False
    declared: int = 0

    def accepts_input(self, input_: Any) -> bool:
        """Whether an emitted input is right."""
        return contains_text(input_, self.raw) if self.raw else same_json(input_, self.input)

    def accepts(self, call: ReadCall) -> bool:
        """Whether an emitted call has a name and an input that are right."""
        return self.accepts_name(call.name) and self.accepts_input(call.input)

    def accepts_name(self, name: str) -> bool:
        """Whether an emitted name is right; any name is if the upstream's item has none."""
        return name == self.name if self.name else bool(name)

    @property
    def right_input(self) -> Any:
        """An example of a right input."""
        return {"input": self.raw} if self.raw else self.input


def contains_text(value: Any, text: str, deep: int = MAX_INPUT_DEPTH) -> bool:
    """Whether a value is this text, or contains it within ``deep`` levels of objects and lists."""
    if not deep or not isinstance(value, (Mapping, list)):
        return bool(value == text)
    inner = value.values() if isinstance(value, Mapping) else value
    return any(contains_text(each, text, deep - 1) for each in inner)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a reading must satisfy to be right.

    ``upstream`` is the outcome of the upstream's response, ``outcomes`` are those that the adapter
    may report. A run that reports ``completed`` must not have a finish from ``wrong_finish``, and
    should have one of ``finishes``, if there are any: those of the wire, and what follows from it.
    ``reason`` is the upstream's finish, ``at`` what is expected at each checkpoint. ``citations``
    are those that are emitted as data parts. An emitted data part with the media type or the bytes
    of one in ``sendable`` must be one of ``data`` or, which may be missing, ``optional_data``;
    others are not judged. If ``cancelled``, the
    reading may be incomplete (``conformance.expectation.early_endings``). ``refused`` is the
    expectation of a strict adapter that does not read the stream. ``unoffered`` are tools that the
    host did not offer, and whose calls make the run fail.
    """

    text: Match
    thinking: Match
    calls: tuple[ExpectedCall, ...]
    upstream: str
    outcomes: tuple[str, ...]
    wrong_finish: tuple[str, ...] = ()
    finishes: frozenset[str] = frozenset()
    reason: str = ""
    error: ExpectError | None = None
    at: Mapping[str, ExpectAt] = field(default_factory=dict)
    calls_may_be_lost: bool = False
    citations: tuple[Citation, ...] = ()
    data: tuple[ExpectData, ...] = ()
    optional_data: tuple[ExpectData, ...] = ()
    sendable: frozenset[ExpectData] = frozenset()
    cancelled: bool = False
    refused: bool = False
    unoffered: tuple[str, ...] = ()


def expectations(
    case: Case, traits: Traits, turn: int = 0
) -> list[tuple[ExpectedContent, Expected]]:
    """The alternative expectations of a turn of a case for an adapter with these traits.

    Each comes with the content that it is derived from, as rendered by the dialect.
    """
    contents = expected_contents(case.scenario, turn)
    calls_late = any(
        variation(name).in_dialect(case.dialect).calls_at_end for name in case.variations
    )
    dialect = DIALECTS[case.dialect]
    breaks = case.scenario.conduct == "violation"
    return [
        (content, replace(expected, finishes=_right_reasons(case, content, expected)))
        for rendered in (as_rendered(content, dialect.capabilities) for content in contents)
        for delivered in as_delivered(case, in_order_of_arrival(case, rendered), traits)
        for arranged in arrangements(delivered, traits)
        for content in link_spellings(arranged, traits)
        for expected in project(
            content,
            traits,
            says_complete=not calls_late,
            dialect_says_complete=CALL_ENDS in dialect.capabilities,
            calls_may_be_lost=breaks and not _is_only_right_completion(content, contents),
            offered=frozenset(map(tool_name, case.scenario.host.tools)),
            points=emission_points(case, content, traits),
            announced=_announced(case, content, traits) if traits.blank_before_call else (),
        )
    ]


def _right_reasons(case: Case, content: ExpectedContent, expected: Expected) -> frozenset[str]:
    is_optional = all(call.optional for call in expected.calls)
    calls = None if expected.calls and is_optional else bool(expected.calls)
    may_filter = "content-filter" not in expected.wrong_finish
    due = reasons_due(expected.upstream, expected.reason, calls=calls, may_filter=may_filter)
    sent = render(case, content.turn, content.attempt).plan.sent
    given = reasons_given(case.dialect, ((each.type, each.data) for each in sent))
    return due | given if due else due


def _is_only_right_completion(
    content: ExpectedContent, contents: Sequence[ExpectedContent]
) -> bool:
    """Whether every right adapter completes with the calls of a content.

    Then the upstream did send them properly, whatever else it broke.
    """
    versions = [each for each in contents if each.attempt == content.attempt]
    return len(versions) == 1 and content.outcome == "completed"


def _announced(case: Case, content: ExpectedContent, traits: Traits) -> tuple[int, ...]:
    """The code points of text before and after the event that announces the first call.

    They are taken from the rendered stream, since scripts do not say when a call is announced.
    """
    entries = ledger(case.dialect, render(case, content.turn, content.attempt).plan.sent, traits)
    due = text_due(entries, traits)
    first = next((n for n, entry in enumerate(entries) if entry.announces), None)
    return () if first is None else tuple(due[max(first - 1, 0) : first + 1])


_NO_POINTS: Mapping[str, EmissionPoints] = {}


def project(
    content: ExpectedContent,
    traits: Traits,
    *,
    says_complete: bool = True,
    dialect_says_complete: bool = True,
    calls_may_be_lost: bool = False,
    announced: tuple[int, ...] = (),
    offered: frozenset[str] = frozenset(),
    points: Mapping[str, EmissionPoints] = _NO_POINTS,
) -> tuple[Expected, ...]:
    """The alternative expectations for content and traits: one for each way to report a failure.

    ``says_complete`` is whether this stream says when a call is complete; otherwise a call may be
    emitted as late as the end. ``dialect_says_complete`` is whether the dialect ever says so;
    otherwise a call may be emitted as soon as its input can be parsed, and need not be emitted if
    the response does not complete. ``announced`` holds offsets in the text, in code points, at
    which the first call is announced, and where an adapter may add a blank before it. ``offered``
    are the names of the tools of the host; empty if all that are called are offered. ``points`` are
    those at which events complete calls; without any, the content says when a call is complete.
    """
    if traits.choices == "alternatives" and content.first_choice:
        content = content.first_choice
        # Without calls in the first choice, the announced call belongs to another choice.
        announced = announced if content.calls else ()
    shown = shown_kinds(traits)
    text = _blocks(content, shown)
    blanks = _blanks(content, shown, announced) if traits.blank_before_call else ()
    outcome = content.outcome
    error = content.error
    refused = content.text_of("refusal")
    if refused and traits.refusal == "error" and outcome == "completed":
        outcome, error = "failed", ExpectError(refused)
    total = _count(content.total, shown)
    slack = MAX_SPACE * (len(text) - 1) + bool(blanks)
    prompt = says_complete and dialect_says_complete and traits.emit_call_at != "end"
    # What is due at the end may come early where the answer does not complete.
    held = traits.emit_call_at == "end" and outcome == "completed" and content.conduct == "legal"
    unoffered = _unoffered(content, traits, offered)
    if unoffered:
        outcome = "failed"
    # An adapter that refuses one call may have emitted others, or not.
    unreleased = bool(unoffered) or (not dialect_says_complete and outcome != "completed")
    prefix = "" if traits.call_id == "own" else traits.call_id_prefix
    calls = tuple(
        ExpectedCall(
            prefix + call.id if call.id else "",
            call.name,
            call.input,
            _count(_earliest(call, dialect_says_complete), shown),
            slack + (_latest(call, traits, shown, points) if prompt else total),
            bare_id=call.id,
            raw=call.raw,
            optional=unreleased,
            any_id=traits.call_id == "own",
            declared=total if held else _declared(call, traits, points),
        )
        for call in content.calls
        if call.name not in unoffered
        if call.ended or not dialect_says_complete
    )
    return tuple(
        Expected(
            text=Match(text, tail, blanks=blanks),
            thinking=Match(_blocks(content, ["reasoning"]))
            if traits.reasoning_is_apart
            else Match(),
            calls=calls,
            upstream=outcome,
            outcomes=outcomes,
            wrong_finish=wrong_reasons(outcome, content.reason, refused),
            reason=content.reason,
            error=error,
            at=content.at if dialect_says_complete else {},
            # An adapter that emits calls at the end emits none if the response fails.
            calls_may_be_lost=calls_may_be_lost
            or (outcome == "failed" and traits.emit_call_at == "end"),
            citations=content.citations if traits.annotations == "data" else (),
            data=tuple(data for data in content.data if not _is_optional(data, traits)),
            optional_data=tuple(data for data in content.data if _is_optional(data, traits)),
            sendable=content.sendable,
            unoffered=unoffered,
        )
        for outcomes, tail in _reported_endings(outcome, error, traits)
    )


def _is_optional(data: ExpectData, traits: Traits) -> bool:
    """Whether data may be missing, since the upstream sends its URL and nobody has to fetch it.

    An adapter that fetches files is free to fetch images only, as stream-mapping does.
    """
    is_image = data.mime_type.startswith("image/")
    return data.by_url and not (is_image and traits.url_files == "fetched")


def _unoffered(
    content: ExpectedContent, traits: Traits, offered: frozenset[str]
) -> tuple[str, ...]:
    """The called tools that the host did not offer, if the adapter fails because of them."""
    if traits.unoffered_tool != "error" or content.outcome != "completed" or not offered:
        return ()
    names = dict.fromkeys(call.name for call in content.calls if call.name)
    return tuple(name for name in names if name not in offered)


def _earliest(call: ContentCall, dialect_says_complete: bool) -> Moment:
    return call.earliest if dialect_says_complete or call.parsable_at is None else call.parsable_at


def _latest(
    call: ContentCall, traits: Traits, shown: Sequence[str], points: Mapping[str, EmissionPoints]
) -> int:
    """The code points of text before the point at which a call is emitted at the latest."""
    if call.id not in points:
        return _count(call.latest, shown)
    return points[call.id].item if traits.emit_call_at == "item" else points[call.id].complete


def _declared(call: ContentCall, traits: Traits, points: Mapping[str, EmissionPoints]) -> int:
    """The code points of text before the end of a call's item, if calls are emitted there."""
    at_item = traits.emit_call_at == "item" and call.id in points
    return points[call.id].item if at_item else 0


def _blocks(content: ExpectedContent, shown: Sequence[str]) -> tuple[str, ...]:
    """The shown content in order, one text for each message, thought or refusal."""
    blocks: list[str] = [""]
    before = None
    for segment in content.segments:
        if segment.kind not in shown:
            continue
        if before not in (None, segment.block_key):
            blocks.append("")
        blocks[-1] += segment.value
        before = segment.block_key
    return tuple(blocks)


def _blanks(
    content: ExpectedContent, shown: Sequence[str], announced: tuple[int, ...]
) -> tuple[int, ...]:
    """The offsets in the text at which a blank before the first call may be."""
    places = {*announced, *(_count(call.earliest, shown) for call in content.calls)}
    return tuple(sorted(place for place in places if 0 < place <= _count(content.total, shown)))


def _count(moment: Moment, shown: Sequence[str]) -> int:
    """A moment as the number of code points of shown text before it."""
    return sum(count for kind, count in moment.items() if kind in shown)


def _reported_endings(
    outcome: str, error: ExpectError | None, traits: Traits
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """The ways to report an ending: allowed outcomes, and the ``tail`` of the text (``Match``)."""
    if outcome == "completed":
        yield ("completed",), None
    elif outcome == "incomplete":
        yield ("completed", "failed"), None
        if traits.errors == "text":
            yield ("completed",), ""
    elif traits.errors != "text":
        yield ("failed",), None
    elif error and error.message:
        yield ("completed", "failed"), error.message
    else:
        # Without an error message to repeat, any words will do, and so does a rejection alone.
        yield ("failed",), None
        yield ("completed", "failed"), ""
