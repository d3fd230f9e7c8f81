"""The details of a case on the HTML page: the run of each adapter, and the bytes sent to them.

The bytes are on the page once for all runs: a value that differs between requests is shown there by
its name, and each run lists the values that it got.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from conformance.report import summary, timeline
from conformance.report.columns import draw_text
from conformance.report.wire import Key, render_again
from conformance.report.wire_text import of_body, of_plan, visible
from mockserver.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.results import Result
    from conformance.contract.transcript import Request, SentEvent
    from conformance.report.by_adapter import AdapterResults, Cell
    from conformance.report.wire import AnsweredWith
    from mockserver.render import Case, Rendered, Renderings

WORDS = {
    "passed": "pass",
    "failed": "FAIL",
    "known": "known",
    "not-applicable": "n/a",
    "broken": "broken",
}
"""The text of a cell by status; ``pass*`` is a pass with findings of a level that does not fail."""

_MAX_EVENTS = 20_000
_MAX_VALUE = 300


def safe(text: str) -> str:
    """Text as HTML, on one line."""
    return escape(summary.visible(text))


def status_word(result: Result) -> str:
    """The text of a result's cell."""
    starred = "*" if result.status == "passed" and result.findings else ""
    return WORDS[result.status] + starred


@dataclass(frozen=True, slots=True)
class _Run:
    """One adapter's run of the case; an answer that cannot be rendered again is a Fault."""

    id: str
    each: AdapterResults
    cell: Cell
    answers: Sequence[tuple[Request, AnsweredWith | Fault]]


def case_html(
    n: int,
    case: str,
    adapters: Sequence[AdapterResults],
    find_case: Callable[[str], Case],
    renderings: Renderings,
) -> str:
    """The ``n``-th case as an HTML section, with every adapter that has a result for it."""
    sent = _SentBytes(case, find_case, renderings)
    runs = [
        _Run(f"run-{n}-{m}", each, cell, [(r, sent.answer(r)) for r in _requests(cell)])
        for m, each in enumerate(adapters)
        if (cell := each.cases.get(case))
    ]
    links = " ".join(map(_link, runs)) if len(runs) > 1 else ""
    articles = "".join(_run(run, sent) for run in runs)
    return (
        f'<section class=case><a class=close href="#case-{n}">close</a><h2>{safe(case)}</h2>\n'
        f"<nav>{links}</nav>\n{articles}{''.join(sent.details())}</section>\n"
    )


def _requests(cell: Cell) -> tuple[Request, ...]:
    transcript = cell.result.transcript
    return transcript.played if transcript else ()


def _link(run: _Run) -> str:
    result = run.cell.result
    text = f"{safe(run.each.adapter)}: {status_word(result)}"
    return f'<a class={result.status} href="#{run.id}">{text}</a>'


def _run(run: _Run, bytes_: _SentBytes) -> str:
    """One adapter's run as an HTML article: findings, timeline, answers and command."""
    result, each = run.cell.result, run.each
    sent = "".join(bytes_.description(request, got) for request, got in run.answers)
    why = f"<li>{_lines(result.why)}</li>" if result.why else ""
    findings = "".join(map(_finding, result.findings)) + why
    head = f"{safe(each.adapter)}: {status_word(result)}"
    return (
        f'<article class=run id="{run.id}"><h3>{head}</h3><ul>{findings}</ul>'
        f"{_timeline(result, each)}{sent}{_command(run.cell)}</article>\n"
    )


def _finding(finding: Finding) -> str:
    """A finding as a list item, with the findings that it explains in a list of their own."""
    follow = "".join(f"<li>{_lines(line)}</li>" for line in summary.of_explained(finding))
    return f"<li>{_lines(summary.of_finding(finding))}{f'<ul>{follow}</ul>' if follow else ''}</li>"


def _timeline(result: Result, each: AdapterResults) -> str:
    transcript = result.transcript
    if transcript is None:
        return "<p>Nothing was played.</p>"
    rows = timeline.of_run(transcript, each.traits, result.findings)
    shown = draw_text(rows, "the upstream sent", f"{each.adapter} emitted")
    notes = "\n".join(transcript.notes)
    said = f"<h4>What else was noticed</h4><pre>{_lines(notes)}</pre>" if notes else ""
    return f"<pre>{_lines(shown)}</pre>{said}"


def _command(cell: Cell) -> str:
    """The command that plays the case again; paths are as they were given to the run."""
    if cell.result.transcript is None:
        return ""
    command = shlex.join(["streamproof", "show", cell.result.case, *cell.options])
    return f"<h4>Again, from where the run was made</h4><pre class=command>{safe(command)}</pre>"


def _lines(text: str) -> str:
    return "\n".join(safe(line) for line in text.split("\n"))


class _SentBytes:
    """The answers that a case's requests got, each distinct answer once."""

    def __init__(self, id_: str, find_case: Callable[[str], Case], renderings: Renderings) -> None:
        self._id, self._find_case, self._renderings = id_, find_case, renderings
        self._case: Case | Fault | None = None
        self._same: dict[Key, dict[str, set[bytes]]] = {}
        self._rendered: dict[Key, Rendered] = {}

    def answer(self, request: Request) -> AnsweredWith | Fault:
        """Render the answer to a request again; a Fault says why that is not possible."""
        try:
            got = render_again(self._case_or_raise(), request, self._renderings)
        except Fault as fault:
            return fault
        self._rendered[got.key] = got.rendered
        same = self._same.setdefault(got.key, {})
        for name, value in got.values.items():
            same.setdefault(name, set()).add(value)
        return got

    def _case_or_raise(self) -> Case:
        if self._case is None:
            try:
                self._case = self._find_case(self._id)
            except Fault as fault:
                self._case = fault
        if isinstance(self._case, Fault):
            raise self._case
        return self._case

    def description(self, request: Request, got: AnsweredWith | Fault) -> str:
        """How much of an answer a request got, and the values that only it got, as HTML."""
        if isinstance(got, Fault):
            return _events_instead(request, got)
        values = ", ".join(
            f"<var>{name}</var> {_clipped(value)}"
            for name, value in got.values.items()
            if not self._is_same(got.key, name)
        )
        own = f" In them: {values}." if values else ""
        left = f"; then the client {safe(request.left.how)}" if request.left else ""
        sent = f"{got.wire.bytes:,} bytes were sent{self._label(got.key)}, {_extent(got)}"
        return f"<p>{sent}{left}.{own}</p>"

    def _is_same(self, key: Key, name: str) -> bool:
        return len(self._same[key][name]) == 1

    def _label(self, key: Key) -> str:
        """Which of several answers this is, in words; empty if there is only one."""
        turn, attempt, form = key
        asked = f", asked with {form}" if form else ""
        text = f" by turn {turn + 1} at attempt {attempt}{asked}"
        return text if len(self._rendered) > 1 else ""

    def details(self) -> Iterator[str]:
        """The bytes of each answer as a collapsed HTML element."""
        for key, rendered in sorted(self._rendered.items(), key=lambda pair: pair[0]):
            same = {name: min(v) for name, v in self._same[key].items() if self._is_same(key, name)}
            yield (
                f"<details class=wire><summary>The bytes that were sent{self._label(key)}</summary>"
                f"<pre>{_answer(rendered, same)}</pre></details>"
            )


def _answer(rendered: Rendered, values: Mapping[str, bytes]) -> str:
    plain = rendered.answer
    return of_body(plain.body) if plain else of_plan(rendered.plan, values)


def _extent(got: AnsweredWith) -> str:
    writes = len(got.rendered.plan.carried)
    return "all of them" if got.writes == writes else f"up to write {got.writes} of {writes}"


def _clipped(value: bytes) -> str:
    kept = value[:_MAX_VALUE]
    return f"<code>{visible(kept)}{'' if kept == value else '…'}</code>"


def _events_instead(request: Request, why: Fault) -> str:
    """The recorded events as HTML, for an answer whose bytes are not known."""
    text = "; ".join(filter(None, (why.problems[0].message, why.problems[0].hint)))
    head = f"<p class=lacking>The bytes that were sent cannot be shown: {safe(text)}.</p>"
    events = _event_lines(request)
    kept = events if len(events) <= _MAX_EVENTS else events[:_MAX_EVENTS] + "\n… and so on"
    label = "<summary>The events, as they were recorded</summary>"
    return f"{head}<details>{label}<pre>{_lines(kept)}</pre></details>" if kept else head


def _event_lines(request: Request) -> str:
    if request.answer:
        return "\n".join(summary.of_answer(request.status, request.answer))
    return "\n".join(map(_event, request.events))


def _event(event: SentEvent) -> str:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return f"{event.kind} {event.type} {data}"
