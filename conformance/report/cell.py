"""A case of the page, opened: what each adapter made of it, and the bytes that they were sent.

Bytes belong to the case and not to a run: a value that differs from request to request is shown by
its name, and each run lists its own values. So the bytes are on the page once, however many
adapters were sent them.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.report import summary, timeline
from conformance.report.columns import draw_text
from conformance.report.wire import Key, render_again
from conformance.report.wire_text import Span, of_body, of_plan, visible
from mockserver.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
"""What a cell says, by status; ``pass*`` is a pass with findings that fail nothing."""

_MOST_EVENTS = 20_000
_MOST_VALUE = 300


def word(result: Result) -> str:
    """How it went, in a word."""
    starred = "*" if result.status == "passed" and result.findings else ""
    return WORDS[result.status] + starred


@dataclass(frozen=True, slots=True)
class OwnValue:
    """A value in the bytes that one request alone was sent."""

    name: str
    value: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request was sent: how much, of which answer, and the values that were its own.

    Where the bytes are not known any more, ``unknown`` says why and ``events`` are those recorded.
    """

    bytes: int = 0
    label: str = ""
    extent: str = ""
    left: str = ""
    own: Sequence[OwnValue] = ()
    unknown: str = ""
    events: str = ""


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """What one adapter made of the case; ``timeline`` is empty where nothing was played."""

    id: str
    adapter: str
    status: Status
    word: str
    findings: Sequence[tuple[str, Sequence[str]]]
    timeline: str
    notes: str
    replies: Sequence[Reply]
    command: str


@dataclass(frozen=True, slots=True)
class Sent:
    """One of the answers that the case was sent; ``label`` tells it from others."""

    label: str
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Opened:
    """A case with every adapter that has a result for it."""

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
    """The ``n``-th case; ``named`` finds it by its id, or raises a Fault."""
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
            *(
                (summary.of_finding(each), list(summary.of_explained(each)))
                for each in result.findings
            ),
            *((why, []) for why in filter(None, [result.why])),
        ],
        timeline=_timeline(result, each),
        notes="\n".join(result.transcript.notes) if result.transcript else "",
        replies=replies,
        command=_command(cell),
    )


def _timeline(result: Result, each: AdapterResults) -> str:
    if result.transcript is None:
        return ""
    rows = timeline.of_run(result.transcript, each.traits, result.findings)
    return draw_text(rows, "the upstream sent", f"{each.adapter} emitted")


def _command(cell: Cell) -> str:
    """The command that plays it again, its paths as they were given; empty if nothing played."""
    if cell.result.transcript is None:
        return ""
    return shlex.join(["streamproof", "show", cell.result.case, *cell.options])


class _Answers:
    """The answers that a case was sent, each of them once."""

    def __init__(self, id_: str, named: Callable[[str], Case], renderings: Renderings) -> None:
        self._id, self._named, self._renderings = id_, named, renderings
        self._case: Case | Fault | None = None
        self._same: dict[Key, dict[str, set[bytes]]] = {}
        self._rendered: dict[Key, Rendered] = {}

    def answer(self, request: Request) -> AnsweredWith | Fault:
        """What a request was answered with, or why that is not known any more."""
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
        """How much of an answer a request was sent, and the values that were its own."""
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
        """Which of several answers it is."""
        turn, attempt, form = key
        asked = f", asked with {form}" if form else ""
        label = f" by turn {turn + 1} at attempt {attempt}{asked}"
        return label if len(self._rendered) > 1 else ""

    def all(self) -> list[Sent]:
        """The answers in order; a value that all requests were sent stands in its place."""
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
    """The events, or the plain answer, as they are recorded."""
    if request.answer:
        return "\n".join(summary.of_answer(request.status, request.answer))
    return "\n".join(map(_event, request.events))


def _event(event: SentEvent) -> str:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return f"{event.kind} {event.type} {data}"
