"""Scenarios and streams as values, without a server: load, lint, list, play and judge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Unpack

from conformance.findings.words import finding_json
from conformance.suite.posted import read_posted, turn_number, verdict_of
from mockserver.cases.case import Case, misfit
from mockserver.cases.catalogue import Catalogue, Entry, read_file
from mockserver.cases.render import differs, find_break, render
from mockserver.cases.variations import GROUPS, variations
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import folder
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Answer, Close
from mockserver.server.journal import Exchange
from mockserver.server.runs import Run as KitRun
from mockserver.server.runs import own_case
from mockserver.wire.frames import EVENT_STREAM
from mockserver.wire.playback import WriteRecord
from streamproof._api.ending import Decoded, Error, Finish, Outcome, Vocabulary, make_ending
from streamproof._api.faults import Problem, UserError
from streamproof._api.parts import Parts, as_json, collect
from streamproof._api.verdict import Finding, Verdict
from streamproof._api.wanted import Wanted, read_wanted
from streamproof._commands.cases import find_named_case, make_id, name_nearest
from streamproof._commands.lint import check_file, find_files
from streamproof._commands.options import read_bytes


@dataclass(frozen=True, slots=True)
class Played:
    """What the mock sends for a case: ``pieces`` are the bytes of the body, one for each write.

    ``events`` are the upstream's events, with the keys ``n``, ``kind``, ``type`` and ``data``.
    """

    case: str
    status: int
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...] = field(repr=False)
    events: tuple[Mapping[str, Any], ...] = field(repr=False)
    _run: KitRun = field(repr=False)

    @property
    def body(self) -> bytes:
        """The bytes of the body."""
        return b"".join(self.pieces)

    def verdict(
        self,
        parts: Parts,
        outcome: Outcome | None = None,
        *,
        error: Error | None = None,
        finish: Finish | None = None,
        usage: Mapping[str, int] | None = None,
        vocabulary: Vocabulary = "vscode",
        traits: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """The verdict on the parts that a decoder has made of the bytes; see ``Run.verdict``.

        Raises Fault if the values are none that can be judged.
        """
        run = self._run
        emitted, raised = collect(parts)
        error = raised if error is None else error
        posted = {
            "parts": as_json(emitted),
            "end": make_ending(outcome, error, finish, usage),
            "adapter": "the decoder",
            "vocabulary": vocabulary,
            "traits": dict(traits or {}),
            "turn": run.exchanges[0].turn,
        }
        return Verdict.of(verdict_of(run, read_posted(posted, run.case), 0.0), raised)

    def check(
        self, parts: Parts, outcome: Outcome | None = None, **ending: Unpack[Decoded]
    ) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        self.verdict(parts, outcome, **ending).check()


def load(file: str | Path) -> Scenario:
    """The scenario in a YAML file. Raises Fault with each of its problems and their places."""
    path = Path(file)
    return read_file(path, make_id(path))


def lint(*paths: str | Path) -> list[Problem]:
    """The problems of scenario files and folders; without any, those of the shipped catalogue.

    Raises Fault if a path does not exist.
    """
    found = find_files(tuple(map(Path, paths)) or (folder("scenarios"),))
    return [problem for file, id_ in found for problem in check_file(file, id_)[1]]


def cases(
    pattern: str = "*", *, scenarios: tuple[str | Path, ...] = (), cancel: bool = False
) -> list[str]:
    """The ids of the cases that match a pattern such as ``any/*@chat``, ``any/refusal`` or ``*``.

    Without a dialect in the pattern, each scenario is in every dialect that it is played in. A
    variation or a group of them may follow: ``any/*@chat+crlf``, ``any/refusal+cuts``; one that
    does not fit a scenario, or changes nothing in it, is left out. What a ``*`` or a group brings
    and only ends if the test cancels is left out, unless ``cancel``.
    ``scenarios`` are folders of one's own. Raises Fault if nothing matches, or a file that does is
    broken.
    """
    named, *asked = pattern.split("+")
    scenario, _, dialect = named.partition("@")
    catalogue = Catalogue.shipped(*map(Path, scenarios))
    entries = [each for each in catalogue.entries() if fnmatchcase(each.id, scenario)]
    if not entries:
        hint = name_nearest(scenario, catalogue) or "'streamproof list' has them all"
        raise UserError(Problem(f"no scenario matches {scenario!r}", hint=hint))
    plain = [case for each in entries for case in _cases(each, dialect or "*")]
    found = [varied for case in plain for varied in _vary(case, asked)]
    by_name = "*" not in scenario and not GROUPS.keys() & asked
    if not by_name and not cancel:
        found = [case for case in found if not _needs_cancel(case)]
    if not found:
        hint = "its variations may not fit, or its dialect not be spoken" if plain else ""
        raise UserError(Problem(f"no case matches {pattern!r}", hint=hint))
    return [str(case) for case in found]


def play(case: Wanted, *, vary: str = "", turn: int = 0, attempt: int = 1) -> Played:
    """What the mock sends for a case's turn: nothing is opened, nothing is waited for.

    The case may also be a scenario of your own, as for ``Mock.run``. Values that an answer repeats
    of its request are those of a sample request. Raises Fault if the case cannot be played.
    """
    id_, own = read_wanted(case, Path())
    named = "+".join(filter(None, (id_, vary)))
    shipped = own is None
    found = find_named_case(named, Catalogue.shipped()) if shipped else own_case(own, named)
    if attempt < 1:
        raise UserError(f"attempts are counted from 1; there is no attempt {attempt}")
    exchange = _play_turn(found, turn_number(turn, found), attempt)
    run = KitRun("offline", found, exchanges=[exchange])
    dialect, answer = DIALECTS[found.dialect], exchange.answer
    headers = answer.headers if answer else {**EVENT_STREAM, **dialect.answers.headers}
    events = tuple(
        {name: event[name] for name in ("n", "kind", "type", "data")} for event in exchange.events()
    )
    return Played(
        str(found), exchange.status, dict(headers), tuple(exchange.bodies() or ()), events, run
    )


def judge(stream: bytes | str | Path, *, dialect: str = "", profile: str = "") -> list[Finding]:
    """The findings about an upstream's own stream: what curl prints of it, or the path of a file.

    Without a ``dialect`` it is recognised by the events. Raises Fault if it is no stream, or if the
    dialect or its profile is unknown.
    """
    from streamproof._commands.judge_stream import judge_recording

    found = judge_recording(*_stream(stream), profile, dialect).findings
    return [Finding.of(finding_json(finding)) for finding in found]


def _stream(stream: bytes | str | Path) -> tuple[bytes, str]:
    """The bytes of a stream, and its name in messages. A text of several lines is no path."""
    if isinstance(stream, bytes):
        return stream, "the stream"
    if isinstance(stream, str) and "\n" in stream:
        return stream.encode(), "the stream"
    return read_bytes(Path(stream)), str(stream)


def _play_turn(case: Case, turn: int, attempt: int) -> Exchange:
    """The entry of the journal for a turn, as if it had been sent in full, every write in time."""
    dialect, rendered = DIALECTS[case.dialect], render(case, turn, attempt)
    plan, answer, values = rendered.plan, rendered.answer, dialect.sample()
    return Exchange(
        n=0,
        at=0.0,
        method="POST",
        path=f"/v1/{dialect.requests.operations[0]}",
        headers={},
        case=str(case),
        turn=turn,
        attempt=attempt,
        status=answer.status if answer else rendered.status,
        plan=None if answer else plan,
        answer=answer,
        values=values,
        writes=[
            WriteRecord(write.at, 0.0, write.first, write.last, write.size)
            for write in plan.filled(values).byte_writes
        ],
        ended=plan.closes_at,
    )


def _cases(entry: Entry, dialect: str) -> Iterator[Case]:
    if entry.broken:
        raise entry.broken
    assert entry.scenario is not None
    for each in entry.scenario.dialects:
        if fnmatchcase(each, dialect):
            yield Case(entry.scenario, each)


def _needs_cancel(case: Case) -> bool:
    """Whether a run only ends if the test cancels it."""
    turns = case.scenario.turns
    return any(turn.cancel is not None or _stalls(case, n) for n, turn in enumerate(turns))


def _stalls(case: Case, n: int) -> bool:
    attempts = case.scenario.turns[n].attempts
    fault = find_break(case, n, len(attempts))
    scripts = [each.script for each in attempts if not isinstance(each.script, Answer)]
    closes = [step.how for each in scripts for step in each.steps if isinstance(step, Close)]
    return "stall" in (*closes, fault and fault.at.close)


def _vary(case: Case, asked: Sequence[str]) -> Iterator[Case]:
    """The case under all combinations of one variation of each that is asked for."""
    if not asked:
        yield case
        return
    first, *others = asked
    for name in variations(first):
        varied = replace(case, variations=(*case.variations, name))
        if not misfit(varied) and differs(replace(case, variations=(name,))):
            yield from _vary(varied, others)
