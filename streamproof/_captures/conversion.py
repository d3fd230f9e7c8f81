"""Converts the answers of a captured conversation, and writes the scenario that plays them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple
from urllib.parse import urlsplit

from conformance.rules.streams import AcceptingProfile, judge_stream
from mockserver.cases.case import Case
from mockserver.dialects import DIALECTS, Dialect, find_profile
from mockserver.foundation.faults import InputError, Place, Problem
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Close, Sends, SendStep
from mockserver.scenario.source import MAX_BYTES
from streamproof._captures.conversation import Conversation, write_host, write_then
from streamproof._captures.exchange import ERROR, Exchange, map_strings
from streamproof._captures.expectation import Expectation, make_expectation
from streamproof._captures.file_text import (
    write_comment,
    write_entry,
    write_inline,
    write_plain_answer,
    write_steps,
    write_todo,
)
from streamproof._captures.judgement import (
    Conduct,
    Judgement,
    find_difference,
    find_profiles,
    have_same_findings,
    judge_response,
    play_again,
)
from streamproof._captures.reference import Reference
from streamproof._captures.script import Way, Written, choose_way, find_shared, write_response

TITLE = "TODO: the situation, as a sentence without a full stop"
SEEN = {
    "at": "TODO: where it is shown, such as owner/repository#1 or an address",
    "line": "TODO: the line there that shows the situation",
    "upstream": "TODO: who sent it",
}
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

    exchange: Exchange
    expectation: Expectation
    written: Written | None = None
    judged: Judgement | None = None

    @property
    def steps(self) -> tuple[SendStep, ...]:
        return self.written.steps if self.written else ()

    @property
    def has_guessed_end(self) -> bool:
        return self.exchange.close is None and any(isinstance(s, Close) for s in self.steps)

    def lines(self, head: str, profile: str) -> Iterator[str]:
        """The answer as a scenario file has it, judged by a profile or by the specification."""
        indent = len(head)
        if self.judged:
            yield f"{head}sends:"
            yield from write_steps(self.steps, self.judged.by(profile), indent + 2)
        else:
            for n, (key, value) in enumerate(write_plain_answer(self.exchange).items()):
                yield from write_entry(f"{' ' * indent if n else head}{key}:", value, indent + 2)
        yield from write_todo(self.expectation.todo, indent)
        yield from write_entry(f"{' ' * indent}expect:", self.expectation.value, indent + 2)


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
        self._way = _way_of_all(conversation, self._dialect)
        self._other_ids: list[Ids] = []
        self._unnamed = ""
        self._turns = list(self._answered(conversation.turns))
        self._answers = [answer for turn in self._turns for answer in turn]
        self._body = list(self._lines())

    def _answered(self, turns: Sequence[Sequence[Exchange]]) -> Iterator[list[_Answer]]:
        """The answers of each turn; calls get other ids where those of earlier turns are used."""
        known: set[str] = set()
        for n, turn in enumerate(turns):
            size = self._size
            answers = [self._answer(attempt, n) for attempt in turn]
            calls = answers[-1].expectation.calls
            repeated = [id_ for id_ in calls if id_ in known]
            self._unnamed = next((i for i in repeated if i not in answers[-1].expectation.ids), "")
            if self._unnamed:
                return
            if ids := choose_ids(repeated, n + 1, known.union(calls)):
                self._size = size
                answers = [self._answer(replace_ids(attempt, ids), n) for attempt in turn]
            self._other_ids.append(ids)
            known.update(answers[-1].expectation.calls)
            yield answers

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > MAX_BYTES:
            message = f"the scenario has more than {MAX_BYTES:,} bytes, which a file may have"
            raise InputError(Problem(message, Place(self._conversation.name), TOO_LONG))
        self._written()

    def _answer(self, exchange: Exchange, turn: int) -> _Answer:
        if exchange.plain is not None:
            return _Answer(exchange, Expectation({"parts": [], "outcome": "failed"}))
        events, framing = exchange.dump.events, exchange.dump.framing
        written = write_response(
            events,
            framing,
            self._dialect,
            turn,
            exchange.close,
            way=self._way,
            echoes=self._echoes,
            written=self._count,
        )
        transcript, reading = self._reference.played(self._sends(written.steps))
        prefix = self._reference.id_prefix
        expectation = make_expectation(transcript, reading, prefix)
        judged = judge_response(exchange.dump, self._dialect.name)
        return _Answer(exchange, expectation, written, judged)

    def _sends(self, steps: Sequence[SendStep]) -> Sends:
        return Sends(tuple(steps), (Place(""),) * len(steps), self._way.generation)

    def text(self, notes: Sequence[str], left: Sequence[str] = ()) -> str:
        """The scenario file; at its top are notes: these, its own, and ``left``."""
        said = (*notes, *self._notes(), *left)
        return "".join(f"{line}\n" for line in (*chain(*map(write_comment, said)), *self._body))

    def _lines(self) -> Iterator[str]:
        conduct, profile, why = self._stance()
        host, undecided = write_host(self._conversation.turns[0][-1])
        vary = (name for each in self._answers if each.written for name in each.written.vary)
        yield f"title: {write_inline(TITLE)}"
        yield from write_entry("seen:", [SEEN], 2)
        yield f"dialects: [{self._dialect.name}]"
        if self._way.generation:
            yield f"generation: {self._way.generation}"
        yield from write_entry("chunks:", self._way.shared, 2) if self._way.shared else ()
        yield from write_comment(why)
        if profile:
            yield f"profile: {profile}"
        if not profile or conduct != "legal":
            yield f"conduct: {conduct}"
        if varied := [*dict.fromkeys(vary)]:
            yield f"vary: {write_inline(varied)}"
        yield from write_todo(undecided)
        yield from write_entry("host:", host, 2) if host else ()
        yield "turns:"
        for n, answers in enumerate(self._turns):
            if len(answers) > 1:
                yield "  - attempts:"
            for answer in answers:
                yield from answer.lines("  - " if len(answers) == 1 else "      - ", profile)
            if n + 1 < len(self._turns):
                yield from self._then(n)

    def _then(self, turn: int) -> Iterator[str]:
        """What the host says after a turn, as the request for the next one has it."""
        calls = self._turns[turn][-1].expectation.calls
        following = self._conversation.turns[turn + 1][-1].inbound
        then, undecided = write_then(calls, following, turn + 2, self._other_ids[turn])
        yield from write_todo(undecided, 4)
        yield from write_entry("    then:", then, 6)

    def _notes(self) -> Iterator[str]:
        exchanges = self._conversation.exchanges
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
        if any(each.has_guessed_end for each in self._answers):
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
        steps = [step for each in self._answers for step in each.steps]
        if any(isinstance(step, Close) for step in steps):
            is_guess = any(each.has_guessed_end for each in self._answers)
            where = "In the capture, the stream" if is_guess else "The stream"
            return _Stance("violation", why=f"{where} breaks off, which no specification allows.")
        if any(not each.written and each.exchange.status < ERROR for each in self._answers):
            return _Stance("violation", why=_NO_STREAM)
        hosts = [urlsplit(each.url).netloc for each in self._conversation.exchanges]
        profiles = find_profiles(judged, hosts)
        if any(each.breaks for each in judged) and not any(not each.musts for each in profiles):
            return _Stance("violation", why=f"{_BROKEN}{_name_nearest(profiles)}")
        name, *others = [each.profile for each in profiles] or [""]
        known = find_profile(name, self._dialect.name)
        types = known.types if known else frozenset()
        if problems := self._dialect.writing.check(self._sends(steps), "legal", types):
            return _Stance("deviation", why=f"TODO: {problems[0].message}.")
        either = (
            f"TODO: which upstream was it? The profile {name} fits best, and the stream is legal "
            f"by {' or '.join(others)}, too."
        )
        return _Stance("legal", name, either if others else "")

    def departures(self, scenario: Scenario) -> Iterator[str]:
        """How the scenario differs from the capture: what it plays, and which rules it breaks."""
        case, form = Case(scenario, self._dialect.name), self._way.form
        for n, answers in enumerate(self._turns):
            for m, answer in enumerate(answers, 1):
                if not answer.written:
                    continue
                events = answer.exchange.dump.events
                at = f"turn {n + 1}, attempt {m}"
                if why := find_difference(case, n, m, events, form):
                    yield f"{at}: {why}"
                    continue
                again = play_again(case, n, m, events, form)
                found, before = (judge_stream(e, None, case.dialect) for e in (again, events))
                if not have_same_findings(found, before):
                    yield f"{at}: the scenario breaks other rules than the capture"


def _name_nearest(profiles: Sequence[AcceptingProfile]) -> str:
    """A sentence about the profile under which the fewest rules are broken; empty if none helps."""
    if not profiles:
        return ""
    best = profiles[0]
    return f" The profile {best.profile} fits best: {best.musts} of level must."


def _way_of_all(conversation: Conversation, dialect: Dialect) -> Way:
    """The way in which all answers are written; a request says the form, if there is one."""
    streams = [each.dump.events for each in conversation.exchanges if each.dump.events]
    shortest = choose_way(streams[0] if streams else (), dialect)
    shortest = replace(shortest, shared=find_shared(chain(*streams), dialect))
    inbound = conversation.turns[0][-1].inbound
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
        replace(event, data=map_strings(event.data, lambda text: ids.get(text, text)))
        if event.kind == "event"
        else event
        for event in exchange.dump.events
    )
    return replace(exchange, dump=replace(exchange.dump, events=events))
