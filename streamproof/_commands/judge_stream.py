"""Judges a recorded stream of an upstream by the rules of its protocol."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from conformance.dialects.contracts import ObservedException, check_profile, contract
from conformance.dialects.recognition import (
    KNOWN_DIALECTS,
    Response,
    describe_unknown,
    recognise_dialect,
    split_responses,
)
from conformance.dialects.recording import MAX_BYTES, Dump, read_dump
from conformance.findings.finding import Finding
from conformance.findings.words import finding_json
from conformance.report import summary
from conformance.report.drawing import draw
from conformance.report.rows import Row
from conformance.rules.streams import (
    AcceptingProfile,
    accepting_profiles,
    best_for_all,
    judge_stream,
)
from mockserver.foundation.faults import Place, Problem, UserError
from mockserver.foundation.visible import say, visible
from streamproof._captures.exchange import check_dialect
from streamproof._commands.printing import EXIT_FINDINGS, count_findings, has_must, make_console


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The verdict on one response, with event numbers that count from the start of the recording.

    With a profile, ``kept`` are the exceptions of the profile that the response has. ``accepting``
    are the profiles under which it has the fewest findings of level ``must``, if these are fewer.
    """

    findings: list[Finding]
    kept: Sequence[ObservedException] = ()
    accepting: Sequence[AcceptingProfile] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A recording, the dialect that it is judged in, and the verdict on each of its responses."""

    name: str
    dump: Dump
    dialect: str
    profile: str
    verdicts: list[_Verdict]

    @property
    def findings(self) -> list[Finding]:
        return [finding for verdict in self.verdicts for finding in verdict.findings]


def judge_upstream(
    stream: BinaryIO, as_json: bool, width: int | None, profile: str = "", dialect: str = ""
) -> int:
    """Print the events of a stream with the findings about each; returns the exit code.

    Without a ``dialect`` it is recognised by the events. Raises UserError if the file is not a
    stream, if its dialect is unknown, or if the dialect has no profile of that name.
    """
    found = judge_recording(stream.read(MAX_BYTES + 1), stream.name, profile, dialect)
    if as_json:
        say(json.dumps(_document(found), indent=2))
    else:
        _show(found, width)
    return EXIT_FINDINGS if has_must(found.findings) else 0


def judge_recording(data: bytes, name: str, profile: str = "", dialect: str = "") -> Judged:
    """A recording with the verdict on each of its responses.

    Raises UserError if it is no stream, or if its dialect or its profile is unknown.
    """
    if profile:
        check_profile(profile)
    dump = read_dump(data, name)
    spoken = check_dialect(dialect) or _recognise(dump, name)
    responses = split_responses(dump, spoken)
    verdicts = [_verdict(response, spoken, profile) for response in responses]
    return Judged(name, dump, spoken, profile, verdicts)


def _recognise(dump: Dump, name: str) -> str:
    """The dialect of the events. Raises UserError if they are of none."""
    if found := recognise_dialect(dump.events):
        return found
    hint = f"{KNOWN_DIALECTS}; name it with --dialect, or dialect= in Python, if it is one of these"
    raise UserError(Problem(describe_unknown(dump.events), Place(name), hint))


def _verdict(response: Response, dialect: str, profile: str) -> _Verdict:
    events, framing, by = response.events, response.framing, response.first
    if profile:
        reading = contract(profile, dialect).read(events, framing)
        kept = [
            replace(each, events=tuple(event + by for event in each.events))
            for each in reading.observed
        ]
        findings = judge_stream(reading.events, reading.framing, dialect)
    else:
        kept, findings = [], judge_stream(events, framing, dialect)
    better = accepting_profiles(events, framing, dialect, findings)
    return _Verdict(_moved(findings, by), kept, better)


def _moved(findings: Iterable[Finding], by: int) -> list[Finding]:
    return [
        replace(
            finding,
            event=None if finding.event is None else finding.event + by,
            explains=tuple(_moved(finding.explains, by)),
        )
        for finding in findings
    ]


def _document(judged: Judged) -> dict[str, Any]:
    return {
        "stream": judged.name,
        "dialect": judged.dialect,
        "events": len(judged.dump.events),
        "responses": len(judged.verdicts),
        "framing": judged.dump.framing is not None,
        "profile": judged.profile or None,
        "exceptions": [_exception(kept) for verdict in judged.verdicts for kept in verdict.kept],
        "findings": [finding_json(finding) for finding in judged.findings],
        "takers": (takers := _best_profiles(judged)),
        "best": next(iter(takers), None),
    }


def _best_profiles(judged: Judged) -> dict[str, int]:
    """The profiles that fit best, likeliest first, with the findings of level ``must`` by each."""
    failing = [verdict.accepting for verdict in judged.verdicts if has_must(verdict.findings)]
    return {each.profile: each.musts for each in best_for_all(failing)}


def _exception(kept: ObservedException) -> dict[str, Any]:
    exception = kept.exception
    return {
        "id": exception.id,
        "about": exception.about,
        "source": [*exception.source, *exception.shown_by],
        "events": list(kept.events),
    }


def _show(judged: Judged, width: int | None) -> None:
    console = make_console(width)
    console.soft_wrap = True
    draw(_rows(judged), "", "the upstream sent", console)
    framed = "" if judged.dump.framing else " without their framing"
    several = f" in {len(judged.verdicts)} responses" if len(judged.verdicts) > 1 else ""
    events = f"{len(judged.dump.events)} events of {judged.dialect}{several}{framed}"
    console.print(
        f"\n{visible(judged.name)}: {events}: {count_findings(judged.findings)}", markup=False
    )
    for line in _notes(judged):
        console.print(line, markup=False)


def _notes(judged: Judged) -> Iterator[str]:
    """Lines about what the profile allowed, or about profiles that would allow more."""
    for kept in (kept for verdict in judged.verdicts for kept in verdict.kept):
        exception = kept.exception
        more = f" and {len(kept.events) - 1} more" if len(kept.events) > 1 else ""
        named = f"exception of {judged.profile}: {exception.id}"
        yield f"{named} (event {kept.events[0]}{more}): {exception.about}"
        yield f"  source: {'; '.join((*exception.source, *exception.shown_by))}"
    if asked := _best_profiles(judged):
        best, *others = (f"--profile {name}" for name in asked)
        left = min(asked.values())
        as_well = f"; as many under {', '.join(others)}" if others else ""
        yield f"{best} fits best: {left} of level must{as_well}"


def _rows(judged: Judged) -> list[Row]:
    """One row for each event; findings without an event are in a row at the end."""
    events = judged.dump.events
    rows = [Row(e.n, f"{e.n:>3}", [summary.of_event(e, judged.dialect)]) for e in events]
    for finding in judged.findings:
        if finding.event is not None:
            rows[finding.event].findings.append(finding)
    unplaced = [finding for finding in judged.findings if finding.event is None]
    return [*rows, Row(None, "", findings=unplaced)] if unplaced else rows
