"""What the upstream said, in neutral form: the truth that every expectation is drawn from.

A script is its own truth. Where the author says what is right instead, that is the story; for a
script it is held against the script, so that the two cannot drift apart unseen.

The place of a call is a pair of moments. ``earliest``: the last piece of its arguments is there.
``latest``: the wire has said that the call is complete. A moment is counted in code points of each
kind of content sent before it, because an adapter's traits decide which kinds its text shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from conformance.contract.citations import link
from mockserver.call_arguments import read_arguments
from mockserver.faults import Problem, ScenarioError
from mockserver.scenario.model import (
    Checkpoint,
    Citation,
    Cite,
    Delta,
    End,
    Expect,
    ExpectAt,
    ExpectCall,
    ExpectCite,
    ExpectData,
    ExpectError,
    ExpectReasoning,
    ExpectRefusal,
    ExpectText,
    Failed,
    Finish,
    Incomplete,
    NextPart,
    Outcome,
    Says,
    SayStep,
    Start,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockserver.scenario.model import Scenario, Turn

Kind = Literal["text", "reasoning", "refusal", "citation"]
Moment = Mapping[Kind, int]


@dataclass(frozen=True, slots=True)
class Atom:
    """A run of content of one kind; ``block`` tells blocks of the same kind apart.

    The value of a citation is the link to it, and its block that of the text which cites.
    """

    kind: Kind
    value: str
    block: str
    citation: Citation | None = None


@dataclass(frozen=True, slots=True)
class StoryCall:
    """A call that the upstream completed; ``raw`` is an input that is a text.

    One that has not ``ended`` has a whole input all the same, and nobody said that it is complete.
    """

    id: str
    name: str
    input: Any
    earliest: Moment
    latest: Moment
    raw: str = ""
    ended: bool = True
    # Where its input was whole before the last of its arguments had come: white space may follow.
    whole: Moment | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """One right account of a turn; ``sendable`` is the data that any account of it has.

    The answer that counts is that of the ``attempt`` at its ``turn``. Where there are several
    choices, ``alone`` is the account of the first.
    """

    atoms: tuple[Atom, ...]
    calls: tuple[StoryCall, ...]
    outcome: Outcome
    reason: str = ""
    error: ExpectError | None = None
    at: Mapping[str, ExpectAt] = field(default_factory=dict)
    data: tuple[ExpectData, ...] = ()
    sendable: frozenset[ExpectData] = frozenset()
    attempt: int = 1
    turn: int = 0
    alone: Story | None = None

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What is cited, in order."""
        return tuple(atom.citation for atom in self.atoms if atom.citation)

    @property
    def total(self) -> Moment:
        """The moment at which all content has been sent."""
        counts: Counter[Kind] = Counter()
        for atom in self.atoms:
            counts[atom.kind] += len(atom.value)
        return counts


def stories(scenario: Scenario, turn: int = 0) -> tuple[Story, ...]:
    """Every right account of a turn, of each of its attempts in order.

    There are several of one attempt only where the upstream is not legal.
    Raises ScenarioError where what the author expects contradicts the script.
    """
    return tuple(
        replace(story, attempt=n, turn=turn)
        for n, attempt in enumerate(scenario.turns[turn].attempts, 1)
        for story in _sharing(_accounts(scenario, attempt))
    )


def _sharing(stories: tuple[Story, ...]) -> tuple[Story, ...]:
    sendable = frozenset(data for story in stories for data in story.data)
    return tuple(replace(story, sendable=sendable) for story in stories)


def _accounts(scenario: Scenario, what: Turn) -> tuple[Story, ...]:
    if isinstance(what.script, Says):
        told = _Teller().tell(what.script.steps)
        if not what.expect:
            return (told,)
        return tuple(_checked(_explicit(expect, told), told, scenario) for expect in what.expect)
    return tuple(_explicit(expect, None) for expect in what.expect)


def _explicit(expect: Expect, script: Story | None) -> Story:
    """The author's account; a script, where there is one, adds how late a call may come."""
    atoms: list[Atom] = []
    counts: Counter[Kind] = Counter()
    places: list[tuple[ExpectCall, Moment]] = []
    message = 0
    for n, part in enumerate(expect.parts):
        if isinstance(part, ExpectCall):
            places.append((part, Counter(counts)))
        elif not isinstance(part, ExpectData):
            message += isinstance(part, ExpectText) and part.begins
            atom = _atom(part, n, message)
            atoms.append(atom)
            counts[atom.kind] += len(atom.value)
    said = {call.id: call for call in script.calls} if script else {}
    calls = tuple(
        StoryCall(
            call.id,
            call.name,
            call.input,
            moment,
            said[call.id].latest if call.id in said else Counter(counts),
            call.raw,
            whole=said[call.id].whole if call.id in said else None,
        )
        for call, moment in places
    )
    unended = [call for call in script.calls if not call.ended] if script else []
    alone = _explicit(_first_choice(expect), script) if any(expect.choices) else None
    at = {**(script.at if script else {}), **expect.at}
    data = tuple(part for part in expect.parts if isinstance(part, ExpectData))
    return Story(
        tuple(atoms),
        (*calls, *unended),
        expect.outcome,
        expect.reason,
        expect.error,
        at,
        data,
        alone=alone,
    )


def _first_choice(expect: Expect) -> Expect:
    pairs = zip(expect.parts, expect.choices, strict=True)
    return replace(expect, parts=tuple(part for part, choice in pairs if not choice), choices=())


def _atom(
    part: ExpectText | ExpectReasoning | ExpectRefusal | ExpectCite, n: int, message: int
) -> Atom:
    """Part ``n`` of what is expected, which may belong to a message."""
    if isinstance(part, ExpectCite):
        return _cited(part.citation, str(message))
    kind = _KINDS[type(part)]
    return Atom(kind, part.value, str(message if kind == "text" else n))


def _cited(citation: Citation, block: str) -> Atom:
    return Atom("citation", link(citation), block, citation)


_KINDS: dict[type, Kind] = {
    ExpectText: "text",
    ExpectReasoning: "reasoning",
    ExpectRefusal: "refusal",
}


def _checked(story: Story, script: Story, scenario: Scenario) -> Story:
    """A legal script says what it says; an expectation that says otherwise is a mistake."""
    if scenario.conduct != "legal":
        return story
    problems = list(_contradictions(story, script))
    if problems:
        raise ScenarioError(*(Problem(problem, scenario.place) for problem in problems))
    # The words are the same; which of them are one message, the script alone can tell.
    return replace(story, atoms=script.atoms)


def _contradictions(story: Story, script: Story) -> list[str]:
    found = []
    for kind in ("text", "reasoning", "refusal"):
        expected, said = (_joined(account.atoms, kind) for account in (story, script))
        if expected != said:
            found.append(f"'expect' has the {kind} {expected!r}, the script says {said!r}")
    if _placed(story.atoms) != _placed(script.atoms):
        expected_at, said_at = _placed(story.atoms), _placed(script.atoms)
        found.append(f"'expect' has the citations {expected_at}, the script says {said_at}")
    if story.data:
        found.append("'expect' has data, and no script sends any")
    said_calls = {call.id: call for call in script.calls if call.ended}
    for call in (call for call in story.calls if call.ended):
        if call.id not in said_calls:
            found.append(f"'expect' has the call {call.id!r}, which the script never completes")
        elif any(call.earliest[kind] > call.latest[kind] for kind in call.earliest):
            found.append(f"'expect' places the call {call.id!r} after the wire has completed it")
    if story.outcome != script.outcome:
        found.append(f"'expect' says {story.outcome!r}, the script ends {script.outcome!r}")
    return found


def _joined(atoms: tuple[Atom, ...], kind: str) -> str:
    return "".join(atom.value for atom in atoms if atom.kind == kind)


def _placed(atoms: tuple[Atom, ...]) -> list[tuple[int, dict[str, str]]]:
    """What is cited, each after how many characters of text."""
    length, placed = 0, []
    for atom in atoms:
        length += len(atom.value) if atom.kind == "text" else 0
        if atom.citation:
            placed.append((length, atom.citation.fields()))
    return placed


@dataclass
class _Lane:
    start: Start
    text: str = ""
    last_delta: Moment | None = None
    whole: Moment | None = None
    part: int = 0

    @property
    def block(self) -> str:
        return f"{self.start.block} {self.part}"


class _Teller:
    """Follows a script from step to step, as a reader of the wire would."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.calls: list[StoryCall] = []
        self.lanes: dict[str, _Lane] = {}
        self.counts: Counter[Kind] = Counter()
        self.at: dict[str, ExpectAt] = {}

    def tell(self, steps: tuple[SayStep, ...]) -> Story:
        # A stream that closes without an ending has failed.
        outcome: Outcome = "failed"
        reason = ""
        error: ExpectError | None = None
        for step in steps:
            match step:
                case Start():
                    self.lanes[step.block] = _Lane(step)
                case Delta():
                    self._delta(step)
                case NextPart():
                    self.lanes[step.block].part += 1
                case Cite():
                    self._add(_cited(step.citation, self.lanes[step.block].block))
                case End():
                    self._end(self.lanes[step.block])
                case Checkpoint(name):
                    self.at[name] = self._so_far()
                case Finish():
                    outcome, reason = "completed", step.reason
                case Incomplete():
                    outcome, reason = "incomplete", step.reason
                case Failed():
                    outcome, error = "failed", ExpectError(step.message, step.code)
        calls = (*self.calls, *self._unended())
        return Story(tuple(self.atoms), calls, outcome, reason, error, self.at)

    def _delta(self, step: Delta) -> None:
        lane = self.lanes[step.block]
        if lane.start.kind == "call":
            lane.text += step.value
            lane.last_delta = Counter(self.counts)
            if lane.whole is None and _is_whole(lane.text):
                lane.whole = lane.last_delta
            return
        self._add(Atom(lane.start.kind, step.value, lane.block))

    def _add(self, atom: Atom) -> None:
        self.atoms.append(atom)
        self.counts[atom.kind] += len(atom.value)

    def _end(self, lane: _Lane) -> None:
        if lane.start.kind != "call":
            return
        now = Counter(self.counts)
        input_ = read_arguments(lane.text).input
        if input_ is not None:
            start = lane.start
            earliest = lane.last_delta or now
            self.calls.append(
                StoryCall(
                    start.call_id, start.name, input_, earliest, now, whole=lane.whole or earliest
                )
            )

    def _unended(self) -> Iterator[StoryCall]:
        """The calls that were cut off behind a whole input."""
        ended = {call.id for call in self.calls}
        for lane in self.lanes.values():
            start, earliest = lane.start, lane.last_delta
            if start.kind == "call" and start.call_id not in ended and earliest is not None:
                read = read_arguments(lane.text)
                if read.kind == "object":
                    now = Counter(self.counts)
                    yield StoryCall(
                        start.call_id, start.name, read.value, earliest, now, ended=False
                    )

    def _so_far(self) -> ExpectAt:
        done = tuple(call.id for call in self.calls)
        begun = (lane.start for lane in self.lanes.values() if lane.start.kind == "call")
        return ExpectAt(done, tuple(s.call_id for s in begun if s.call_id not in done))


def _is_whole(arguments: str) -> bool:
    """Whether the arguments so far are an object."""
    # Most beginnings need not be parsed: only a brace can end an object.
    return arguments.rstrip().endswith("}") and read_arguments(arguments).kind == "object"
