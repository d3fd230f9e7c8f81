"""The sections of the results page: for each case, its runs and the bytes of its answers.

The bytes are shown once for a case and not for each run. A value that differs between requests,
such as an id, is shown by its name there, and each run lists its own values.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from conformance.contract.sources import anchor_of, clauses, link
from conformance.report import summary, timeline
from conformance.report.columns import draw_text
from conformance.report.wire import Key, render_again
from conformance.report.wire_text import Span, of_body, of_plan, visible
from mockserver.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.results import Result, Status
    from conformance.contract.transcript import Request, SentEvent
    from conformance.report.by_adapter import AdapterResults, Cell
    from conformance.report.wire import AnsweredWith
    from mockserver.render import Case, Rendered, Renderings

WORDS: dict[Status, str] = {
    "passed": "pass",
    "failed": "FAIL",
    "known": "known",
    "not-applicable": "n/a",
    "broken": "broken",
}
"""The word in a cell, by status; ``pass*`` is a pass with findings below the failing level."""

_MOST_EVENTS = 20_000
_MOST_VALUE = 300


def word(result: Result) -> str:
    """The word for a result in its cell."""
    starred = "*" if result.status == "passed" and result.findings else ""
    return WORDS[result.status] + starred


@dataclass(frozen=True, slots=True)
class OwnValue:
    """A value in an answer that differs between requests, as one request got it."""

    name: str
    value: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request was sent: the number of bytes, and the values that only it got.

    ``label`` names the answer if the case has several, ``extent`` is how much of it was sent, and
    ``left`` is how the client disconnected. If the bytes cannot be rendered again, ``unknown`` says
    why, and ``events`` has the recorded events.
    """

    bytes: int = 0
    label: str = ""
    extent: str = ""
    left: str = ""
    own: Sequence[OwnValue] = ()
    unknown: str = ""
    events: str = ""


class Source(NamedTuple):
    """A source of a finding, and its link in the page; empty if it has none."""

    clause: str
    link: str


@dataclass(frozen=True, slots=True)
class OpenedFinding:
    """A finding in words, the findings that it explains, and its sources."""

    text: str
    explains: Sequence[str] = ()
    sources: Sequence[Source] = ()


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """The run of a case with one adapter; ``timeline`` is empty if the case was not played."""

    id: str
    adapter: str
    status: Status
    word: str
    findings: Sequence[OpenedFinding]
    timeline: str
    notes: str
    replies: Sequence[Reply]
    command: str


@dataclass(frozen=True, slots=True)
class Sent:
    """The bytes of one answer; ``label`` names it if the case has several."""

    label: str
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Opened:
    """The section of a case: its runs with all adapters, and the answers that were sent."""

    case: str
    runs: Sequence[OpenedRun]
    sent: Sequence[Sent]


def opened(
    n: int,
    case: str,
    adapters: Sequence[AdapterResults],
    named: Callable[[str], Case],
    renderings: Renderings,
) -> Opened:
    """The section that the row of case number ``n`` opens: what was sent, and each adapter's run.

    ``named`` finds the case by its id, or raises a Fault if the scenarios have it no longer.
    """
    sent = _Answers(case, named, renderings)
    played = [
        (f"run-{n}-{m}", each, cell, [(r, sent.answer(r)) for r in _requests(cell)])
        for m, each in enumerate(adapters)
        if (cell := each.cases.get(case))
    ]
    # What is a request's own is known once every request has been looked at.
    runs = [
        _run(id_, each, cell, [sent.reply(request, got) for request, got in answers])
        for id_, each, cell, answers in played
    ]
    return Opened(case, runs, sent.all())


def _requests(cell: Cell) -> tuple[Request, ...]:
    transcript = cell.result.transcript
    return transcript.answered if transcript else ()


def _run(id_: str, each: AdapterResults, cell: Cell, replies: Sequence[Reply]) -> OpenedRun:
    result = cell.result
    return OpenedRun(
        id=id_,
        adapter=each.adapter,
        status=result.status,
        word=word(result),
        findings=[
            *map(_finding, result.findings),
            *map(OpenedFinding, filter(None, [result.why])),
        ],
        timeline=_timeline(result, each),
        notes="\n".join(result.transcript.notes) if result.transcript else "",
        replies=replies,
        command=_command(cell),
    )


def _finding(finding: Finding) -> OpenedFinding:
    sources = [Source(clause, _link(clause)) for clause in clauses(finding.source)]
    return OpenedFinding(summary.of_finding(finding), summary.of_explained(finding), sources)


def _link(clause: str) -> str:
    """The link of a source; a paragraph of ``docs/semantics.md`` is at the end of the page."""
    address = link(clause)
    anchor = anchor_of(address)
    return f"#semantics-{anchor}" if anchor else address


def _timeline(result: Result, each: AdapterResults) -> str:
    if result.transcript is None:
        return ""
    rows = timeline.of_run(result.transcript, each.traits, result.findings)
    return draw_text(rows, "the upstream sent", f"{each.adapter} emitted")


def _command(cell: Cell) -> str:
    """The command that plays the case again; empty if the case was not played."""
    if cell.result.transcript is None:
        return ""
    return shlex.join(["streamproof", "show", cell.result.case, *cell.options])


class _Answers:
    """Collects the answers of a case; requests that got the same answer share it."""

    def __init__(self, id_: str, named: Callable[[str], Case], renderings: Renderings) -> None:
        self._id, self._named, self._renderings = id_, named, renderings
        self._case: Case | Fault | None = None
        self._same: dict[Key, dict[str, set[bytes]]] = {}
        self._rendered: dict[Key, Rendered] = {}

    def answer(self, request: Request) -> AnsweredWith | Fault:
        """Render the answer to a request again, or return the reason why that is impossible."""
        try:
            got = render_again(self._found(), request, self._renderings)
        except Fault as fault:
            return fault
        self._rendered[got.key] = got.rendered
        same = self._same.setdefault(got.key, {})
        for name, value in got.values.items():
            same.setdefault(name, set()).add(value)
        return got

    def _found(self) -> Case:
        if self._case is None:
            try:
                self._case = self._named(self._id)
            except Fault as fault:
                self._case = fault
        if isinstance(self._case, Fault):
            raise self._case
        return self._case

    def reply(self, request: Request, got: AnsweredWith | Fault) -> Reply:
        """Describe what a request was sent, once ``answer`` was called for all requests."""
        if isinstance(got, Fault):
            problem = got.problems[0]
            why = "; ".join(filter(None, (problem.message, problem.hint)))
            return Reply(unknown=why, events=_clipped_events(request))
        return Reply(
            bytes=got.wire.bytes,
            label=self._label(got.key),
            extent=_extent(got),
            left=request.left.how if request.left else "",
            own=[
                OwnValue(name, _clipped(value))
                for name, value in got.values.items()
                if not self._is_same(got.key, name)
            ],
        )

    def _is_same(self, key: Key, name: str) -> bool:
        return len(self._same[key][name]) == 1

    def _label(self, key: Key) -> str:
        """The turn, attempt and form of an answer, in words; empty if it is the only one."""
        turn, attempt, form = key
        asked = f", asked with {form}" if form else ""
        label = f" by turn {turn + 1} at attempt {attempt}{asked}"
        return label if len(self._rendered) > 1 else ""

    def all(self) -> list[Sent]:
        """The answers in order; slots are filled if all requests got the same value."""
        return [
            Sent(
                self._label(key),
                _spans(rendered, {n: min(v) for n, v in self._same[key].items() if len(v) == 1}),
            )
            for key, rendered in sorted(self._rendered.items(), key=lambda pair: pair[0])
        ]


def _spans(rendered: Rendered, values: Mapping[str, bytes]) -> list[Span]:
    plain = rendered.answer
    return of_body(plain.body) if plain else of_plan(rendered.plan, values)


def _extent(got: AnsweredWith) -> str:
    writes = len(got.rendered.plan.byte_writes)
    return "all of them" if got.writes == writes else f"up to write {got.writes} of {writes}"


def _clipped(value: bytes) -> list[Span]:
    more = [] if len(value) <= _MOST_VALUE else [Span("text", "…")]
    return [*visible(value[:_MOST_VALUE]), *more]


def _clipped_events(request: Request) -> str:
    events = _events(request)
    return events if len(events) <= _MOST_EVENTS else events[:_MOST_EVENTS] + "\n… and so on"


def _events(request: Request) -> str:
    """The recorded events of an answer, or the plain answer, as text."""
    if request.answer:
        return "\n".join(summary.of_answer(request.status, request.answer))
    return "\n".join(map(_event, request.events))


def _event(event: SentEvent) -> str:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return f"{event.kind} {event.type} {data}"
