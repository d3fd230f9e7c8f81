"""A case of the page, opened: what each adapter made of it, and the bytes that they all got.

Bytes are the case's, not the run's: what differs from request to request has a name in them, and a
run tells what that was for it. So they are on the page once, whoever was answered with them.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from conformance.report import summary as gist
from conformance.report import timeline
from conformance.report.columns import drawn
from conformance.report.wire import Key, resent
from conformance.report.wire_text import of_body, of_plan, visible
from mockserver.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.results import Result
    from conformance.contract.transcript import Request, SentEvent
    from conformance.report.by_adapter import Cell, Gathered
    from conformance.report.wire import Resent
    from mockserver.render import Case, Rendered, Renderings

WORDS = {
    "passed": "pass",
    "failed": "FAIL",
    "known": "known",
    "not-applicable": "n/a",
    "broken": "broken",
}
"""What a cell says, by status; ``pass*`` is a pass with findings that fail nothing."""

_MOST_EVENTS = 20_000
_MOST_VALUE = 300


def safe(text: str) -> str:
    """Text as HTML, on one line."""
    return escape(gist.visible(text))


def word(result: Result) -> str:
    """How it went."""
    starred = "*" if result.status == "passed" and result.findings else ""
    return WORDS[result.status] + starred


@dataclass(frozen=True, slots=True)
class _Run:
    """What one adapter made of the case, and what each of its requests was answered with."""

    id: str
    each: Gathered
    cell: Cell
    answers: Sequence[tuple[Request, Resent | Fault]]


def opened(
    n: int,
    case: str,
    adapters: Sequence[Gathered],
    named: Callable[[str], Case],
    renderings: Renderings,
) -> str:
    """The ``n``-th case, with every adapter that has a result for it."""
    sent = _Bytes(case, named, renderings)
    runs = [
        _Run(f"run-{n}-{m}", each, cell, [(r, sent.answer(r)) for r in _requests(cell)])
        for m, each in enumerate(adapters)
        if (cell := each.cases.get(case))
    ]
    links = " ".join(map(_link, runs)) if len(runs) > 1 else ""
    told = "".join(_run(run, sent) for run in runs)
    return (
        f'<section class=case><a class=close href="#case-{n}">close</a><h2>{safe(case)}</h2>\n'
        f"<nav>{links}</nav>\n{told}{''.join(sent.shown())}</section>\n"
    )


def _requests(cell: Cell) -> tuple[Request, ...]:
    transcript = cell.result.transcript
    return transcript.played if transcript else ()


def _link(run: _Run) -> str:
    result = run.cell.result
    told = f"{safe(run.each.adapter)}: {word(result)}"
    return f'<a class={result.status} href="#{run.id}">{told}</a>'


def _run(run: _Run, bytes_: _Bytes) -> str:
    """One cell, opened."""
    result, each = run.cell.result, run.each
    sent = "".join(bytes_.told(request, got) for request, got in run.answers)
    why = f"<li>{_lines(result.why)}</li>" if result.why else ""
    findings = "".join(map(_finding, result.findings)) + why
    head = f"{safe(each.adapter)}: {word(result)}"
    return (
        f'<article class=run id="{run.id}"><h3>{head}</h3><ul>{findings}</ul>'
        f"{_played(result, each)}{sent}{_again(run.cell)}</article>\n"
    )


def _finding(finding: Finding) -> str:
    """A finding as an item of a list, what follows from it in a list of its own."""
    follow = "".join(f"<li>{_lines(line)}</li>" for line in gist.of_explained(finding))
    return f"<li>{_lines(gist.of_finding(finding))}{f'<ul>{follow}</ul>' if follow else ''}</li>"


def _played(result: Result, each: Gathered) -> str:
    transcript = result.transcript
    if transcript is None:
        return "<p>Nothing was played.</p>"
    rows = timeline.of_run(transcript, each.traits, result.findings)
    shown = drawn(rows, "the upstream sent", f"{each.adapter} emitted")
    notes = "\n".join(transcript.notes)
    said = f"<h4>What else was noticed</h4><pre>{_lines(notes)}</pre>" if notes else ""
    return f"<pre>{_lines(shown)}</pre>{said}"


def _again(cell: Cell) -> str:
    """The command that plays it again; paths are as they were given."""
    if cell.result.transcript is None:
        return ""
    command = shlex.join(["streamproof", "show", cell.result.case, *cell.options])
    return f"<h4>Again, from where the run was made</h4><pre class=command>{safe(command)}</pre>"


def _lines(text: str) -> str:
    return "\n".join(safe(line) for line in text.split("\n"))


class _Bytes:
    """What a case was answered with, each answer once."""

    def __init__(self, id_: str, named: Callable[[str], Case], renderings: Renderings) -> None:
        self._id, self._named, self._renderings = id_, named, renderings
        self._case: Case | Fault | None = None
        self._same: dict[Key, dict[str, set[bytes]]] = {}
        self._rendered: dict[Key, Rendered] = {}

    def answer(self, request: Request) -> Resent | Fault:
        """What a request was answered with, or why nobody knows any more."""
        try:
            got = resent(self._found(), request, self._renderings)
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

    def told(self, request: Request, got: Resent | Fault) -> str:
        """How much of an answer a request got, and the values that were its own."""
        if isinstance(got, Fault):
            return _unknown(request, got)
        named = ", ".join(
            f"<var>{name}</var> {_clipped(value)}"
            for name, value in got.values.items()
            if not self._is_same(got.key, name)
        )
        own = f" In them: {named}." if named else ""
        left = f"; then the client {safe(request.left.how)}" if request.left else ""
        sent = f"{got.wire.bytes:,} bytes were sent{self._label(got.key)}, {_extent(got)}"
        return f"<p>{sent}{left}.{own}</p>"

    def _is_same(self, key: Key, name: str) -> bool:
        return len(self._same[key][name]) == 1

    def _label(self, key: Key) -> str:
        """Which of several answers it is."""
        turn, attempt, form = key
        asked = f", asked with {form}" if form else ""
        told = f" by turn {turn + 1} at attempt {attempt}{asked}"
        return told if len(self._rendered) > 1 else ""

    def shown(self) -> Iterator[str]:
        """The answers themselves, to be opened."""
        for key, rendered in sorted(self._rendered.items(), key=lambda pair: pair[0]):
            same = {name: min(v) for name, v in self._same[key].items() if self._is_same(key, name)}
            yield (
                f"<details class=wire><summary>The bytes that were sent{self._label(key)}</summary>"
                f"<pre>{_answer(rendered, same)}</pre></details>"
            )


def _answer(rendered: Rendered, values: Mapping[str, bytes]) -> str:
    plain = rendered.answer
    return of_body(plain.body) if plain else of_plan(rendered.plan, values)


def _extent(got: Resent) -> str:
    writes = len(got.rendered.plan.byte_writes)
    return "all of them" if got.writes == writes else f"up to write {got.writes} of {writes}"


def _clipped(value: bytes) -> str:
    kept = value[:_MOST_VALUE]
    return f"<code>{visible(kept)}{'' if kept == value else '…'}</code>"


def _unknown(request: Request, why: Fault) -> str:
    """The events as they are recorded, where the bytes are not known."""
    told = "; ".join(filter(None, (why.problems[0].message, why.problems[0].hint)))
    head = f"<p class=lacking>The bytes that were sent cannot be shown: {safe(told)}.</p>"
    events = _spelled(request)
    kept = events if len(events) <= _MOST_EVENTS else events[:_MOST_EVENTS] + "\n… and so on"
    summary = "<summary>The events, as they were recorded</summary>"
    return f"{head}<details>{summary}<pre>{_lines(kept)}</pre></details>" if kept else head


def _spelled(request: Request) -> str:
    if request.answer:
        return "\n".join(gist.of_answer(request.status, request.answer))
    return "\n".join(map(_event, request.events))


def _event(event: SentEvent) -> str:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return f"{event.kind} {event.type} {data}"
