"""Converts the answers of a captured conversation: events, expectations, and the conduct."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from conformance.rules.streams import judge_stream
from mockserver.cases.case import Case
from mockserver.dialects import DIALECTS, find_profile
from mockserver.foundation.faults import InputError, Place, Problem
from mockserver.scenario.script import Close, Sends
from mockserver.scenario.source import MAX_BYTES
from streamproof._captures.conversation import write_host, write_then
from streamproof._captures.expectation import Expectation, make_expectation
from streamproof._captures.file_text import AttemptText, ScenarioText, TurnText, write_plain_answer
from streamproof._captures.judgement import (
    find_difference,
    find_profiles,
    have_same_findings,
    judge_response,
    play_again,
)
from streamproof._captures.script import Way, choose_way, find_shared, write_response

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from mockserver.dialects import Dialect
    from mockserver.scenario.model import Scenario
    from streamproof._captures.conversation import Attempt, CapturedTurn, Conversation
    from streamproof._captures.exchange import Exchange
    from streamproof._captures.judgement import Conduct, Judgement
    from streamproof._captures.reference import Reference
    from streamproof._captures.script import Written


_ERROR = 400
_NO_STREAM = "TODO: a plain answer is a violation only where a stream was asked for."
_BROKEN = (
    "TODO: the upstream breaks what is marked by ✗ below; it is a deviation if good adapters "
    "accept that."
)
_UNKNOWN_END = (
    "TODO: no event says that the response is complete, and the capture does not say how the "
    "connection ended; `close: cut` is a guess."
)


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer of a conversation; a plain one is not ``written`` as events and not ``judged``."""

    attempt: Attempt
    expectation: Expectation
    written: Written | None = None
    judged: Judgement | None = None

    def text(self, profile: str) -> AttemptText:
        """The answer as a scenario file has it, judged by a profile or by the specification."""
        plain = {} if self.written else write_plain_answer(self.attempt.exchange)
        return AttemptText(
            self.written.steps if self.written else (),
            plain,
            self.judged.by(profile) if self.judged else (),
            self.expectation.value,
            self.expectation.todo,
        )


class _Stance(NamedTuple):
    """Whether the upstream keeps to its specification, or to that of a profile, and why not."""

    conduct: Conduct
    profile: str = ""
    why: str = ""


TOO_LONG = "cut the capture down to the response that matters; judge --stream reads all of it"
"""What to do with a capture that does not fit into a scenario file."""


class Conversion:
    """The answers of a conversation, converted; each is played to the reference adapter once.

    ``written`` is called for each event. Raises InputError as soon as the steps alone are longer
    than a scenario file may be.
    """

    def __init__(
        self,
        conversation: Conversation,
        reference: Reference,
        *,
        echoes: bool,
        written: Callable[[], None],
    ) -> None:
        self._conversation = conversation
        self._dialect = DIALECTS[conversation.dialect]
        self._reference = reference
        self._echoes = echoes
        self._written = written
        self._size = 0
        turns = conversation.turns
        self._way = _way_of_all(turns, self._dialect)
        self._other_ids: list[Ids] = []
        self._unnamed = ""
        self._turns = list(self._answered(turns))

    @property
    def _answers(self) -> list[_Answer]:
        return [answer for turn in self._turns for answer in turn]

    def _answered(self, turns: Sequence[CapturedTurn]) -> Iterator[list[_Answer]]:
        """The answers of each turn; calls get other ids where those of earlier turns are used."""
        known: set[str] = set()
        for n, turn in enumerate(turns):
            size = self._size
            answers = [self._answer(attempt, n) for attempt in turn.attempts]
            calls = answers[-1].expectation.calls
            repeated = [id_ for id_ in calls if id_ in known]
            self._unnamed = next((i for i in repeated if i not in answers[-1].expectation.ids), "")
            if self._unnamed:
                return
            if ids := choose_ids(repeated, n + 1, known.union(calls)):
                renamed = (
                    replace(attempt, exchange=replace_ids(attempt.exchange, ids))
                    for attempt in turn.attempts
                )
                self._size = size
                answers = [self._answer(attempt, n) for attempt in renamed]
            self._other_ids.append(ids)
            known.update(answers[-1].expectation.calls)
            yield answers

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > MAX_BYTES:
            message = f"the scenario has more than {MAX_BYTES:,} bytes, which a file may have"
            name = self._conversation.turns[0].last.exchange.name
            raise InputError(Problem(message, Place(name), TOO_LONG))
        self._written()

    def _answer(self, attempt: Attempt, turn: int) -> _Answer:
        exchange, way = attempt.exchange, self._way
        if exchange.plain is not None:
            return _Answer(attempt, Expectation({"parts": [], "outcome": "failed"}))
        events, framing = exchange.dump.events, exchange.dump.framing
        written = write_response(
            events,
            framing,
            self._dialect,
            turn,
            exchange.close,
            way=way,
            echoes=self._echoes,
            written=self._count,
        )
        places = tuple(Place("") for _ in written.steps)
        script = Sends(written.steps, places, way.generation)
        transcript, reading = self._reference.played(script)
        prefix = self._reference.id_prefix
        expectation = make_expectation(self._dialect.name, transcript, reading, prefix)
        return _Answer(
            attempt, expectation, written, judge_response(exchange.dump, self._dialect.name)
        )

    def text(self, notes: Sequence[str]) -> ScenarioText:
        """The scenario file, with these notes at its top and those about the whole of it."""
        conduct, profile, why = self._stance()
        host, host_todo = write_host(self._conversation.turns[0].last)
        vary = (name for each in self._answers if each.written for name in each.written.vary)
        return ScenarioText(
            self._conversation.dialect,
            conduct,
            list(self._turn_texts(profile)),
            [*notes, *self._notes()],
            why,
            self._way.generation,
            self._way.shared,
            list(dict.fromkeys(vary)),
            host,
            host_todo,
            profile,
        )

    def _notes(self) -> Iterator[str]:
        exchanges = [each.exchange for turn in self._conversation.turns for each in turn.attempts]
        yield from dict.fromkeys(note for each in exchanges for note in each.notes)
        if more := self._conversation.left_out:
            yield (
                f"TODO: the capture has {more:,} answers more; a scenario has at most "
                f"{len(self._turns)} turns."
            )
        renamed = [
            f"{id_!r} is {new!r} in turn {n}"
            for n, ids in enumerate(self._other_ids, 1)
            for id_, new in ids.items()
        ]
        if renamed:
            yield (
                "The upstream gives an id to calls of several turns, which a scenario cannot have: "
                f"{', '.join(renamed)}."
            )
        if self._unnamed:
            yield (
                f"TODO: the tool {self._unnamed!r} is called without an id in two turns, which a "
                "scenario cannot have; the turns from the second one on are left out."
            )
        if any(map(_has_guessed_end, self._answers)):
            yield _UNKNOWN_END
        if self._way.form != self._dialect.forms.default:
            form, usual = (
                name or "plain" for name in (self._way.form, self._dialect.forms.default)
            )
            yield (
                f"The stream is in the form {form!r}, not {usual!r}; a client gets the form that "
                "its own request asks for."
            )

    def _stance(self) -> _Stance:
        judged = [each.judged for each in self._answers if each.judged]
        steps = [step for each in self._answers if each.written for step in each.written.steps]
        plain = [each.attempt.exchange for each in self._answers if not each.written]
        if any(isinstance(step, Close) for step in steps):
            where = (
                "In the capture, the stream"
                if any(map(_has_guessed_end, self._answers))
                else "The stream"
            )
            return _Stance("violation", why=f"{where} breaks off, which no specification allows.")
        if any(exchange.status < _ERROR for exchange in plain):
            return _Stance("violation", why=_NO_STREAM)
        answered = (each for turn in self._conversation.turns for each in turn.attempts)
        hosts = [urlsplit(each.exchange.url).netloc for each in answered]
        profiles = find_profiles(judged, self._dialect.name, hosts)
        if any(each.breaks for each in judged) and not profiles:
            return _Stance("violation", why=_BROKEN)
        name, *others = profiles or [""]
        sends = Sends(tuple(steps), tuple(Place("") for _ in steps), self._way.generation)
        known = find_profile(name, self._dialect.name)
        if problems := self._dialect.writing.check(
            sends, "legal", known.types if known else frozenset()
        ):
            return _Stance("deviation", why=f"TODO: {problems[0].message}.")
        either = f"TODO: which upstream was it? It is legal by {' or '.join(others)}, too."
        return _Stance("legal", name, either if others else "")

    def _turn_texts(self, profile: str) -> Iterator[TurnText]:
        for n, answers in enumerate(self._turns):
            texts = [answer.text(profile) for answer in answers]
            if n + 1 == len(self._turns):
                yield TurnText(texts)
            else:
                following = self._conversation.turns[n + 1].last.inbound
                calls = answers[-1].expectation.calls
                then, todo = write_then(calls, following, n + 2, self._other_ids[n])
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
                if why := find_difference(case, n, m, events, self._way.form):
                    yield f"{at}: {why}"
                    continue
                again = play_again(case, n, m, events, self._way.form)
                found, before = (judge_stream(e, None, case.dialect) for e in (again, events))
                if not have_same_findings(found, before):
                    yield f"{at}: the scenario breaks other rules than the capture"


def _has_guessed_end(answer: _Answer) -> bool:
    steps = answer.written.steps if answer.written else ()
    return answer.attempt.exchange.close is None and any(isinstance(s, Close) for s in steps)


def _way_of_all(turns: Sequence[CapturedTurn], dialect: Dialect) -> Way:
    """The way in which all answers are written; a request says the form, if there is one."""
    exchanges = [attempt.exchange for turn in turns for attempt in turn.attempts]
    streams = (exchange.dump.events for exchange in exchanges if exchange.dump.events)
    shortest = choose_way(next(streams, ()), dialect)
    events = (event for exchange in exchanges for event in exchange.dump.events)
    shortest = replace(shortest, shared=find_shared(events, dialect))
    inbound = turns[0].last.inbound
    if inbound is None or inbound.form not in dialect.forms.names:
        return shortest
    return replace(shortest, form=inbound.form)


Ids = dict[str, str]
"""Other ids, by the repeated ones."""


def choose_ids(repeated: Collection[str], turn: int, taken: Collection[str]) -> Ids:
    """Ids in place of repeated ones that say in which turn they are, counted from 1."""
    found: Ids = {}
    for id_ in repeated:
        new = f"{id_}_turn{turn}"
        while new in taken:
            new += "_"
        found[id_] = new
    return found


def replace_ids(exchange: Exchange, ids: Mapping[str, str]) -> Exchange:
    """An answer with other ids in its events; strings that only contain an id stay."""
    events = tuple(
        replace(event, data=_rename(event.data, ids)) if event.kind == "event" else event
        for event in exchange.dump.events
    )
    return replace(exchange, dump=replace(exchange.dump, events=events))


def _rename(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, dict):
        return {key: _rename(inner, ids) for key, inner in value.items()}
    return [_rename(inner, ids) for inner in value] if isinstance(value, list) else value
