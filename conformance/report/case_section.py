"""The sections of the results page: for each case its scenario, its runs and its answers' bytes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from conformance.report import summary, timeline
from conformance.report.drawing import draw_text
from conformance.report.failure import conduct_of
from conformance.report.semantics import paragraphs
from conformance.report.sent_bytes import Answers
from conformance.report.sources import anchor_of, clauses, link
from mockserver.foundation.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import Request
    from conformance.findings.finding import Finding
    from conformance.report.by_adapter import AdapterResults, Cell
    from conformance.report.results import Result, Status
    from conformance.report.sent_bytes import Reply, Sent
    from mockserver.cases.case import Case
    from mockserver.cases.render import Renderings

WORDS: dict[Status, str] = {
    "passed": "pass",
    "failed": "FAIL",
    "known": "known",
    "not-applicable": "n/a",
    "broken": "broken",
}
"""The word in a cell, by status; ``pass*`` is a pass with findings below the failing level."""

_MOST_RULES = 5


def word(result: Result) -> str:
    """The word for a result in its cell."""
    starred = "*" if result.status == "passed" and result.findings else ""
    return WORDS[result.status] + starred


def rules(result: Result) -> list[str]:
    """The first rules that a result breaks, those of level ``must`` first, and how many more."""
    ordered = sorted(result.findings, key=lambda finding: finding.level != "must")
    broken = list(dict.fromkeys(finding.rule for finding in ordered))
    more = [f"{len(broken) - _MOST_RULES:,} more"] if len(broken) > _MOST_RULES else []
    return [*broken[:_MOST_RULES], *more]


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
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class OpenedFinding:
    """A finding in words: what happened, what is right, what it explains, and its sources."""

    text: str
    right: str = ""
    explains: Sequence[str] = ()
    sources: Sequence[Source] = ()


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """The run of a case with one adapter; ``timeline`` is empty if the case was not played."""

    id: str
    adapter: str
    status: Status
    word: str
    rules: Sequence[str]
    findings: Sequence[OpenedFinding]
    timeline: str
    notes: str
    replies: Sequence[Reply]
    command: str


@dataclass(frozen=True, slots=True)
class Opened:
    """The section of a case: its scenario, its runs with all adapters, and what was sent."""

    case: str
    situation: Situation
    runs: Sequence[OpenedRun]
    sent: Sequence[Sent]


def opened(
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
    return Opened(case, situation_of(case, found), runs, sent.all())


def situation_of(case: str, found: Case | Fault) -> Situation:
    """What a case is about; its title is its id if there is no scenario."""
    if isinstance(found, Fault):
        return Situation(case, unknown=found.problems[0].message)
    scenario = found.scenario
    sources = list(map(_source, (*scenario.source, *scenario.seen)))
    conduct, holds = conduct_of(found)
    return Situation(scenario.title, conduct, holds, scenario.about.strip(), sources)


def _requests(cell: Cell) -> tuple[Request, ...]:
    transcript = cell.result.transcript
    return transcript.answered if transcript else ()


def _run(
    id_: str, each: AdapterResults, cell: Cell, found: Case | Fault, replies: Sequence[Reply]
) -> OpenedRun:
    result = cell.result
    return OpenedRun(
        id=id_,
        adapter=each.adapter,
        status=result.status,
        word=word(result),
        rules=rules(result),
        findings=[
            *map(_finding, result.findings),
            *map(OpenedFinding, filter(None, [result.why])),
        ],
        timeline=_timeline(result, each, None if isinstance(found, Fault) else found),
        notes="\n".join(result.transcript.notes) if result.transcript else "",
        replies=replies,
        command=_command(cell),
    )


def _finding(finding: Finding) -> OpenedFinding:
    return OpenedFinding(
        text=summary.of_finding(finding),
        right=summary.of_right(finding),
        explains=summary.of_explained(finding),
        sources=list(map(_source, clauses(finding.source))),
    )


def _source(clause: str) -> Source:
    address = link(clause)
    stated = paragraphs().get(anchor_of(address))
    return Source(clause, _web(address), stated.plain if stated else "")


def _web(address: str) -> str:
    """The link of a source on the web; empty if it is one to ``docs/semantics.md``."""
    return "" if anchor_of(address) else address


def _timeline(result: Result, each: AdapterResults, case: Case | None) -> str:
    if result.transcript is None:
        return ""
    rows = timeline.of_run(result.transcript, each.traits, result.findings, case)
    return draw_text(rows, "the upstream sent", f"{each.adapter} emitted")


def _command(cell: Cell) -> str:
    """The command that plays the case again; empty if the case was not played."""
    if cell.result.transcript is None:
        return ""
    return shlex.join(["streamproof", "show", cell.result.case, *cell.options])
