"""The text of a failing test: a headline for each finding, what the case is about, links, notes.

The notes of a run are shortened for a terminal; the results keep them as they are.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap

from conformance.contract.notes import STDERR_SHARED
from conformance.dialects.short_text import clip
from conformance.findings.causes import cause_of
from conformance.findings.finding import Finding
from conformance.findings.words import headline_of, message_of
from conformance.report.drawing import WIDTH
from conformance.report.sources import PAGE
from conformance.report.timeline import ELSEWHERE, numbered
from mockserver.cases.case import Case
from mockserver.foundation.visible import visible
from mockserver.scenario.model import Conduct

_MOST = 99
_THE_ADAPTERS = "the adapter's fault"
CONDUCT: dict[Conduct, str] = {
    "legal": f"the upstream keeps to its specification, so a failure is {_THE_ADAPTERS}",
    "deviation": "the upstream departs from its specification as real upstreams do, so an adapter "
    "has to cope with it",
    "violation": "the upstream breaks its specification: an adapter may lose what was never "
    "properly sent, but must not invent or repeat anything, hide a failure, or hang",
}
"""What a scenario's conduct says about its upstream, and about whose fault a failure is."""

_BY_PROFILE = (
    "the upstream streams as its vendor documents, so a failure is the adapter's fault; an adapter "
    "may ignore what the specification does not have"
)


_BY_FAULT = (
    "the upstream's answer breaks there: all that came before is due, and an adapter must not "
    "invent or repeat anything, hide the failure, or hang"
)


_UNKNOWN = (
    "no upstream is known to send this: an adapter may lose what was never properly sent, but must "
    "not invent or repeat anything, hide a failure, or hang"
)


def conduct_of(case: Case) -> tuple[str, str]:
    """The conduct of a case's upstream in a few words, and what it says about failures."""
    scenario = case.scenario
    if case.fault:
        return f"fault ({case.fault})", _BY_FAULT
    holds = _UNKNOWN if case.standing == "unknown" else CONDUCT[case.conduct]
    if scenario.conduct == "legal" and case.deviations:
        return f"deviation (by {' and '.join(case.deviations)})", holds
    if not scenario.profile:
        return scenario.conduct, holds
    holds = _BY_PROFILE if scenario.conduct == "legal" else holds
    return f"{scenario.conduct} (profile {scenario.profile})", holds


BROKEN_DUTIES: Mapping[str, Mapping[str, str]] = {
    "end-honest": {
        "failure-hidden": "hid a failure",
        "blanks-for-failure": "hid a failure",
        "crashed": "crashed",
        "call-not-run": "passed on a call that no host can run",
    },
    "end-once": {
        "not-ended": "hung",
        "not-ended-by-cancellation": "hung",
        "not-ended-without-request": "hung",
        "run-lost": "crashed",
    },
    "text-exact": dict.fromkeys(
        ("came-twice", "added-at-one-side", "added-around", "never-sent"), "added to the text"
    ),
}
"""What an adapter did that it may not do whatever its upstream does, by rule and kind."""

_BROKEN_RULES: Mapping[str, str] = {
    "error-told": "did not pass a failure on as it should",
    "call-none-invented": "invented a call",
    "call-once": "repeated a call, or joined two",
}


def _broken_duty(finding: Finding) -> str:
    """What the adapter did against the duties that it has towards any upstream; may be empty."""
    kinds = BROKEN_DUTIES.get(finding.rule, {})
    duty = kinds.get(finding.kind.name, "") or _BROKEN_RULES.get(finding.rule, "")
    return duty if finding.level == "must" else ""


def alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings in groups: those about parts that have one cause."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for n, each in enumerate(findings):
        one = n if each.part is None else ""
        groups.setdefault((cause_of(each), each.level, each.turn, one), []).append(each)
    return list(groups.values())


def headline(finding: Finding, place: str | None = None, more: int = 0) -> str:
    """A finding in one line of less than 100 characters: its rule, what happened, and where.

    ``place`` says where it stands in the timeline of its run, if there is one. ``more`` counts the
    findings like it.
    """
    level = " (should)" if finding.level == "should" else ""
    place = numbered(finding.turn, finding.event, finding.part) if place is None else place
    rule = f"✗ {finding.rule}{level}: "
    others = f" and {more:,} more such parts" if more else ""
    room = _MOST - len(rule) - len(others)
    if len(message_of(finding)) + len(_in_brackets(place)) > room:
        place = place.partition(", part" if more else ELSEWHERE)[0]
    said = visible(headline_of(finding, room - len(_in_brackets(place))))
    return f"{rule}{clip(said, room - len(_in_brackets(place)))}{_in_brackets(place)}{others}"


def _in_brackets(place: str) -> str:
    return f" ({place})" if place else ""


def context(
    case: Case | None, findings: Sequence[Finding], width: int = WIDTH, library: str = ""
) -> Iterator[str]:
    """Where the rules are explained, what a case is about, and how the upstream behaves in it.

    ``case`` is None for a claim, which has no scenario. ``library`` is what the adapter binds to
    the suite, if it is a binding.
    """
    for rule in dict.fromkeys(finding.rule for finding in findings):
        yield f"why: {PAGE}#{rule}, or: streamproof explain {rule}"
    if case:
        scenario = case.scenario
        title = f"this case: {visible(scenario.title)}"
        yield from wrap(title, width, subsequent_indent="  ")
        about = " ".join(visible(scenario.about.replace("\n", " ")).split())
        yield from wrap(about, width, initial_indent="  ", subsequent_indent="  ")
        name, holds = conduct_of(case)
        if library:
            holds = holds.replace(_THE_ADAPTERS, f"the fault of {library}, or of its binding here")
        duty = next(filter(None, map(_broken_duty, findings)), "")
        here = (
            f"; here it {duty}" if duty and (case.fault or scenario.conduct == "violation") else ""
        )
        conduct = f"{name}: {holds}{here}"
        yield from wrap(conduct, width, initial_indent="  ", subsequent_indent="  ")


_NUMBER = re.compile(r"\d+")
_TRACEBACK = "Traceback "
_LEAST_REPEATED = 20
_OF_ANOTHER = "perhaps of another run"
# The ends of the first and the last line of a value that is logged over several lines.
_OPEN = ("{", "[", "(")
_CLOSED = re.compile(r"[\]})]+[;,]?")


def notes_text(
    notes: Iterable[str], messages: Sequence[str] = (), most: int | None = None
) -> list[str]:
    """The notes in lines, without those that the findings' ``messages`` quote.

    A repeated message comes once, and a value that is logged over several lines is one line. Each
    note has at most ``most`` lines, and one more that says how many were left out.
    """
    return [
        line
        for note in notes
        if not any(note in message for message in messages)
        for line in _ends_of(list(_lines_of(note)), most)
    ]


def _lines_of(note: str) -> Iterator[str]:
    """The lines of a note without repetitions; those of other runs, perhaps, are marked."""
    if note.startswith(STDERR_SHARED):
        yield STDERR_SHARED.rstrip()
        yield from _without_repetitions(note.removeprefix(STDERR_SHARED), _OF_ANOTHER)
    else:
        yield from _without_repetitions(note)


def _without_repetitions(note: str, mark: str = "") -> Iterator[str]:
    """The lines of a note, of which the same message comes once, with how often it was there.

    ``mark`` is said of each message.
    """
    times: dict[str, int] = {}
    first: dict[str, list[str]] = {}
    for message in _messages(note):
        # The details of a warning differ; of a traceback they are all that there is.
        whole = message if message[0].startswith(_TRACEBACK) else message[:1]
        key = _NUMBER.sub("", "\n".join(whole))
        times[key] = times.get(key, 0) + 1
        first.setdefault(key, message)
    # A logger that says a message to two places says it with two beginnings.
    said = [key for key in first if len(key) >= _LEAST_REPEATED]
    again = {key for key in first for other in said if key != other and key.endswith(f" {other}")}
    for key, (line, *more) in first.items():
        if key in again:
            continue
        said = [f"{times[key]} times"] if times[key] > 1 else []
        said += [mark] if mark else []
        yield f"{line} ({', '.join(said)})" if said else line
        yield from more


def _messages(note: str) -> Iterator[list[str]]:
    """A note cut before each line that is not indented; a value over several lines is one line."""
    message: list[str] = []
    for line in note.splitlines():
        if message and message[0].endswith(_OPEN) and _CLOSED.fullmatch(line):
            yield [clip(" ".join(each.strip() for each in (*message, line)))]
            message = []
            continue
        if message and line[:1].strip():
            yield message
            message = []
        message.append(line)
    if message:
        yield message


def _ends_of(lines: list[str], most: int | None) -> list[str]:
    """The first and the last lines, as the error is in the one or in the other."""
    if most is None or len(lines) <= most:
        return lines
    half = most // 2
    left_out = f"… {len(lines) - 2 * half} more lines, which streamproof show prints …"
    return [*lines[:half], left_out, *lines[-half:]]
