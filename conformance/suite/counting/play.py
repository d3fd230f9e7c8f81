"""Plays and judges a sequence: runs against the mock, and token counts between them.

All of it uses one base URL, as in a host: counts are of the conversation that is sent there. The
usage that a run reports depends on what the adapter has estimated, so the upstream plays another
scenario for each run.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.request import urlopen

from conformance.contract.adapter import Description
from conformance.contract.transcript import TurnInput
from conformance.drivers.driver import Counter, Outcome, ended_value
from conformance.drivers.recorder import Recorder
from conformance.findings.finding import Finding, Kind
from conformance.report.results import Result
from conformance.rules.counting.counts import (
    CallBetweenCountsLost,
    CountedAsNothing,
    CountNotAnswered,
    RunBetweenCountsBroken,
    count_answered,
)
from conformance.rules.counting.evidence import CountAnswer, Evidence
from conformance.rules.counting.limits import FIGURES
from conformance.rules.engine import judge
from conformance.suite.counting.sequences import (
    CALL,
    EDITED,
    FILE,
    REPLY,
    RESULT,
    SEQUENCES,
    TOOL,
    Count,
    Play,
    Restart,
    Sequence,
    Step,
    text_of,
)
from conformance.suite.play import OpenRun, open_run, requests_of
from conformance.suite.session import Session
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import KitError

_MODELS_SECONDS = 10
_NO_USAGE = "no dialect that the adapter speaks tells what a request has cost"


def check(session: Session, id_: str) -> Result:
    """Play the sequence of an item to an adapter that claims ``count``, and judge it.

    Not applicable if no dialect of the adapter reports usage, or if no rule applies.
    """
    name, sequence = session.description.name, SEQUENCES[id_]
    report = usage_report_for(session.description)
    if report is None:
        return Result(id_, name, "not-applicable", why=_NO_USAGE)
    evidence = play(session, sequence, report)
    findings = judged(sequence, evidence)
    if findings:
        why = "\n".join((evidence.summary, *evidence.notes))
        failed = any(finding.level == "must" for finding in findings)
        return Result(id_, name, "failed" if failed else "passed", tuple(findings), why=why)
    unfit = [rule.not_applicable(evidence) for rule in sequence.rules]
    if all(unfit):
        return Result(id_, name, "not-applicable", why=unfit[0])
    return Result(id_, name, "passed", why=evidence.summary)


def judged(sequence: Sequence, evidence: Evidence) -> list[Finding]:
    """The findings on a sequence; if it was aborted, only the finding that it was."""
    return judge(evidence, (count_answered,) if evidence.broken else sequence.rules)


def skip_reason(described: Description) -> str:
    """Why an adapter is not asked to count; empty if it is."""
    return "" if described.claims.count else "the adapter does not claim count: true"


class _SequenceAborted(Exception):
    """The sequence cannot go on, because a run or a count failed."""

    def __init__(self, kind: Kind, outcome: Outcome | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.notes = outcome.notes if outcome else ()


def play(session: Session, sequence: Sequence, report: UsageReport) -> Evidence:
    """Restart the adapter with empty storage and play a sequence. Raises AdapterError."""
    driver = session.driver
    if not isinstance(driver, Counter):
        raise KitError(f"{type(driver).__name__} cannot ask an adapter to count")
    with open_run(session, report.case()) as opened:
        driver.restart()
        return _Player(session, driver, opened, report).play_steps(sequence.steps)


@dataclass(slots=True)
class _Player:
    """The state of a sequence while it is played.

    ``counts``, ``used_tokens`` and ``replies`` (the emitted parts) are by the names of the steps.
    """

    session: Session
    driver: Counter
    opened: OpenRun
    report: UsageReport
    n: int = 0
    counts: dict[str, CountAnswer] = field(default_factory=dict)
    used_tokens: dict[str, int] = field(default_factory=dict)
    replies: dict[str, list[Any]] = field(default_factory=dict)

    def play_steps(self, steps: Iterable[Step]) -> Evidence:
        broken, notes = None, tuple[str, ...]()
        try:
            for step in steps:
                self.n += 1
                _STEP_METHODS[type(step)](self, step)
        except _SequenceAborted as error:
            broken, notes = error.kind, error.notes
        model = {} if broken else self._model_limits()
        claimed, sent = self.session.description.claims.limits, self._sent_limits()
        return Evidence(self.counts, self.used_tokens, model, claimed, sent, broken, notes)

    def count(self, step: Count) -> None:
        asked = self._message(step.of)
        del asked["options"]
        asked["tools"] = [TOOL] if step.offers_tool else []
        asked |= {"type": "count", "id": f"c-{self.opened.run.id}-{self.n}"}
        outcome = self.driver.count(asked)
        if outcome.counted is None:
            raise _SequenceAborted(CountNotAnswered(ended_value(outcome)), outcome)
        self.counts[step.name] = CountAnswer.from_message(outcome.counted)
        if not self.replies and not self.counts[step.name].tokens:
            raise _SequenceAborted(CountedAsNothing())

    def play(self, step: Play) -> None:
        tokens = int(step.times * self.counts[step.counted].tokens) if step.times else None
        case = self.report.case(tokens, calls=step.calls)
        self.session.upstream.change(self.opened.run, case)
        message = self._message(step.sent) | {"id": self.opened.run_id(self.n)}
        message["tools"] = [TOOL] if step.calls else []
        recorder = Recorder()
        outcome = self.driver.run(message, recorder, "alone")
        if outcome.verdict != "completed":
            raise _SequenceAborted(RunBetweenCountsBroken(ended_value(outcome)), outcome)
        if tokens is not None:
            self.used_tokens[step.reply] = tokens
        self.replies[step.reply] = [dict(emitted.part) for emitted in recorder.parts()]

    def restart(self, _step: Restart) -> None:
        self.driver.restart()

    def _message(self, names: Iterable[str]) -> dict[str, Any]:
        asked = TurnInput(tuple(map(self._named_message, names)))
        return self.opened.message(self.session.limit_ms, asked)

    def _named_message(self, name: str) -> Mapping[str, Any]:
        if name in self.replies:
            return {"role": "assistant", "content": self.replies[name]}
        if name == CALL + EDITED:
            input_ = {"sender": text_of(name)}
            call = self.session.vocabulary.call(self._call_id(), str(TOOL["name"]), input_)
            return {"role": "assistant", "content": [call]}
        if name.startswith(FILE):
            data = b64encode(text_of(name).encode()).decode()
            file = self.session.vocabulary.data("image/png", data)
            return {"role": "assistant", "content": [file]}
        if name.startswith(RESULT):
            return {"role": "tool", "callId": self._call_id(), "content": text_of(name)}
        return {"role": "user", "content": text_of(name)}

    def _call_id(self) -> str:
        """The id of the call in the reply ``call``, as the adapter emitted it."""
        calls = self.session.vocabulary.read(self.replies[CALL], None).calls
        if len(calls) != 1 or not calls[0].id:
            raise _SequenceAborted(CallBetweenCountsLost(len(calls)))
        return calls[0].id

    def _sent_limits(self) -> tuple[int, ...]:
        """The output limits in the requests of all runs."""
        dialect = DIALECTS[self.opened.run.case.dialect]
        requests = requests_of(self.opened.run, 0.0)
        inbound = (dialect.requests.read(request.body, request.headers) for request in requests)
        return tuple(each.limit for each in inbound if each.limit is not None)

    def _model_limits(self) -> dict[str, int]:
        """The limits of the run's model in tokens, read from the upstream's ``/models``."""
        url = f"{self.session.upstream.url}{self.opened.run.path}/models"
        # The URL is the kit's own mock, not user input.
        with urlopen(url, timeout=_MODELS_SECONDS) as answer:  # noqa: S310
            first = json.load(answer)["data"][0]
        return {name: first[name] for name in FIGURES.values() if name in first}


_STEP_METHODS: Mapping[type, Callable[[_Player, Any], None]] = {
    Count: _Player.count,
    Play: _Player.play,
    Restart: _Player.restart,
}


MODEL = {"context_window": 200_000, "max_tokens": 64_000}
"""The limits of the answering model in tokens; no other model has these values."""

_OUTPUT_TOKENS = 20


@dataclass(frozen=True, slots=True)
class UsageReport:
    """How the upstream reports usage: the dialect, and the variations that the adapter needs."""

    dialect: str
    variations: tuple[str, ...] = ()

    def case(self, tokens: int | None = None, *, calls: bool = False) -> Case:
        """A case with a short reply that reports so many input tokens, or no usage if None.

        The reply is a text or, with ``calls``, a call of ``TOOL``.
        """
        usage = "none" if tokens is None else {"input": tokens, "output": _OUTPUT_TOKENS}
        call = {"id": "call_1", "name": TOOL["name"], "input": {"sender": "a friend"}}
        says = [{"call": call} if calls else {"text": REPLY}, {"usage": usage}]
        turns, host = [{"says": says}], {"model": dict(MODEL)}
        said = {"title": "A reply with a bill", "host": host, "turns": turns}
        scenario = load(json.dumps(said).encode(), "the kit's own", "any/counted")
        return Case(scenario, self.dialect, self.variations)

    @property
    def shows_usage(self) -> bool:
        """Whether the dialect reports usage: whether the bytes sent depend on the tokens used."""
        sent = [render(self.case(tokens), 0).plan.sent for tokens in (100, 200)]
        return sent[0] != sent[1]


def usage_report_for(adapter: Description) -> UsageReport | None:
    """The usage report in the first of an adapter's dialects that has one; None if none has.

    A UI message stream, for example, reports no usage.
    """
    reports = (UsageReport(dialect, _generation(adapter, dialect)) for dialect in adapter.dialects)
    return next((report for report in reports if report.shows_usage), None)


def _generation(adapter: Description, dialect: str) -> tuple[str, ...]:
    claimed = adapter.claims.generations
    generations = DIALECTS[dialect].writing.generations
    if not generations or claimed is None or generations[0] in claimed:
        return ()
    return claimed[:1]
