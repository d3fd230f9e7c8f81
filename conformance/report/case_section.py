"""The sections of the results page: for each case its scenario, its runs and its answers' bytes.

The bytes are shown once for a case and not for each run. A value that differs between requests,
such as an id, is shown by its name there, and each run lists its own values.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.contract.transcript import Request
from conformance.findings.finding import Finding
from conformance.report import summary, timeline
from conformance.report.adapters import AdapterResults, Cell
from conformance.report.drawing import draw_text
from conformance.report.failure import conduct_of
from conformance.report.results import Result
from conformance.report.sources import anchor_of, clauses, link, paragraphs
from conformance.report.wire import (
    AnsweredWith,
    Key,
    Span,
    of_body,
    of_plan,
    render_again,
    spans_of,
)
from conformance.rules.turns import turns_of
from mockserver.cases.case import Case
from mockserver.cases.render import Rendered, Renderings
from mockserver.foundation.faults import Fault
from mockserver.scenario.model import Sighting

_MOST_EVENTS = 20_000
_MOST_VALUE = 300


class Source(NamedTuple):
    """A source: its link, and the paragraph that restates it; both are empty if it has none."""

    clause: str
    link: str = ""
    paragraph: str = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the scenario of a case is about; ``unknown`` says why if there is no scenario."""

    title: str
    conduct: str = ""
    holds: str = ""
    about: str = ""
    sources: Sequence[Source] = ()
    seen: Sequence[tuple[Source, Sighting]] = ()
    unknown: str = ""

    @classmethod
    def of(cls, case: str, found: Case | Fault) -> Situation:
        """What a case is about; its title is its id if there is no scenario."""
        if isinstance(found, Fault):
            return cls(case, unknown=found.problems[0].message)
        scenario = found.scenario
        sources = list(map(_source, (*scenario.source, *scenario.reports)))
        seen = [(_source(each.at), each) for each in found.seen]
        conduct, holds = conduct_of(found)
        return cls(scenario.title, conduct, holds, scenario.about.strip(), sources, seen)


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """The run of a case with one adapter, and the command that plays it again.

    ``timeline`` and ``command`` are empty if the case was not played.
    """

    id: str
    adapter: str
    result: Result
    replies: Sequence[Reply]
    timeline: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """The section of a case: its scenario, its runs with all adapters, and what was sent.

    What was sent is the bytes of each answer, with a label if the case has several.
    """

    case: str
    situation: Situation
    runs: Sequence[OpenedRun]
    sent: Sequence[tuple[str, Sequence[Span]]]


def open_section(
    n: int,
    case: str,
    adapters: Sequence[AdapterResults],
    found: Case | Fault,
    renderings: Renderings,
) -> Opened:
    """The section that the row of case number ``n`` opens: what was sent, and each adapter's run.

    ``found`` is the case, or why the scenarios have it no longer.
    """
    sent = Answers(found, renderings)
    played = [
        (f"run-{n}-{m}", each, cell, [(r, sent.answer(r)) for r in _requests(cell)])
        for m, each in enumerate(adapters)
        if (cell := each.cases.get(case))
    ]
    # What is a request's own is known once every request has been looked at.
    runs = [
        _run(id_, each, cell, found, [sent.reply(request, got) for request, got in answers])
        for id_, each, cell, answers in played
    ]
    return Opened(case, Situation.of(case, found), runs, sent.all())


def _requests(cell: Cell) -> tuple[Request, ...]:
    transcript = cell.result.transcript
    return transcript.answered if transcript else ()


def _run(
    id_: str, each: AdapterResults, cell: Cell, found: Case | Fault, replies: Sequence[Reply]
) -> OpenedRun:
    result = cell.result
    if result.transcript is None:
        return OpenedRun(id_, each.adapter, result, replies)
    case = None if isinstance(found, Fault) else found
    rows = timeline.of_run(turns_of(result.transcript, each.traits, case), result.findings)
    drawing = draw_text(rows, "the upstream sent", f"{each.adapter} emitted")
    command = shlex.join(["streamproof", "show", result.case, *cell.options])
    return OpenedRun(id_, each.adapter, result, replies, drawing, command)


def sources_of(finding: Finding) -> list[Source]:
    """The sources of what a finding is about."""
    return list(map(_source, clauses(finding.source)))


def _source(clause: str) -> Source:
    address = link(clause)
    stated = paragraphs().get(anchor_of(address))
    return Source(clause, "" if anchor_of(address) else address, stated.plain if stated else "")


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request was sent: the number of bytes, and the values that only it got, by name.

    ``label`` names the answer if the case has several, ``extent`` is how much of it was sent, and
    ``left`` is how the client disconnected. If the bytes cannot be rendered again, ``unknown`` says
    why, and ``events`` has the recorded events.
    """

    bytes: int = 0
    label: str = ""
    extent: str = ""
    left: str = ""
    own: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    unknown: str = ""
    events: str = ""


class Answers:
    """Collects the answers of a case; requests that got the same answer share it."""

    def __init__(self, case: Case | Fault, renderings: Renderings) -> None:
        self._case, self._renderings = case, renderings
        self._same: dict[Key, dict[str, set[bytes]]] = {}
        self._rendered: dict[Key, Rendered] = {}

    def answer(self, request: Request) -> AnsweredWith | Fault:
        """Render the answer to a request again, or return the reason why that is impossible."""
        if isinstance(self._case, Fault):
            return self._case
        try:
            got = render_again(self._case, request, self._renderings)
        except Fault as fault:
            return fault
        self._rendered[got.key] = got.rendered
        same = self._same.setdefault(got.key, {})
        for name, value in got.values.items():
            same.setdefault(name, set()).add(value)
        return got

    def reply(self, request: Request, got: AnsweredWith | Fault) -> Reply:
        """Describe what a request was sent, once ``answer`` was called for all requests."""
        if isinstance(got, Fault):
            problem = got.problems[0]
            why = "; ".join(filter(None, (problem.message, problem.hint)))
            return Reply(unknown=why, events=_events(request))
        writes = len(got.rendered.plan.byte_writes)
        part = f"up to write {got.writes} of {writes}"
        return Reply(
            bytes=got.wire.bytes,
            label=self._label(got.key),
            extent="all of them" if got.writes == writes else part,
            left=request.left.how if request.left else "",
            own={
                name: _clipped(value)
                for name, value in got.values.items()
                if len(self._same[got.key][name]) > 1
            },
        )

    def _label(self, key: Key) -> str:
        """The turn, attempt and form of an answer, in words; empty if it is the only one."""
        turn, attempt, form = key
        asked = f", asked with {form}" if form else ""
        label = f" by turn {turn + 1} at attempt {attempt}{asked}"
        return label if len(self._rendered) > 1 else ""

    def all(self) -> list[tuple[str, Sequence[Span]]]:
        """The labels and bytes of the answers in order.

        Slots are filled if all requests got the same value.
        """
        sent: list[tuple[str, Sequence[Span]]] = []
        for key, rendered in sorted(self._rendered.items(), key=lambda pair: pair[0]):
            same = {n: min(v) for n, v in self._same[key].items() if len(v) == 1}
            plain = rendered.answer
            spans = of_body(plain.body) if plain else of_plan(rendered.plan, same)
            sent.append((self._label(key), spans))
        return sent


def _clipped(value: bytes) -> list[Span]:
    more = [] if len(value) <= _MOST_VALUE else [Span("text", "…")]
    return [*spans_of(value[:_MOST_VALUE]), *more]


def _events(request: Request) -> str:
    """The recorded events of an answer, or the plain answer, as text."""
    lines = [
        f"{event.kind} {event.type} "
        + json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
        for event in request.events
    ]
    if request.answer:
        lines = summary.of_answer(request.status, request.answer)
    events = "\n".join(lines)
    return events if len(events) <= _MOST_EVENTS else events[:_MOST_EVENTS] + "\n… and so on"
