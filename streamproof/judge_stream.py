"""Judges a recorded stream of an upstream by the rules of its protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from conformance.dialects.contracts import Kept, contract
from conformance.dialects.recognition import dialect_of
from conformance.dialects.recording import MAX_BYTES, Dump, read_dump
from conformance.report import summary
from conformance.report.columns import draw
from conformance.report.timeline import Row
from conformance.rules.streams import judge_stream
from conformance.rules.takers import Taker, takers
from streamproof.printing import EXIT_FINDINGS, console_of, count_findings, has_must

if TYPE_CHECKING:
    from conformance.contract.finding import Finding


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The findings on a stream.

    ``kept`` are the customs that the profile excused; without a profile, ``takers`` are profiles
    that would excuse more.
    """

    profile: str
    findings: list[Finding]
    kept: tuple[Kept, ...] = ()
    takers: tuple[Taker, ...] = ()


def of_stream(stream: BinaryIO, as_json: bool, width: int | None, profile: str = "") -> int:
    """Print a stream's events with the findings at each; returns the exit code.

    Raises UserError if the input is not a stream, or if its dialect has no such profile.
    """
    dump = read_dump(stream.read(MAX_BYTES + 1), stream.name)
    verdict = _judge(dump, profile)
    if as_json:
        click.echo(_as_json(stream.name, dump, verdict))
    else:
        _show(stream.name, dump, verdict, width)
    return EXIT_FINDINGS if has_must(verdict.findings) else 0


def _judge(dump: Dump, profile: str) -> _Verdict:
    dialect = dialect_of(dump.events)
    if profile:
        reading = contract(profile, dialect).read(dump.events, dump.framing)
        findings = judge_stream(reading.events, reading.framing, dialect)
        return _Verdict(profile, findings, kept=reading.kept)
    findings = judge_stream(dump.events, dump.framing, dialect)
    return _Verdict("", findings, takers=takers(dump.events, dump.framing, dialect, findings))


def _as_json(name: str, dump: Dump, verdict: _Verdict) -> str:
    return json.dumps(
        {
            "stream": name,
            "events": len(dump.events),
            "framing": dump.framing is not None,
            "profile": verdict.profile or None,
            "findings": [finding.to_json() for finding in verdict.findings],
            "customs": [_custom(kept) for kept in verdict.kept],
            "takers": {taker.profile: taker.musts for taker in verdict.takers},
        },
        indent=2,
    )


def _custom(kept: Kept) -> dict[str, Any]:
    custom = kept.custom
    return {
        "id": custom.id,
        "about": custom.about,
        "source": [*custom.source, *custom.shown_by],
        "events": list(kept.events),
    }


def _show(name: str, dump: Dump, verdict: _Verdict, width: int | None) -> None:
    console = console_of(width)
    console.soft_wrap = True
    draw(_rows(dump, verdict.findings), "", "the upstream sent", console)
    framed = "" if dump.framing else " without their framing"
    heading = f"\n{name}: {len(dump.events)} events{framed}: {count_findings(verdict.findings)}"
    for line in (heading, *_notes(verdict)):
        console.print(line, markup=False)


def _notes(verdict: _Verdict) -> Iterator[str]:
    """The customs that the profile excused, or the profiles that would excuse more."""
    for kept in verdict.kept:
        custom = kept.custom
        more = f" and {len(kept.events) - 1} more" if len(kept.events) > 1 else ""
        source = "; ".join((*custom.source, *custom.shown_by))
        named = f"custom of {verdict.profile}: {custom.id}"
        yield f"{named} (event {kept.events[0]}{more}): {custom.about}"
        yield f"  source: {source}"
    if verdict.takers:
        names = ", ".join(f"--profile {taker.profile}" for taker in verdict.takers)
        left = verdict.takers[0].musts
        yield f"{left} of level must under {names}" if left else f"without a must under {names}"


def _rows(dump: Dump, findings: list[Finding]) -> list[Row]:
    """A row for each event; findings about no event are at the end."""
    dialect = dialect_of(dump.events) or "openresponses"
    rows = [Row(e.n, f"{e.n:>3}", [summary.of_event(e, dialect)]) for e in dump.events]
    for finding in findings:
        if finding.event is not None:
            rows[finding.event].findings.append(finding)
    unplaced = [finding for finding in findings if finding.event is None]
    return [*rows, Row(None, "", findings=unplaced)] if unplaced else rows
