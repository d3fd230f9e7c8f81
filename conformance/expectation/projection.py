"""A story as one adapter should tell it: its declared traits laid over what the upstream said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.expectation.match import MOST_SPACE, Match
from mockserver.call_arguments import same_json
from mockserver.scenario.model import ExpectError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.traits import Traits
    from conformance.expectation.content import Kind, Moment, Story, StoryCall
    from mockserver.scenario.model import Citation, ExpectAt, ExpectData

# In how many objects and lists an input that is a text may be wrapped.
DEEP = 3

# What a finish may not say beside an outcome: the ending is the upstream's, both ways.
WRONG_FINISH = {
    "completed": ("length", "content-filter", "error"),
    "incomplete": ("stop", "tool-calls"),
}


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call as it should come out; ``earliest`` and ``latest`` bound the answer text before it."""

    id: str
    name: str
    input: Any
    earliest: int
    latest: int
    # The upstream's own id; that the prefix is there is a matter of ``should``. Without one any
    # id of the call's own is right.
    bare_id: str = ""
    # An input that is a text: it is the input, or stands somewhere inside of it.
    raw: str = ""
    # It may come, and nobody said that it must.
    optional: bool = False

    def takes(self, input_: Any) -> bool:
        """Is this the call's input?"""
        return holds(input_, self.raw) if self.raw else same_json(input_, self.input)

    def named(self, name: str) -> bool:
        """Is this the call's name? An item that has none leaves it to the adapter."""
        return name == self.name if self.name else bool(name)

    @property
    def right_input(self) -> Any:
        """An input that is right."""
        return {"input": self.raw} if self.raw else self.input


def holds(value: Any, text: str, deep: int = DEEP) -> bool:
    """Is the value this text, or has it the text inside of it, not too ``deep``?"""
    if not deep or not isinstance(value, (Mapping, list)):
        return bool(value == text)
    inner = value.values() if isinstance(value, Mapping) else value
    return any(holds(each, text, deep - 1) for each in inner)


@dataclass(frozen=True, slots=True)
class Expected:
    """One right reading, or a small family of them.

    ``outcomes`` are those that may be reported; a ``completed`` that is among them must not carry a
    finish from ``wrong_finish``. ``told`` says that the text has to tell of the failure where the
    outcome does not (trait ``errors: text``). ``citations`` are those that come as data parts. Data
    whose media type or bytes ``sendable`` has must be in ``data``; other data is not judged.
    """

    text: Match
    thinking: Match
    calls: tuple[ExpectedCall, ...]
    upstream: str
    outcomes: tuple[str, ...]
    wrong_finish: tuple[str, ...] = ()
    reason: str = ""
    error: ExpectError | None = None
    at: Mapping[str, ExpectAt] = field(default_factory=dict)
    calls_may_be_lost: bool = False
    citations: tuple[Citation, ...] = ()
    data: tuple[ExpectData, ...] = ()
    sendable: frozenset[ExpectData] = frozenset()
    # Right as far as it goes: see ``conformance.expectation.cancellation``.
    cancelled: bool = False


def project(
    story: Story,
    traits: Traits,
    *,
    says_complete: bool = True,
    ever_says: bool = True,
    calls_may_be_lost: bool = False,
    announced: tuple[int, ...] = (),
) -> tuple[Expected, ...]:
    """The right readings of one story; more than one where a failure may be told in two ways.

    Where the wire does not say that a call is complete (``says_complete``) it may come as late as
    the end. Where nothing on it ever says so (``ever_says``) a whole input is all that there is to
    go by: a call may come with it, and a response that does not end well releases none. A blank in
    front of the first call may stand where that was ``announced``, in characters of text.
    """
    if traits.choices == "alternatives" and story.alone:
        story = story.alone
        # What is announced may be a call of another choice.
        announced = announced if story.calls else ()
    shown = _shown(traits)
    text = _blocks(story, shown)
    blanks = _blanks(story, shown, announced) if traits.blank_before_call else ()
    outcome = story.outcome
    error = story.error
    refused = "".join(atom.value for atom in story.atoms if atom.kind == "refusal")
    if refused and traits.refusal == "error" and outcome == "completed":
        outcome, error = "failed", ExpectError(refused)
    total = _count(story.total, shown)
    slack = MOST_SPACE * (len(text) - 1) + bool(blanks)
    prompt = says_complete and ever_says and traits.emit_call_at == "complete"
    unreleased = not ever_says and outcome != "completed"
    calls = tuple(
        _call(
            call,
            traits.call_id_prefix,
            earliest=_count(_whole_at(call, ever_says), shown),
            latest=slack + (_count(call.latest, shown) if prompt else total),
            optional=unreleased,
        )
        for call in story.calls
        if call.ended or not ever_says
    )
    return tuple(
        Expected(
            text=Match(text, tail, blanks=blanks),
            thinking=Match(_blocks(story, {"reasoning"}))
            if traits.reasoning == "thinking"
            else Match(),
            calls=calls,
            upstream=outcome,
            outcomes=outcomes,
            wrong_finish=_wrong_finish(outcome, refused),
            reason=story.reason,
            error=error,
            at=story.at if ever_says else {},
            # Whoever holds calls back to the end has none where a failure comes instead.
            calls_may_be_lost=calls_may_be_lost
            or (outcome == "failed" and traits.emit_call_at == "end"),
            citations=story.citations if traits.annotations == "data" else (),
            data=story.data,
            sendable=story.sendable,
        )
        for outcomes, tail in _tellings(outcome, error, traits)
    )


def _whole_at(call: StoryCall, ever_says: bool) -> Moment:
    return call.earliest if ever_says or call.whole is None else call.whole


def _call(
    call: StoryCall, prefix: str, *, earliest: int, latest: int, optional: bool
) -> ExpectedCall:
    return ExpectedCall(
        prefix + call.id if call.id else "",
        call.name,
        call.input,
        earliest,
        latest,
        bare_id=call.id,
        raw=call.raw,
        optional=optional,
    )


def _wrong_finish(outcome: str, refused: str) -> tuple[str, ...]:
    """A refusal completes the response, and is a content filter's work all the same."""
    wrong = WRONG_FINISH.get(outcome, ())
    return tuple(reason for reason in wrong if not refused or reason != "content-filter")


def _shown(traits: Traits) -> set[Kind]:
    """The kinds of content that the answer text shows."""
    shown: set[Kind] = {"text"}
    if traits.reasoning == "text":
        shown.add("reasoning")
    if traits.refusal == "text":
        shown.add("refusal")
    if traits.annotations == "link":
        shown.add("citation")
    return shown


def _blocks(story: Story, shown: set[Kind] | set[str]) -> tuple[str, ...]:
    """The shown content in order; a block ends where its message, thought or refusal does."""
    blocks: list[str] = [""]
    before: tuple[str, str] | None = None
    for atom in story.atoms:
        if atom.kind not in shown:
            continue
        now = ("text" if atom.kind == "citation" else atom.kind, atom.block)
        if before is not None and now != before:
            blocks.append("")
        blocks[-1] += atom.value
        before = now
    return tuple(blocks)


def _blanks(story: Story, shown: set[Kind], announced: tuple[int, ...]) -> tuple[int, ...]:
    """Where a blank may stand in front of the first call: behind text, at one of these places."""
    places = {*announced, *(_count(call.earliest, shown) for call in story.calls)}
    return tuple(sorted(place for place in places if 0 < place <= _count(story.total, shown)))


def _count(moment: Moment, shown: set[Kind]) -> int:
    return sum(count for kind, count in moment.items() if kind in shown)


def _tellings(
    outcome: str, error: ExpectError | None, traits: Traits
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """The ways in which an ending may be reported: outcomes, and what the text says behind it."""
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
        # Nothing was said that could be repeated: any words will do, or a plain rejection.
        yield ("failed",), None
        yield ("completed", "failed"), ""
