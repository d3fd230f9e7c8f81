"""Makes a scenario of a captured conversation: its events, what is expected, and what is to do.

The scenario is played again before it is handed over: it plays the captured events, and its
upstream breaks the same rules, or a note in the file says what is different.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from conformance.rules.streams import judge_stream
from mockserver.dialects import DIALECTS
from mockserver.faults import KitError, Place, Problem, ScenarioError, UserError
from mockserver.render import Case
from mockserver.scenario.load import load
from mockserver.scenario.script import Close, Sends
from mockserver.scenario.source import MAX_BYTES, read
from mockserver.scenario.steps import MAX_STEPS
from mockserver.shipped import schema
from streamproof._captures.conversation import host_of, then_of
from streamproof._captures.expectation import Expectation, expectation_of
from streamproof._captures.file_text import AttemptText, ScenarioText, TurnText
from streamproof._captures.judgement import conduct_of, judgement, same_findings
from streamproof._captures.plain_answer import plain_answer
from streamproof._captures.script import Way, way_of, written_response
from streamproof._captures.verification import difference, played_again

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.finding import Finding
    from mockserver.dialects import Dialect
    from mockserver.scenario.model import Scenario
    from streamproof._captures.conversation import Attempt, CapturedTurn, Conversation
    from streamproof._captures.judgement import Judgement
    from streamproof._captures.reference import Reference
    from streamproof._captures.script import Written

_MAX_TURNS = schema("scenario")["properties"]["turns"]["maxItems"]
_ERROR = 400
_TOO_LONG = "cut the capture down to the response that matters; judge --stream reads all of it"
_UNKNOWN_END = (
    "TODO: no event says that the response is complete, and the capture does not say how the "
    "connection ended; `close: cut` is a guess."
)


@dataclass(frozen=True, slots=True)
class Imported:
    """The text of a scenario file that was made of a capture, and the scenario in it."""

    text: str
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer of a conversation; a plain one is not ``written`` as events and not ``judged``."""

    attempt: Attempt
    expectation: Expectation
    written: Written | None = None
    judged: Judgement | None = None

    @property
    def text(self) -> AttemptText:
        """The answer as a scenario file has it."""
        plain = {} if self.written else plain_answer(self.attempt.exchange)
        return AttemptText(
            self.written.steps if self.written else (),
            plain,
            self.judged.findings if self.judged else (),
            self.expectation.value,
            self.expectation.todo,
        )


def scenario_of(
    conversation: Conversation, notes: Sequence[str], id_: str, reference: Reference
) -> Imported:
    """The scenario of a conversation; ``notes`` are comments at the top of its file.

    Raises UserError if it does not fit into a scenario file.
    """
    _check_size(conversation)
    made = _Conversion(conversation, reference, echoes=True)
    text = made.text(notes)
    imported = _loaded(text, id_)
    if made.departures(imported.scenario):
        # What repeats the request may be what breaks a rule, and is played otherwise.
        made = _Conversion(conversation, reference, echoes=False)
        text = made.text(notes)
        imported = _loaded(text, id_)
    left = (*made.departures(imported.scenario), *_contradictions(reference, imported.scenario))
    if not left:
        return imported
    return _loaded(replace(text, notes=[*text.notes, *(f"TODO: {each}." for each in left)]), id_)


def _check_size(conversation: Conversation) -> None:
    for turn in conversation.turns:
        for attempt in turn.attempts:
            if (count := len(attempt.exchange.dump.events)) > MAX_STEPS:
                message = f"a response of {count:,} events; a scenario has at most {MAX_STEPS:,}"
                hint = "streamproof judge --stream judges it as it is"
                raise UserError(Problem(message, Place(attempt.exchange.name), hint))


def _loaded(text: ScenarioText, id_: str) -> Imported:
    written = str(text)
    data = written.encode()
    if len(data) > MAX_BYTES:
        message = f"the scenario has {len(data):,} bytes; a file may have {MAX_BYTES:,}"
        raise UserError(Problem(message, hint=_TOO_LONG))
    try:
        read(data, f"{id_}.yaml")
    except ScenarioError as error:
        problems = [replace(each, place=None, hint=_TOO_LONG) for each in error.problems]
        raise UserError(*problems) from error
    try:
        return Imported(written, load(data, f"{id_}.yaml", id_))
    except ScenarioError as error:
        refused = (Problem(f"the scenario made of it is refused: {p}") for p in error.problems)
        raise KitError(*refused) from error


def _contradictions(reference: Reference, scenario: Scenario) -> Iterator[str]:
    """What the reference adapter breaks of a scenario that was made of what it has emitted."""
    for finding in reference.findings(scenario):
        if finding.level == "must":
            yield f"the reference adapter breaks {finding.rule}: {finding.message}"


class _Conversion:
    """The answers of a conversation, converted; each is played to the reference adapter once."""

    def __init__(self, conversation: Conversation, reference: Reference, *, echoes: bool) -> None:
        self._conversation = conversation
        self._dialect = DIALECTS[conversation.dialect]
        self._reference = reference
        self._echoes = echoes
        turns = conversation.turns[:_MAX_TURNS]
        self._way = _way_of_all(turns, self._dialect)
        answers = [
            [self._answer(attempt, n) for attempt in turn.attempts] for n, turn in enumerate(turns)
        ]
        self._repeated, self._turns = _before_a_repeated_id(answers)

    @property
    def _answers(self) -> list[_Answer]:
        return [answer for turn in self._turns for answer in turn]

    def _answer(self, attempt: Attempt, turn: int) -> _Answer:
        exchange, way = attempt.exchange, self._way
        if exchange.plain is not None:
            return _Answer(attempt, _of_plain_answer(exchange.status))
        events, framing = exchange.dump.events, exchange.dump.framing
        written = written_response(
            events, framing, self._dialect, turn, exchange.close, way=way, echoes=self._echoes
        )
        places = tuple(Place("") for _ in written.steps)
        script = Sends(written.steps, places, way.generation)
        transcript, reading = self._reference.played(script)
        prefix = self._reference.id_prefix
        expectation = expectation_of(self._dialect.name, transcript, reading, prefix)
        return _Answer(attempt, expectation, written, judgement(exchange.dump, self._dialect.name))

    def text(self, notes: Sequence[str]) -> ScenarioText:
        """The scenario file, with these notes at its top and those about the whole of it."""
        conduct, why = self._conduct()
        host, host_todo = host_of(self._conversation.turns[0].last.inbound)
        vary = (name for each in self._answers if each.written for name in each.written.vary)
        return ScenarioText(
            self._conversation.dialect,
            conduct,
            list(self._turn_texts()),
            [*notes, *self._notes()],
            why,
            self._way.generation,
            list(dict.fromkeys(vary)),
            host,
            host_todo,
        )

    def _notes(self) -> Iterator[str]:
        if (count := len(self._conversation.turns)) > _MAX_TURNS:
            yield f"TODO: the capture has {count} turns; these are the first {_MAX_TURNS}."
        if self._repeated:
            yield (
                f"TODO: the call id {self._repeated!r} comes in two turns, which a scenario cannot "
                "have; the turns from the second one on are left out."
            )
        if any(map(_has_guessed_end, self._answers)):
            yield _UNKNOWN_END
        if self._way.form != self._dialect.forms[0]:
            chosen = self._way.form or "plain"
            yield (
                f"The captured request chose the form {chosen!r} of the stream; a client that "
                f"chooses another, such as the usual {self._dialect.forms[0]!r}, gets that."
            )

    def _conduct(self) -> tuple[str, str]:
        """The conduct of the upstream, and a comment that says why."""
        conduct, profiles = conduct_of([each.judged for each in self._answers if each.judged])
        steps = [step for each in self._answers if each.written for step in each.written.steps]
        plain = [each.attempt.exchange for each in self._answers if not each.written]
        if any(isinstance(step, Close) for step in steps):
            return "violation", "TODO: the stream breaks off, which no specification allows."
        if any(exchange.status < _ERROR for exchange in plain):
            return "violation", "TODO: a stream was asked for, and none was sent."
        if profiles:
            names = " or ".join(sorted(profiles))
            return conduct, f"TODO: by the profile of {names} it is legal: say profile: NAME then."
        if conduct == "violation":
            return conduct, "TODO: the upstream breaks what is marked by ✗ below."
        sends = Sends(tuple(steps), tuple(Place("") for _ in steps), self._way.generation)
        if problems := self._dialect.check(sends, "legal", frozenset()):
            return "deviation", f"TODO: {problems[0].message}."
        return conduct, ""

    def _turn_texts(self) -> Iterator[TurnText]:
        for n, answers in enumerate(self._turns):
            texts = [answer.text for answer in answers]
            if n + 1 == len(self._turns):
                yield TurnText(texts)
            else:
                following = self._conversation.turns[n + 1].last.inbound
                then, todo = then_of(answers[-1].expectation.calls, following, n + 2)
                yield TurnText(texts, then, todo)

    def departures(self, scenario: Scenario) -> list[str]:
        """How the scenario differs from the capture: what it plays, and which rules it breaks."""
        return list(self._departures(Case(scenario, self._dialect.name)))

    def _departures(self, case: Case) -> Iterator[str]:
        for n, answers in enumerate(self._turns):
            for m, answer in enumerate(answers, 1):
                if not answer.written:
                    continue
                events = answer.attempt.exchange.dump.events
                at = f"turn {n + 1}, attempt {m}"
                if why := difference(case, n, m, events, self._way.form):
                    yield f"{at}: {why}"
                elif not same_findings(
                    _findings(events, case.dialect),
                    _findings(played_again(case, n, m, events, self._way.form), case.dialect),
                ):
                    yield f"{at}: the scenario breaks other rules than the capture"


def _before_a_repeated_id(turns: list[list[_Answer]]) -> tuple[str, list[list[_Answer]]]:
    """The first call id that two turns have, and the turns before the second of them."""
    known: set[str] = set()
    for n, answers in enumerate(turns):
        calls = answers[-1].expectation.calls
        if again := next((id_ for id_ in calls if id_ in known), ""):
            return again, turns[:n]
        known.update(calls)
    return "", turns


def _has_guessed_end(answer: _Answer) -> bool:
    steps = answer.written.steps if answer.written else ()
    return answer.attempt.exchange.close is None and any(isinstance(s, Close) for s in steps)


def _findings(events: Any, dialect: str) -> list[Finding]:
    return judge_stream(events, None, dialect)


def _of_plain_answer(status: int) -> Expectation:
    todo = [] if status >= _ERROR else ["a plain answer where a stream was asked for"]
    return Expectation({"parts": [], "outcome": "failed"}, todo)


def _way_of_all(turns: Sequence[CapturedTurn], dialect: Dialect) -> Way:
    """The way in which all answers are written; a request says the form, if there is one."""
    exchanges = [attempt.exchange for turn in turns for attempt in turn.attempts]
    streams = (exchange.dump.events for exchange in exchanges if exchange.dump.events)
    shortest = way_of(next(streams, ()), dialect)
    inbound = turns[0].last.inbound
    if inbound is None or inbound.form not in dialect.forms:
        return shortest
    return replace(shortest, form=inbound.form)
