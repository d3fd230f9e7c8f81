"""Results as one page: scenarios by adapters, each cell opening what happened there.

The page stands alone: no script, nothing from elsewhere. A cell is a link to a section that is
shown while it is the target. Everything in it came from adapters and scenario files, so all of it
is escaped, what cannot be seen is written as an escape, and a policy in the page forbids scripts
and loading of any kind.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from conformance import gist, timeline
from conformance.drawn import drawn
from conformance.expectation.traits import Traits
from conformance.gathered import Gathered, gathered, unfinished
from mockserver import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.recorded import Recording
    from conformance.results import Result
    from conformance.transcript import Request, SentEvent

WORDS = {
    "passed": "pass",
    "failed": "FAIL",
    "known": "known",
    "not-applicable": "n/a",
    "broken": "broken",
}
"""What a cell says, by status; ``pass*`` is a pass with findings that fail nothing."""

_NO_RESULT = "–"
_MOST_WIRE = 20_000


def matrix(recordings: Sequence[Recording]) -> str:
    """The page as HTML. Raises UserError where two files do not go together."""
    adapters = gathered(recordings)
    cases = list(dict.fromkeys(case for each in adapters for case in each.cases))
    lacking = unfinished(recordings).values()
    pieces = {
        "style": _shipped("matrix.css"),
        "summary": "".join(map(_summary, adapters)),
        "lacking": "".join(f"<p class=lacking>{_safe(why)}</p>" for why in lacking),
        "heads": "".join(f"<th scope=col>{_safe(each.adapter)}</th>" for each in adapters),
        "rows": "".join(_rows(cases, adapters)),
        "runs": "".join(_runs(cases, adapters)),
        "version": _safe(__version__),
    }
    # In one go: what a piece holds is never taken for a slot.
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: pieces[slot[1]], _shipped("matrix.html"))


def _shipped(name: str) -> str:
    return files("conformance").joinpath("page", name).read_text("utf-8")


def badge(recordings: Sequence[Recording]) -> dict[str, object]:
    """A badge as shields.io reads it: how many of the cases that were asked for pass."""
    counts = Counter(r.status for each in gathered(recordings) for r in each.results)
    asked = counts.total() - counts["not-applicable"]
    whole = not unfinished(recordings) and 0 < asked == counts["passed"]
    colour = "brightgreen" if whole else "red" if counts["failed"] + counts["broken"] else "yellow"
    message = f"{counts['passed']} of {asked}" if asked else "nothing was played"
    return {"schemaVersion": 1, "label": "streamproof", "message": message, "color": colour}


def _safe(text: str) -> str:
    return escape(gist.visible(text))


def _lines(text: str) -> str:
    return "\n".join(_safe(line) for line in text.split("\n"))


def _summary(each: Gathered) -> str:
    counts: Counter[str] = Counter(result.status for result in each.results)
    cells = "".join(_count(status, counts[status]) for status in WORDS)
    known = _safe(each.implementation or "unknown")
    named = f"<th scope=row>{_safe(each.adapter)}</th><td>{known}</td>"
    return f"<tr>{named}{cells}<td>{_safe(_traits(each.traits))}</td></tr>\n"


def _count(status: str, count: int) -> str:
    return f"<td class={status}>{count}</td>" if count else "<td>0</td>"


def _traits(traits: Traits) -> str:
    """Those that are not as usual."""
    usual = asdict(Traits())
    told = asdict(traits).items()
    return ", ".join(f"{name}: {value}" for name, value in told if value != usual[name])


def _rows(cases: Sequence[str], adapters: Sequence[Gathered]) -> Iterator[str]:
    for n, case in enumerate(cases):
        cells = "".join(_cell(n, m, each.cases.get(case)) for m, each in enumerate(adapters))
        yield f"<tr><th scope=row>{_safe(case)}</th>{cells}</tr>\n"


def _cell(n: int, m: int, found: tuple[Result, str] | None) -> str:
    if found is None:
        return f"<td>{_NO_RESULT}</td>"
    result, _file = found
    starred = "*" if result.status == "passed" and result.findings else ""
    word = WORDS[result.status] + starred
    return f'<td class={result.status}><a href="#run-{n}-{m}">{word}</a></td>'


def _runs(cases: Sequence[str], adapters: Sequence[Gathered]) -> Iterator[str]:
    for n, case in enumerate(cases):
        for m, each in enumerate(adapters):
            if found := each.cases.get(case):
                yield _run(f"run-{n}-{m}", found[0], each)


def _run(id_: str, result: Result, each: Gathered) -> str:
    """One cell, opened."""
    told = [*map(gist.of_finding, result.findings), *filter(None, [result.why])]
    findings = "".join(f"<li>{_lines(line)}</li>" for line in told)
    head = f"{_safe(result.case)} · {_safe(each.adapter)} · {WORDS[result.status]}"
    return (
        f'<section class=run id="{id_}"><h2>{head}</h2><a class=close href="#top">close</a>'
        f"<ul>{findings}</ul>{_played(result, each)}</section>\n"
    )


def _played(result: Result, each: Gathered) -> str:
    transcript = result.transcript
    if transcript is None:
        return "<p>Nothing was played.</p>"
    rows = timeline.of_run(transcript, each.traits, result.findings)
    shown = drawn(rows, "the upstream sent", f"{each.adapter} emitted")
    notes = "\n".join(transcript.notes)
    said = f"<h3>What else was noticed</h3><pre>{_lines(notes)}</pre>" if notes else ""
    wire = "\n".join(_wire(request) for request in transcript.played)
    wire = wire if len(wire) <= _MOST_WIRE else wire[:_MOST_WIRE] + "\n… and so on"
    sent = f"<details><summary>what was sent</summary><pre>{_lines(wire)}</pre></details>"
    command = f"streamproof show '{result.case}' --adapter ADAPTER.YAML"
    again = f"<p>Again, with this adapter's file: <code>{_safe(command)}</code></p>"
    return f"<pre>{_lines(shown)}</pre>{said}{sent if wire else ''}{again}"


def _wire(request: Request) -> str:
    """What was sent in answer, as server-sent events spell it without variations."""
    if request.answer:
        return "\n".join(gist.of_answer(request.status, request.answer))
    return "\n".join(_spelled(event) for event in request.events)


def _spelled(event: SentEvent) -> str:
    if event.kind == "comment":
        return f": {event.data}\n"
    if event.kind == "raw":
        return str(event.data)
    if event.kind == "done":
        return "data: [DONE]\n"
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event.type}\ndata: {data}\n"
