"""Prints the bytes of answers, as ``streamproof show --bytes`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from conformance.report.wire import render_again
from conformance.report.wire_text import of_body, of_plan
from mockserver.cases.render import Renderings, render
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

    from conformance.contract.transcript import Transcript
    from conformance.report.wire_text import Span
    from mockserver.cases.case import Case
    from mockserver.cases.render import Rendered

_STYLES = {"text": "", "escape": "magenta", "slot": "cyan", "mark": "dim"}


def print_bytes(case: Case, transcript: Transcript | None, console: Console) -> None:
    """Print the bytes of each answer of a run, or without one those that the case would send."""
    if transcript:
        _print_sent(case, transcript, console)
    else:
        _print_planned(case, console)


def _print_planned(case: Case, console: Console) -> None:
    """Values that are taken from a request are those of a sample."""
    sample = DIALECTS[case.dialect].sample()
    for turn, played in enumerate(case.scenario.turns):
        for attempt in range(1, len(played.attempts) + 1):
            heading = f"the bytes of turn {turn}, attempt {attempt}"
            _print(heading, _spans(render(case, turn, attempt), sample), console)


def _print_sent(case: Case, transcript: Transcript, console: Console) -> None:
    """The bytes are rendered again, and verified by their recorded checksum."""
    renderings = Renderings()
    for turn in transcript.turns:
        for request in turn.answered:
            heading = f"the bytes of turn {turn.turn}, attempt {request.attempt}"
            try:
                answer = render_again(case, request, renderings)
            except Fault as fault:
                console.print(f"\n{heading}: {fault}", markup=False)
                continue
            writes = len(answer.rendered.plan.byte_writes)
            until = f", up to write {answer.writes} of {writes}" if answer.writes < writes else ""
            sent = f"{heading}: {answer.wire.bytes} bytes were sent{until}"
            _print(sent, _spans(answer.rendered, answer.values), console)


def _spans(rendered: Rendered, values: Mapping[str, bytes]) -> Iterable[Span]:
    answer = rendered.answer
    return of_body(answer.body) if answer else of_plan(rendered.plan, values)


def _print(heading: str, spans: Iterable[Span], console: Console) -> None:
    """Print spans as they are, each mark in a line of its own."""
    text = Text(f"\n{heading}\n", "bold")
    for span in spans:
        if span.kind == "mark":
            line = "" if text.plain.endswith("\n") else "\n"
            text.append(f"{line}── {span.text}\n", _STYLES["mark"])
        else:
            name = f"{{{span.text}}}" if span.kind == "slot" else span.text
            text.append(name, _STYLES[span.kind])
    console.print(text, no_wrap=True, overflow="ignore", crop=False, end="")
